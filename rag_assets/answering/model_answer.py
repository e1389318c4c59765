"""The model's loop: passages, tool calls, an answer, the cell check, one second try.

Holds: `answer_with_model`.
Add here: another bound on what a model may do.
Never here: the check itself (cell_check), the wire (model_client).
"""

import json
from collections.abc import Callable, Sequence
from datetime import date
from typing import TYPE_CHECKING

from rag_assets.answering.cell_check import Finding, check_answer
from rag_assets.answering.context import bounded, build_context, render_result
from rag_assets.answering.evidence import Evidence, evidence_of_passages, evidence_of_result
from rag_assets.answering.model_client import Message, ModelClient, ModelUnavailable, ToolRequest
from rag_assets.model.corpus import Answer, Citation, LookupFault, LookupResult, ToolCall
from rag_assets.retrieval.many_rows import aggregate_words

if TYPE_CHECKING:
    from rag_assets.answering.desk import Desk
    from rag_assets.model.corpus import Passage
    from rag_assets.settings import Settings

MAX_TOOLS = 16
MAX_PARALLEL = 8
NOT_FOUND = "NOT FOUND"
LIST_TOOLS = "list_tools"


def answer_with_model(
    question: str,
    desk: "Desk",
    settings: "Settings",
    model: ModelClient,
    passages: "Sequence[Passage]",
    today: date,
    explanation: dict[str, object],
    tell: Callable[[str], None],
) -> Answer:
    """The model's answer if the cell check lets it through, else a decline that says what was not supported."""
    from rag_assets.answering.answer import declined

    talk = _Talk(question, desk, settings, model, passages, today, tell)
    tool = next((p.tool for p in passages if p.tool), None) if aggregate_words(question) else None
    try:
        text, finding = talk.answer()
    except ModelUnavailable as error:
        return declined("model_unavailable", desk, settings, explanation, finding=str(error))
    explanation["tool_calls"] = [call.tool for call in talk.calls]
    if not text or NOT_FOUND in text.upper():
        return declined("not_found", desk, settings, explanation, tool=tool)
    if finding.reason is not None:
        explanation["withheld"] = text
        return declined(finding.reason, desk, settings, explanation, tool=tool, finding=finding.says)
    return Answer(
        status="answered",
        answer=text,
        release=desk.digest,
        as_of=next((r.as_of for r in talk.results if r.as_of), None),
        citations=finding.citations or talk.cited(text),
        tool_calls=tuple(talk.calls),
        explanation=explanation,
    )


class _Talk:
    def __init__(
        self,
        question: str,
        desk: "Desk",
        settings: "Settings",
        model: ModelClient,
        passages: "Sequence[Passage]",
        today: date,
        tell: Callable[[str], None],
    ) -> None:
        self.question, self.desk, self.model, self.today, self.tell = question, desk, model, today, tell
        self.passages = passages
        self.rounds = settings.model.max_tool_calls
        self.calls: list[ToolCall] = []
        self.results: list[LookupResult] = []
        self.evidence = evidence_of_passages(passages, desk)
        context = build_context(question, passages, today.isoformat())
        self.boundary = context.boundary
        self.messages: list[Message] = [
            {"role": "system", "content": context.system},
            {"role": "user", "content": context.user},
        ]
        self.tools = self._tools()

    def answer(self) -> tuple[str, Finding]:
        """The text and what the check says of it, after at most one second try."""
        text = self._ask()
        self.tell("checking every figure against its cell")
        finding = check_answer(text, self.question, self.evidence, self.today)
        if finding.reason is None or not text:
            return text, finding
        self.tell("an unsupported claim: asking once more")
        self.messages.append({"role": "assistant", "content": text})
        self.messages.append({"role": "user", "content": f"{finding.says} Answer again, or say {NOT_FOUND}."})
        text = self._ask()
        return text, check_answer(text, self.question, self.evidence, self.today)

    def cited(self, text: str) -> tuple[Citation, ...]:
        """The passages the text names by their marks, for an answer without figures."""
        return tuple(
            Citation(source=p.source, address=p.addresses[0] if p.addresses else None, text=p.text[:300])
            for n, p in enumerate(self.passages, 1)
            if f"[{n}]" in text
        )

    def _ask(self) -> str:
        while True:
            tools = self.tools if len(self.calls) < self.rounds else ()
            reply = self.model.reply(self.messages, tools)
            if not reply.requests or not tools:
                return reply.text.strip()
            requests = reply.requests[:MAX_PARALLEL]
            self.messages.append(
                {
                    "role": "assistant",
                    "content": reply.text or None,
                    "tool_calls": [
                        {"id": r.id, "type": "function", "function": {"name": r.name, "arguments": r.arguments}}
                        for r in requests
                    ],
                }
            )
            for request in requests:
                self.messages.append({"role": "tool", "tool_call_id": request.id, "content": self._call(request)})

    def _call(self, request: ToolRequest) -> str:
        self.tell(f"calling {request.name[:64]}")
        if request.name == LIST_TOOLS:
            self.calls.append(ToolCall(tool=LIST_TOOLS, arguments={}, complete=True))
            tools = [{"name": t.name, "title": t.title} for t in self.desk.tools()]
            return bounded(json.dumps(tools, ensure_ascii=False), self.boundary)
        try:
            arguments = json.loads(request.arguments or "{}")
        except ValueError:
            arguments = None
        if not isinstance(arguments, dict):
            fault = LookupFault(code="bad_arguments", message="arguments must be one JSON object")
            self.calls.append(ToolCall(tool=request.name, arguments={}, complete=False))
            return render_result("", fault, self.boundary)
        result = self.desk.lookup(request.name, arguments, self.today)
        complete = isinstance(result, LookupResult) and result.complete
        self.calls.append(ToolCall(tool=request.name, arguments=arguments, complete=complete))
        if isinstance(result, LookupFault):
            return render_result("", result, self.boundary)
        self.results.append(result)
        mark = f"t{len(self.results)}"
        found = evidence_of_result(mark, result, arguments)
        self.evidence = Evidence((*self.evidence.facts, *found.facts), (*self.evidence.texts, *found.texts))
        return render_result(mark, result, self.boundary)

    def _tools(self) -> tuple[Message, ...]:
        """At most 16: those that the passages name, and `list_tools`."""
        named = {p.tool for p in self.passages if p.tool}
        schemas = [t for t in self.desk.tools() if t.name in named or t.full_name in named][: MAX_TOOLS - 1]
        listing: Message = {
            "type": "function",
            "function": {
                "name": LIST_TOOLS,
                "description": "Names and titles of all lookup tools.",
                "parameters": {"type": "object", "properties": {}},
            },
        }
        return (*(schema.as_openai() for schema in schemas), listing)
