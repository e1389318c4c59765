"""The answer log: one JSON line for each answer, for the owner of the corpus.

Holds: `log_line`, `append_line`, `read_log`, `AnswerTally`.
Add here: a fact about an answer that tells its owner what to add to the corpus.
Never here: the text of an answer or of a passage; deciding where the log lies (corpus.py).
"""

import hashlib
import json
import os
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from rag_assets.model.corpus import Answer

FOLDER = "answers"
MAX_BYTES = 16 << 20  # a full file is put aside once; the older one before it goes
LONGEST_QUESTION = 1000


class Entry(NamedTuple):
    """`question` is a hash of its words; `text` is there only where the owner keeps questions."""

    question: str
    outcome: str
    tools: tuple[str, ...]
    latency_ms: float
    text: str | None


class AnswerTally(NamedTuple):
    """`declined` are the most frequent declined questions whose texts were kept, most frequent first."""

    scopes: str
    answers: int
    outcomes: tuple[tuple[str, int], ...]
    declined: tuple[tuple[str, int], ...]
    median_ms: float


def log_name(scopes: Iterable[str]) -> str:
    """One file a set of scopes, so that nobody's questions lie beside those of other scopes."""
    shown = "+".join(sorted(scopes)) or "none"
    plain = all(letter.isalnum() or letter in "-_.+" for letter in shown) and len(shown) < 100
    return f"{shown if plain else hashlib.sha256(shown.encode()).hexdigest()[:16]}.jsonl"


def log_line(question: str, answer: Answer, *, at: str, latency_ms: float, keep_text: bool) -> str:
    """What is known of one answer, without its text."""
    words = " ".join(question.casefold().split())
    fields: dict[str, object] = {
        "at": at,
        "question": hashlib.sha256(words.encode("utf-8", "replace")).hexdigest()[:16],
        "release": answer.release[:12],
        "floor": answer.explanation.get("coverage"),
        "outcome": answer.reason or answer.status,
        "tools": [call.tool for call in answer.tool_calls],
        "suggested_tool": answer.suggested_tool,
        "latency_ms": round(latency_ms, 1),
    }
    if keep_text:
        fields["text"] = question[:LONGEST_QUESTION]
    return json.dumps(fields, ensure_ascii=False)


def append_line(folder: Path, name: str, line: str) -> None:
    """One write at the end of the file, so that lines of several processes do not mix. Raises OSError."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    if path.exists() and path.stat().st_size > MAX_BYTES:
        path.replace(path.with_suffix(".jsonl.1"))
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    try:
        os.write(descriptor, f"{line}\n".encode("utf-8", "replace"))
    finally:
        os.close(descriptor)


def read_log(folder: Path, top: int = 10) -> tuple[AnswerTally, ...]:
    """Each file of the log summed up; a line that was cut off is left out."""
    files = sorted(folder.glob("*.jsonl")) if folder.is_dir() else []
    return tuple(_tally(path, top) for path in files)


def _tally(path: Path, top: int) -> AnswerTally:
    entries = list(_entries(path))
    outcomes = Counter(entry.outcome for entry in entries)
    texts: dict[str, str] = {}
    declined: Counter[str] = Counter()
    for entry in entries:
        if entry.outcome != "answered" and entry.text is not None:
            texts.setdefault(entry.question, entry.text)
            declined[entry.question] += 1
    took = sorted(entry.latency_ms for entry in entries)
    return AnswerTally(
        scopes=path.stem,
        answers=len(entries),
        outcomes=tuple(outcomes.most_common()),
        declined=tuple((texts[question], n) for question, n in declined.most_common(top)),
        median_ms=took[len(took) // 2] if took else 0.0,
    )


def _entries(path: Path) -> Iterator[Entry]:
    older = path.with_suffix(".jsonl.1")
    for file in (older, path):
        if not file.exists():
            continue
        with file.open(encoding="utf-8", errors="replace") as lines:
            for line in lines:
                found = _entry(line)
                if found is not None:
                    yield found


def _entry(line: str) -> Entry | None:
    try:
        said = json.loads(line)
        tools = tuple(str(tool) for tool in said["tools"])
        text = said.get("text")
        return Entry(
            str(said["question"]),
            str(said["outcome"]),
            tools,
            float(said["latency_ms"]),
            None if text is None else " ".join(str(text).split()),
        )
    except (ValueError, TypeError, KeyError, AttributeError):
        return None
