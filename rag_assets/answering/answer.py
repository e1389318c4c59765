"""A question answered: retrieve, check the floor, then a model with tools and a cell check, or a quotation.

Holds: `answer_question`.
Add here: a step between question and answer.
Never here: a step's own rules.
"""

from datetime import date
from typing import TYPE_CHECKING

from rag_assets.answering.extractive import extract
from rag_assets.answering.floor import stands_on_floor
from rag_assets.model.corpus import Answer, DeclineReason

if TYPE_CHECKING:
    from collections.abc import Callable

    from rag_assets.answering.desk import Desk
    from rag_assets.answering.model_client import ModelClient
    from rag_assets.settings import Settings

PASSAGES = 20

_SAYS = {
    "below_floor": "Nothing in these documents speaks of this.",
    "not_found": "Not found: no row or passage names all that the question names.",
    "needs_complete_lookup": "This asks over many rows, and retrieved rows are not the complete set.",
    "unsupported_figure": "Withheld: a figure of the answer comes from no cited cell and no complete tool result.",
    "unsupported_text": "Withheld: a quotation of the answer comes from no cited cell.",
    "model_unavailable": "The model did not answer.",
}


def answer_question(
    question: str,
    desk: "Desk",
    settings: "Settings",
    model: "ModelClient | None",
    today: date,
    tell: "Callable[[str], None] | None" = None,
) -> Answer:
    """Answered with citations, or declined with a reason; never a figure that no source holds."""
    tell = tell or _silence
    tell("searching")
    passages = desk.search(question, k=PASSAGES, words=settings.model.context_words)
    floor = stands_on_floor(question, desk, passages, settings.answer_floor)
    explanation: dict[str, object] = {
        "coverage": round(floor.coverage, 4),
        "floor": settings.answer_floor,
        "passages": [p.chunk for p in passages],
    }
    if not floor.reached:
        return declined("below_floor", desk, settings, explanation)
    if model is not None:
        from rag_assets.answering.model_answer import answer_with_model

        tell(f"{len(passages)} passages read by {model.name}")
        return answer_with_model(question, desk, settings, model, passages, today, explanation, tell)
    found = extract(question, desk, passages, today)
    if found.reason is not None:
        return declined(found.reason, desk, settings, explanation, tool=found.tool)
    return Answer(
        status="answered",
        answer=found.answer,
        release=desk.digest,
        as_of=found.as_of,
        suggested_tool=found.tool,
        citations=found.citations,
        explanation=explanation,
    )


def _silence(_: str) -> None:
    pass


def declined(
    reason: DeclineReason,
    desk: "Desk",
    settings: "Settings",
    explanation: dict[str, object],
    *,
    tool: str | None = None,
    finding: str = "",
) -> Answer:
    """A decline: what was missing, the tool that would answer, and whom to ask."""
    says = _SAYS[reason]
    if tool:
        says = f"{says} Use {tool}."
    if finding:
        says = f"{says} {finding}"
    handoff = {"text": settings.handoff.text, "url": settings.handoff.url}
    return Answer(
        status="declined",
        answer=says,
        release=desk.digest,
        reason=reason,
        handoff=handoff,
        suggested_tool=tool,
        explanation=explanation,
    )
