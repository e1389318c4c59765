"""Where documents lie when it is no folder: object storage, a list of URLs, a zip archive.

Holds: what each of them lists, and opening one document of it.
Add here: another kind of origin (its line in `origin_of`).
Never here: include and exclude globs (listing.py), hashing, deciding what is due; credentials.
"""

import re
import time
import zipfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from email.utils import parsedate_to_datetime
from hashlib import sha256
from http.client import HTTPException
from importlib import import_module
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, Protocol, cast
from urllib.error import URLError
from urllib.parse import unquote, urljoin, urlsplit
from urllib.request import Request, urlopen

from rag_assets.errors import InputError

OBJECTS = {"s3": "s3fs"}
MAX_URLS = 10_000
MAX_LIST_BYTES = 4 << 20
MAX_MEMBERS = 100_000
TIMEOUT_S = 30
HEADS_AT_ONCE = 8
LOOK_AGAIN_S = 30.0
SECOND_NS = 1_000_000_000
NAMED_USER = re.compile(r"^[a-z0-9+]+://[^/]*@")


class Found(NamedTuple):
    """`relative`: below the origin, `/` between; `path`: what `open` takes; `modified` in nanoseconds.

    Where the origin knows a tag of the content (an ETag, a CRC), it stands in the part below the second, so that a
    document replaced within one second differs.
    """

    relative: str
    path: str
    size: int
    modified: int
    fault: str | None = None


class Origin(Protocol):
    def found(self) -> Iterator[Found]:
        """Every document. Raises InputError where that cannot be known."""
        ...

    def open(self, path: str) -> BinaryIO:
        """Its bytes, read once from the beginning. Raises OSError."""
        ...


def origin_of(url: str) -> Origin | None:
    """None for a folder. Raises InputError for an address that nothing here reads, or that holds a password."""
    protocol, _, rest = url.rpartition("://")
    if protocol in {"", "file", "local"}:
        return Archive(Path(rest)) if Path(rest).suffix.lower() == ".zip" and Path(rest).is_file() else None
    if NAMED_USER.match(url):
        raise InputError(f"{protocol}://…@…: user names and passwords belong in the environment, not in sources.yaml")
    if protocol in OBJECTS:
        return Objects(url, protocol, rest.rstrip("/"))
    if protocol in {"http", "https"}:
        return UrlList(url)
    raise InputError(f"{url}: documents cannot be read from {protocol}://: use a folder, a .zip, s3:// or https://")


class Objects:
    """Everything below a prefix of a bucket."""

    def __init__(self, url: str, protocol: str, prefix: str) -> None:
        try:
            import_module(OBJECTS[protocol])
        except ModuleNotFoundError:
            raise InputError(f"{url}: {protocol}:// needs a library: pip install 'rag-assets[{protocol}]'") from None
        import fsspec

        self._url = url
        self._prefix = prefix
        self._files: Any = fsspec.filesystem(protocol, use_listings_cache=False, skip_instance_cache=True)

    def found(self) -> Iterator[Found]:
        from botocore.exceptions import BotoCoreError, ClientError

        try:
            listed = self._files.find(self._prefix, detail=True)
        except (OSError, BotoCoreError, ClientError) as error:
            raise InputError(f"{self._url}: cannot be listed: {error}: it stays as it is") from None
        for key, facts in sorted(listed.items()):
            modified = int(facts["LastModified"].timestamp()) * SECOND_NS + tag_ns(facts.get("ETag"))
            if not key.endswith("/"):
                yield Found(key.removeprefix(self._prefix).lstrip("/"), key, int(facts["size"]), modified)

    def open(self, path: str) -> BinaryIO:
        return cast(BinaryIO, self._files.open(path, "rb"))


