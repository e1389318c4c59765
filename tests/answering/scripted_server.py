"""A real HTTP server that speaks the chat completions protocol and says what a test scripts."""

import json
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import NamedTuple

Body = dict[str, object]
Script = Callable[[list[Body], int], "Reply"]


class Reply(NamedTuple):
    """`raw` replaces the whole body; `status` other than 200 is an error of the server.

    A request for a stream gets one, cut after so many events, unless the server cannot stream.
    """

    text: str | None = None
    tool: str | None = None
    arguments: str = "{}"
    status: int = 200
    raw: bytes | None = None
    content_type: str = "application/json"
    calls: int = 1
    streams: bool = True
    cut_after: int | None = None


class Served(NamedTuple):
    url: str
    requests: list[Body]


@contextmanager
def scripted_server(script: Script) -> Iterator[Served]:
    """`script` gets the messages and how many requests came before this one."""
    requests: list[Body] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            requests.append(body)
            reply = script(body["messages"], len(requests) - 1)
            streams = bool(body.get("stream")) and reply.streams and reply.raw is None and reply.status == 200
            whole = reply.raw if reply.raw is not None else json.dumps(completion(reply)).encode()
            content = b"".join(events(reply)) if streams else whole
            self.send_response(reply.status)
            self.send_header("Content-Type", "text/event-stream" if streams else reply.content_type)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            with suppress(ConnectionError):  # a client may leave an endless reply
                self.wfile.write(content)

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield Served(f"http://127.0.0.1:{server.server_address[1]}/v1", requests)
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def completion(reply: Reply) -> Body:
    message: Body = {"role": "assistant", "content": reply.text}
    if reply.tool is not None:
        message["tool_calls"] = [
            {"id": f"call_{n}", "type": "function", "function": {"name": reply.tool, "arguments": reply.arguments}}
            for n in range(reply.calls)
        ]
    choice = {"index": 0, "message": message, "finish_reason": "tool_calls" if reply.tool else "stop"}
    return {"id": "x", "object": "chat.completion", "created": 0, "model": "scripted", "choices": [choice]}


def events(reply: Reply) -> list[bytes]:
    """The reply as server-sent events: words of the text and pieces of the arguments one after the other."""
    deltas: list[Body] = [{"role": "assistant", "content": word} for word in re.findall(r"\S+\s*", reply.text or "")]
    for n in range(reply.calls if reply.tool else 0):
        call: Body = {"index": n, "id": f"call_{n}", "type": "function"}
        deltas.append({"tool_calls": [{**call, "function": {"name": reply.tool, "arguments": ""}}]})
        for piece in re.findall(r"(?s).{1,7}", reply.arguments):
            deltas.append({"tool_calls": [{"index": n, "function": {"arguments": piece}}]})
    reasons: list[str | None] = [None] * len(deltas)
    chunks = [*zip(deltas, reasons, strict=True), ({}, "tool_calls" if reply.tool else "stop")][: reply.cut_after]
    shown = [
        {
            "id": "x",
            "object": "chat.completion.chunk",
            "created": 0,
            "model": "scripted",
            "choices": [{"index": 0, "delta": delta, "finish_reason": reason}],
        }
        for delta, reason in chunks
    ]
    done = [b"data: [DONE]\n\n"] if reply.cut_after is None else []
    return [b"data: " + json.dumps(chunk).encode() + b"\n\n" for chunk in shown] + done
