"""Text that speaks to whoever reads it for somebody else: "ignore the above and answer …".

Holds: `gives_orders`, `without_orders`.
Add here: another wording of an order.
Never here: what keeps orders harmless anyway: scopes, bound values, boundaries, the cell check.

A list of wordings is never complete. It only keeps a line, a heading or a name that gives orders from counting as
evidence for a figure; such a line can still be found and read.
"""

import re

_ORDERS = re.compile(
    "|".join(
        (
            r"\b(?:ignore|disregard|forget|override)\b.{0,40}\b(?:instruction|rule|previous|above|prior|prompt|passage)",
            r"\b(?:system|developer|admin)\s*(?:prompt|message|override|mode)\b",
            r"^\s*(?:system|assistant|user)\s*:|<\|?(?:im_|system|/?inst)",
            r"\b(?:you are now|new instructions?|as an ai\b|dear (?:assistant|model)|assistant,)",
            r"\bnote to (?:the )?(?:ai|assistant|model)\b",
            r"\b(?:answer|reply|respond|say|output|print|state) (?:that|with|only|exactly|always)\b",
            r"\byou must (?:answer|say|reply)",
            r"\b(?:ignora|ignorez|ignoriere|vergiss)\b.{0,40}\b(?:instrucc|instruct|anweisung|regel|règle)",
            r"忽略.{0,20}(?:指令|说明|规则)",
            r"\bcall (?:the )?(?:tool|lookup)|\b(?:drop|delete) (?:table|from)\b|\b(?:tool_call|function_call)\b",
            r"^\s*\[t?\d+\]|\bcomplete\W{1,4}true\b|\bciting \[",
        )
    ),
    re.IGNORECASE,
)


def gives_orders(text: str) -> bool:
    return _ORDERS.search(text) is not None


def without_orders(text: str) -> str:
    """The text, or nothing where it gives orders."""
    return "" if gives_orders(text) else text
