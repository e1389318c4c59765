"""The text of a page by another parser than the product's, character by character.

Holds: `visible_characters`.
Never here: anything of rag_assets.
"""

from html.parser import HTMLParser

SILENT = frozenset(
    "script style template noscript title iframe object svg select datalist audio video canvas map".split()  # noqa: SIM905
)
NO_WIDTH = {"\u200b", "\ufeff", "\u00ad"}


class _Walk(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.silent: list[str] = []
        self.count = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in SILENT:
            self.silent.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """In pages `<a/>` opens an element; in the drawings inside them it is a whole one."""
        if not self.silent:
            self.handle_starttag(tag, attrs)

    def handle_endtag(self, tag: str) -> None:
        if tag in self.silent:
            while self.silent.pop() != tag:
                pass

    def handle_data(self, data: str) -> None:
        if not self.silent:
            self.count += sum(not character.isspace() and character not in NO_WIDTH for character in data)


def visible_characters(page: str) -> int:
    """Characters that are not blank in all text that a page can show, hidden or not."""
    walk = _Walk()
    walk.feed(page)
    walk.close()
    return walk.count
