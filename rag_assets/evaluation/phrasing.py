"""Ways to ask: templates, written apart from the wording of summaries and records.

Holds: the templates by kind of question.
Add here: another paraphrase.
Never here: what the right answer is (generate.py).
"""

from typing import Final

TEMPLATES: Final[dict[str, tuple[str, ...]]] = {
    "lookup": (
        "What is the {column} for {row}?",
        "{row}: {column}?",
        "Please tell me the {column} of {row}.",
        "How is {column} set for {row}?",
        "I need the {column} that applies to {row}",
    ),
    "comparison": (
        "Which has the higher {column}: {row} or {other}?",
        "Is the {column} of {row} above that of {other}?",
        "Compare {row} with {other} by {column}",
    ),
    "avg": (
        "What is the average {column} across all rows?",
        "Averaged over everything listed, how large is {column}?",
        "mean {column} overall",
    ),
    "sum": ("What do all {column} add up to?", "Total {column} over the whole list?"),
    "min": ("What is the lowest {column}?", "Where does {column} bottom out?"),
    "max": ("What is the highest {column} anywhere?", "How high does {column} go at most?"),
    "count": ("How many entries have {key} {row}?", "Count the rows whose {key} is {row}"),
    "existence": ("Is there anything listed for {row}?", "Do we have an entry for {row}?"),
    "absent": ("What is the {column} for {row}?", "{row}: {column}?", "Please tell me the {column} of {row}."),
    "not_yet": ("What {column} applies to {row} today?", "Current {column} for {row}?"),
    "statement": (
        "{subject} {phrase} {when}",
        "What did {subject} report as {phrase} for {when}?",
        "Give me {phrase} of {subject} ({when})",
    ),
    "undated": (
        "{subject} {phrase}",
        "What does it say under {phrase} for {subject}?",
        "Give me {phrase} of {subject}",
    ),
}


def asked(kind: str, number: int, **parts: str) -> str:
    """The `number`th way to ask, going round."""
    templates = TEMPLATES[kind]
    return " ".join(templates[number % len(templates)].format(**parts).split())
