"""XML parts of an office container: parsed, walked by local names, related to each other.

Holds: `parse_part`, `relations_of` and small readings of elements that every office format shares.
Add here: another convention of office containers.
Never here: what a part says about cells.
"""

import posixpath
from collections.abc import Iterator
from typing import NamedTuple
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from rag_assets.errors import Quarantine
from rag_assets.model.document import Reason
from rag_assets.readers.workbook_archive import Archive

WORKSHEET = "worksheet"


class Relation(NamedTuple):
    kind: str
    part: str


def parse_part(archive: Archive, part: str) -> Element:
    try:
        return ElementTree.fromstring(archive.read(part))
    except (ElementTree.ParseError, LookupError, ValueError) as error:
        raise Quarantine(Reason.CORRUPT, f"{part}: {error}") from None


def local_name(element: Element) -> str:
    return element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""


def descendants(root: Element, name: str) -> Iterator[Element]:
    return (element for element in root.iter() if local_name(element) == name)


def is_true(value: str | None) -> bool:
    return value is not None and value.strip().lower() in {"1", "true", "on", "t"}


def relations_of(archive: Archive, part: str) -> dict[str, Relation]:
    folder, name = posixpath.split(part)
    place = posixpath.join(folder, "_rels", f"{name}.rels")
    if place not in archive:
        return {}
    found = {}
    for element in descendants(parse_part(archive, place), "Relationship"):
        target = (element.get("Target") or "").replace("\\", "/")
        absolute = target.lstrip("/") if target.startswith("/") else posixpath.normpath(posixpath.join(folder, target))
        found[element.get("Id") or ""] = Relation((element.get("Type") or "").rpartition("/")[2], absolute)
    return found
