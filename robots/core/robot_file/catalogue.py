"""Data files that come with Palpeur, by name, beside the user's own, by path."""

from __future__ import annotations

import os
from dataclasses import dataclass
from difflib import get_close_matches
from importlib.resources import files
from pathlib import Path

from robots.core.errors import RobotFileError

_OWN = ".toml"  # the ending of what comes with Palpeur


@dataclass(frozen=True, slots=True, kw_only=True)
class Catalogue:
    """The data files of one package.

    Args:
        package: that holds them.
        thing: what one of them describes, such as "robot".
        endings: of the user's files of the same kind.
    """

    package: str
    thing: str
    endings: tuple[str, ...] = (_OWN,)

    def names(self) -> tuple[str, ...]:
        """Names in the catalogue, sorted."""
        found = (Path(entry.name) for entry in files(self.package).iterdir())
        return tuple(sorted(path.stem for path in found if path.suffix == _OWN))

    def text_of(self, name: str) -> str:
        """The file of a name, with the provenance of its numbers in comments.

        Raises:
            RobotFileError: no such name; the message gives the nearest.
        """
        known = self.names()
        if name not in known:
            close = get_close_matches(name, known, n=1, cutoff=0.5)
            advice = f"did you mean {close[0]!r}? The" if close else "the"
            if os.path.isdir(name):  # noqa: PTH112 a name may be no path at all
                advice = "it is a folder. The"
            raise RobotFileError(
                f"There is no library {self.thing} {name!r}; {advice} library has "
                f"{', '.join(known)}; a {self.thing} file is given by its path, ending in "
                f"{' or '.join(self.endings)}.",
                name=name,
                known=known,
            )
        return (files(self.package) / f"{name}{_OWN}").read_text(encoding="utf-8")

    def path_of(self, name_or_path: str) -> Path | None:
        """The user's file; None where a name of the catalogue is meant.

        Raises:
            RobotFileError: a file that is there, with an ending that says it is something else.
        """
        path = Path(name_or_path)
        if name_or_path in self.names():
            return None
        if path.suffix.lower() in self.endings:
            return path
        if path.suffix and path.exists():
            raise RobotFileError(
                f"{path}: the ending {path.suffix!r} is not that of a {self.thing} file; "
                f"known {'ending' if len(self.endings) == 1 else 'endings'}: "
                f"{', '.join(self.endings)}.",
                file=str(path),
            )
        return None
