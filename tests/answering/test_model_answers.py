import json
from datetime import date

import pytest

from rag_assets import Corpus
from rag_assets.answering.answer import answer_question
from rag_assets.answering.model_client import ModelClient
from rag_assets.model.corpus import Answer
from tests.answering.scripted_server import Body, Reply, Script, scripted_server

TODAY = date(2026, 11, 30)
AVERAGE = "What is the average discount across all regions?"
NORTH = "What discount does region North have at tier 3?"
EXPRESS = "What is the adult fare on the Harbor Express line?"
CARD = "Can I ride with my Student card?"
MEAN = json.dumps({"aggregate": [{"function": "avg", "column": "discount", "as": "mean"}]})


def asked(question: str, desk: Corpus, monkeypatch: pytest.MonkeyPatch, script: Script) -> tuple[Answer, list[Body]]:
    with scripted_server(script) as served:
        monkeypatch.setenv("OPENAI_BASE_URL", served.url)
        monkeypatch.setenv("OPENAI_API_KEY", "none")
        monkeypatch.setenv("OPENAI_MODEL", "scripted")
        model = ModelClient.from_environment(desk.settings.model)
        return answer_question(question, desk, desk.settings, model, TODAY), served.requests


def saying(text: str) -> Script:
    return lambda messages, n: Reply(text=text)


def mark_of(messages: list[Body], words: str) -> str:
    """The number of the first passage that shows these words."""
    for part in str(messages[1]["content"]).split("\n[")[1:]:
        if words in part:
            return part.split("]")[0]
    raise AssertionError(f"{words} is in no passage")


def citing(text: str, words: str) -> Script:
    return lambda messages, n: Reply(text=f"{text} [{mark_of(messages, words)}].")


def test_an_average_of_retrieved_rows_is_withheld(desk: Corpus, monkeypatch: pytest.MonkeyPatch) -> None:
    answer, _ = asked(AVERAGE, desk, monkeypatch, saying("The average discount is 7.5% [1]."))
    assert (answer.status, answer.reason) == ("declined", "unsupported_figure")


def test_an_average_from_the_complete_tool_result_passes(desk: Corpus, monkeypatch: pytest.MonkeyPatch) -> None:
    def script(messages: list[Body], n: int) -> Reply:
        if n == 0:
            return Reply(tool="lookup_discount_tiers", arguments=MEAN)
        return Reply(text="The average discount over all regions is 8.5% [t1].")

    answer, requests = asked(AVERAGE, desk, monkeypatch, script)
    assert answer.status == "answered"
    assert [(call.tool, call.complete) for call in answer.tool_calls] == [("lookup_discount_tiers", True)]
    assert len(requests) == 2


def test_an_average_that_equals_some_cell_is_still_no_average(desk: Corpus, monkeypatch: pytest.MonkeyPatch) -> None:
    answer, _ = asked(AVERAGE, desk, monkeypatch, saying("The average discount is 9% [1]."))
    assert answer.reason == "unsupported_figure"


def test_the_figure_of_the_row_and_column_asked_for_passes(desk: Corpus, monkeypatch: pytest.MonkeyPatch) -> None:
    answer, _ = asked(NORTH, desk, monkeypatch, citing("North has 9% at tier 3", "North\ntier: 3"))
    assert answer.status == "answered"
    assert answer.citations[0].address == "r4c3"


