"""The one way to a model: the openai client, against any compatible server.

Holds: `ModelClient`, `ModelReply`, `read_stream`, `ModelUnavailable`.
Add here: another fault of a server that must end as one clear line.
Never here: prompts (context), judging replies (cell_check).
"""

import os
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from openai import OpenAI

    from rag_assets.settings import ModelSettings

Message = dict[str, object]
MAX_REPLY = 50_000  # characters
MAX_CALLS = 64
RETRIES = 2
NO_KEY = "none"


class ModelUnavailable(RuntimeError):
    """The server did not give a usable reply; the message is one line."""


class ToolRequest(NamedTuple):
    """`arguments` is the model's text: JSON, or not."""

    id: str
    name: str
    arguments: str


class ModelReply(NamedTuple):
    text: str
    requests: tuple[ToolRequest, ...] = ()


class ModelClient:
    """Asks for chat completions with function calls.

    With `tell` a reply is streamed, so that a person sees that words are coming; their text is for the check first.
    """

    def __init__(
        self, client: "OpenAI", name: str, settings: "ModelSettings", tell: Callable[[str], None] | None = None
    ) -> None:
        self._client, self.name, self._settings, self._tell = client, name, settings, tell

    @classmethod
    def from_environment(
        cls, settings: "ModelSettings", tell: Callable[[str], None] | None = None
    ) -> "ModelClient | None":
        """None where neither OPENAI_API_KEY nor OPENAI_BASE_URL is set, or no model is named."""
        key, url = os.environ.get("OPENAI_API_KEY"), os.environ.get("OPENAI_BASE_URL")
        name = settings.name or os.environ.get("OPENAI_MODEL")
        if not (key or url) or not name:
            return None
        import openai

        client = openai.OpenAI(
            api_key=key or NO_KEY, base_url=url or None, timeout=settings.timeout_s, max_retries=RETRIES
        )
        return cls(client, name, settings, tell)

    def reply(self, messages: Sequence[Message], tools: Sequence[Message]) -> ModelReply:
        """One completion. Raises ModelUnavailable for every fault of the server or the line to it."""
        import httpx
        import openai

        try:
            streamed = read_stream(self._ask(messages, tools, stream=True), self._tell) if self._tell else None
            if streamed is not None:
                return streamed
            return _read(self._ask(messages, tools))  # some servers cannot stream
        except openai.APIStatusError as error:
            raise ModelUnavailable(f"the model server answered {error.status_code}") from None
        except openai.APIError as error:
            raise ModelUnavailable(f"the model server cannot be used: {_line(error)}") from None
        except (ValueError, TypeError, KeyError) as error:
            raise ModelUnavailable(f"the model server's reply is no JSON: {_line(error)}") from None
        except httpx.HTTPError as error:
            raise ModelUnavailable(f"the model server's reply broke off: {_line(error)}") from None

    def _ask(self, messages: Sequence[Message], tools: Sequence[Message], **more: object) -> Any:
        given = {"tools": list(tools)} if tools else {}
        return self._client.chat.completions.create(  # ty: ignore[no-matching-overload]
            model=self.name,
            messages=list(messages),
            temperature=self._settings.temperature,
            max_tokens=self._settings.max_tokens,
            **given,
            **more,
        )


def read_stream(chunks: Iterable[object], tell: Callable[[str], None]) -> ModelReply | None:
    """The whole reply; None where nothing at all was streamed.

    Raises ModelUnavailable where the stream ends without a finish reason or grows without end.
    """
    text, size, seen, finished = [], 0, False, False
    calls: dict[int, list[str]] = {}
    for chunk in chunks:
        seen = True
        for choice in (getattr(chunk, "choices", None) or ())[:1]:
            delta = getattr(choice, "delta", None)
            piece = getattr(delta, "content", None)
            if isinstance(piece, str):
                text.append(piece)
                size += len(piece)
            for part in getattr(delta, "tool_calls", None) or ():
                size += _add_call(calls, part)
            finished = finished or bool(getattr(choice, "finish_reason", None))
        if size > MAX_REPLY or len(calls) > MAX_CALLS:
            raise ModelUnavailable(f"the model's reply is over {MAX_REPLY} characters")
        if text:
            tell(f"{size} characters written; none is shown before it is checked")
    if not seen:
        return None
    if not finished:
        raise ModelUnavailable("the model server's reply broke off")
    return ModelReply("".join(text), tuple(ToolRequest(*parts) for _, parts in sorted(calls.items())))


def _add_call(calls: dict[int, list[str]], part: object) -> int:
    """A piece of a tool call put to the others of its place: id and name come once, arguments in pieces."""
    place = getattr(part, "index", 0)
    found = calls.setdefault(place if isinstance(place, int) else 0, ["", "", ""])
    function = getattr(part, "function", None)
    pieces = (getattr(part, "id", None), getattr(function, "name", None), getattr(function, "arguments", None))
    for n, piece in enumerate(pieces):
        if isinstance(piece, str):
            found[n] = found[n] + piece if n == 2 else found[n] or piece
    return sum(len(piece) for piece in pieces if isinstance(piece, str))


def _read(completion: object) -> ModelReply:
    choices = getattr(completion, "choices", None)
    if not choices:
        raise ModelUnavailable("the model server's reply is no chat completion")
    message = getattr(choices[0], "message", None)
    text = getattr(message, "content", None) or ""
    if not isinstance(text, str) or len(text) > MAX_REPLY:
        raise ModelUnavailable(f"the model's reply is over {MAX_REPLY} characters")
    requests = []
    for call in getattr(message, "tool_calls", None) or ():
        function = getattr(call, "function", None)
        if function is not None:
            requests.append(ToolRequest(str(call.id), str(function.name), str(function.arguments or "")))
    return ModelReply(text, tuple(requests))


def _line(error: Exception) -> str:
    return " ".join(str(error).split())[:200] or type(error).__name__
