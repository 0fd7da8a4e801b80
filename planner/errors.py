"""Errors of the planner room.

PlannerError
├── StatesError      a table of states that cannot be read: file, line, column, found, expected
├── OptionError      a command's option or argument with an unusable value
├── OutputError      a result that cannot be written
├── ClusterError     a cluster that is gone in the middle of the work
├── WorkerError      worker processes of a batch that do not start
├── JobError         a job file, or a file that it names, that cannot be read as a job
├── BudgetError      work that needs more memory or time than it is given
└── FindingError     a finding code that does not exist
"""

from __future__ import annotations


class PlannerError(Exception):
    """Base of everything this package raises on purpose.

    Args:
        message: a whole sentence: what, where, value, limit, unit and the nearest fix.
        **facts: the same facts, kept as attributes in ``facts`` for programs.
    """

    def __init__(self, message: str, **facts: object) -> None:
        super().__init__(message)
        self.message = message
        self.facts = facts


class StatesError(PlannerError):
    """A table of states that cannot be read; ``facts`` holds file, line and column."""


class OptionError(PlannerError):
    """A command's option or argument with an unusable value."""


class OutputError(PlannerError):
    """A result that cannot be written."""


class ClusterError(PlannerError):
    """A cluster that is gone in the middle of the work."""


class WorkerError(PlannerError):
    """Worker processes of a batch that do not start."""


class BudgetError(PlannerError):
    """Work that needs more memory or processor time than it is given."""


class FindingError(PlannerError):
    """A finding code that does not exist."""


class JobError(PlannerError):
    """A job that cannot be read; ``facts`` holds file, line and key."""
