"""`prose_statements` in the graph: only where it is wanted and a model is there; cached; judged."""

import json
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import dagster as dg
import pytest

from rag_assets import open_corpus
from rag_assets.defs.build import build_definitions
from rag_assets.defs.prose_asset import NAME
from rag_assets.evaluation.cases import load_cases
from rag_assets.evaluation.expectations import Expectation, StatementExpectation
from rag_assets.evaluation.outcomes import Subject
from rag_assets.evaluation.scorers.statements import score_statements
from rag_assets.settings import load_project
from tests.answering.scripted_server import Reply, Served, scripted_server
from tests.cli.published import publish_now

SOURCES = """\
default_scopes: [public]
collections:
  - {name: notes, documents: ./notes, scope: public}
evals: ./evals
settings: {prose_statements: true, model: {name: scripted}}
"""
NOTE = "# Desk report\n\nRefunds took 9 days in 2025.\n\n## Second\n\nThe desk answered 41 letters in 2025.\n"
CASES = """\
suite: statements
cases:
  - {id: prose-001, sources: [notes/report.md], expect: {statements: [{subject: Refunds, value: 9, when: "2025"}]}}
"""
FOUND = [
    {"subject": "Refunds", "phrase": "days", "value": "9", "when": "2025", "quote": "Refunds took 9 days in 2025"},
    {"subject": "Refunds", "phrase": "days", "value": "9", "when": "2024", "quote": "Refunds took 9 days in 2025"},
]


@pytest.fixture
def notes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("OPENAI_BASE_URL", "OPENAI_API_KEY", "OPENAI_MODEL"):
        monkeypatch.delenv(name, raising=False)
    for name, text in {"notes/report.md": NOTE, "evals/cases/prose.yaml": CASES, "sources.yaml": SOURCES}.items():
        (tmp_path / name).parent.mkdir(exist_ok=True, parents=True)
        (tmp_path / name).write_text(text)
    publish_now(tmp_path)
    return tmp_path


def names(root: Path) -> set[str]:
    keys = build_definitions(load_project(root)).resolve_asset_graph().get_all_asset_keys()
    return {key.to_user_string() for key in keys}


def test_without_a_model_or_the_setting_the_graph_stays_as_it_is(notes: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert NAME not in names(notes)
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    assert NAME in names(notes)
    (notes / "sources.yaml").write_text(SOURCES.replace("prose_statements: true", "prose_statements: false"))
    assert NAME not in names(notes)


def materialized(root: Path, served: Served, monkeypatch: pytest.MonkeyPatch) -> dict[str, object]:
    monkeypatch.setenv("OPENAI_BASE_URL", served.url)
    found = build_definitions(load_project(root))
    with dg.DagsterInstance.ephemeral() as instance:
        job = found.resolve_implicit_global_asset_job_def()
        result = job.execute_in_process(instance=instance, partition_key="notes", asset_selection=[dg.AssetKey(NAME)])
        assert result.success
        (event,) = [e for e in result.get_asset_materialization_events() if e.asset_key == dg.AssetKey(NAME)]
        return {key: value.value for key, value in event.materialization.metadata.items()}


def test_statements_are_verified_counted_kept_and_judged(notes: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reply = Reply(text=json.dumps({"statements": FOUND}))
    with scripted_server(lambda messages, n: reply) as served:
        first = materialized(notes, served, monkeypatch)
        asked = len(served.requests)
        second = materialized(notes, served, monkeypatch)
        assert len(served.requests) == asked, "what is known is not asked again"
    assert (first["prose_chunks"], first["asked"], first["from_cache"]) == (asked, asked, 0)
    assert (second["asked"], second["from_cache"]) == (0, asked)
    assert first["prose_statements"] == second["prose_statements"] == 1
    assert "time_not_in_quote" in str(first["dropped"])
    (said,) = open_corpus(notes).prose_statements("notes/report.md")
    assert (said.subject, said.value, said.when) == ("Refunds", 9, "2025")
    (case,) = load_cases(notes / "evals").cases
    with open_corpus(notes) as corpus:
        subject = cast(Subject, SimpleNamespace(corpus=corpus))
        assert score_statements(case, subject).faults == ()
        wrong = case.model_copy(update={"expect": Expectation(statements=(StatementExpectation(value=8),))})
        assert score_statements(wrong, subject).faults != ()


def test_a_server_that_does_not_answer_fails_nothing(notes: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with scripted_server(lambda messages, n: Reply(status=401, raw=b"{}")) as served:
        found = materialized(notes, served, monkeypatch)
    assert found["prose_statements"] == 0
    assert found["model_unavailable"] == found["asked"] >= 1
    assert open_corpus(notes).prose_statements("notes/report.md") == ()
