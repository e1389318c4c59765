"""From a folder of sources to a release: what is due, the stages of a partition, candidate, hold, publish.

Holds: the pipeline without its orchestrator; assets, commands and tests all call it.
Add here: a step between sources and a release.
Never here: Dagster, reading a format, understanding a table, searching.
"""
