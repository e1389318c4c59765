"""What the UI, the logs and the webhook may say of a collection with `redact_metadata`: counts, scores and hashes.

Holds: taking names and texts of its documents out of what is about to be shown.
Add here: another place where a document's name or text could show.
Never here: deciding what is recorded (metadata.py).
"""

import re
from collections.abc import Mapping
from dataclasses import replace

from rag_assets.evaluation.outcomes import CaseOutcome, SuiteRun
from rag_assets.ingest.stages import StageOutcome
from rag_assets.settings import Project

HIDDEN = "not shown"


class Redaction:
    """The redacted collections of a project."""

    def __init__(self, project: Project) -> None:
        self._names = {c.name for c in project.collections if c.redact_metadata}
        places = "|".join(re.escape(str(project.documents_url(c))) for c in project.collections if c.redact_metadata)
        names = "|".join(re.escape(name) for name in sorted(self._names))
        self._place = re.compile(places) if places else None
        self._source = re.compile(rf"(?<![\w./-])({names})/(?!\d\d(?!\w))[^,;:()|\n]+") if names else None

    def hides(self, source: str) -> bool:
        return source.split("/", 1)[0] in self._names

    def text(self, said: str) -> str:
        """A sentence without the paths of hidden documents; partition keys stay."""
        if self._place is not None:
            said = self._place.sub(HIDDEN, said)
        return said if self._source is None else self._source.sub(r"\1/…", said)

    def texts(self, said: Mapping[str, str]) -> dict[str, str]:
        return {key: self.text(value) for key, value in said.items()}

    def run(self, run: SuiteRun) -> SuiteRun:
        """Cases that touch a hidden document, asked for or found, keep their verdict and nothing of its text."""
        return replace(run, outcomes=tuple(self._case(outcome) for outcome in run.outcomes))

    def outcome(self, outcome: StageOutcome) -> StageOutcome:
        if outcome.partition.split("/", 1)[0] not in self._names:
            return outcome
        return replace(
            outcome,
            refused="removals refused" if outcome.refused else None,
            warnings=(f"{len(outcome.warnings)} warnings {HIDDEN}",) if outcome.warnings else (),
            previews="",
        )

    def _case(self, outcome: CaseOutcome) -> CaseOutcome:
        if not any(self.hides(source) for source in (*outcome.sources, *outcome.retrieved)):
            return outcome
        return replace(outcome, why=HIDDEN if outcome.why else "", answer="", context=(), loss_note="")
