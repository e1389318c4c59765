"""Finding chunks: BM25 over memory-mapped index segments.

Holds: the analyzer, the postings of a segment, their build, search over the visible segments.
Add here: a part of ranking that is exact and deterministic.
Never here: cutting documents (chunking/), composing answers (answering/).
"""
