"""The version of how lookup tables are made.

Holds: `LOOKUP_VERSION`, apart, so that telling whether work is due imports no database.
Add here: nothing.
Never here: code.
"""

LOOKUP_VERSION = "1"
