"""The example corpus under other words and figures: what is understood by structure must not notice.

Every word that is not part of the language of tables (months, "total", "in millions", small function words) becomes an
invented one, everywhere the same; every figure is multiplied, so that sums still hold; paths follow the words.
"""

import random
import re
from collections.abc import Callable
from pathlib import Path

import openpyxl
import yaml

WORD = re.compile(r"[A-Za-z]+")
FIGURE = re.compile(
    r"(?P<kept>\d{4}-\d\d-\d\d|\d+:\d\d|(?:January|February|March|April|May|June|July|August|September|October|"
    r"November|December) \d{1,2}\b|\b20\d\d\b)|(?<![\w.,#!])(?P<figure>\d[\d,]*(?:\.\d+)?)(?![\w])"
)
KEPT_WORDS = """
    january february march april may june july august september october november december
    three six nine twelve months month ended year years quarter fiscal fy usd
    in millions thousands except per share shares percentages percent pts unaudited total and of the a an
    yes no none free valid from until effective lookup xlsx csv md html txt
    how many much what which when where who is are was were do does did can to on at for with by it its not
    table rows columns values among use tool totals averages or counts sheet
"""
LANGUAGE = frozenset(KEPT_WORDS.split())
CONSONANTS, VOWELS = "bdfgklmnprstvz", "aeiou"
FACTOR = 3
TEXT_KEY_NAMES = """
    must_contain must_not_contain text path heading heading_path pairs caption subject phrase when sources tool question
    address
"""
TEXT_KEYS = frozenset(TEXT_KEY_NAMES.split())
STRUCTURAL = frozenset({"parse", "tables", "statements", "chunks", "retrieval"})


class Rewriter:
    """One seed, one language. The same word always becomes the same word."""

    def __init__(self, seed: int) -> None:
        self._chance = random.Random(seed)
        self._words: dict[str, str] = {}

    def text(self, text: str) -> str:
        return FIGURE.sub(self._figure, WORD.sub(self._word, text))

    def words(self, text: str) -> str:
        return WORD.sub(self._word, text)

    def html(self, text: str) -> str:
        parts = re.split(r"(<style.*?</style>|<[^>]+>)", text, flags=re.DOTALL)
        return "".join(part if part.startswith("<") else self.text(part) for part in parts)

    def _word(self, found: re.Match[str]) -> str:
        word = found.group()
        if len(word) == 1 or word.lower() in LANGUAGE:
            return word
        new = self._words.setdefault(word.lower(), "") or self._invent(word.lower())
        self._words[word.lower()] = new
        return new.upper() if word.isupper() else new.capitalize() if word[0].isupper() else new

    def _invent(self, word: str) -> str:
        while True:
            parts = [
                self._chance.choice(CONSONANTS) + self._chance.choice(VOWELS) for _ in range(max(2, len(word) // 2))
            ]
            new = "".join(parts) + self._chance.choice(CONSONANTS)
            if new not in LANGUAGE and new not in self._words.values():
                return new

    @staticmethod
    def _figure(found: re.Match[str]) -> str:
        figure = found.group("figure")
        if figure is None:
            return found.group()
        trailing = figure[len(figure.rstrip(",")) :]
        return _multiplied(figure.rstrip(",")) + trailing


def _multiplied(figure: str) -> str:
    plain = figure.replace(",", "")
    decimals = len(plain.partition(".")[2])
    value = float(plain) * FACTOR
    if plain.startswith("0") and not decimals and len(plain) > 1:
        return f"{value:.0f}".zfill(len(plain))
    return f"{value:,.{decimals}f}"


def rewrite_project(root: Path, target: Path, seed: int) -> Path:
    """Corpus, structural cases and sources.yaml of `root`, rewritten below `target`."""
    rewriter = Rewriter(seed)
    sources = yaml.safe_load((root / "sources.yaml").read_text())
    for collection in sources["collections"]:
        folder = root / collection["documents"]
        collection["name"] = rewriter.words(collection["name"])
        collection["documents"] = f"./documents/{collection['name']}"
        for file in sorted(folder.iterdir()):
            _rewrite_file(file, target / collection["documents"] / rewriter.words(file.name), rewriter)
    (target / "sources.yaml").write_text(yaml.safe_dump(sources))
    for path in sorted((root / "evals/cases").glob("*.yaml")):
        file = yaml.safe_load(path.read_text())
        if file["suite"] in STRUCTURAL:
            _write(
                target / "evals/cases" / path.name, yaml.safe_dump(_rewritten(file, "", rewriter), allow_unicode=True)
            )
    for path in sorted((root / "evals/tables").glob("*.md")):
        _write(target / "evals/tables" / path.name, _gold(path.read_text(), rewriter))
    return target


def _rewrite_file(file: Path, target: Path, rewriter: Rewriter) -> None:
    if file.suffix == ".xlsx":
        target.parent.mkdir(parents=True, exist_ok=True)
        _rewrite_workbook(file, target, rewriter)
        return
    change: Callable[[str], str] = rewriter.html if file.suffix == ".html" else rewriter.text
    _write(target, change(file.read_text()))


def _rewrite_workbook(file: Path, target: Path, rewriter: Rewriter) -> None:
    book = openpyxl.load_workbook(file)
    for sheet in book:
        sheet.title = rewriter.words(sheet.title)
        for row in sheet.iter_rows():
            for cell in row:
                if isinstance(cell.value, str):
                    cell.value = rewriter.text(cell.value)
                elif isinstance(cell.value, int | float) and not isinstance(cell.value, bool):
                    cell.value = round(cell.value * FACTOR, 6)
    book.save(target)


def _rewritten(value: object, key: str, rewriter: Rewriter) -> object:
    if isinstance(value, dict):
        return {name: _rewritten(inner, name, rewriter) for name, inner in value.items()}
    if isinstance(value, list):
        return [_rewritten(inner, key, rewriter) for inner in value]
    if key == "value" and isinstance(value, int | float):
        return round(value * FACTOR, 6)
    if isinstance(value, str) and key in TEXT_KEYS:
        return rewriter.words(value) if key in {"sources", "address", "tool"} else rewriter.text(value)
    return value


def _gold(text: str, rewriter: Rewriter) -> str:
    lines = []
    for line in text.splitlines():
        head = re.match(r"(source|caption|table|scopes|tags|unit): ", line)
        if line in {"| path | heading | value |", "|---|---|---|"} or (head and head[1] in {"table", "scopes", "tags"}):
            lines.append(line)
        elif head:
            rest = line.removeprefix(head.group())
            lines.append(head.group() + (rewriter.words(rest) if head[1] == "source" else rewriter.text(rest)))
        else:
            lines.append(rewriter.text(line))
    return "\n".join(lines) + "\n"


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
