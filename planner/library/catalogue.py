"""Library jobs by name."""

from __future__ import annotations

from difflib import get_close_matches
from pathlib import Path

from planner.errors import JobError

_FOLDER = Path(__file__).parent
_JOB = "job.toml"


def names() -> tuple[str, ...]:
    """Names of the library's jobs, sorted."""
    return tuple(sorted(path.parent.name for path in _FOLDER.glob(f"*/{_JOB}")))


def path_of(name: str) -> Path:
    """The job file of a library job; the files it names stand beside it.

    Raises:
        JobError: no such name; the message gives the nearest.
    """
    known = names()
    if name not in known:
        close = get_close_matches(name, known, n=1, cutoff=0.4)
        advice = f"did you mean {close[0]!r}? The" if close else "the"
        raise JobError(
            f"There is no library job {name!r}; {advice} library has {', '.join(known)}.",
            name=name,
            known=known,
        )
    return _FOLDER / name / _JOB
