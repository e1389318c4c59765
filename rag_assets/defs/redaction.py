"""What the UI, the logs and the webhook may say of a collection with `redact_metadata`: counts, scores and hashes.

Holds: taking names and texts of its documents out of what is about to be shown.
Add here: another place where a document's name or text could show.
Never here: deciding what is recorded (metadata.py).
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from rag_assets.evaluation.judgement import Judgement
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

    def reasons(self, held: Mapping[str, str]) -> dict[str, str]:
        """Why partitions are held, as a release keeps it. It may quote any document, so it is hidden where one is."""
        return dict.fromkeys(held, HIDDEN) if self._names else dict(held)

    def run(self, run: SuiteRun) -> SuiteRun:
        """Cases that touch a hidden document, asked for or found, keep their verdict and nothing of its text."""
        return replace(run, outcomes=tuple(self._case(outcome) for outcome in run.outcomes))

    def judgement(self, judged: Judgement) -> Judgement:
        """What a gate said, without what its sentences quote of hidden documents."""
        touched = [one for run in (judged.first, judged.run) for one in run.outcomes if self._touches(one) and one.why]
        verdict = judged.verdict
        regressed = tuple(
            one._replace(why=HIDDEN) if self._names & set(one.collections) else one for one in verdict.regressed
        )
        held = {key: self._without(said, touched) for key, said in verdict.held.items()}
        warnings = tuple(self.text(line) for line in verdict.warnings)
        return replace(
            judged,
            run=self.run(judged.run),
            first=self.run(judged.first),
            verdict=replace(verdict, regressed=regressed, held=held, warnings=warnings),
        )

    def _without(self, said: str, touched: Sequence[CaseOutcome]) -> str:
        for one in touched:
            said = said.replace(one.why, HIDDEN)
        return self.text(said)

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
        if not self._touches(outcome):
            return outcome
        return replace(outcome, why=HIDDEN if outcome.why else "", answer="", context=(), loss_note="")

    def _touches(self, outcome: CaseOutcome) -> bool:
        return any(self.hides(source) for source in (*outcome.sources, *outcome.retrieved))
