from datetime import date

import pytest

from rag_assets import Corpus
from rag_assets.answering.answer import answer_question
from rag_assets.model.corpus import Answer
from rag_assets.retrieval.many_rows import aggregate_words, topic_of

TODAY = date(2026, 11, 30)


def ask(desk: Corpus, question: str) -> Answer:
    return answer_question(question, desk, desk.settings, None, TODAY)


def test_the_cell_is_quoted_with_its_address(desk: Corpus) -> None:
    answer = ask(desk, "What is the adult fare on the Harbor Express line?")
    assert "$3.00" in answer.answer
    assert "$2.00" not in answer.answer
    assert answer.citations[0].address == "#table-1!r3c2"


def test_a_condition_is_that_of_its_own_card(desk: Corpus) -> None:
    answer = ask(desk, "Can I ride with my Student card?")
    assert answer.answer == "Student card: Undergraduates ride free"


def test_a_row_that_does_not_exist_is_declined(desk: Corpus) -> None:
    answer = ask(desk, "What discount does region North have at tier 9?")
    assert (answer.status, answer.reason) == ("declined", "not_found")
    assert ask(desk, "What discount does region Atlantis have at tier 3?").status == "declined"


def test_a_question_over_many_rows_names_the_tool(desk: Corpus) -> None:
    answer = ask(desk, "What is the average discount of all regions?")
    assert (answer.reason, answer.suggested_tool) == ("needs_complete_lookup", "lookup_discount_tiers")
    assert "lookup_discount_tiers" in answer.answer


def test_an_off_topic_question_is_below_the_floor(desk: Corpus) -> None:
    answer = ask(desk, "Who composed the opera about the flying dutchman?")
    assert answer.reason == "below_floor"
    assert answer.handoff is not None


@pytest.mark.parametrize(
    "question",
    [
        "What is the average discount?",
        "Which region has the highest discount?",
        "How many regions are there? Count all of them",
        "¿Cuál es el promedio de descuento?",
        "Wie hoch ist der durchschnittliche Rabatt?",
        "平均折扣是多少？",
    ],
)
def test_words_that_ask_over_many_rows_are_found(question: str) -> None:
    assert aggregate_words(question)


@pytest.mark.parametrize(
    "question",
    [
        "How many days is the refund window in Norway?",
        "What is the fee of the Basic account?",
        "When does line A leave?",
    ],
)
def test_a_question_for_one_row_asks_over_no_others(question: str) -> None:
    assert aggregate_words(question) == ()


@pytest.mark.parametrize(
    "question",
    [
        "Give me the adult fare of the Harbor Express",
        "What does it say under Adult for Harbor Express?",
        "Please tell me the adult fare on the Harbor Express line",
        "Gib mir bitte: Harbor Express, Adult",
        "I need the adult fare that applies to Harbor Express",
    ],
)
def test_words_that_only_ask_for_something_need_not_be_found(desk: Corpus, question: str) -> None:
    answer = ask(desk, question)
    assert (answer.status, answer.citations[0].address) == ("answered", "#table-1!r3c2"), answer


def test_a_question_that_is_all_request_keeps_its_words() -> None:
    assert topic_of("Tell me") == "Tell me"
    assert topic_of("How many regions are there?") == "How many regions are there?"
    assert topic_of("Please give me the average discount") == "the discount"


def test_a_column_called_by_a_small_word_is_quoted_alone(example: Corpus) -> None:
    answer = ask(example, "What is the To of 215 Cache Creek?")
    assert (answer.answer, answer.citations[0].address) == ("215 Cache Creek, To: Brooks", "#table-1!r6c2")


def test_an_aggregate_word_in_a_columns_name_asks_over_no_rows(example: Corpus) -> None:
    assert "$25,000" in ask(example, "What is the Min order of North, Tier 3?").answer
    assert ask(example, "What is the average min order?").reason == "needs_complete_lookup"


def test_a_decline_hands_over(desk: Corpus) -> None:
    answer = ask(desk, "Who composed the opera about the flying dutchman?")
    assert answer.handoff == {"text": "Ask the owner of this collection.", "url": None}
