"""Progress reporting of long work."""

from __future__ import annotations

from typing import Protocol


class Progress(Protocol):
    """Told after every step; it may raise ``KeyboardInterrupt`` between two of them."""

    def __call__(self, stage: str, done: int, total: int) -> None:
        """Take note.

        Args:
            stage: what is being done, such as "probing lines".
            done: units of the stage that are finished.
            total: units that the stage has, as far as is known now; it may grow.
        """


def silent(stage: str, done: int, total: int) -> None:
    """Nobody listens."""
    del stage, done, total
