"""Nothing a reader sees disappears: an independent walk counts as many characters as the account of the result."""

import os
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag_assets.model.document import Source
from rag_assets.readers.html import read_html
from rag_assets.readers.limits import ReadLimits
from rag_assets.tables.normalize import normalize_document
from rag_assets.tables.rules import Rules
from tests.properties.drawn_tables import draw_table
from tests.properties.house_styles import STYLES
from tests.readers.visible_text import visible_characters

ROOT = Path(__file__).parents[2]
OTHERS = os.environ.get("RAG_ASSETS_PAGES", "")  # folders of pages of one's own, parted by ":"
PARTS = (
    "<p>One paragraph",
    "</p>",
    "<div hidden>gone ",
    "</div>",
    "<table><tr><td>a<td>b<tr><td>1<td>2",
    "<table><caption>Over it</caption><thead><tr><th>h</th></tr></thead><tr><td rowspan=0>x</td></tr>",
    "</table>",
    "<td>stray cell</td>",
    '<span style="display:none">hidden</span>',
    "<ul><li>item<li>another",
    "</ul>",
    "<script>var a = '<p>no text</p>';</script>",
    "<style>p {color: red}</style>",
    "<!-- no text -->",
    "&nbsp;&amp;&lt;&#8212;",
    "<pre>Sales ....  1  2\nCosts ....  3  4\n</pre>",
    "a | b | c\n",
    "<br>",
    "<h2>Heading</h2>",
    "<svg><text>drawn</text></svg>",
    "<select><option>choice</select>",
    "soft\u00adhyphen zero\u200bwidth",
    "<b><i>crossed</b></i>",
)


def assert_all_is_there(page: str) -> None:
    source = Source(uri="a.html", media_type="text/html", sha256="0")
    account = normalize_document(read_html(page.encode(), source, ReadLimits()), Rules()).account
    assert account.characters_in == visible_characters(page)
    assert account.balanced


@pytest.mark.parametrize("path", sorted((ROOT / "evals" / "corpus").rglob("*.html")), ids=lambda path: path.name)
def test_on_the_pages_of_the_example_corpus(path: Path) -> None:
    assert_all_is_there(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("style", STYLES)
def test_on_drawn_tables(style: str) -> None:
    for seed in range(20):
        assert_all_is_there(STYLES[style](draw_table(Random(seed)), Random(seed)))


@settings(max_examples=150, deadline=None)
@given(st.lists(st.sampled_from(PARTS), max_size=12))
def test_on_pages_put_together_at_random(parts: list[str]) -> None:
    assert_all_is_there("<html><body>" + "".join(parts) + "</body></html>")


@pytest.mark.slow
@pytest.mark.skipif(not OTHERS, reason="RAG_ASSETS_PAGES names no folder")
def test_on_pages_of_ones_own() -> None:
    for folder in OTHERS.split(":"):
        for path in sorted(Path(folder).rglob("*.htm*")):
            assert_all_is_there(path.read_text(encoding="utf-8"))
