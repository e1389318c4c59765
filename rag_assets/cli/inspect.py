"""`inspect`: what the pipeline makes of files or a folder, without any state.

Holds: the command, the files it looks at, in which order they are printed.
Add here: a flag of `inspect`.
Never here: the shape of its JSON (inspection.py), pictures for people (drawing.py).
"""

import tempfile
from collections import deque
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from rag_assets.cli.options import ProjectFolder, Quiet
from rag_assets.errors import InputError, Quarantine, UsageError

if TYPE_CHECKING:
    from rag_assets.cli.inspection import Piece
    from rag_assets.model.document import Document
    from rag_assets.readers.limits import ReadLimits
    from rag_assets.readers.workers import ReadRequest, WorkerPool
    from rag_assets.settings import Settings
    from rag_assets.tables.overrides import Overrides

OVERRIDE_SUFFIX = ".tables.yaml"


class NamedFile(NamedTuple):
    """`uri` is the path as the caller gave it; `root` the folder it must lie in."""

    uri: str
    path: Path
    root: Path


def inspect(
    paths: Annotated[list[Path], typer.Argument(help="Files or folders.", metavar="PATH...")],
    pretty: Annotated[bool, typer.Option("--pretty", help="Draw the tables for a person.")] = False,
    addresses: Annotated[bool, typer.Option("--addresses", help="Add the place of each source cell.")] = False,
    render: Annotated[
        Path | None, typer.Option("--render", help="Write PNGs of PDF pages with the cells drawn.", metavar="DIR")
    ] = None,
    project: ProjectFolder = None,
    quiet: Quiet = False,
) -> None:
    """Show what the pipeline makes of files: one JSON object a document, sorted by path."""
    if not paths:
        raise UsageError("inspect needs a PATH: a file or a folder (see rag-assets inspect --help)")
    if render is not None:
        raise UsageError("--render: there is no reader for PDF yet, so there are no pages to draw")
    files = sorted({file.uri: file for path in paths for file in named_files(path)}.values())

    from rag_assets.cli.inspection import inspect_line, understand
    from rag_assets.cli.output import flush_line, note
    from rag_assets.ingest.versions import chunk_settings_of, rules_of
    from rag_assets.readers.limits import ReadLimits
    from rag_assets.readers.workers import WorkerPool

    settings = settings_of(project)
    rules, chunking = rules_of(settings), chunk_settings_of(settings, "")
    note(f"{len(files)} files", quiet)
    with WorkerPool(ReadLimits.of(settings.limits), workers=1 if len(files) == 1 else None) as pool:
        pieces = read_pieces(files, pool, ReadLimits.of(settings.limits))
        if pretty:
            from rag_assets.cli.drawing import draw

            for piece in pieces:
                draw(understand(piece, rules, chunking))
            return
        work = partial(inspect_line, rules=rules, settings=chunking, addresses=addresses)
        lines: Iterable[bytes] = map(work, pieces) if len(files) == 1 else pool.map(work, pieces)
        for line in lines:
            flush_line(line)


def settings_of(project: Path | None) -> "Settings":
    """Those of the project the caller names; the defaults otherwise."""
    from rag_assets.settings import Settings, load_project

    return load_project(project).settings if project is not None else Settings()


def named_files(given: Path) -> Iterator[NamedFile]:
    """The file itself, or every source below the folder. Raises InputError where there is nothing of the name."""
    if not given.is_dir():
        if not given.exists() and not given.is_symlink():
            raise InputError(f"{given}: no such file or folder")
        yield NamedFile(str(given), given, given.parent)
        return
    from rag_assets.ingest.listing import list_collection
    from rag_assets.settings import Collection, Project, SourcesFile

    whole = Collection(name="inspected", documents=str(given.resolve()), scope="inspected")
    listing = list_collection(Project(given, SourcesFile(collections=(whole,)), ""), whole)
    for file in listing.files:
        yield NamedFile(f"{str(given).rstrip('/')}/{file.name}", Path(file.path), Path(listing.root))


def read_pieces(files: Iterable[NamedFile], pool: "WorkerPool", limits: "ReadLimits") -> "Iterator[Piece]":
    """Each file read in a worker, in the order given; what cannot be opened comes back quarantined."""
    from rag_assets.cli.inspection import Piece

    waiting: deque[_Opened] = deque()
    with tempfile.TemporaryDirectory(prefix="inspect-") as scratch:

        def requests() -> "Iterator[ReadRequest]":
            for file in files:
                opened = _opened(file, limits, Path(scratch))
                waiting.append(opened)
                if opened.request is not None:
                    yield opened.request

        for document in pool.read(requests()):
            yield from _refused_first(waiting)
            opened = waiting.popleft()
            if opened.request is not None:
                opened.request.path.unlink()
            yield Piece(document, _overrides(opened.file.path))
        yield from _refused_first(waiting)


def _refused_first(waiting: "deque[_Opened]") -> "Iterator[Piece]":
    """Documents that never went to a worker, up to the next one that did."""
    from rag_assets.cli.inspection import Piece

    while waiting and (refused := waiting[0].refused) is not None:
        waiting.popleft()
        yield Piece(refused)


class _Opened(NamedTuple):
    """Either a request for the workers, or the document that says why there is none."""

    file: NamedFile
    request: "ReadRequest | None" = None
    refused: "Document | None" = None


def _opened(file: NamedFile, limits: "ReadLimits", scratch: Path) -> _Opened:
    from rag_assets.model.document import Document, Source
    from rag_assets.readers.formats import media_type_by_name
    from rag_assets.readers.snapshot import take_snapshot
    from rag_assets.readers.workers import ReadRequest

    try:
        copy = take_snapshot(file.path, file.root, limits, scratch)
    except Quarantine as fault:
        source = Source(
            uri=file.uri,
            media_type=media_type_by_name(file.uri),
            sha256="",
            status="quarantined",
            reason=fault.reason,
            detail=fault.detail,
        )
        return _Opened(file, refused=Document(source=source))
    return _Opened(file, request=ReadRequest(copy.bytes_path, file.uri, copy.sha256))


def _overrides(path: Path) -> "Overrides | None":
    beside = path.with_name(path.name + OVERRIDE_SUFFIX)
    if not beside.is_file():
        return None
    from rag_assets.ingest.override_files import overrides_of, read_override

    return overrides_of(read_override(str(beside)), str(beside))
