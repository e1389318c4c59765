"""`search`, `tools`, `lookup`, `ask`: questions to one published release.

Holds: the commands and what they print.
Add here: a command that reads a release through `open_corpus`.
Never here: how anything is found or composed (corpus.py and below).
"""

import json
import sys
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from rag_assets.cli.options import AsJson, Explain, ProjectFolder, Quiet, ReleaseNumber, Scopes
from rag_assets.cli.project_here import corpus_here
from rag_assets.errors import InputError, UsageError

if TYPE_CHECKING:
    from rag_assets.model.corpus import Answer, Explanation, LookupFault, LookupResult, Passage

KINDS = ("prose", "table", "table_rows", "record", "summary")
VIEWS = {
    "itself": "found itself",
    "expanded": "shown around its best record",
    "instead": "shown in place of its record",
}


def search(
    query: Annotated[str | None, typer.Argument(help="What is sought.", metavar="QUERY")] = None,
    k: Annotated[int, typer.Option("-k", help="At most N passages.", metavar="N", min=1)] = 10,
    words: Annotated[int | None, typer.Option("--words", help="At most N words.", metavar="N", min=1)] = None,
    kind: Annotated[list[str] | None, typer.Option("--kind", help=", ".join(KINDS), metavar="K")] = None,
    batch: Annotated[
        Path | None,
        typer.Option("--batch", help='{"id", "query"} lines; - is standard input.', metavar="FILE"),
    ] = None,
    scope: Scopes = None,
    release: ReleaseNumber = None,
    explain: Explain = False,
    as_json: AsJson = False,
    project: ProjectFolder = None,
    quiet: Quiet = False,  # noqa: ARG001 every command has it
) -> None:
    """Passages of the published release, best first."""
    from rag_assets.cli.output import flush_line, print_json

    if (query is None) == (batch is None):
        raise UsageError("search needs a QUERY or --batch FILE, one of them")
    unknown = [name for name in kind or () if name not in KINDS]
    if unknown:
        raise UsageError(f"--kind {unknown[0]}: expected one of {', '.join(KINDS)}")
    kinds = frozenset(kind) if kind else None
    with _lines(batch) as lines:
        corpus = corpus_here(project, scope, release)
        if batch is not None:
            for identity, asked in _queries(lines, batch):
                found = corpus.search(asked, k=k, words=words, kinds=kinds)
                flush_line(_encoded({"id": identity, "passages": found}))
            return
        passages = corpus.search(query or "", k=k, words=words, kinds=kinds, explain=explain)
    if as_json:
        print_json(passages)
    else:
        _show_passages(passages, explain)


def tools(
    scope: Scopes = None,
    as_json: AsJson = False,
    release: ReleaseNumber = None,
    project: ProjectFolder = None,
    quiet: Quiet = False,  # noqa: ARG001 every command has it
) -> None:
    """The lookup tools as OpenAI function schemas."""
    from rag_assets.cli.output import print_json, print_table, say

    found = corpus_here(project, scope, release).tools()
    if as_json:
        print_json([tool.as_openai() for tool in found])
    elif found:
        print_table(("tool", "over"), [(tool.name, tool.source or tool.title) for tool in found])
    else:
        say("no lookup tools in these scopes")


def lookup(
    tool: Annotated[str, typer.Argument(help="The name of the tool.", metavar="TOOL")],
    args: Annotated[str, typer.Option("--args", help="The call's arguments, a JSON object.", metavar="JSON")] = "{}",
    scope: Scopes = None,
    as_json: AsJson = False,
    release: ReleaseNumber = None,
    project: ProjectFolder = None,
    quiet: Quiet = False,  # noqa: ARG001 every command has it
) -> None:
    """Call a lookup tool: rows or aggregates over the complete table."""
    from rag_assets.cli.output import print_json, warn
    from rag_assets.model.corpus import LookupFault

    try:
        arguments = json.loads(args)
    except ValueError as error:
        raise UsageError(f"--args: not JSON: {error}") from None
    if not isinstance(arguments, dict):
        raise UsageError(f"--args: expected a JSON object, found {type(arguments).__name__}")
    result = corpus_here(project, scope, release).lookup(tool, arguments)
    if isinstance(result, LookupFault):
        if as_json:
            print_json(fault_fields(result))
        else:
            allowed = f" (allowed: {', '.join(result.allowed)})" if result.allowed else ""
            warn(f"{result.code}: {result.message}{allowed}")
        raise typer.Exit(1)
    if as_json:
        print_json(result)
    else:
        show_lookup(result)


