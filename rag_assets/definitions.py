"""The code location `rag_assets`: what Dagster loads.

Holds: `defs`.
Never here: anything else.
"""

from rag_assets.defs.build import build_definitions

defs = build_definitions()
