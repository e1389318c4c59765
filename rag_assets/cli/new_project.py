"""What `init` writes.

Holds: the files of a new project and how many shards its collection gets.
Add here: another file every project needs.
Never here: flags and printing (project.py).
"""

import os
import re
from pathlib import Path
from typing import NamedTuple

from rag_assets.errors import InputError, StateError, UsageError

SHARD_DOCUMENTS = 1000
MAX_SHARDS = 100
NAME_LENGTH = 64

SOURCES_YAML = """\
# The collections of this project. Every key: docs/reference/settings.md
state: .rag-assets
default_scopes: [{scope}]
collections:
  - name: {name}
    documents: {documents}
    scope: {scope}
    shards: {shards}
evals: ./evals
"""

SAMPLE_CASES = """\
# Questions with known answers. `rag-assets ingest` runs them and does not publish what has become worse.
# Take the marks away and put your own question in; the format: docs/reference/cases.md
#
# suite: answers
# cases:
#   - id: first-001
#     question: How many days does a customer have for a refund?
#     sources: [{name}/refunds.md]
#     expect:
#       must_contain: ["30"]
"""

WORKSPACE_YAML = """\
load_from:
  - python_module:
      module_name: rag_assets.definitions
      location_name: rag_assets
      working_directory: .
"""

DAGSTER_YAML = """\
# Read from DAGSTER_HOME. Storage hangs on RAG_ASSETS_DAGSTER_STORAGE (absolute): a relative folder would follow the
# current directory and split the run history.
storage:
  sqlite:
    base_dir: {env: RAG_ASSETS_DAGSTER_STORAGE}
local_artifact_storage:
  module: dagster._core.storage.root
  class: LocalArtifactStorage
  config:
    base_dir: {env: RAG_ASSETS_DAGSTER_STORAGE}
compute_logs:
  module: dagster._core.storage.local_compute_log_manager
  class: LocalComputeLogManager
  config:
    base_dir: {env: RAG_ASSETS_DAGSTER_STORAGE}

telemetry: {enabled: false}
nux: {enabled: false}

# A killed run worker is seen and its pool slot comes back; a run that a killed daemon left behind ends here.
run_monitoring:
  enabled: true
  start_timeout_seconds: 180
  poll_interval_seconds: 30
  max_runtime_seconds: 21600
  free_slots_after_run_end_seconds: 30

# A run that is asked for starts within a second (5 by default).
run_coordinator:
  module: dagster
  class: QueuedRunCoordinator
  config: {dequeue_interval_seconds: 1}

concurrency:
  pools:
    granularity: op
    default_limit: 1   # the pool `publishing`: one run publishes at a time
  runs:
    max_concurrent_runs: 4

freshness: {enabled: true}

retention:
  sensor:
    purge_after_days: {skipped: 3, success: 30, failure: 30, started: 30}
  schedule:
    purge_after_days: 90
"""


class NewProject(NamedTuple):
    folder: Path
    name: str
    documents: str
    n_documents: int
    shards: int


def plan_project(folder: Path, documents: Path | None) -> NewProject:
    """One collection over `documents` (default: a folder `documents` of the project), named after it.

    Raises UsageError where there is a project already, InputError where there are no such documents.
    """
    if (folder / "sources.yaml").exists():
        raise UsageError(f"{folder / 'sources.yaml'}: there is a project already")
    if documents is not None and not documents.is_dir():
        raise InputError(f"{documents}: no such folder of documents")
    place = documents if documents is not None else folder / "documents"
    n = sum(len(files) for _, _, files in os.walk(place)) if place.is_dir() else 0
    return NewProject(folder, collection_name(place.resolve().name), _written(place, folder), n, shards_for(n))


def write_project(plan: NewProject, scope: str) -> None:
    """Existing dagster.yaml, workspace.yaml and cases are left as they are."""
    if not re.fullmatch(r"[\w.:@/-]+", scope):
        raise UsageError(f"--scope {scope!r}: expected letters, digits and _ - . : @ /")
    files = {
        "dagster.yaml": DAGSTER_YAML,
        "workspace.yaml": WORKSPACE_YAML,
        "evals/cases/sample.yaml.example": SAMPLE_CASES.format(name=plan.name),
        "sources.yaml": SOURCES_YAML.format(
            name=plan.name, documents=_quoted(plan.documents), scope=_quoted(scope), shards=plan.shards
        ),
    }
    try:
        (plan.folder / "evals" / "cases").mkdir(parents=True, exist_ok=True)
        if plan.documents == "./documents":
            (plan.folder / "documents").mkdir(exist_ok=True)
        for name, content in files.items():
            path = plan.folder / name
            if not path.exists():
                path.write_text(content, encoding="utf-8")
    except OSError as error:
        raise StateError(f"{plan.folder}: cannot be written: {error.strerror or error}") from None


def collection_name(folder_name: str) -> str:
    """Lower case, with `-` for what a name may not hold."""
    name = re.sub(r"[^a-z0-9_.-]+", "-", folder_name.lower()).strip("-._")[:NAME_LENGTH]
    return name or "documents"


def shards_for(n_documents: int) -> int:
    """So many that a shard holds at most about 1,000 documents."""
    return min(MAX_SHARDS, max(1, -(-n_documents // SHARD_DOCUMENTS)))


def _written(place: Path, folder: Path) -> str:
    """Relative where the documents lie in the project, so that it can be moved as a whole."""
    inside = place.resolve()
    if inside == folder.resolve():
        return "."
    if inside.is_relative_to(folder.resolve()):
        return f"./{inside.relative_to(folder.resolve())}"
    return str(inside)


def _quoted(text: str) -> str:
    return text if re.fullmatch(r"[A-Za-z./][\w./-]*", text) else "'" + text.replace("'", "''") + "'"
