"""What `doctor` looks at.

Holds: the checks of an installation and of a project, each with its remedy.
Add here: a check that saved somebody an hour.
Never here: printing; anything that changes a file.
"""

import os
import re
import resource
import sys
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path
from typing import NamedTuple

from rag_assets.errors import RagAssetsError

NEEDED_PYTHON = (3, 11)
SAME_VERSION = ("dagster", "dagster-webserver")


class Check(NamedTuple):
    name: str
    ok: bool
    found: str
    remedy: str = ""


def checks(project: Path | None) -> tuple[Check, ...]:
    return (_python(), *_packages(), _worker(), *_project(project), _model())


def _python() -> Check:
    shown = ".".join(map(str, sys.version_info[:3]))
    good = sys.version_info >= NEEDED_PYTHON
    return Check("python", good, shown, "" if good else "install Python 3.11 or newer")


def _packages() -> tuple[Check, ...]:
    missing = []
    for line in requires("rag-assets") or ():
        if "extra ==" in line:
            continue
        name = re.split(r"[\[<>=~!; ]", line)[0]
        try:
            version(name)
        except PackageNotFoundError:
            missing.append(name)
    found = Check("packages", not missing, ", ".join(missing) or "all there", "pip install ." if missing else "")
    if missing:
        return (found,)
    versions = {name: version(name) for name in SAME_VERSION}
    same = len(set(versions.values())) == 1
    shown = ", ".join(f"{name} {number}" for name, number in versions.items())
    return (found, Check("dagster", same, shown, "" if same else "install the same version of both"))


def _worker() -> Check:
    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    shown = "no limit on memory" if hard == resource.RLIM_INFINITY else f"at most {hard >> 20} MB a process"
    good = hard == resource.RLIM_INFINITY or hard >= 2 << 30
    return Check("worker processes", good, shown, "" if good else "raise `ulimit -v`, or lower limits.memory_mb")


def _project(folder: Path | None) -> tuple[Check, ...]:
    from rag_assets.evaluation.cases import load_cases
    from rag_assets.settings import find_project, load_project

    try:
        project = load_project(folder if folder is not None else find_project())
        cases = load_cases(project.evals)
    except RagAssetsError as error:
        return (Check("project", False, str(error), "correct it, or run `rag-assets init DIR`"),)
    shown = f"{project.root}, {len(project.collections)} collections, {len(cases.cases)} cases"
    found = [Check("project", True, shown), _state(project.state_url)]
    for collection in project.collections:
        url = project.documents_url(collection)
        there = "://" in url or Path(url).is_dir()
        remedy = "" if there else "make the folder, or correct `documents` in sources.yaml"
        found.append(Check(f"collection {collection.name}", there, url, remedy))
    return tuple(found)


def _state(url: str) -> Check:
    if "://" in url:
        return Check("state", True, url)
    place = Path(url)
    while not place.exists() and place != place.parent:
        place = place.parent
    writable = place.is_dir() and os.access(place, os.W_OK)
    return Check("state", writable, url, "" if writable else f"{place} cannot be written: mend its permissions")


def _model() -> Check:
    named = bool(os.environ.get("OPENAI_API_KEY") or os.environ.get("OPENAI_BASE_URL"))
    return Check("model", True, "one is named" if named else "none: the extractive answerer serves")
