"""Names of lookup tools.

Holds: `short_name` and `full_name`: the rule that makes them stable.
Add here: another source of a name, in the order of the rule.
Never here: which tables get one (normalize), which names are ambiguous for a caller (lookup/).
"""

import re
import unicodedata
from collections.abc import Sequence
from hashlib import sha256
from pathlib import PurePosixPath

PREFIX = "lookup_"
MAX_LENGTH = 48
DIGEST_LENGTH = 6

_LETTERS = str.maketrans(
    {"ß": "ss", "æ": "ae", "Æ": "ae", "ø": "o", "Ø": "o", "œ": "oe", "Œ": "oe", "ł": "l", "Ł": "l", "đ": "d", "Đ": "d"}
)


def slug(text: str) -> str:
    """Lower-case `[a-z0-9_]`, accents taken off, everything else one underscore; may be empty.

    "Région – prix (€)" → region_prix
    """
    plain = unicodedata.normalize("NFKD", text.translate(_LETTERS)).encode("ascii", "ignore").decode("ascii")
    return re.sub(r"[^a-z0-9]+", "_", plain.lower()).strip("_")


def short_name(
    *,
    override: str | None = None,
    hints: Sequence[str] = (),
    uri: str = "",
    sheet: str | None = None,
    several_regions: bool = False,
    caption: Sequence[str] = (),
    place: str = "",
) -> str:
    """`lookup_` + the slug of the first that has one: override name, ListObject or defined name, file stem, caption.

    The file stem gets `_` + the sheet where the file has several regions. `place` (sheet and region ordinal) is the
    last resort, for a source whose name has no letter that a slug keeps.

        prices/discount_tiers.xlsx, one region       → lookup_discount_tiers
        prices/2026.xlsx, regions on North and South → lookup_2026_north, lookup_2026_south
    """
    for name in (override, *hints):
        if name and slug(name):
            return _cut(slug(name))
    stem = slug(PurePosixPath(uri).stem)
    if stem:
        part = slug(sheet or "") if several_regions else ""
        return _cut(f"{stem}_{part}" if part else stem)
    titled = next((found for line in caption if (found := slug(line))), "")
    return _cut(titled or f"table_{slug(place) or 1}")


def full_name(short: str, *, collection: str, path: str, place: str) -> str:
    """The short name with six hex digits of where the table is, and of nothing else: no other document can rename it.

    `path` is relative to the collection; `place` is the sheet and region ordinal, or the table ordinal.
    """
    digest = sha256("\0".join((collection, path, place)).encode()).hexdigest()[:DIGEST_LENGTH]
    return f"{short}_{digest}"


def _cut(name: str) -> str:
    return (PREFIX + name)[:MAX_LENGTH].rstrip("_")
