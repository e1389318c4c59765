"""Each stage scores its own suite for its partition, and repeats the scores when nothing changed."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from rag_assets.evaluation.cases import load_cases
from rag_assets.evaluation.counted import counts_of
from rag_assets.evaluation.stage_scores import stage_judge
from rag_assets.ingest.order import CHUNKS, INDEX, NORMALIZED, PARSED, RAW, STAGES
from rag_assets.ingest.stages import IngestOptions, StageOutcome, StageView, run_stage
from tests.evaluation.projects import TinyProject, tiny_project

PARSE = "suite: parse\ncases:\n  - {id: p, sources: [fares/night.md], expect: {must_contain: ['$3.00']}}\n"
CHUNKS_CASE = """
suite: chunks
cases:
  - {id: c, sources: [fares/night.md], expect: {chunks: [{must_contain: [Harbour]}]}}
"""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TinyProject]:
    with tiny_project(tmp_path_factory.mktemp("stages")) as project:
        project.write("evals/cases/parse.yaml", PARSE)
        project.write("evals/cases/chunks.yaml", CHUNKS_CASE)
        yield project


def outcomes(made: TinyProject) -> dict[str, StageOutcome]:
    project = made.project
    judge = stage_judge(project, load_cases(project.evals))
    partition = project.partition("fares")
    return {
        stage: run_stage(
            project, made.store, partition, stage, pool=made.pool, options=IngestOptions(check="hash"), judge=judge
        )
        for stage in STAGES
    }


def test_every_stage_carries_the_scores_of_its_own_suite(made: TinyProject) -> None:
    found = outcomes(made)
    assert found[RAW].scores["source_recall"] == (1.0, 1, 0)
    assert found[PARSED].scores["parse/pass"] == (1.0, 1, 0)
    assert found[NORMALIZED].scores["tables/pass"] == (1.0, 1, 0)
    assert found[NORMALIZED].scores["tables/orphan_cells"].value == 0
    assert found[CHUNKS].scores["chunks/pass"] == (1.0, 1, 0)
    assert found[INDEX].scores["retrieval/hit@1"] == (1.0, 1, 0)
    assert found[INDEX].scores["retrieval/record/hit@1"] == (1.0, 1, 0)


def test_a_no_op_repeats_them(made: TinyProject) -> None:
    first, again = outcomes(made), outcomes(made)
    assert not any(one.new_segment for one in again.values())
    assert {stage: one.scores for stage, one in first.items()} == {stage: one.scores for stage, one in again.items()}


def test_a_case_whose_source_is_missing_lowers_source_recall(made: TinyProject) -> None:
    made.write("evals/cases/gone.yaml", PARSE.replace("id: p", "id: g").replace("night", "gone"))
    made.write("fares/day.md", "# Day lines\n\nThey run all day.\n")
    found = outcomes(made)
    assert found[RAW].scores["source_recall"] == (0.5, 2, 0)
    assert found[PARSED].scores["parse/pass"] == (1.0, 1, 0)


def test_an_unchanged_document_is_not_counted_again(made: TinyProject) -> None:
    asked: list[frozenset[str]] = []

    def count(sources: frozenset[str]) -> Iterator[tuple[str, dict[str, int]]]:
        asked.append(sources)
        return ((source, {"cells": len(source)}) for source in sorted(sources))

    first = counts_of(made.store, "fares/x", "1", {"a": "p1", "bb": "p2"}, count)
    again = counts_of(made.store, "fares/x", "1", {"a": "p1", "bb": "p3"}, count)
    assert first == again == [{"cells": 1}, {"cells": 2}]
    assert asked == [{"a", "bb"}, {"bb"}]
    counts_of(made.store, "fares/x", "2", {"a": "p1"}, count)
    assert asked[-1] == {"a"}


@pytest.mark.parametrize("stage", [PARSED, NORMALIZED])
def test_scores_from_memory_are_those_of_counting(made: TinyProject, stage: str) -> None:
    segment = outcomes(made)[stage].segment
    view = StageView(
        partition="fares", collection="fares", scope="public", stage=stage, folder=Path(segment.folder)
    )  # fmt: skip
    cases = load_cases(made.project.evals)
    counted = stage_judge(made.project, cases)(view)
    assert sum(score.n for score in counted.values()) > 0
    for _ in range(2):
        assert stage_judge(made.project, cases, store=made.store)(view) == counted
