"""The values that travel between the stages: documents, tables, chunks, statements, passages.

Holds: frozen values and the properties that follow from their own fields.
Add here: a value that more than one layer speaks about.
Never here: reading, understanding, laying out, storing; nothing but the standard library.
"""
