"""The MCP face: the same search and lookup tools for an assistant, over stdio or streamable HTTP.

Holds: `serve_stdio`, `http_app`, `mcp_server`, `Face`.
Add here: a tool that `Corpus` already offers.
Never here: access rules of its own; a token names scopes, and `Corpus` decides what they see.
"""

import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple, TypeVar

import mcp_types as types
import yaml
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.shared.exceptions import MCPError
from starlette.types import ASGIApp, Receive, Scope, Send

from rag_assets.corpus import Corpus
from rag_assets.errors import RagAssetsError, SettingsError
from rag_assets.model.corpus import LookupFault
from rag_assets.settings import Project
from rag_assets.store import Release, Store

MAX_PASSAGES = 50
MAX_CURSOR = 10  # digits
MAX_PASSAGE_CHARACTERS = 60_000
LISTED = 100  # tools or resources a page of a list
TABLE_URI, SOURCE_URI = "table:///", "source:///"
Json = dict[str, object]
Listed = TypeVar("Listed")


def _object(**properties: Json) -> Json:
    """A result's schema; a refused call has `error` instead."""
    error = {
        "type": "object",
        "properties": {"code": _TEXT, "message": _TEXT, "allowed": {"type": "array", "items": _TEXT}},
        "required": ["code", "message"],
    }
    return {"type": "object", "properties": {**properties, "error": error}}


_TEXT: Json = {"type": "string"}
_TEXT_OR_NONE: Json = {"type": ["string", "null"]}
_NUMBER: Json = {"type": "integer"}
_CLAIM: Json = {"type": "boolean"}
_TEXTS: Json = {"type": "array", "items": _TEXT}
_MAP: Json = {"type": "object"}
_PASSAGE: Json = {
    "type": "object",
    "properties": {
        "rank": _NUMBER,
        "score": {"type": "number"},
        "chunk": _TEXT,
        "kind": _TEXT,
        "source": _TEXT,
        "heading_path": _TEXTS,
        "addresses": _TEXTS,
        "text": _TEXT,
        "selection": _CLAIM,
        "tool": _TEXT_OR_NONE,
    },
    "required": ["chunk", "kind", "source", "addresses", "text"],
}
_LOOKED_UP = _object(
    tool=_TEXT,
    rows={"type": "array", "items": _MAP},
    row_count=_NUMBER,
    matched_rows=_NUMBER,
    table_rows=_NUMBER,
    complete={"type": "boolean", "description": "False where a limit or a cap cut rows off."},
    units=_MAP,
    scales=_MAP,
    as_of=_TEXT_OR_NONE,
    source=_TEXT_OR_NONE,
    addresses=_TEXTS,
)


class _Tool(NamedTuple):
    name: str
    description: str
    parameters: Json
    result: Json


_TOOLS = (
    _Tool(
        "search",
        "Passages of the published documents, best first, each with its source and cell addresses.",
        {
            "type": "object",
            "properties": {
                "query": {"type": "string"},
                "k": {"type": "integer", "minimum": 1, "maximum": MAX_PASSAGES, "default": 10},
                "words": {"type": "integer", "minimum": 1, "description": "Together at most so many words."},
                "kinds": {"type": "array", "items": {"type": "string"}},
            },
            "required": ["query"],
        },
        _object(passages={"type": "array", "items": _PASSAGE}, complete=_CLAIM, release=_TEXT),
    ),
    _Tool(
        "get_passage",
        "One passage by the id of its chunk.",
        {"type": "object", "properties": {"chunk": {"type": "string"}}, "required": ["chunk"]},
        _object(passage=_PASSAGE),
    ),
    _Tool(
        "list_tables",
        "The lookup tables that can be asked, with their tools.",
        {"type": "object", "properties": {}},
        _object(tables={"type": "array", "items": _MAP}),
    ),
    _Tool(
        "lookup",
        "Call a lookup tool by its name; the result says whether it is complete.",
        {
            "type": "object",
            "properties": {"tool": {"type": "string"}, "arguments": {"type": "object"}},
            "required": ["tool"],
        },
        _LOOKED_UP,
    ),
)


