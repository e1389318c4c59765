"""Override files beside their sources, `price.xlsx.tables.yaml`.

Holds: reading one and turning its YAML into `Overrides`, with messages that name file and key.
Add here: another form an override may be written in.
Never here: what an override does (tables/overrides.py).
"""

import stat
from pathlib import Path

import yaml

from rag_assets.errors import SettingsError
from rag_assets.ingest.origins import Origin
from rag_assets.tables.overrides import Overrides, parse_overrides

MAX_OVERRIDE_BYTES = 1 << 20


def read_override(path: str, origin: Origin | None = None) -> bytes:
    """Raises SettingsError where it is no regular file of reasonable size, or cannot be read."""
    return _read_file(Path(path)) if origin is None else _read_from(origin, path)


def _read_from(origin: Origin, path: str) -> bytes:
    try:
        with origin.open(path) as file:
            content = file.read(MAX_OVERRIDE_BYTES + 1)
    except OSError as error:
        raise SettingsError(f"{path}: the override file cannot be read: {error}") from None
    if len(content) > MAX_OVERRIDE_BYTES:
        raise SettingsError(f"{path}: an override file has at most {MAX_OVERRIDE_BYTES:,} bytes")
    return content


def _read_file(path: Path) -> bytes:
    try:
        found = path.lstat()
        if not stat.S_ISREG(found.st_mode) or found.st_size > MAX_OVERRIDE_BYTES:
            raise SettingsError(f"{path}: an override file is a regular file of at most {MAX_OVERRIDE_BYTES:,} bytes")
        return path.read_bytes()
    except OSError as error:
        raise SettingsError(f"{path}: the override file cannot be read: {error.strerror}") from None


def overrides_of(content: bytes, where: str) -> Overrides:
    """What the file says. Raises SettingsError with file and line or key."""
    return parse_overrides(parse_override(content, where), where)


def parse_override(content: bytes, where: str) -> object:
    """The file's YAML. Raises SettingsError with file and line."""
    try:
        return yaml.safe_load(content)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = mark.line + 1 if mark else 1
        raise SettingsError(f"{where}:{line}: not YAML: {getattr(error, 'problem', None) or error}") from None
