"""The official client over stdio and over HTTP."""

import json
import os
import sys
import threading
from pathlib import Path

import anyio
import jsonschema
import pytest
from mcp import Client, ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client
from mcp.shared.exceptions import MCPError

from rag_assets.errors import SettingsError
from rag_assets.mcp_server import Face, http_app, mcp_server, read_tokens
from rag_assets.settings import load_project
from tests.cli.conftest import write_project
from tests.cli.published import publish_now
from tests.mcp.load import load

LOOKUP_MORE = {"not_yet_in_force", "expired", "ignored_nulls", "loaded_at"}


def face(shop: Path, *scopes: str) -> Face:
    return Face(load_project(shop), frozenset(scopes))


def names(shop: Path, *scopes: str) -> list[str]:
    return [tool.name for tool in face(shop, *scopes).list_tools(frozenset(scopes))]


def test_the_tools_are_those_of_the_scopes(shop: Path) -> None:
    assert names(shop, "public") == ["search", "get_passage", "list_tables", "lookup", "lookup_statements"]
    assert "lookup_list" in names(shop, "public", "sales")


def test_a_tool_of_another_scope_does_not_exist(shop: Path) -> None:
    hidden = face(shop).call("lookup_list", {}, frozenset({"public"})).structured_content
    unknown = face(shop).call("lookup_none", {}, frozenset({"public"})).structured_content
    assert json.dumps(hidden).replace("lookup_list", "x") == json.dumps(unknown).replace("lookup_none", "x")


def test_a_refused_call_is_an_error_object(shop: Path) -> None:
    scopes = frozenset({"sales"})
    result = face(shop).call("lookup", {"tool": "lookup_list", "arguments": {"limit": 9999}}, scopes)
    assert result.is_error
    assert result.structured_content is not None
    assert result.structured_content["error"]["code"] == "limit_exceeded"


def test_a_host_other_than_loopback_needs_tokens(shop: Path) -> None:
    with pytest.raises(SettingsError, match="RAG_ASSETS_TOKENS"):
        http_app(load_project(shop), frozenset({"public"}), None, "0.0.0.0")


def test_the_token_file_maps_tokens_to_scopes(tmp_path: Path) -> None:
    path = tmp_path / "tokens.yaml"
    path.write_text("one: [public, sales]\n")
    assert read_tokens(path) == {"one": frozenset({"public", "sales"})}
    path.write_text("- nonsense\n")
    with pytest.raises(SettingsError, match=r"tokens\.yaml"):
        read_tokens(path)


def test_an_official_client_over_stdio_lists_searches_and_looks_up(shop: Path) -> None:
    arguments = ["-m", "rag_assets.cli.main", "serve", "mcp", "--project", str(shop), "--scope", "sales"]
    server = StdioServerParameters(command=sys.executable, args=arguments, env=dict(os.environ))

    async def talk() -> tuple[list[str], object, object]:
        async with stdio_client(server) as streams, ClientSession(*streams) as session:
            await session.initialize()
            tools = [tool.name for tool in (await session.list_tools()).tools]
            found = await session.call_tool("search", {"query": "blue rope"})
            count = await session.call_tool("lookup_list", {"aggregate": [{"function": "count", "as": "n"}]})
            return tools, found.structured_content, count.structured_content

    tools, found, count = anyio.run(talk)
    assert "lookup_list" in tools
    assert isinstance(found, dict)
    assert found["passages"][0]["source"] == "prices/list.csv"
    assert isinstance(count, dict)
    assert count["rows"] == [{"n": 3}]
    assert count["complete"] is True


@pytest.mark.slow
def test_over_http_a_token_says_what_is_seen(http_server: int) -> None:
    async def tools(token: str) -> list[str]:
        client = create_mcp_http_client(headers={"Authorization": f"Bearer {token}"})
        url = f"http://127.0.0.1:{http_server}/mcp"
        http = streamable_http_client(url, http_client=client)
        async with client, http as streams, ClientSession(streams[0], streams[1]) as session:
            await session.initialize()
            return [tool.name for tool in (await session.list_tools()).tools]

    assert "lookup_list" in anyio.run(tools, "clerk")
    assert "lookup_list" not in anyio.run(tools, "guest")
    with pytest.raises(BaseExceptionGroup):
        anyio.run(tools, "stranger")


