"""The hash of the cases, remembered while their files are as they were.

Holds: `cases_hash`; reading all cases at each tick of a sensor costs more than everything else it looks at.
Add here: nothing.
Never here: what a case is (evaluation/cases.py).
"""

from functools import lru_cache
from pathlib import Path

from rag_assets.evaluation.cases import load_cases

Stamp = tuple[tuple[str, int, int], ...]
LOOKED_AT = ("cases", "tables", "baselines")


def cases_hash(evals: Path | None) -> str:
    """Raises InputError or SettingsError as `load_cases` does."""
    return _hash(evals, _stamp(evals))


@lru_cache(maxsize=4)
def _hash(evals: Path | None, stamp: Stamp) -> str:  # noqa: ARG001 the stamp is the key
    return load_cases(evals).hash


def _stamp(evals: Path | None) -> Stamp:
    if evals is None:
        return ()
    files = [path for folder in LOOKED_AT for path in sorted((evals / folder).rglob("*")) if path.is_file()]
    return tuple((str(path), path.stat().st_size, path.stat().st_mtime_ns) for path in files)
