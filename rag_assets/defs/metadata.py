"""Metadata: what each materialization says, under stable keys.

Holds: the keys of every asset, and how outcomes, scores and candidates become metadata.
Add here: a key (and its line in docs/reference/metadata.md).
Never here: deciding anything from it.

At most a dozen float keys an asset, so that the plots stay readable; markdown stays under 4 KB.
"""

from collections.abc import Mapping, Sequence

import dagster as dg

from rag_assets.ingest.stages import StageOutcome
from rag_assets.model.score import Score

MAX_MARKDOWN = 4000
MAX_FLOATS = 12
MAX_COUNTS = 14
NEW_SEGMENT = "new_segment"
SEGMENT = "segment"
CANDIDATE = "candidate"
SENTENCE = "gate"
Metadata = dict[str, dg.MetadataValue]


def of_outcome(outcome: StageOutcome, *, redact: bool) -> Metadata:
    """One partition of one stage. A redacted collection shows counts and hashes only."""
    found: Metadata = {
        NEW_SEGMENT: dg.MetadataValue.bool(outcome.new_segment),
        SEGMENT: dg.MetadataValue.text(outcome.segment.digest[:8]),
        "reworked": dg.MetadataValue.int(len(outcome.reworked)),
        "reused": dg.MetadataValue.int(outcome.reused),
        "removed": dg.MetadataValue.int(len(outcome.removed)),
    }
    for name, count in list(outcome.counts.items())[:MAX_COUNTS]:
        found.setdefault(name, dg.MetadataValue.int(count))
    found |= of_scores(outcome.scores)
    if outcome.refused:
        found["refused"] = dg.MetadataValue.text(outcome.refused)
    if outcome.previews and not redact:
        found["preview"] = dg.MetadataValue.md(outcome.previews[:MAX_MARKDOWN])
    return found


def of_scores(scores: Mapping[str, Score]) -> Metadata:
    """Floats that plot; what was not scored has no value, its number stands in `unscored`."""
    scored = {name: score.value for name, score in scores.items() if score.value is not None}
    found: Metadata = {
        name: dg.MetadataValue.float(round(value, 6)) for name, value in sorted(scored.items())[:MAX_FLOATS]
    }
    unscored = sum(score.unscored for score in scores.values())
    if unscored:
        found["unscored"] = dg.MetadataValue.int(unscored)
    return found


def summary(outcomes: Sequence[StageOutcome]) -> Metadata:
    """The whole range of a run: how many partitions were no-ops."""
    return {
        "partitions": dg.MetadataValue.int(len(outcomes)),
        "new_segments": dg.MetadataValue.int(sum(outcome.new_segment for outcome in outcomes)),
        "documents_reworked": dg.MetadataValue.int(sum(len(outcome.reworked) for outcome in outcomes)),
    }


def markdown(text: str) -> dg.MetadataValue:
    return dg.MetadataValue.md(text[:MAX_MARKDOWN])
