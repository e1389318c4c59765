"""Each stage scores its own suite for its partition, and repeats the scores when nothing changed."""

from collections.abc import Iterator

import pytest

from rag_assets.evaluation.cases import load_cases
from rag_assets.evaluation.stage_scores import stage_judge
from rag_assets.ingest.order import CHUNKS, INDEX, NORMALIZED, PARSED, RAW, STAGES
from rag_assets.ingest.stages import IngestOptions, StageOutcome, run_stage
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
