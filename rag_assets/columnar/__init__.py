"""Columns of long sheets and long delimited files: kept as they were read, counted, typed when a table is loaded.

Holds: the columns file between the readers and the lookup tables, and all work on whole columns.
Add here: something that must look at every cell of a long column.
Never here: what a column means (tables/), one file format (readers/), DuckDB (lookup/).
"""