def test_lists_come_in_pages(shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rag_assets.mcp_server.LISTED", 2)
    scopes = frozenset({"public", "sales"})

    async def paged() -> tuple[list[int], list[str], list[str]]:
        async with Client(mcp_server(face(shop, *scopes))) as client:
            sizes, tools, resources, cursor = [], [], [], None
            while True:
                page = await client.list_tools(cursor=cursor)
                sizes.append(len(page.tools))
                tools += [tool.name for tool in page.tools]
                cursor = page.next_cursor
                if cursor is None:
                    break
            resources = [str(r.uri) for r in (await client.list_resources()).resources]
            with pytest.raises(MCPError, match="cursor"):
                await client.list_tools(cursor="tomorrow")
            return sizes, tools, resources

    sizes, tools, resources = anyio.run(paged)
    assert max(sizes) == 2
    assert tools == names(shop, *scopes)
    assert resources == ["source:///prices/list.csv", "source:///rules/returns.md"]


def test_resources_are_documents_and_tables_of_the_scopes(shop: Path) -> None:
    scopes = frozenset({"public", "sales"})
    every = face(shop, *scopes)
    uris = [str(resource.uri) for resource in every.list_resources(scopes)]
    assert "table:///lookup_list" in uris
    assert "30" in every.read_resource("source:///rules/returns.md", scopes).text
    assert json.loads(every.read_resource("table:///lookup_list", scopes).text)["source"] == "prices/list.csv"
    for hidden in ("source:///prices/list.csv", "table:///lookup_list", "source:///prices/none.csv"):
        with pytest.raises(MCPError, match=r"^no such resource$"):
            every.read_resource(hidden, frozenset({"public"}))


def test_results_have_the_schema_the_tool_promises(shop: Path) -> None:
    scopes = frozenset({"public", "sales"})
    every = face(shop, *scopes)
    schemas = {tool.name: tool.output_schema or {} for tool in every.list_tools(scopes)}
    chunk = every.call("search", {"query": "blue rope"}, scopes).structured_content["passages"][0]["chunk"]
    calls: list[tuple[str, dict[str, object]]] = [
        ("search", {"query": "rope"}),
        ("search", {"query": ""}),
        ("get_passage", {"chunk": chunk}),
        ("get_passage", {"chunk": "none"}),
        ("list_tables", {}),
        ("lookup_list", {"limit": 1}),
        ("lookup_list", {"limit": "many"}),
        ("lookup", {"tool": "lookup_list", "arguments": 3}),
        ("lookup_statements", {}),
    ]
    for name, arguments in calls:
        content = every.call(name, arguments, scopes).structured_content
        jsonschema.validate(content, schemas[name])
        assert set(content) <= set(schemas[name]["properties"]) | LOOKUP_MORE, name


def test_a_cut_result_says_that_it_is_not_complete(shop: Path) -> None:
    scopes = frozenset({"sales"})
    content = face(shop).call("lookup_list", {"limit": 1}, scopes).structured_content
    assert (content["row_count"], content["matched_rows"], content["complete"]) == (1, 3, False)


def test_a_release_published_meanwhile_is_seen_by_the_next_request_and_by_none_half(tmp_path: Path) -> None:
    root = write_project(tmp_path)
    publish_now(root)
    served, scopes = face(root, "sales"), frozenset({"sales"})
    seen: set[tuple[str, bool]] = set()
    stop = threading.Event()

    def ask_on() -> None:
        while not stop.is_set():
            content = served.call("search", {"query": "rope price"}, scopes).structured_content
            seen.add((content["release"], "$13.00" in str(content["passages"])))

    asking = threading.Thread(target=ask_on)
    asking.start()
    listing = root / "prices/list.csv"
    listing.write_text(listing.read_text().replace("$12.00", "$13.00"))
    publish_now(root, "run-2")
    after = served.call("search", {"query": "rope price"}, scopes).structured_content
    stop.set()
    asking.join()
    assert "$13.00" in str(after["passages"])
    assert len({release for release, _ in seen}) == len(seen), "one release gave two different answers"
    assert {changed for release, changed in seen if release == after["release"]} <= {True}


@pytest.mark.slow
def test_a_thousand_searches_with_sixteen_in_flight(http_server: int) -> None:
    one, sixteen = load(http_server, "clerk", 200, 1), load(http_server, "clerk", 1000, 16)
    assert one.errors == sixteen.errors == 0
    assert sixteen.per_second >= 0.8 * one.per_second, (one, sixteen)
    assert sixteen.p95_s <= 20 * one.p95_s, (one, sixteen)
