"""Searches over HTTP by the official client, so many in flight, with what they took.

usage: python -m tests.mcp.load PORT TOKEN

Prints searches a second and latencies of one client and of sixteen, and their ratios.
"""

import sys
import time
from typing import NamedTuple

import anyio
from mcp import ClientSession
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client

QUERIES = ("blue rope", "red buoy", "lamp price", "days in Norway", "returns")


class Load(NamedTuple):
    """`p50_s` and `p95_s` are of one search, from call to result."""

    errors: int
    per_second: float
    p50_s: float
    p95_s: float


def load(port: int, token: str, searches: int, in_flight: int) -> Load:
    """`in_flight` clients, each with a session of its own, take turns until `searches` are done."""
    return anyio.run(_load, port, token, searches, in_flight)


async def _load(port: int, token: str, searches: int, in_flight: int) -> Load:
    took: list[float] = []
    errors = 0
    left = iter(range(searches))
    ready, began = anyio.Event(), [0.0]
    waiting = [in_flight]

    async def one_client() -> None:
        nonlocal errors
        http = create_mcp_http_client(headers={"Authorization": f"Bearer {token}"})
        url = f"http://127.0.0.1:{port}/mcp"
        transport = streamable_http_client(url, http_client=http)
        async with http, transport as streams, ClientSession(streams[0], streams[1]) as session:
            await session.initialize()
            waiting[0] -= 1
            if not waiting[0]:
                began[0] = time.perf_counter()
                ready.set()
            await ready.wait()
            for number in left:
                start = time.perf_counter()
                found = await session.call_tool("search", {"query": QUERIES[number % len(QUERIES)]})
                took.append(time.perf_counter() - start)
                errors += bool(found.is_error) or not isinstance(found.structured_content, dict)

    async with anyio.create_task_group() as group:
        for _ in range(in_flight):
            group.start_soon(one_client)
    elapsed = time.perf_counter() - began[0]
    took.sort()
    return Load(errors + searches - len(took), searches / elapsed, took[len(took) // 2], took[int(len(took) * 0.95)])


if __name__ == "__main__":
    one = load(int(sys.argv[1]), sys.argv[2], 200, 1)
    many = load(int(sys.argv[1]), sys.argv[2], 1000, 16)
    print("clients  searches/s  p50 ms  p95 ms  errors")
    for clients, took in ((1, one), (16, many)):
        print(
            f"{clients:7}  {took.per_second:10.0f}  {took.p50_s * 1000:6.1f}  {took.p95_s * 1000:6.1f}  {took.errors:6}"
        )
    print(f"throughput × {many.per_second / one.per_second:.2f}, p95 × {many.p95_s / one.p95_s:.1f}")
