"""Exit codes of the command, the same for every sub-command."""

from __future__ import annotations

from enum import IntEnum


class ExitCode(IntEnum):
    """Exit codes of the process.

    An internal error ends with ``FAILED`` too: there is no result, and the message says that it is
    a fault of Palpeur's and not of the input.
    """

    DONE = 0
    FAILED = 1  # done, but infeasible or something failed its check; or an internal error
    BAD_INPUT = 2
    NOT_VALIDATED = 3
    INTERRUPTED = 130
