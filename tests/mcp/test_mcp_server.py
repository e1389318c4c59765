"""The official client over stdio and over HTTP."""

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import anyio
import pytest
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client

from rag_assets.errors import SettingsError
from rag_assets.mcp_server import Face, http_app, read_tokens
from rag_assets.settings import load_project
from tests.cli.conftest import write_project
from tests.cli.published import publish_now


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = write_project(tmp_path_factory.mktemp("mcp"))
    publish_now(root)
    return root


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


@pytest.fixture
def http_server(shop: Path, tmp_path: Path) -> Iterator[int]:
    (tmp_path / "tokens.yaml").write_text("clerk: [sales]\nguest: [public]\n")
    with closing(socket.socket()) as found:
        found.bind(("127.0.0.1", 0))
        port = found.getsockname()[1]
    arguments = ["-m", "rag_assets.cli.main", "serve", "mcp", "--http", str(port), "--project", str(shop)]
    environment = {**os.environ, "RAG_ASSETS_TOKENS": str(tmp_path / "tokens.yaml")}
    with subprocess.Popen([sys.executable, *arguments], env=environment, stderr=subprocess.DEVNULL) as process:
        for _ in range(200):
            with closing(socket.socket()) as trial:
                if trial.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.1)
        yield port
        process.terminate()


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
