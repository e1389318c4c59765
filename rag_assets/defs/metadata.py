"""Metadata: what a materialization says, and under which names.

Holds: every metadata key with what it means, and the metadata of one partition at one stage.
Add here: a key, with its meaning (a test compares `KEYS` with what runs record).
Never here: computing a count or a score (ingest/, evaluation/).
"""

from collections.abc import Iterable, Mapping

import dagster as dg

from rag_assets.defs.table_preview import tables_preview
from rag_assets.ingest.contents import rows
from rag_assets.ingest.order import NORMALIZED, ROWS_FILE
from rag_assets.ingest.rows import DocumentRow
from rag_assets.ingest.stages import StageOutcome
from rag_assets.model.score import Score

MAX_SCORES = 12
MAX_ROWS = 20
MAX_TEXT = 3800
DIGEST_SHOWN = 8

Metadata = dict[str, dg.MetadataValue]

COUNTS: Mapping[str, str] = {
    "documents": "documents of the collection",
    "quarantined": "documents that cannot be read, each with its reason",
    "stale": "quarantined documents that are served in their last good version",
    "blocks": "headings, paragraphs, lists and grids, in reading order",
    "grids": "raw grids of cells",
    "cells_in": "non-empty cells as the reader found them",
    "cells_out": "cells that have a place or a named drop; must equal cells_in",
    "characters_in": "visible characters as the reader found them",
    "tables": "tables as they are understood",
    "lookup_tables": "tables behind a lookup tool",
    "body_cells": "cells with a value, each under its headings",
    "columns": "value columns",
    "columns_with_heading": "value columns that have a heading",
    "statements": "body cells said as subject, phrase, value and time",
    "chunks": "pieces that can be found",
    "oversize": "chunks that hold one row larger than the budget",
    "coverage.missing": "body cells that are in no chunk and behind no tool",
    "coverage.behind_tool": "body cells that only the lookup tool shows",
    "coverage.without_header": "pieces of tables without their header; must be 0",
    "rows": "rows in typed tables",
    "columns_typed": "columns that have a type",
    "odd_cells": "cells that do not fit the type of their column, kept beside it",
    "totals": "total rows, set apart from aggregates",
    "ranked": "chunks that are ranked; the rest is what a hit expands to",
    "terms": "distinct terms",
    "postings": "term and chunk pairs",
}

KEYS: Mapping[str, str] = {
    **COUNTS,
    "new_segment": "false: nothing changed, the figures are repeated",
    "segment": "first characters of the segment's digest",
    "worked_on": "documents that were worked on in this run",
    "reused": "documents that were taken over as they were",
    "removed": "documents that are gone",
    "outcomes": "what happened to each document",
    "not_ok": "quarantined and stale documents with their reasons",
    "kinds": "chunks and tokens by kind",
    "understood": "the first tables of what was worked on, as they are understood",
    "folder": "where the documents of the collection lie",
    "rules": "how often each rule of table understanding fired",
    "not_scored": "scores for which there was no case",
    "mended": "stages whose segment was damaged and was built again",
    "refused": "why the removals of this collection were refused",
    "warnings": "what a person should look at",
    "prose_chunks": "prose chunks that hold a figure",
    "asked": "chunks the model was asked about in this run",
    "from_cache": "chunks whose statements were known from before",
    "left": "chunks that the next run goes on with",
    "model_unavailable": "chunks the model gave no usable reply for",
    "prose_statements": "statements of prose that stood up to their passage",
    "dropped": "statements of prose that did not, by reason",
    "cases": "cases by suite",
    "cases_hash": "first characters of the hash of cases, gold tables and accepted baseline",
    "baseline": "whether results were accepted as a baseline",
    "verdict": "the gate in one sentence",
    "failures": "the most telling failed cases, with the stage that lost the answer",
    "report": "the whole evaluation as one page",
    "scores": "every score, with its change against the published release",
    "stale_cases": "cases whose sources changed since they last passed",
    "unscored_cases": "cases that were not scored",
    "held": "what stays at its published segments, and why",
    "changed": "partitions that differ from the published release",
    "release": "number of the published release",
    "release_digest": "first characters of the digest of its segments",
    "parent": "the release before it",
    "new_release": "false: it says what was published already",
    "manifest": "the file that says what is served",
    "dagster/row_count": "rows in typed tables",
}


