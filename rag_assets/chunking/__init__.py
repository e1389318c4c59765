"""Documents cut into chunks: prose, tables, row blocks, records, summaries.

Holds: the cutting, its budget in tokens, and the account of what is in a chunk.
Add here: another kind of chunk, another rule about where a cut may fall.
Never here: how a table is written out (rendering/), how chunks are found (retrieval/).
"""
