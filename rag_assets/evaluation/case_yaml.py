"""YAML of a case file, checked before anything is made of it.

Holds: `read_yaml`.
Add here: another thing that YAML allows and no case means.
Never here: what a case must say (cases.py, expectations.py).
"""

from pathlib import Path
from typing import NoReturn

import yaml

from rag_assets.errors import SettingsError

MAX_DEPTH = 40  # nodes inside each other
MAX_NODES = 2_000_000  # with every alias written out
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # libyaml's, where PyYAML was built with it: 20 times as fast


def read_yaml(path: Path, text: str) -> tuple[yaml.Node | None, object]:
    """The nodes, for line numbers, and the content.

    Raises SettingsError: no YAML, a key that stands twice, nesting or aliases without end, a date that is none.
    """
    try:
        node = yaml.compose(text, Loader=_LOADER)
    except RecursionError:
        _refuse(path, 1, f"nested over {MAX_DEPTH} deep")
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        _refuse(path, mark.line + 1 if mark else 1, f"not YAML: {getattr(error, 'problem', None) or error}")
    if node is not None:
        _size(path, node, {}, 0)
    try:
        return node, None if node is None else yaml.SafeLoader("").construct_document(node)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        _refuse(path, mark.line + 1 if mark else 1, f"not YAML: {getattr(error, 'problem', None) or error}")
    except ValueError as error:
        _refuse(path, _impossible_date(node), f"a date that does not exist: {error}")


def _size(path: Path, node: yaml.Node, known: dict[int, int], depth: int) -> int:
    """How many nodes there are with every alias written out; each node is looked at once."""
    if id(node) in known:
        return known[id(node)]
    line = node.start_mark.line + 1
    if depth > MAX_DEPTH:
        _refuse(path, line, f"nested over {MAX_DEPTH} deep")
    known[id(node)] = 1  # an alias inside its own anchor ends here; the content check refuses it
    size = 1
    if isinstance(node, yaml.MappingNode):
        seen: set[str] = set()
        for key, value in node.value:
            name = str(getattr(key, "value", ""))
            if name in seen:
                _refuse(path, key.start_mark.line + 1, f"{name}: given twice")
            seen.add(name)
            size += 1 + _size(path, value, known, depth + 1)
    elif isinstance(node, yaml.SequenceNode):
        size += sum(_size(path, value, known, depth + 1) for value in node.value)
    if size > MAX_NODES:
        _refuse(path, line, f"aliases that make over {MAX_NODES:,} values")
    known[id(node)] = size
    return size


def _impossible_date(node: yaml.Node | None) -> int:
    """The line of the first scalar that looks like a date and is none."""
    stack = [node] if node is not None else []
    while stack:
        one = stack.pop()
        if isinstance(one, yaml.ScalarNode) and one.tag.endswith(":timestamp"):
            try:
                yaml.SafeLoader("").construct_yaml_timestamp(one)
            except ValueError:
                return one.start_mark.line + 1
        elif isinstance(one, yaml.MappingNode):
            stack += [value for _, value in one.value]
        elif isinstance(one, yaml.SequenceNode):
            stack += one.value
    return 1


def _refuse(path: Path, line: int, message: str) -> NoReturn:
    raise SettingsError(f"{path}:{line}: {message}")
