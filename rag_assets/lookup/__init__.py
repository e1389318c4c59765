"""Typed tables in DuckDB and the tools that look things up in them.

Holds: the schema of a lookup table, the warehouse file of a partition, and the tools over it.
Add here: a kind of filter, an aggregate, a fact of the catalogue.
Never here: understanding a table (tables/), deciding who may see it (corpus).
"""
