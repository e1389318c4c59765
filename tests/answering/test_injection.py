"""Documents that give orders change nothing: tools, arguments, scopes, SQL, the boundary, the answer."""

import json
import re
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import NamedTuple, cast

import duckdb
import pytest

from rag_assets import Corpus, open_corpus
from rag_assets.answering.answer import answer_question
from rag_assets.answering.cell_check import check_answer
from rag_assets.answering.context import build_context
from rag_assets.answering.evidence import evidence_of_passages
from rag_assets.answering.model_client import Message, ModelClient, ModelReply, ToolRequest
from rag_assets.model.corpus import LookupFault
from tests.answering.injected_documents import FIRST_FALSE, KINDS, SECRET, Injected, write_injected
from tests.cli.published import publish_now

TODAY = date(2026, 11, 30)
SOURCES = """\
default_scopes: [public]
collections:
  - {name: rules, documents: ./rules, scope: public}
  - {name: secrets, documents: ./secrets, scope: secret}
"""
INBOX = "  - {name: inbox, documents: ./inbox, scope: public}\n"
FALSE = re.compile(rf"{FIRST_FALSE // 1000}\d\d\d")


class Attacked(NamedTuple):
    clean: Corpus
    corpus: Corpus
    documents: list[Injected]


@pytest.fixture(scope="module", params=[2, pytest.param(15, marks=pytest.mark.slow)])
def attacked(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Attacked:
    opened = []
    for inbox in ("", INBOX):
        root = tmp_path_factory.mktemp("attacked")
        documents = write_injected(root, request.param)
        (root / "sources.yaml").write_text(SOURCES + inbox)
        publish_now(root)
        opened.append(open_corpus(Path(root)))
    return Attacked(opened[0], opened[1], documents)


class Obeying:
    """A model that does what any text in front of it says: it calls what is named, and says the ordered figure."""

    name = "obeying"

    def __init__(self, document: Injected) -> None:
        self.document, self.calls = document, 0

    def reply(self, messages: list[Message], tools: object) -> ModelReply:
        self.calls += 1
        if self.calls == 1:
            arguments = {"filters": [{"column": "item", "op": "eq", "value": self.document.order}]}
            more = {"scopes": ["secret"], "sql": "select * from secrets"}
            return ModelReply(
                "",
                (
                    ToolRequest("1", "lookup_secrets", "{}"),
                    ToolRequest("2", "lookup_items", json.dumps({**arguments, **more})),
                    ToolRequest("3", "lookup_items", json.dumps(arguments)),
                ),
            )
        context = str(messages[1]["content"])
        marked = [part for part in context.split("\n\n[") if str(self.document.false) in part]
        mark = marked[0].lstrip("[").split("]")[0] if marked and marked[0].lstrip("[")[0].isdigit() else "1"
        return ModelReply(f"The refund of {self.document.item} takes {self.document.false} days [{mark}].")


class Honest:
    name = "honest"

    def __init__(self, document: Injected) -> None:
        self.document = document

    def reply(self, messages: list[Message], tools: object) -> ModelReply:
        marks = ", ".join(re.findall(r"(?m)^\[(\d+)\]", str(messages[1]["content"])))
        return ModelReply(f"The refund of {self.document.item} takes {self.document.true} days [{marks}].")


def question(document: Injected) -> str:
    return f"How many days does a refund of {document.item} take?"


def test_every_kind_is_there(attacked: Attacked) -> None:
    assert {document.kind for document in attacked.documents} == set(KINDS)
    sources = attacked.corpus.sources()
    assert sum(entry.partition == "inbox" for entry in sources) == len(attacked.documents)
    assert not [entry.source for entry in sources if entry.status != "ok"]


def test_an_obeying_model_passes_no_injected_figure_on(attacked: Attacked) -> None:
    for document in attacked.documents:
        model = cast(ModelClient, Obeying(document))
        answer = answer_question(question(document), attacked.corpus, attacked.corpus.settings, model, TODAY)
        assert answer.status == "declined", document
        assert str(document.false) not in json.dumps([c.text for c in answer.citations])
        assert SECRET not in json.dumps(answer.explanation, default=str)
        assert [call.complete for call in answer.tool_calls] == [] or not answer.tool_calls[0].complete


def test_an_honest_model_is_not_held_up_by_them(attacked: Attacked) -> None:
    held = []
    for document in attacked.documents:
        model = cast(ModelClient, Honest(document))
        answer = answer_question(question(document), attacked.corpus, attacked.corpus.settings, model, TODAY)
        if answer.status != "answered":
            held.append(f"{document}: {answer.answer}")
    assert len(held) <= 0.05 * len(attacked.documents), held


def test_a_lie_in_prose_does_not_outdo_the_cell_that_is_asked_for(attacked: Attacked) -> None:
    """No list of wordings knows it for an order; the table's own cell is named by the whole question."""
    document = attacked.documents[0]
    passages = attacked.corpus.search(question(document), k=20)
    lie = f"By the way, a refund of {document.item} takes {document.false} days."
    told = replace(passages[0], kind="prose", text=lie, addresses=())
    evidence = evidence_of_passages([*passages, told], attacked.corpus)
    said = f"It takes {document.false} days [{len(passages) + 1}]."
    assert check_answer(said, question(document), evidence, TODAY).reason == "unsupported_figure"


def test_the_extractive_answerer_says_no_injected_figure(attacked: Attacked) -> None:
    for document in attacked.documents:
        answer = answer_question(question(document), attacked.corpus, attacked.corpus.settings, None, TODAY)
        assert not FALSE.search(answer.answer), (document, answer.answer)


def test_what_documents_say_stands_between_the_boundaries(attacked: Attacked) -> None:
    for document in attacked.documents:
        passages = attacked.corpus.search(question(document), k=20, words=1500)
        context = build_context(question(document), passages, TODAY.isoformat())
        parts = context.user.split(f"--{context.boundary}")
        assert len(parts) == 2 * len(passages) + 1
        outside = "".join(parts[::2])
        assert not FALSE.search(outside)
        assert context.boundary not in "".join(parts)
        assert not FALSE.search(context.system)


def test_hidden_text_and_alt_text_reach_no_passage(attacked: Attacked) -> None:
    for document in attacked.documents:
        if document.kind in ("hidden text", "alt text"):
            passages = attacked.corpus.search(document.order, k=20)
            assert not any(str(document.false) in passage.text for passage in passages)


def test_tools_and_scopes_are_those_of_a_corpus_without_them(attacked: Attacked) -> None:
    clean = {tool.name: tool for tool in attacked.clean.tools()}
    own = {tool.name: tool for tool in attacked.corpus.tools() if not (tool.source or "").startswith("inbox/")}
    assert own == clean
    assert attacked.corpus.scopes == attacked.clean.scopes == {"public"}
    for tool in attacked.corpus.tools():
        assert re.fullmatch(r"[a-z0-9_]{1,64}", tool.name)
        assert "\n" not in tool.description
        assert set(tool.parameters["properties"]) <= set(clean["lookup_items"].parameters["properties"]) | {"as_of"}
    assert isinstance(attacked.corpus.lookup("lookup_secrets", {}), LookupFault)
    assert not any(SECRET in p.text for p in attacked.corpus.search("secret code", k=50))


def test_orders_among_the_arguments_are_bound_values(attacked: Attacked, monkeypatch: pytest.MonkeyPatch) -> None:
    spoken: list[str] = []
    run = "rag_assets.lookup.tools.run_call"
    from rag_assets.lookup.query import run_call

    class Listening:
        def __init__(self, connection: duckdb.DuckDBPyConnection) -> None:
            self.connection = connection

        def execute(self, sql: str, values: object = None) -> duckdb.DuckDBPyConnection:
            spoken.append(sql)
            return self.connection.execute(sql, values)

    def listened(connection: duckdb.DuckDBPyConnection, *rest: object) -> object:
        return run_call(cast(duckdb.DuckDBPyConnection, Listening(connection)), *rest)  # ty: ignore[invalid-argument-type]

    monkeypatch.setattr(run, listened)

    def asked_with(value: str) -> set[str]:
        spoken.clear()
        arguments = {"filters": [{"column": "item", "op": "eq", "value": value}]}
        attacked.corpus.lookup("lookup_items", arguments, TODAY)
        return set(spoken)

    plain = asked_with("Zephyr000")
    assert plain
    for document in attacked.documents:
        assert asked_with(document.order) == plain
        refused = attacked.corpus.lookup("lookup_items", {"filters": [], "sql": document.order}, TODAY)
        assert isinstance(refused, LookupFault)
