"""Errors a caller can meet.

    RagAssetsError
    ├── UsageError              (ValueError)        wrong use: exit status 2
    │   ├── SettingsError       sources.yaml, an override or case file does not say what it must
    │   └── UnknownName         (KeyError)          a collection, release, tool or case that does not exist
    ├── InputError              (OSError)           a missing or unreadable folder or file: exit status 2
    ├── StateError              (OSError)           the state cannot be written, or is newer than this program: exit 2
    │   ├── BrokenChain         a candidate mixes segments that do not belong together
    │   ├── CorruptSegment      a file of a segment is not the one its manifest names
    │   └── DamagedManifest     a JSON file of the state does not say what it must
    ├── Refused                 (RuntimeError)      the work ran and the answer is no: exit status 1
    │   ├── GateRed             a regression holds the release
    │   ├── MassDelete          a collection lost over half of its documents
    │   └── Pinned              a rollback stands until `release resume`
    └── Quarantine              (ValueError)        one document cannot be read; carries its reason

Add here: a new leaf, which is also a builtin.
Never here: anything that is recovered from inside one module.
"""

from rag_assets.model.document import Reason


class RagAssetsError(Exception):
    """The root. The message says what was found, where, what was expected and what to do."""

    exit_status = 2

    def __str__(self) -> str:
        return str(self.args[0]) if self.args else ""


class UsageError(RagAssetsError, ValueError):
    pass


class SettingsError(UsageError):
    pass


class UnknownName(UsageError, KeyError):
    pass


class InputError(RagAssetsError, OSError):
    pass


class StateError(RagAssetsError, OSError):
    pass


class BrokenChain(StateError):
    pass


class CorruptSegment(StateError):
    pass


class DamagedManifest(StateError):
    pass


class Refused(RagAssetsError, RuntimeError):
    exit_status = 1


class GateRed(Refused):
    pass


class MassDelete(Refused):
    pass


class Pinned(Refused):
    pass


class Quarantine(RagAssetsError, ValueError):
    """Raised by a reader for a document that cannot be read."""

    def __init__(self, reason: Reason, detail: str = "") -> None:
        super().__init__(detail or reason.value)
        self.reason = reason
        self.detail = detail
