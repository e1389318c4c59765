"""Identifiers made of words that stand in a document.

Holds: slugs of headings and the cleaning of names shown to a model.
Add here: another way a heading can be hostile.
Never here: choosing which heading a column has, quoting for one particular statement.
"""

import unicodedata
from collections.abc import Iterable

MAX_SLUG = 48
RESERVED = frozenset({"rowid"})


def slug_of(text: str, fallback: str) -> str:
    """Lower case words joined by "_": letters and digits of any script, accents removed, at most 48 characters.

    "Min. order ($)" → "min_order"; a text without letters or digits gives the fallback.
    """
    decomposed = unicodedata.normalize("NFKD", text[: MAX_SLUG * 8]).casefold()
    kept = "".join(
        character if _is_word(character) else " " for character in decomposed if not unicodedata.combining(character)
    )
    slug = "_".join(unicodedata.normalize("NFKC", kept).split())[:MAX_SLUG].strip("_")
    return fallback if not slug or slug in RESERVED else slug


def _is_word(character: str) -> bool:
    return character.isalnum() and character.isprintable()


def unique_slugs(headings: Iterable[tuple[str, str]]) -> tuple[str, ...]:
    """A slug for each (heading, fallback), in order; a repeated one gets "_2", "_3", … that no other heading has."""
    wanted = [slug_of(heading, fallback) for heading, fallback in headings]
    natural = set(wanted)
    given: set[str] = set()
    slugs = []
    for slug in wanted:
        name, count = slug, 1
        while name in given or (count > 1 and name in natural):
            count += 1
            name = f"{slug}_{count}"
        given.add(name)
        slugs.append(name)
    return tuple(slugs)


def clean_name(text: str, max_characters: int = 80) -> str:
    """A name as it may stand in a description: words, digits and `./-+%$€£¥` only, on one line."""
    folded = unicodedata.normalize("NFKC", text[: max_characters * 8])
    kept = "".join(c if (c.isalnum() or c in "_./-+%$€£¥") and c.isprintable() else " " for c in folded)
    return " ".join(kept.split())[:max_characters].strip()


def quoted(identifier: str) -> str:
    """An SQL identifier; only names of the catalogue come here."""
    return '"' + identifier.replace('"', '""') + '"'


def unit_column(slug: str) -> str:
    return f"_unit_{slug}"


def scale_column(slug: str) -> str:
    return f"_scale_{slug}"
