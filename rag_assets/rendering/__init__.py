"""An understood table as text: markdown, record lines, a summary.

Holds: one module for each way a table is written out.
Add here: another way to write out what a table already says.
Never here: deciding what a cell means (tables/), cutting text to a budget (chunking/).
"""
