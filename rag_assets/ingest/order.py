"""The stages and which one is made of which.

Holds: stage names, their parents, the file each segment's rows lie in.
Add here: a stage.
Never here: what a stage does.
"""

RAW = "raw_sources"
PARSED = "parsed_blocks"
NORMALIZED = "normalized_tables"
CHUNKS = "chunks"
LOOKUP = "lookup_tables"
INDEX = "bm25_index"

STAGES = (RAW, PARSED, NORMALIZED, CHUNKS, LOOKUP, INDEX)

PARENT = {PARSED: RAW, NORMALIZED: PARSED, CHUNKS: NORMALIZED, LOOKUP: NORMALIZED, INDEX: CHUNKS}

ROWS_FILE = {
    RAW: "documents.parquet",
    PARSED: "documents.parquet",
    NORMALIZED: "documents.parquet",
    CHUNKS: "chunks.parquet",
}
WAREHOUSE_FILE = "tables.duckdb"
INDEX_FOLDER = "index"
