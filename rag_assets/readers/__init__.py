"""Bytes become documents: blocks in reading order and raw grids of cells, in isolated worker processes.

Holds: one module a format, the dispatch between them, the workers with their limits, the private snapshot of a source.
Add here: another format, as one module with `READER_VERSION` and one public `read_*` function.
Never here: deciding what a header is (tables/), keeping anything (store/).
"""
