"""Documents in a bucket, behind a list of URLs and in a zip archive are documents like those of a folder."""

import zipfile
from collections.abc import Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import fsspec
import pytest

from rag_assets.errors import InputError
from rag_assets.ingest import listing
from rag_assets.readers.workers import WorkerPool
from tests.ingest.conftest import POLICY, PRICES, Site


@pytest.fixture
def local(tmp_path: Path, pool: WorkerPool, monkeypatch: pytest.MonkeyPatch) -> Site:
    monkeypatch.setattr(listing, "LOOK_AGAIN_S", -1)
    made = Site(tmp_path / "here", pool)
    made.root.mkdir()
    return made


@pytest.fixture
def served(tmp_path: Path) -> Iterator[tuple[str, Path]]:
    """The address of a folder behind HTTP, and the folder."""
    folder = tmp_path / "served"
    folder.mkdir()

    class Quiet(SimpleHTTPRequestHandler):
        def __init__(self, *given: Any) -> None:
            super().__init__(*given, directory=str(folder))

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Quiet) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}", folder
        server.shutdown()


def statuses(site: Site) -> dict[str, str]:
    release = site.store.current()
    assert release is not None
    return {entry.source: entry.reason.value if entry.reason else entry.status for entry in release.sources}


def put(bucket: str, name: str, text: str) -> None:
    fsspec.filesystem("s3", skip_instance_cache=True).pipe_file(f"{bucket}/{name}", text.encode())


def test_documents_of_a_bucket_are_ingested_and_only_what_changed_is_read_again(local: Site, bucket: str) -> None:
    put(bucket, "docs/prices.csv", PRICES)
    put(bucket, "docs/deep/refunds.md", POLICY)
    put(bucket, "other/never.md", "# Never")
    local.configure(f"name: docs, documents: '{bucket}/docs', scope: public")
    local.ingest()
    assert statuses(local) == {"docs/deep/refunds.md": "ok", "docs/prices.csv": "ok"}
    assert not local.due().anything
    assert not local.due(check="hash").anything
    put(bucket, "docs/prices.csv", PRICES.replace("20", "21"))  # same size, perhaps within the same second
    assert local.due().collections[0].changed == ("docs/prices.csv",)
    outcomes = local.run()
    assert outcomes["docs raw_sources"].reworked == ("docs/prices.csv",)
    assert local.publish() is not None
    assert "21" in " ".join(chunk.text for chunk in local.corpus().chunks())


def test_a_bucket_that_cannot_be_listed_stays_as_it_is(
    local: Site, bucket: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(bucket, "docs/prices.csv", PRICES)
    local.configure(f"name: docs, documents: '{bucket}/docs', scope: public")
    local.ingest()
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")
    monkeypatch.setenv("AWS_MAX_ATTEMPTS", "1")
    assert "cannot be listed" in local.due().refused["docs"]
    assert local.ingest() is None
    assert statuses(local) == {"docs/prices.csv": "ok"}


def test_a_list_of_urls_is_a_collection(local: Site, served: tuple[str, Path]) -> None:
    address, folder = served
    (folder / "a").mkdir()
    (folder / "a" / "prices.csv").write_text(PRICES)
    (folder / "refunds.md").write_text(POLICY)
    (folder / "list.txt").write_text(f"# all of it\na/prices.csv\n{address}/refunds.md\n\nnot-there.md\n")
    local.configure(f"name: web, documents: '{address}/list.txt', scope: public")
    local.ingest()
    assert statuses(local) == {"web/a/prices.csv": "ok", "web/not-there.md": "unreadable", "web/refunds.md": "ok"}
    assert not local.due().anything
    (folder / "list.txt").write_text("a/prices.csv\nrefunds.md\n")
    local.ingest()
    assert statuses(local) == {"web/a/prices.csv": "ok", "web/refunds.md": "ok"}


def test_a_list_that_cannot_be_had_is_one_sentence(local: Site, served: tuple[str, Path]) -> None:
    address, _ = served
    local.configure(f"name: web, documents: '{address}/none.txt', scope: public")
    assert "none.txt: cannot be listed: HTTP Error 404" in local.due().refused["web"]


def test_a_zip_archive_is_a_collection_and_its_unchanged_members_are_not_read_again(local: Site) -> None:
    path = local.root / "handbook.zip"

    def pack(prices: str) -> None:
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr(zipfile.ZipInfo("a/prices.csv", (2026, 1, 1, 0, 0, 0)), prices)
            archive.writestr(zipfile.ZipInfo("refunds.md", (2026, 1, 1, 0, 0, 0)), POLICY)
            archive.writestr(zipfile.ZipInfo("../outside.md", (2026, 1, 1, 0, 0, 0)), "# Out")

    pack(PRICES)
    local.configure("name: book, documents: ./handbook.zip, scope: public")
    local.ingest()
    assert statuses(local) == {"book/../outside.md": "bad_name", "book/a/prices.csv": "ok", "book/refunds.md": "ok"}
    assert not local.due(check="hash").anything
    pack(PRICES.replace("20", "21"))
    assert local.run()["book raw_sources"].reworked == ("book/a/prices.csv",)


def test_members_that_unpack_over_the_limit_or_are_damaged_are_quarantined(local: Site) -> None:
    path = local.root / "handbook.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("bomb.csv", b"0," * (1 << 20))
        archive.writestr("note.md", "# Note\n\nA note that is damaged below.\n" * 20)
        archive.writestr("ok.md", POLICY)
    content = bytearray(path.read_bytes())
    content[content.index(b"note.md") + 20] ^= 0xFF
    path.write_bytes(content)
    local.configure("name: book, documents: ./handbook.zip, scope: public", settings="limits: {file_mb: 1}")
    local.ingest()
    assert statuses(local) == {"book/bomb.csv": "too_large", "book/note.md": "unreadable", "book/ok.md": "ok"}


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("https://me:secret@example.com/list.txt", "belong in the environment"),
        ("ftp://example.com/docs", "use a folder, a .zip, s3:// or https://"),
    ],
)
def test_addresses_that_are_not_read_are_refused_without_their_password(local: Site, url: str, said: str) -> None:
    local.configure(f"name: web, documents: '{url}', scope: public")
    refused = local.due().refused["web"]
    assert said in refused
    assert "secret" not in refused


def test_a_password_is_refused_when_asked_directly(local: Site) -> None:
    local.configure("name: web, documents: 's3://key:secret@bucket/docs', scope: public")
    with pytest.raises(InputError, match="in the environment"):
        listing.list_collection(local.project, local.project.collections[0])
