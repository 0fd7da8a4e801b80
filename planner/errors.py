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

from robots.core.errors import PalpeurError


class PlannerError(PalpeurError):
    """Base of everything that the planner room raises on purpose."""


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
