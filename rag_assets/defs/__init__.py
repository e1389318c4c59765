"""Dagster's room: when things run and what they report.

Holds: assets, checks, jobs, sensors, schedules, resources, metadata keys.
Add here: another moment at which something runs, another fact a run reports.
Never here: how anything is done (ingest/, evaluation/, store/). `from __future__ import annotations` is banned here:
Dagster reads the annotations at run time.
"""
