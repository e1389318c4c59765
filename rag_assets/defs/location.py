"""The project that the code location serves.

Holds: finding and reading sources.yaml when the location loads, and what is said where it is bad.
Add here: another place where a project may be named.
Never here: what sources.yaml may say (settings.py).
"""

import os
from pathlib import Path
from typing import NamedTuple

from rag_assets.errors import InputError, UsageError
from rag_assets.settings import FILE_NAME, PROJECT_VARIABLE, Project, find_project, load_project


class BadProject(NamedTuple):
    """sources.yaml could not be used. `root` is None where none was found."""

    root: Path | None
    message: str


def project_of_location() -> Project | BadProject:
    """`RAG_ASSETS_PROJECT`, else the first folder with a sources.yaml from DAGSTER_HOME, then from here, upwards."""
    root: Path | None = None
    try:
        root = _root()
        return load_project(root)
    except (UsageError, InputError) as error:
        return BadProject(root, str(error))


def _root() -> Path:
    home = os.environ.get("DAGSTER_HOME")
    if home and not os.environ.get(PROJECT_VARIABLE):
        for folder in (Path(home).resolve(), *Path(home).resolve().parents):
            if (folder / FILE_NAME).is_file():
                return folder
    return find_project()
