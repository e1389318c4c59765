"""A statement: one body cell said as subject, phrase, value, when.

Holds: `Statement`.
Add here: a part that every statement has.
Never here: how the parts are chosen (tables/statements.py) or judged (evaluation/).
"""

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """`row_path` and `heading` are the cell's own; `subject`, `phrase` and `when` are made of them and the caption.

    Parts of `row_path` and `phrase` that are paths are joined with " › ".
    """

    subject: str
    phrase: str
    text: str
    value: int | float | bool | str | None
    when: str | None
    unit: str | None
    scale: int
    table: str
    address: str
    row_path: str = ""
    heading: str = ""
    nil: bool = False
    qualifiers: dict[str, str] = field(default_factory=dict)
    phrase_is_value: bool = False
    phrase_is_subject: bool = False