class UrlList:
    """A text file at a URL: one URL a line, absolute or relative to it; empty lines and `#` lines are left out.

    A document is named after its URL: below the list, or host and path.
    """

    def __init__(self, url: str) -> None:
        self._url = url

    def found(self) -> Iterator[Found]:
        text = self._list()
        lines = [line.strip() for line in text.splitlines()]
        urls = list(dict.fromkeys(urljoin(self._url, line) for line in lines if line and not line.startswith("#")))
        if len(urls) > MAX_URLS:
            raise InputError(f"{self._url}: {len(urls):,} URLs, at most {MAX_URLS:,} are read from one list")
        with ThreadPoolExecutor(HEADS_AT_ONCE) as threads:
            yield from threads.map(self._head, urls)

    def open(self, path: str) -> BinaryIO:
        return cast(BinaryIO, urlopen(_request(path), timeout=TIMEOUT_S))

    def _list(self) -> str:
        try:
            with self.open(self._url) as answer:
                content = answer.read(MAX_LIST_BYTES + 1)
        except (URLError, OSError, HTTPException, ValueError) as error:
            raise InputError(f"{self._url}: cannot be listed: {error}: it stays as it is") from None
        if len(content) > MAX_LIST_BYTES:
            raise InputError(f"{self._url}: a list of URLs has at most {MAX_LIST_BYTES:,} bytes")
        return content.decode("utf-8", "replace")

    def _head(self, url: str) -> Found:
        """Size and time as the server says; one that it does not serve now is listed and found unreadable later."""
        name = self._named(url)
        if urlsplit(url).scheme not in {"http", "https"}:
            return Found(name, url, 0, 0, f"{url}: only http:// and https:// are read")
        try:
            with urlopen(_request(url, "HEAD"), timeout=TIMEOUT_S) as answer:
                said = answer.headers
        except (URLError, OSError, HTTPException, ValueError):
            return Found(name, url, 0, 0)
        modified = _seconds(said.get("Last-Modified")) * SECOND_NS + tag_ns(said.get("ETag"))
        length = said.get("Content-Length", "")
        return Found(name, url, int(length) if length.isdecimal() else 0, modified)

    def _named(self, url: str) -> str:
        below = urljoin(self._url, ".")
        parts = urlsplit(url)
        path = unquote(url.removeprefix(below)) if url.startswith(below) else f"{parts.netloc}{unquote(parts.path)}"
        return path.strip("/") or "index"


class Archive:
    """The members of a zip archive; sizes are checked before anything is unpacked."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def found(self) -> Iterator[Found]:
        try:
            with zipfile.ZipFile(self._path) as archive:
                members = [member for member in archive.infolist() if not member.is_dir()]
        except (zipfile.BadZipFile, NotImplementedError, OSError) as error:
            raise InputError(f"{self._path}: cannot be listed: {error}: it stays as it is") from None
        if len(members) > MAX_MEMBERS:
            raise InputError(f"{self._path}: {len(members):,} members, at most {MAX_MEMBERS:,} are read")
        for member in sorted(members, key=lambda m: m.filename):
            yield Found(
                member.filename.replace("\\", "/"),
                member.filename,
                member.file_size,
                int(time.mktime((*member.date_time, 0, 0, -1))) * SECOND_NS + member.CRC % SECOND_NS,
                _fault_of(member),
            )

    def open(self, path: str) -> BinaryIO:
        """The member; a damaged one, or one with a password, raises OSError."""
        try:
            return cast(BinaryIO, zipfile.ZipFile(self._path).open(path))
        except (zipfile.BadZipFile, NotImplementedError, RuntimeError, KeyError) as error:
            raise OSError(str(error)) from None


def tag_ns(tag: str | None) -> int:
    """A content tag as a number of nanoseconds below a second."""
    return int.from_bytes(sha256(tag.encode()).digest()[:4]) % SECOND_NS if tag else 0


def _fault_of(member: zipfile.ZipInfo) -> str | None:
    parts = member.filename.replace("\\", "/").split("/")
    if ".." in parts or parts[0] == "" or ":" in parts[0]:
        return f"{member.filename}: a name that leads out of the archive"
    return None


def _request(url: str, method: str = "GET") -> Request:
    return Request(url, headers={"User-Agent": "rag-assets"}, method=method)


def _seconds(date: str | None) -> int:
    try:
        return int(parsedate_to_datetime(date).timestamp()) if date else 0
    except ValueError:
        return 0
