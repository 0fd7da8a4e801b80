"""What became of the jobs since another batch, on the console and as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING

from planner.batch.case import shown
from planner.cli.output import print_table

if TYPE_CHECKING:
    from reports.batch import BatchChanges

_LINES = 20  # on the console; the page has more


def print_compared(found: BatchChanges, folder: str) -> None:
    """Print how many jobs became what, then what became worse.

    Args:
        found: changes of the jobs, with untrusted texts.
        folder: of the other batch, as it was typed.
    """
    from reports.batch import VERDICTS
    from reports.visible_text import visible

    counts = ", ".join(f"{found.count(word)} {word}" for word in VERDICTS)
    print(f"\nCompared with {visible(shown(folder))}: {counts}.")
    worse = found.of("worse")
    if not worse:
        return
    lines = [(one.name, one.what, one.before, one.now) for one in worse[:_LINES]]
    told = [tuple(visible(shown(cell)) for cell in line) for line in lines]
    print_table(("became worse", "what", "from", "to"), told)
    if len(worse) > _LINES:
        print(f"and {len(worse) - _LINES} more, in dashboard.html.")


def compared_document(found: BatchChanges, folder: str) -> dict[str, object]:
    """The same with every line, for programs.

    Args:
        found: changes of the jobs.
        folder: of the other batch, as it was typed.
    """
    from reports.batch import VERDICTS

    return {
        "with": shown(folder),
        **{word: found.count(word) for word in VERDICTS},
        "new_failed": found.new_failed,
        "became_worse": [
            {
                "name": shown(one.name),
                "what": one.what,
                "from": shown(one.before),
                "to": shown(one.now),
            }
            for one in found.of("worse")
        ],
    }
