"""Tags that typed filings put around tables which are drawn with characters.

Holds: `is_typed`, `blanked` (plain text), `with_typed_tables` (inside HTML).
Add here: another tag of such filings.
Never here: how a drawn table is read (tables/text_tables.py).

    <TABLE>
    <CAPTION>
                               1999        1998
    <S>                        <C>         <C>
    Net sales .............   $4,310      $3,999
    </TABLE>

The tags are no HTML: `<S>` stands where the labels start, `<C>` where a column of figures does. They are replaced by
blanks of their length, so that all else keeps its place in the line.
"""

import re

_STUB_AND_COLUMN = re.compile(r"^[ \t]*<S>[ \t]*(?:<C>|$)", re.IGNORECASE | re.MULTILINE)
_TAG = re.compile(
    r"</?(?:TABLE|CAPTION|S|C|FN|TEXT|DOCUMENT|SEC-DOCUMENT|SEC-HEADER|IMS-DOCUMENT|IMS-HEADER|TYPE|SEQUENCE|FILENAME"
    r"|DESCRIPTION|ACCEPTANCE-DATETIME)>",
    re.IGNORECASE,
)
_PAGE = re.compile(r"<PAGE>([ \t]*[A-Z]?-?\d{0,4}[ \t]*)$", re.IGNORECASE | re.MULTILINE)
_NOTE_MARK = re.compile(r"<F(\d{1,2})>", re.IGNORECASE)
_TABLE = re.compile(r"<TABLE>(?P<inside>.*?)</TABLE>", re.IGNORECASE | re.DOTALL)
_CELLS = re.compile(r"<T[RDH]\b", re.IGNORECASE)
_MARKUP = re.compile(r"<(?:html|body|p|div|br|td|pre|font)\b", re.IGNORECASE)
_PRE = re.compile(r"<(/?)pre\b", re.IGNORECASE)


def is_typed(text: str) -> bool:
    """It holds the line that says where stub and columns start."""
    return ("<S>" in text or "<s>" in text) and bool(_STUB_AND_COLUMN.search(text))


def is_all_typed(text: str) -> bool:
    """Typed, and no element of HTML anywhere: a text file, whatever its name."""
    return is_typed(text) and not _MARKUP.search(text)


def blanked(text: str) -> str:
    """The text without such tags; a page ends its line and its paragraph; `<F1>` is the mark (1)."""
    text = _NOTE_MARK.sub(lambda mark: f"({mark[1]})".ljust(len(mark[0])), _broken(text))
    return _TAG.sub(lambda tag: " " * len(tag[0]), text)


def with_typed_tables(page: str) -> str:
    """A page of HTML whose typed tables stand in `pre`, as their blanks count."""
    parts: list[str] = []
    at = depth = 0
    for table in _TABLE.finditer(page):
        if not is_typed(table["inside"]) or _CELLS.search(table["inside"]):
            continue
        before = _broken(page[at : table.start()])
        depth += sum(-1 if tag[1] else 1 for tag in _PRE.finditer(before))
        drawn = blanked(table["inside"])
        parts += [before, drawn if depth > 0 else f"<pre>{drawn}</pre>"]
        at = table.end()
    return "".join((*parts, _broken(page[at:])))


def _broken(text: str) -> str:
    """A page that ends also ends its paragraph."""
    return _PAGE.sub(lambda page: f"\n{' ' * len('<PAGE>')}{page[1]}\n", text)