def of_stage(outcome: StageOutcome, *, redact: bool) -> Metadata:
    """Metadata of one partition; `redact`: only counts, scores and hashes, no name or text of a document."""
    found: Metadata = {
        "new_segment": dg.MetadataValue.bool(outcome.new_segment),
        "segment": dg.MetadataValue.text(outcome.segment.digest[:DIGEST_SHOWN]),
        "worked_on": dg.MetadataValue.int(len(outcome.reworked)),
        "reused": dg.MetadataValue.int(outcome.reused),
        "removed": dg.MetadataValue.int(len(outcome.removed)),
        **{name: dg.MetadataValue.int(n) for name, n in outcome.counts.items() if name in COUNTS},
        **of_scores(outcome.scores),
    }
    if outcome.mended:
        found["mended"] = dg.MetadataValue.text(", ".join(outcome.mended))
    if outcome.refused:
        found["refused"] = dg.MetadataValue.text("removals refused" if redact else outcome.refused)
    if not redact and outcome.new_segment:
        found |= _details(outcome)
    return found


def of_scores(scores: Mapping[str, Score]) -> Metadata:
    """Scored ones as floats that plot; the others by name, never as 0."""
    scored = [(name, score.value) for name, score in scores.items() if score.value is not None][:MAX_SCORES]
    missing = [name for name, score in scores.items() if score.value is None]
    found: Metadata = {name: dg.MetadataValue.float(float(value)) for name, value in scored}
    return {**found, "not_scored": dg.MetadataValue.text(", ".join(missing))} if missing else found


def main_scores(scores: Mapping[str, Score]) -> dict[str, Score]:
    """One or two of each suite, those that plot best first."""
    wanted = ("/pass", "/hit@1", "/mrr@10")
    return {name: score for ending in wanted for name, score in scores.items() if name.endswith(ending)}


def table_of(headings: tuple[str, ...], lines: Iterable[tuple[object, ...]]) -> dg.MetadataValue:
    """A narrow markdown table, cut at the size Dagster's pages bear."""
    shown = [f"| {' | '.join(headings)} |", f"|{'---|' * len(headings)}"]
    size = sum(map(len, shown))
    kept = list(lines)
    for n, line in enumerate(kept):
        text = f"| {' | '.join(_cell(part) for part in line)} |"
        size += len(text) + 1
        if n >= MAX_ROWS or size > MAX_TEXT:
            shown.append(f"| {len(kept) - n} more |{' |' * (len(headings) - 1)}")
            break
        shown.append(text)
    return dg.MetadataValue.md("\n".join(shown))


def clipped(markdown: str) -> dg.MetadataValue:
    """Whole lines only, so that a table stays a table."""
    lines: list[str] = []
    for line in markdown.splitlines():
        if sum(map(len, lines)) + len(line) > MAX_TEXT:
            lines.append("…")
            break
        lines.append(line)
    return dg.MetadataValue.md("\n".join(lines))


def _details(outcome: StageOutcome) -> Metadata:
    found: Metadata = {"outcomes": clipped(outcome.previews)}
    if outcome.counts.get("quarantined") and outcome.stage in ROWS_FILE:
        found["not_ok"] = _not_ok(rows(outcome.segment))
    if outcome.warnings:
        found["warnings"] = clipped("\n".join(f"- {line}" for line in outcome.warnings))
    if outcome.stage == NORMALIZED:
        seen = tables_preview(outcome.segment, outcome.reworked)
        if seen:
            found["understood"] = clipped(seen)
        found["rules"] = table_of(("rule", "fired"), _named(outcome.counts, "rule."))
    kinds = _named(outcome.counts, "chunks.")
    if kinds:
        lines = [(kind, n, outcome.counts.get(f"tokens.{kind}", 0)) for kind, n in kinds]
        found["kinds"] = table_of(("kind", "chunks", "tokens"), lines)
    if "rows" in outcome.counts:
        found["dagster/row_count"] = dg.MetadataValue.int(outcome.counts["rows"])
    return found


def _not_ok(documents: Iterable[DocumentRow]) -> dg.MetadataValue:
    bad = [row for row in documents if row.status != "ok"]
    return table_of(("document", "reason", "served"), [(r.source, r.reason, r.stale_since or "not") for r in bad])


def _named(counts: Mapping[str, int], prefix: str) -> list[tuple[str, int]]:
    return [(name.removeprefix(prefix), n) for name, n in sorted(counts.items()) if name.startswith(prefix)]


def _cell(part: object) -> str:
    return str(part if part is not None else "").replace("|", "\\|").replace("\n", " ")
