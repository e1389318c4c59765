"""`serve mcp`: search and lookup tools for an assistant.

Holds: the command, and which transport it starts.
Add here: another face to serve.
Never here: what the face answers (mcp_server.py).
"""

import os
from pathlib import Path
from typing import Annotated

import typer

from rag_assets.cli.options import ProjectFolder, Quiet, Scopes
from rag_assets.cli.project_here import project_here

TOKENS = "RAG_ASSETS_TOKENS"

serving = typer.Typer(name="serve", help="Serve the corpus to assistants.", no_args_is_help=True, rich_markup_mode=None)


@serving.callback()
def serve() -> None:
    """Serve the corpus to assistants."""


@serving.command("mcp", epilog="Example: rag-assets serve mcp --http 8080 --scope public")
def serve_mcp(
    http: Annotated[
        int | None, typer.Option("--http", help="Streamable HTTP on this port; default: stdio.", min=1, max=65535)
    ] = None,
    host: Annotated[str, typer.Option("--host", help="The address to listen on.")] = "127.0.0.1",
    scope: Scopes = None,
    project: ProjectFolder = None,
    quiet: Quiet = False,
) -> None:
    """The search and lookup tools over MCP. Over HTTP RAG_ASSETS_TOKENS names a file of `token: [scopes]`."""
    from rag_assets.cli.output import note

    here = project_here(project)
    scopes = frozenset(scope or here.file.default_scopes)
    from rag_assets.mcp_server import http_app, read_tokens, serve_stdio

    if http is None:
        import asyncio

        asyncio.run(serve_stdio(here, scopes))
        return
    named = os.environ.get(TOKENS)
    app = http_app(here, scopes, read_tokens(Path(named)) if named else None, host)
    import uvicorn

    note(f"serving http://{host}:{http}/mcp", quiet)
    uvicorn.run(app, host=host, port=http, log_level="warning")