@pytest.mark.parametrize(
    "text",
    ["It is 12.5%", "It is 10%", "It is $9", "It is 90%", "The discount is 11%"],
    ids=["invented", "another row's", "another unit", "another magnitude", "a look-alike"],
)
def test_a_figure_that_is_not_the_asked_cells_is_withheld(
    desk: Corpus, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    answer, requests = asked(NORTH, desk, monkeypatch, citing(text, "North\ntier: 3"))
    assert (answer.status, answer.reason) == ("declined", "unsupported_figure")
    assert len(requests) == 2, "the model gets one second try"


def test_a_neighbouring_column_is_withheld(desk: Corpus, monkeypatch: pytest.MonkeyPatch) -> None:
    answer, _ = asked(EXPRESS, desk, monkeypatch, citing("The fare is $1.50", "Harbor Express"))
    assert answer.reason == "unsupported_figure"


def test_a_look_alike_line_is_withheld(desk: Corpus, monkeypatch: pytest.MonkeyPatch) -> None:
    answer, _ = asked(EXPRESS, desk, monkeypatch, citing("The fare is $2.00", "Harbor Loop"))
    assert answer.reason == "unsupported_figure"


def test_a_condition_of_the_neighbouring_card_is_withheld(desk: Corpus, monkeypatch: pytest.MonkeyPatch) -> None:
    answer, _ = asked(CARD, desk, monkeypatch, citing("Yes, with a valid photograph", "Student card"))
    assert answer.reason == "unsupported_text"


def test_a_cards_own_condition_passes(desk: Corpus, monkeypatch: pytest.MonkeyPatch) -> None:
    answer, _ = asked(CARD, desk, monkeypatch, citing("Undergraduates ride free", "Student card"))
    assert answer.status == "answered"
    assert "valid photograph" not in answer.answer


def test_a_quotation_that_no_source_holds_is_withheld(desk: Corpus, monkeypatch: pytest.MonkeyPatch) -> None:
    answer, _ = asked(CARD, desk, monkeypatch, saying("The page says “everybody rides for nothing” [1]."))
    assert answer.reason == "unsupported_text"


def test_the_second_try_may_mend_the_answer(desk: Corpus, monkeypatch: pytest.MonkeyPatch) -> None:
    def script(messages: list[Body], n: int) -> Reply:
        if n == 0:
            return Reply(text="It is 50% [1].")
        mark = mark_of(messages, "North\ntier: 3")
        return Reply(text=f"North has 9% at tier 3 [{mark}].")

    answer, requests = asked(NORTH, desk, monkeypatch, script)
    assert (answer.status, len(requests)) == ("answered", 2)
    assert "50%" in str(requests[1]["messages"])


def test_malformed_arguments_come_back_to_the_model_as_an_error(desk: Corpus, monkeypatch: pytest.MonkeyPatch) -> None:
    def script(messages: list[Body], n: int) -> Reply:
        return Reply(tool="lookup_discount_tiers", arguments="{not json") if n == 0 else Reply(text="NOT FOUND")

    _, requests = asked(NORTH, desk, monkeypatch, script)
    assert "bad_arguments" in str(requests[1]["messages"])


def test_tool_calls_are_bounded(desk: Corpus, monkeypatch: pytest.MonkeyPatch) -> None:
    answer, requests = asked(NORTH, desk, monkeypatch, lambda m, n: Reply(tool="lookup_discount_tiers", arguments=MEAN))
    assert answer.status == "declined"
    assert len(requests) <= desk.settings.model.max_tool_calls + 3


@pytest.mark.parametrize(
    "reply",
    [
        Reply(status=401, raw=b'{"error": {"message": "no"}}'),
        Reply(raw=b"<html>hello</html>", content_type="text/html"),
        Reply(raw=b'{"choices": [{"message"'),
        Reply(raw=b"{}"),
        Reply(text="x" * 1_000_000),
    ],
    ids=["401", "html", "truncated", "empty", "huge"],
)
def test_a_server_that_gives_no_usable_reply_is_a_decline(
    desk: Corpus, monkeypatch: pytest.MonkeyPatch, reply: Reply
) -> None:
    answer, _ = asked(NORTH, desk, monkeypatch, lambda m, n: reply)
    assert (answer.status, answer.reason) == ("declined", "model_unavailable")


def test_a_dead_server_is_a_decline(desk: Corpus, monkeypatch: pytest.MonkeyPatch) -> None:
    with scripted_server(saying("")) as served:
        url = served.url
    monkeypatch.setenv("OPENAI_BASE_URL", url)
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    monkeypatch.setenv("OPENAI_MODEL", "scripted")
    model = ModelClient.from_environment(desk.settings.model)
    answer = answer_question(NORTH, desk, desk.settings, model, TODAY)
    assert answer.reason == "model_unavailable"


def test_an_error_and_then_an_answer_is_an_answer(desk: Corpus, monkeypatch: pytest.MonkeyPatch) -> None:
    def script(messages: list[Body], n: int) -> Reply:
        if n == 0:
            return Reply(status=500, raw=b'{"error": {"message": "again"}}')
        return Reply(text=f"North has 9% at tier 3 [{mark_of(messages, 'North')}].")

    answer, _ = asked(NORTH, desk, monkeypatch, script)
    assert answer.status == "answered"


def test_without_a_key_or_address_there_is_no_model(desk: Corpus, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_BASE_URL", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    assert ModelClient.from_environment(desk.settings.model) is None
