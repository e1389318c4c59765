"""What assets and sensors are handed.

Holds: `ProjectResource`, which hands out plain objects, and `OptionsResource`, the few choices of one run.
Add here: an option of a run, with its description for the launchpad.
Never here: work.
"""

from contextlib import ExitStack
from pathlib import Path
from typing import Literal

import dagster as dg
from pydantic import Field, PrivateAttr

from rag_assets.evaluation.cases import CaseSet, load_cases
from rag_assets.ingest.seen import IngestOptions
from rag_assets.readers.limits import ReadLimits
from rag_assets.readers.workers import WorkerPool
from rag_assets.settings import Project, load_project
from rag_assets.store import Store


class ProjectResource(dg.ConfigurableResource):
    """The project, its store, cases and worker processes, as plain objects.

    sources.yaml and the cases are read once a run, so that all its steps see the same.
    """

    root: str = Field(description="The folder that holds sources.yaml.")
    _project: Project | None = PrivateAttr(default=None)
    _cases: CaseSet | None = PrivateAttr(default=None)
    _pool: WorkerPool | None = PrivateAttr(default=None)
    _open: ExitStack = PrivateAttr(default_factory=ExitStack)

    @property
    def project(self) -> Project:
        if self._project is None:
            self._project = load_project(Path(self.root))
        return self._project

    @property
    def store(self) -> Store:
        return Store(self.project.state_url)

    @property
    def cases(self) -> CaseSet:
        if self._cases is None:
            self._cases = load_cases(self.project.evals)
        return self._cases

    @property
    def pool(self) -> WorkerPool:
        """Started at first use, shared by the steps of the run, ended with it."""
        if self._pool is None:
            self._pool = self._open.enter_context(WorkerPool(ReadLimits.of(self.project.settings.limits)))
        return self._pool

    def teardown_after_execution(self, context: dg.InitResourceContext) -> None:  # noqa: ARG002 Dagster's signature
        self._project = self._cases = self._pool = None
        self._open.close()


class OptionsResource(dg.ConfigurableResource):
    """Choices of one run; the launchpad shows them under `resources.options`."""

    rebuild: bool = Field(default=False, description="Work on every document again, changed or not.")
    allow_empty: bool = Field(default=False, description="Accept that a collection lost over half of its documents.")
    check: Literal["stat", "hash"] = Field(default="stat", description="hash: look at every byte, whatever its time.")
    only: list[str] = Field(default=[], description="Partition keys to work on; all of the range where empty.")
    allow: list[str] = Field(default=[], description="Cases that may fail in this release.")
    why: str = Field(default="", description="Why these cases may fail; it stands in the release.")

    def for_one_stage(self) -> IngestOptions:
        """Each stage looks at the folders once."""
        return IngestOptions(rebuild=self.rebuild, allow_empty=self.allow_empty, check=self.check)

    @property
    def allowed(self) -> tuple[str, ...]:
        """As they stand in the release."""
        return tuple(f"{case}: {self.why}" if self.why else case for case in self.allow)
