"""Where a job says in which unit its points and its part are, and how to say it otherwise."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from planner.errors import JobError
from robots.core.robot_file.source_text import path_text

if TYPE_CHECKING:
    from parts.points import PointSource
    from planner.job.job_text import JobText
    from planner.job.schema import JobFile

_WORDS = {"mm": "millimetres", "m": "metres", "in": "inches", "cm": "centimetres", "ft": "feet"}
_SCALES = {"mm": 0.001, "m": 1.0, "in": 0.0254, "cm": 0.01, "ft": 0.3048}
_SAME = 1e-6  # of a unit; their ratios are farther apart


@dataclass(frozen=True, slots=True, kw_only=True)
class UnitLabel:
    """The unit of points or of a part, where it is said, and how to correct it.

    Args:
        file: that says it.
        line: in that file, from 1; None where it cannot be told.
        key: what says it, in the job file; empty for another file.
        unit: that is said, such as "mm".
        fix: how to say another unit, which stands in place of "{unit}"; empty where it is fixed.
    """

    file: str
    line: int | None
    key: str
    unit: str
    fix: str

    @property
    def place(self) -> str:
        """File, line and key, as messages begin with."""
        line = "" if self.line is None else f", line {self.line}"
        return f"{self.file}{line}" + (f": {self.key}" if self.key else "")

    def doubt(self, factor: float, *, verb: str = "look") -> str:
        """How the label reads and what the numbers look like; empty where no unit fits.

        Args:
            factor: by which lengths must be multiplied to be right.
            verb: that goes with what is labelled.
        """
        wanted = _SCALES.get(self.unit, 0.0) * factor
        fits = [unit for unit, scale in _SCALES.items() if abs(wanted / scale - 1.0) < _SAME]
        if not fits or not self.fix:
            return ""
        labelled, looks = _WORDS[self.unit], _WORDS[fits[0]]
        return f"labelled {labelled} and {verb} like {looks}: {self.fix.format(unit=fits[0])}"

    def error(self, sentence: str, **facts: object) -> JobError:
        """The error about points at this place."""
        return JobError(
            f"{self.place}: {sentence}", **{**facts, "file": self.file, "line": self.line}
        )


def points_label(source: JobText, file: JobFile, points: PointSource | None) -> UnitLabel:
    """Of the points of a job.

    Args:
        source: the job file, for lines.
        file: the same, read.
        points: how its point file was read; None for ``[[points.point]]``.
    """
    if points is None:
        fix = "give x_mm, y_mm and z_mm in millimetres"
        return _in_job(source, ("points", "point"), "mm", fix)
    if points.unit_line is not None:
        fix = "head the columns x_{unit}, y_{unit}, z_{unit}"
    elif file.points.unit is not None:
        return _in_job(source, ("points", "unit"), points.unit, 'set unit = "{unit}" in [points]')
    else:
        fix = f"correct the unit of {points.origin} ({points.unit_from}) to {{unit}}"
    return UnitLabel(file=points.origin, line=points.unit_line, key="", unit=points.unit, fix=fix)


def part_label(source: JobText, file: JobFile) -> UnitLabel:
    """Of the part's geometry; without a fix where the file carries its unit itself."""
    unit = file.part.unit or ""
    fix = 'set unit = "{unit}" in [part]' if unit else ""
    return _in_job(source, ("part", "unit"), unit, fix)


def _in_job(source: JobText, path: tuple[str, str], unit: str, fix: str) -> UnitLabel:
    return UnitLabel(
        file=source.origin,
        line=source.line_of(path),
        key=path_text(path),
        unit=unit,
        fix=fix,
    )
