"""The one way to a model: the openai client, against any compatible server.

Holds: `ModelClient`, `ModelReply`, `ModelUnavailable`.
Add here: another fault of a server that must end as one clear line.
Never here: prompts (context), judging replies (cell_check).
"""

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from openai import OpenAI

    from rag_assets.settings import ModelSettings

Message = dict[str, object]
MAX_REPLY = 50_000  # characters
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
    """Asks for chat completions with function calls."""

    def __init__(self, client: "OpenAI", name: str, settings: "ModelSettings") -> None:
        self._client, self.name, self._settings = client, name, settings

    @classmethod
    def from_environment(cls, settings: "ModelSettings") -> "ModelClient | None":
        """None where neither OPENAI_API_KEY nor OPENAI_BASE_URL is set, or no model is named."""
        key, url = os.environ.get("OPENAI_API_KEY"), os.environ.get("OPENAI_BASE_URL")
        name = settings.name or os.environ.get("OPENAI_MODEL")
        if not (key or url) or not name:
            return None
        import openai

        client = openai.OpenAI(
            api_key=key or NO_KEY, base_url=url or None, timeout=settings.timeout_s, max_retries=RETRIES
        )
        return cls(client, name, settings)

    def reply(self, messages: Sequence[Message], tools: Sequence[Message]) -> ModelReply:
        """One completion. Raises ModelUnavailable for every fault of the server or the line to it."""
        import openai

        given = {"tools": list(tools)} if tools else {}
        try:
            completion = self._client.chat.completions.create(  # ty: ignore[no-matching-overload]
                model=self.name,
                messages=list(messages),
                temperature=self._settings.temperature,
                max_tokens=self._settings.max_tokens,
                **given,
            )
        except openai.APIStatusError as error:
            raise ModelUnavailable(f"the model server answered {error.status_code}") from None
        except openai.APIError as error:
            raise ModelUnavailable(f"the model server cannot be used: {_line(error)}") from None
        except (ValueError, TypeError, KeyError) as error:
            raise ModelUnavailable(f"the model server's reply is no JSON: {_line(error)}") from None
        return _read(completion)


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
