"""The project a command works on, and the environment its Dagster runs need.

Holds: finding it, opening its store, its published release or corpus, setting the Dagster variables.
Add here: another thing every command needs of a project.
Never here: what a command does with it.
"""

import os
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from rag_assets.errors import StateError

if TYPE_CHECKING:
    from rag_assets.corpus import Corpus
    from rag_assets.settings import Project
    from rag_assets.store import Release, Store

NOTHING_PUBLISHED = "nothing is published yet: run `rag-assets ingest`"


def project_here(folder: Path | None) -> "Project":
    """The named folder, `RAG_ASSETS_PROJECT`, or upwards from here."""
    from rag_assets.settings import find_project, load_project

    return load_project(folder if folder is not None else find_project())


def store_of(project: "Project") -> "Store":
    from rag_assets.store import Store

    return Store(project.state_url)


def published_release(project: "Project", number: int | None = None) -> "Release":
    """Raises StateError where nothing is published, UnknownName where there is no release of the number."""
    store = store_of(project)
    if number is not None:
        return store.release(number)
    release = store.current()
    if release is None:
        raise StateError(f"{project.root}: {NOTHING_PUBLISHED}")
    return release


def corpus_here(folder: Path | None, scopes: Iterable[str] | None, release: int | None = None) -> "Corpus":
    """One release for the whole command."""
    from rag_assets.corpus import open_corpus

    project = project_here(folder)
    return open_corpus(project, scopes=set(scopes) if scopes else None, release=release)


def prepare_dagster(project: "Project") -> None:
    """Set what `dagster.yaml` and the code location read. What the caller has set stays."""
    os.environ["RAG_ASSETS_PROJECT"] = str(project.root)
    os.environ.setdefault("DAGSTER_HOME", str(dagster_home(project.root)))
    storage = Path(os.environ.setdefault("RAG_ASSETS_DAGSTER_STORAGE", str(project.root / ".rag-assets" / "dagster")))
    try:
        storage.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StateError(f"{storage}: cannot be written: {error.strerror}: set RAG_ASSETS_DAGSTER_STORAGE") from None
    if not os.access(storage, os.W_OK):
        raise StateError(f"{storage}: cannot be written: set RAG_ASSETS_DAGSTER_STORAGE, or mend its permissions")


def dagster_home(root: Path) -> Path:
    """The folder with dagster.yaml: the project, or one made of the default beside its Dagster storage."""
    if (root / "dagster.yaml").is_file():
        return root
    home = root / ".rag-assets" / "dagster_home"
    try:
        home.mkdir(parents=True, exist_ok=True)
        from rag_assets.cli.new_project import DAGSTER_YAML

        (home / "dagster.yaml").write_text(DAGSTER_YAML, encoding="utf-8")
    except OSError as error:
        raise StateError(f"{home}: cannot be written: {error.strerror}") from None
    return home
