"""A streamed reply: progress is told, words are held until they are checked, a stream that breaks off is a decline."""

import pytest

from rag_assets import Corpus
from rag_assets.answering.answer import answer_question
from rag_assets.answering.model_client import ModelClient
from rag_assets.model.corpus import Answer
from tests.answering.scripted_server import Body, Reply, Script, scripted_server
from tests.answering.test_model_answers import AVERAGE, MEAN, NORTH, TODAY, mark_of


def streamed(
    question: str, desk: Corpus, monkeypatch: pytest.MonkeyPatch, script: Script
) -> tuple[Answer, list[str], list[Body]]:
    told: list[str] = []
    with scripted_server(script) as served:
        monkeypatch.setenv("OPENAI_BASE_URL", served.url)
        monkeypatch.setenv("OPENAI_API_KEY", "none")
        monkeypatch.setenv("OPENAI_MODEL", "scripted")
        model = ModelClient.from_environment(desk.settings.model, told.append)
        answer = answer_question(question, desk, desk.settings, model, TODAY, told.append)
    return answer, told, served.requests


def nine(messages: list[Body], n: int) -> Reply:
    mark = mark_of(messages, "North\ntier: 3")
    return Reply(text=f"North has 9% at tier 3 [{mark}].")


def test_a_streamed_answer_is_whole_and_checked(desk: Corpus, monkeypatch: pytest.MonkeyPatch) -> None:
    answer, told, requests = streamed(NORTH, desk, monkeypatch, nine)
    assert requests[0]["stream"] is True
    assert (answer.status, answer.citations[0].address) == ("answered", "r4c3")
    assert told[0] == "searching"
    assert "checking every figure against its cell" in told


def test_no_word_of_the_answer_is_told_before_it_is_checked(desk: Corpus, monkeypatch: pytest.MonkeyPatch) -> None:
    answer, told, _ = streamed(NORTH, desk, monkeypatch, lambda m, n: Reply(text="North has 77% at tier 3 [1]."))
    assert answer.reason == "unsupported_figure"
    assert "an unsupported claim: asking once more" in told
    assert not any("77" in line or "North" in line for line in told)


def test_tool_calls_come_in_pieces(desk: Corpus, monkeypatch: pytest.MonkeyPatch) -> None:
    def script(messages: list[Body], n: int) -> Reply:
        if n == 0:
            return Reply(tool="lookup_discount_tiers", arguments=MEAN, calls=2)
        return Reply(text="The average discount over all regions is 8.5% [t1].")

    answer, told, _ = streamed(AVERAGE, desk, monkeypatch, script)
    assert answer.status == "answered"
    assert [call.complete for call in answer.tool_calls] == [True, True]
    assert "calling lookup_discount_tiers" in told


@pytest.mark.parametrize("cut_after", [1, 4])
def test_a_stream_that_breaks_off_is_a_decline(desk: Corpus, monkeypatch: pytest.MonkeyPatch, cut_after: int) -> None:
    answer, _, _ = streamed(NORTH, desk, monkeypatch, lambda m, n: nine(m, n)._replace(cut_after=cut_after))
    assert (answer.status, answer.reason) == ("declined", "model_unavailable")
    assert "broke off" in answer.answer
    assert "\n" not in answer.answer


def test_a_server_that_cannot_stream_is_asked_for_the_whole(desk: Corpus, monkeypatch: pytest.MonkeyPatch) -> None:
    answer, _, requests = streamed(NORTH, desk, monkeypatch, lambda m, n: nine(m, n)._replace(streams=False))
    assert answer.status == "answered"
    assert [bool(request.get("stream")) for request in requests] == [True, False]


def test_an_endless_stream_is_left(desk: Corpus, monkeypatch: pytest.MonkeyPatch) -> None:
    answer, _, _ = streamed(NORTH, desk, monkeypatch, lambda m, n: Reply(text="word " * 200_000))
    assert answer.reason == "model_unavailable"
    assert "50000 characters" in answer.answer