def ask(
    question: Annotated[str, typer.Argument(help="A question in words.", metavar="QUESTION")],
    scope: Scopes = None,
    release: ReleaseNumber = None,
    explain: Explain = False,
    as_json: AsJson = False,
    project: ProjectFolder = None,
    quiet: Quiet = False,
) -> None:
    """An answer with citations, or a refusal with its reason."""
    from rag_assets.cli.output import print_json, progress

    with progress(quiet) as tell:
        answer = corpus_here(project, scope, release).ask(question, tell=tell)
    if as_json:
        print_json(answer_fields(answer, explain))
    else:
        show_answer(answer, explain)


def fault_fields(fault: "LookupFault") -> dict[str, object]:
    return {"error": {"code": fault.code, "message": fault.message, "allowed": fault.allowed}}


def answer_fields(answer: "Answer", explain: bool) -> dict[str, object]:
    import msgspec

    fields = msgspec.to_builtins(answer)
    if not explain:
        fields.pop("explanation", None)
    order = ("status", "answer", "reason", "as_of", "handoff", "suggested_tool", "citations", "tool_calls", "release")
    return {**{name: fields.pop(name) for name in order}, **fields}


def show_answer(answer: "Answer", explain: bool = False) -> None:
    from rag_assets.cli.output import print_json, say

    say(answer.answer if answer.status == "answered" else f"declined ({answer.reason}): {answer.answer}")
    for citation in answer.citations:
        say(f"  {citation.source} {citation.address or ''}: {_one_line(citation.text)}")
    for call in answer.tool_calls:
        say(f"  called {call.tool} ({'complete' if call.complete else 'not complete'})")
    if answer.suggested_tool:
        say(f"  tool to use: {answer.suggested_tool}")
    if answer.handoff and (answer.handoff.get("text") or answer.handoff.get("url")):
        say("  " + " ".join(part for part in answer.handoff.values() if part))
    if answer.as_of:
        say(f"  as of {answer.as_of}")
    if explain:
        print_json(answer.explanation)


def show_lookup(result: "LookupResult") -> None:
    from rag_assets.cli.output import print_table, say

    if result.rows:
        names = list(result.rows[0])
        print_table(
            [f"{n} ({result.units[n]})" if result.units.get(n) else n for n in names],
            [[row.get(n) for n in names] for row in result.rows],
        )
    complete = "complete" if result.complete else "not complete: cut by limit"
    say(f"{result.row_count} rows returned, {result.matched_rows} matched of {result.table_rows}; {complete}")
    if result.not_yet_in_force or result.expired:
        say(f"left out as of {result.as_of}: {result.not_yet_in_force} not yet in force, {result.expired} expired")
    if result.source:
        say(f"source {result.source} {', '.join(result.addresses)}")


def _show_passages(passages: "Iterable[Passage]", explain: bool) -> None:
    from rag_assets.cli.output import say

    shown = 0
    for passage in passages:
        shown += 1
        where = ", ".join(passage.addresses[:3]) + (" …" if len(passage.addresses) > 3 else "")
        say(f"{passage.rank}. {passage.kind}  {passage.source}  {where}  (score {passage.score:.2f})")
        for line in passage.text.splitlines():
            say(f"     {line}")
        for other in passage.also:
            say(f"     also in {other.source}  {other.address or ''}".rstrip())
        if explain and passage.explanation is not None:
            for line in _explained(passage.explanation):
                say(f"     {line}")
    if not shown:
        say("nothing found")


def _explained(found: "Explanation") -> Iterator[str]:
    yield f"why: {VIEWS[found.view]}, hit {found.rank_before} before expansion and collapse"
    for term in found.terms:
        weight = "" if term.weight == 1 else f", weight {term.weight:g}"
        yield f"  {term.share:6.3f}  {term.term}  (idf {term.idf:.2f}, frequency {term.frequency}{weight})"


@contextmanager
def _lines(batch: Path | None) -> Generator[Iterable[str]]:
    if batch is None:
        yield ()
    elif str(batch) == "-":
        yield sys.stdin
    else:
        try:
            file = batch.open(encoding="utf-8")
        except OSError as error:
            raise InputError(f"{batch}: cannot be read: {error.strerror}") from None
        with file:
            yield file


def _queries(lines: Iterable[str], batch: Path) -> Iterator[tuple[object, str]]:
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            found = json.loads(line)
            identity, query = found["id"], found["query"]
        except (ValueError, TypeError, KeyError):
            raise InputError(f'{batch}:{number}: expected one {{"id", "query"}} object a line') from None
        if not isinstance(query, str):
            raise InputError(f"{batch}:{number}: query: expected text, found {type(query).__name__}")
        yield identity, query


def _encoded(value: object) -> bytes:
    import msgspec

    return msgspec.json.encode(value)


def _one_line(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 160 else line[:159] + "…"