class Face:
    """Answers MCP requests for one project; each request pins the release that is current when it comes in."""

    def __init__(self, project: Project, scopes: frozenset[str]) -> None:
        self.project, self.scopes = project, scopes
        self._store = Store(project.state_url)
        self._opened: dict[frozenset[str], tuple[int, Corpus]] = {}

    def corpus(self, scopes: frozenset[str]) -> Corpus | None:
        """The published release for these scopes; None before the first release. Kept open until the next one."""
        number = self._store.current_number()
        kept = self._opened.get(scopes)
        if kept is not None and kept[0] == number:
            return kept[1]
        release: Release | None = self._store.current()
        if release is None:
            return None
        corpus = Corpus.of_release(self.project, self._store, release, scopes)
        self._opened[scopes] = (release.number, corpus)
        return corpus

    def list_tools(self, scopes: frozenset[str]) -> list[types.Tool]:
        corpus = self.corpus(scopes)
        own = [
            types.Tool(name=t.name, description=t.description, input_schema=t.parameters, output_schema=t.result)
            for t in _TOOLS
        ]
        lookups = corpus.tools() if corpus else ()
        made = [
            types.Tool(
                name=t.name, description=t.description, input_schema=dict(t.parameters), output_schema=_LOOKED_UP
            )
            for t in lookups
        ]
        return [*own, *made]

    def list_resources(self, scopes: frozenset[str]) -> list[types.Resource]:
        """Every visible document, and every table that has a lookup tool."""
        corpus = self.corpus(scopes)
        sources = [
            types.Resource(uri=f"{SOURCE_URI}{e.source}", name=e.source, mime_type=e.media_type)
            for e in (corpus.sources() if corpus else ())
        ]
        tables = [
            types.Resource(uri=f"{TABLE_URI}{t.name}", name=t.title or t.name, mime_type="application/json")
            for t in (corpus.tools() if corpus else ())
            if t.source
        ]
        return [*sources, *tables]

    def read_resource(self, uri: str, scopes: frozenset[str]) -> types.TextResourceContents:
        """A document's text, or what a table's tool takes. Raises MCPError where these scopes see no such resource."""
        corpus = self.corpus(scopes)
        for entry in corpus.sources() if corpus else ():
            if corpus and uri == f"{SOURCE_URI}{entry.source}":
                shown = (c.text for c in corpus.chunks(entry.source) if c.kind in ("prose", "table"))
                return types.TextResourceContents(uri=uri, mime_type="text/plain", text="\n\n".join(shown))
        for tool in corpus.tools() if corpus else ():
            if tool.source and uri == f"{TABLE_URI}{tool.name}":
                told = {"tool": tool.name, "title": tool.title, "source": tool.source, "parameters": tool.parameters}
                text = json.dumps({**told, "description": tool.description}, ensure_ascii=False)
                return types.TextResourceContents(uri=uri, mime_type="application/json", text=text)
        raise MCPError(types.INVALID_PARAMS, "no such resource")

    def call(self, name: str, arguments: Mapping[str, object], scopes: frozenset[str]) -> types.CallToolResult:
        """The result as text and as structured content; a refused call is a result with `is_error`."""
        try:
            return _shown(*self._answer(name, arguments, scopes))
        except RagAssetsError as error:
            return _shown({"error": {"code": "failed", "message": str(error)}}, is_error=True)

    def _answer(self, name: str, arguments: Mapping[str, object], scopes: frozenset[str]) -> tuple[Json, bool]:
        corpus = self.corpus(scopes)
        if corpus is None:
            return _fault("unknown_tool", "nothing is published yet"), True
        if name == "search":
            return self._search(corpus, arguments)
        if name == "get_passage":
            passage = corpus.passage(str(arguments.get("chunk", "")))
            return ({"passage": _plain(passage)}, False) if passage else (_fault("not_found", "no such passage"), True)
        if name == "list_tables":
            tables = [{"tool": t.name, "title": t.title, "source": t.source} for t in corpus.tools()]
            return {"tables": tables}, False
        if name == "lookup":
            given = arguments.get("arguments") or {}
            if not isinstance(given, dict):
                return _fault("bad_arguments", "`arguments` must be an object"), True
            return _looked_up(corpus, str(arguments.get("tool", "")), given)
        return _looked_up(corpus, name, arguments)

    def _search(self, corpus: Corpus, arguments: Mapping[str, object]) -> tuple[Json, bool]:
        query, k, words, kinds = (arguments.get(name) for name in ("query", "k", "words", "kinds"))
        if not isinstance(query, str) or not query.strip():
            return _fault("bad_arguments", "`query` must be text"), True
        wanted = min(k, MAX_PASSAGES) if isinstance(k, int) and k > 0 else 10
        bound = words if isinstance(words, int) and words > 0 else None
        only = [str(kind) for kind in kinds] if isinstance(kinds, list) and kinds else None
        passages = corpus.search(query, k=wanted, words=bound, kinds=only)
        shown, size = [], 0
        for passage in passages:
            size += len(passage.text)
            if size > MAX_PASSAGE_CHARACTERS and shown:
                break
            shown.append(_plain(passage))
        return {"passages": shown, "complete": len(shown) == len(passages), "release": corpus.digest}, False


def _looked_up(corpus: Corpus, tool: str, arguments: Mapping[str, object]) -> tuple[Json, bool]:
    result = corpus.lookup(tool, arguments, datetime.now(UTC).date())
    if isinstance(result, LookupFault):
        return {"error": _plain(result)}, True
    return _plain(result), False


def _fault(code: str, message: str) -> Json:
    return {"error": {"code": code, "message": message, "allowed": []}}


def _plain(value: object) -> Json:
    return json.loads(json.dumps(asdict(value), default=str))  # ty: ignore[invalid-argument-type]


