"""Questions over many rows: averages, totals, extremes, counts, lists.

Holds: `aggregate_words`, `topic_of`, `without_request`, `may_ask_of_all_rows`.
Add here: another language's way of asking over many rows.
Never here: answering them (lookup tools do).
"""

import re

from rag_assets.retrieval.analyzer import tokens

_ASKS = (
    # English
    r"\b(?:average|averages|mean|median|sum|combined|altogether|overall)\b",
    r"\b(?:in total|total (?:number|amount|of)|the total)\b",
    r"\b(?:highest|lowest|largest|smallest|biggest|cheapest|dearest|most expensive|least expensive|longest|shortest)\b",
    r"\b(?:maximum|minimum|max|min|top \d+|bottom \d+)\b",
    r"\bhow many (?:different|distinct|rows|regions|products|entries|items|lines|countries|of)\b",
    r"\b(?:count|list|name|show)(?: me)? (?:all|every|each|the)\b|\b(?:number|count) of\b",
    r"\b(?:which|what) (?:\w+ )?\w+s (?:have|has|are|offer|allow|get|cost|charge|do not|don't)\b",
    r"\b(?:across|for|of|in|over) (?:all|every|each)\b|\bacross (?:the )?\w+s\b|\bper (?:region|country|product)\b",
    # Spanish, German, French
    r"\b(?:promedio|media|medio|suma|máximo|mínimo|mayor|menor|todas?|todos|cuánt[oa]s? (?:hay|son))\b",
    r"\b(?:durchschnitt\w*|mittelwert|summe|insgesamt|höchste\w*|niedrigste\w*|größte\w*|kleinste\w*)\b",
    r"\b(?:wie viele|alle[rn]?)\b",
    r"\b(?:moyenne|somme|au total|maximum|minimum|le plus|la plus|combien de|tous|toutes)\b",
    # Chinese
    r"平均|总和|总数|合计|一共|最高|最低|最大|最小|所有|全部|多少个|几个|哪些",
)
_ASKED = re.compile("|".join(_ASKS), re.IGNORECASE)
_MAY_ASK = re.compile(
    r"\b(?:averag\w*|totals?|add(?:s|ed)? up|at (?:most|least)|whole (?:list|table|sheet)|everything|every|bottoms? out"
    r"|tops? out|peaks?|how (?:high|low|large|small|far)|range[sd]?|spread|extremes?|anywhere|entire(?:ly)?)\b"
    r"|\b(?:is|are|was|were) (?:there|any)\b|\bdo(?:es)? (?:we|you|it|they|any)\b|\b(?:exists?|listed|entry|entries)\b"
    r"|\b(?:hay|existe|gibt es|y a-t-il)\b|有没有|是否有",
    re.IGNORECASE,
)


_REQUEST = re.compile(
    r"\b(?:please|kindly)\b|\b(?:give|tell|show|find|get|fetch)(?: (?:me|us))\b|\b(?:i|we) (?:need|want|would like)\b"
    r"|\bwhat (?:does|do) (?:it|they|the \w+) say (?:under|about|of|on|for)\b|\b(?:look up|do you know|let me know)\b"
    r"|\b(?:dime|dame|por favor|bitte|gib mir|sag mir|zeig mir|dis-moi|donne-moi|s'il (?:te|vous) pla[iî]t)\b"
    r"|请问|请|告诉我|给我",
    re.IGNORECASE,
)


def aggregate_words(question: str) -> tuple[str, ...]:
    """The words of a question that ask over many rows, lower case; () for a question about one row.

    A row may be called by such a word ("weighted average shares", "total assets"): the caller, who knows the rows,
    leaves out those that the best row's own label holds.
    """
    return tuple(dict.fromkeys(found.group().lower() for found in _ASKED.finditer(question)))


def topic_of(question: str) -> str:
    """The question without the words that ask for something, over many rows or at all: what it is about."""
    topic = " ".join(_ASKED.sub(" ", without_request(question)).split())
    return topic if tokens(topic) else question


def without_request(question: str) -> str:
    """The question without "please give me", "what does it say under": such words name nothing."""
    rest = " ".join(_REQUEST.sub(" ", question).split())
    return rest if tokens(rest) else question


def may_ask_of_all_rows(question: str) -> bool:
    """Whether a table's summary helps: also for questions whether something is listed at all. Wider than
    `aggregate_words`, for what is shown besides and withholds nothing."""
    return bool(aggregate_words(question) or _MAY_ASK.search(question))
