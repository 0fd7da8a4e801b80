"""Library entries by name, user files by path.

A leaf: like ``robots.core.caps`` every room may import it, see ``pyproject.toml``.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches
from importlib.resources import files
from pathlib import Path

from robots.core.errors import PalpeurError, RobotFileError

_OWN = ".toml"  # the ending of what comes with Palpeur


@dataclass(frozen=True, slots=True, kw_only=True)
class Catalogue:
    """The data files of one package.

    Args:
        package: that holds them.
        thing: what one of them describes, such as "robot".
        endings: of the user's files of the same kind; empty where a path is not given in place of
            a name.
        file: where each entry is a folder, the file in it that describes the thing; empty where
            each entry is a file.
        error: raised for an unknown name.
    """

    package: str
    thing: str
    endings: tuple[str, ...] = (_OWN,)
    file: str = ""
    error: type[PalpeurError] = RobotFileError

    def names(self) -> tuple[str, ...]:
        """Names in the catalogue, sorted."""
        entries = files(self.package).iterdir()
        if self.file:
            return tuple(sorted(e.name for e in entries if (e / self.file).is_file()))
        found = (Path(entry.name) for entry in entries)
        return tuple(sorted(path.stem for path in found if path.suffix == _OWN))

    def file_of(self, name: str) -> Path:
        """The file of a name; what it refers to stands beside it.

        Raises:
            PalpeurError: no such name; the message gives the nearest.
        """
        known = self.names()
        if name not in known:
            raise unknown_name(self.thing, name, known, self.error, endings=self.endings)
        folder = Path(str(files(self.package)))
        return folder / name / self.file if self.file else folder / f"{name}{_OWN}"

    def text_of(self, name: str) -> str:
        """The text of that file, with the provenance of its numbers in comments.

        Raises:
            PalpeurError: no such name; the message gives the nearest.
        """
        return self.file_of(name).read_text(encoding="utf-8")

    def path_of(self, name_or_path: str) -> Path | None:
        """The user's file; None where a name of the catalogue is meant.

        Raises:
            PalpeurError: a file that is there, with an ending that says it is something else.
        """
        path = Path(name_or_path)
        if name_or_path in self.names():
            return None
        if path.suffix.lower() in self.endings:
            return path
        if path.suffix and path.exists():
            raise self.error(
                f"{path}: the ending {path.suffix!r} is not that of a {self.thing} file; "
                f"known {'ending' if len(self.endings) == 1 else 'endings'}: "
                f"{', '.join(self.endings)}.",
                file=str(path),
            )
        return None


def unknown_name(
    thing: str,
    name: str,
    known: Iterable[str],
    error: type[PalpeurError],
    *,
    endings: tuple[str, ...] = (),
) -> PalpeurError:
    """The error for a name that a library does not have, with the nearest one that it has.

    Args:
        thing: that the library holds, such as "robot".
        name: that was given.
        known: names of the library, sorted.
        error: to be raised.
        endings: of files that may be given instead, by their path.
    """
    names = tuple(known)
    close = get_close_matches(name, names, n=1, cutoff=0.4)
    advice = f"did you mean {close[0]!r}? The" if close else "the"
    if endings and os.path.isdir(name):  # noqa: PTH112 a name may be no path at all
        advice = "it is a folder. The"
    paths = f"; a {thing} file is given by its path, ending in {' or '.join(endings)}"
    return error(
        f"There is no library {thing} {name!r}; {advice} library has {', '.join(names)}"
        f"{paths if endings else ''}.",
        name=name,
        known=names,
    )
