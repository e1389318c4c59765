import pytest

from rag_assets.errors import Quarantine
from rag_assets.model.document import Reason
from rag_assets.readers import formats
from rag_assets.readers.formats import FAMILY, OLE_HEAD, XLS, XLSX, ZIP_HEAD, media_type_of


@pytest.mark.parametrize(
    ("name", "head", "media_type"),
    [
        ("a.HTML", b"<p>", "text/html"),
        ("a.csv", b"a,b", "text/csv"),
        ("a.csv", "a,b\n1,2\n".encode("utf-16"), "text/csv"),
        ("a.tsv", "a\tb\n1\t2\n".encode("utf-16-le"), "text/tab-separated-values"),
        ("a.xlsx", ZIP_HEAD, XLSX),
        ("renamed.xls", ZIP_HEAD, XLSX),
        ("old.xls", OLE_HEAD, XLS),
        ("notes.md", "Prüfung".encode(), "text/markdown"),
    ],
)
def test_the_type_is_that_of_name_and_content(name: str, head: bytes, media_type: str) -> None:
    assert media_type_of(name, head) == media_type


@pytest.mark.parametrize(
    ("name", "head", "reason"),
    [
        ("a.csv", b"", Reason.EMPTY_FILE),
        ("a.exe", b"MZ", Reason.UNSUPPORTED_TYPE),
        ("README", b"text", Reason.UNSUPPORTED_TYPE),
        ("a.csv", b"%PDF-1.7", Reason.TYPE_MISMATCH),
        ("a.md", b"\x89PNG\r\n\x1a\n", Reason.TYPE_MISMATCH),
        ("a.xlsx", b"<html>", Reason.TYPE_MISMATCH),
        ("a.txt", b"\x01\x02\x00\x03" * 50, Reason.TYPE_MISMATCH),
    ],
)
def test_what_is_refused(name: str, head: bytes, reason: Reason) -> None:
    with pytest.raises(Quarantine) as caught:
        media_type_of(name, head)
    assert caught.value.reason is reason


def test_every_media_type_has_a_version() -> None:
    assert set(formats.READER_VERSIONS) == set(FAMILY)
