"""The code location `rag_assets`: what `dagster dev -w workspace.yaml` and `dg` load.

Holds: one name.
Add here: nothing; definitions live in defs/.
Never here: work at import time beyond reading sources.yaml.
"""

from rag_assets.defs.build import build_definitions

defs = build_definitions()