def _shown(content: Json, is_error: bool = False) -> types.CallToolResult:
    text = json.dumps(content, ensure_ascii=False)
    return types.CallToolResult(
        content=[types.TextContent(type="text", text=text)], structured_content=content, is_error=is_error
    )


def _page(entries: Sequence[Listed], cursor: str | None) -> tuple[list[Listed], str | None]:
    """One page of a list and the cursor of the next. Raises MCPError for a cursor that no page gave."""
    start = int(cursor) if cursor is not None and cursor.isdecimal() and len(cursor) < MAX_CURSOR else -1
    if cursor is None:
        start = 0
    if start < 0 or (start and start >= len(entries)):
        raise MCPError(types.INVALID_PARAMS, "no such cursor: begin the list again")
    end = start + LISTED
    return list(entries[start:end]), str(end) if end < len(entries) else None


def mcp_server(face: Face) -> Server:
    """The protocol's server of one face, whatever the transport."""

    async def on_list_tools(
        context: ServerRequestContext, params: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        tools, after = _page(face.list_tools(_scopes_of(context, face)), params.cursor if params else None)
        return types.ListToolsResult(tools=tools, next_cursor=after)

    async def on_call_tool(context: ServerRequestContext, params: types.CallToolRequestParams) -> types.CallToolResult:
        return face.call(params.name, params.arguments or {}, _scopes_of(context, face))

    async def on_list_resources(
        context: ServerRequestContext, params: types.PaginatedRequestParams | None
    ) -> types.ListResourcesResult:
        found, after = _page(face.list_resources(_scopes_of(context, face)), params.cursor if params else None)
        return types.ListResourcesResult(resources=found, next_cursor=after)

    async def on_read_resource(
        context: ServerRequestContext, params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        return types.ReadResourceResult(contents=[face.read_resource(str(params.uri), _scopes_of(context, face))])

    return Server(
        "rag_assets",
        instructions="Search first; take values, totals and counts from lookup tools, and only from complete results.",
        on_list_tools=on_list_tools,
        on_call_tool=on_call_tool,
        on_list_resources=on_list_resources,
        on_read_resource=on_read_resource,
    )


def _scopes_of(context: ServerRequestContext, face: Face) -> frozenset[str]:
    """Over HTTP the scopes of the caller's token, put there by `TokenGate`; over stdio those of the command line."""
    request = context.request
    state = getattr(request, "scope", None)
    found = state.get("rag_assets.scopes") if isinstance(state, dict) else None
    return found if isinstance(found, frozenset) else face.scopes


async def serve_stdio(project: Project, scopes: frozenset[str]) -> None:
    """Serve one assistant on standard input and output until it hangs up."""
    server = mcp_server(Face(project, scopes))
    async with stdio_server() as (read_stream, write_stream):
        await server.run(read_stream, write_stream, server.create_initialization_options())


def read_tokens(path: Path) -> dict[str, frozenset[str]]:
    """The file that RAG_ASSETS_TOKENS names, `token: [scopes]`. Raises SettingsError."""
    try:
        content = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, yaml.YAMLError) as error:
        raise SettingsError(f"{path}: cannot be read: {' '.join(str(error).split())}") from None
    if not isinstance(content, dict) or not all(isinstance(scopes, list) for scopes in content.values()):
        raise SettingsError(f"{path}: expected `token: [scopes]` on each line")
    return {str(token): frozenset(map(str, scopes)) for token, scopes in content.items()}


def http_app(
    project: Project, scopes: frozenset[str], tokens: Mapping[str, frozenset[str]] | None, host: str
) -> ASGIApp:
    """The streamable HTTP application under `/mcp`.

    Without tokens only loopback is served. Raises SettingsError for another host without tokens.
    """
    if tokens is None and host not in ("127.0.0.1", "::1", "localhost"):
        raise SettingsError(f"serving on {host} needs RAG_ASSETS_TOKENS: a YAML file of `token: [scopes]`")
    app = mcp_server(Face(project, scopes)).streamable_http_app(json_response=True, stateless_http=True, host=host)
    return TokenGate(app, tokens) if tokens is not None else app


class TokenGate:
    """Lets a request through with the scopes of its bearer token, or answers 401."""

    def __init__(self, app: ASGIApp, tokens: Mapping[str, frozenset[str]]) -> None:
        self.app, self.tokens = app, tokens

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        given = dict(scope["headers"]).get(b"authorization", b"").decode("latin-1")
        scopes = self.tokens.get(given.removeprefix("Bearer ").strip()) if given.startswith("Bearer ") else None
        if scopes is None:
            await _refuse(send)
            return
        await self.app({**scope, "rag_assets.scopes": scopes}, receive, send)


async def _refuse(send: Callable[[dict[str, object]], Awaitable[None]]) -> None:
    headers = [(b"content-type", b"application/json"), (b"www-authenticate", b"Bearer")]
    await send({"type": "http.response.start", "status": 401, "headers": headers})
    await send({"type": "http.response.body", "body": b'{"error": "a bearer token is needed"}'})
