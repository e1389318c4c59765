"""Understanding of tables: raw grids in, tables with headings, paths, units and a balanced account out.

Holds: one module a question (grid, values, row roles, boxhead, stub, …) and `normalize`, which knows the order.
Add here: another structural rule, in its own module, with a name in `Rules`.
Never here: reading files (readers/), laying tables out as text (rendering/); nothing but the standard library.
"""
