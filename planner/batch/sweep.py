"""A sweep: one base job and the keys that vary, as TOML; each combination is a case."""

from __future__ import annotations

import copy
import itertools
import random
import re
import tomllib
from collections.abc import Iterator, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Literal, cast

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    ValidationError,
    field_validator,
    model_validator,
)
from pydantic_core import PydanticCustomError

from planner.batch.case import Case
from planner.batch.toml_text import toml_text
from planner.job.job_text import JobText, read_job_text
from planner.job.problems import job_error
from robots.core.caps import Cap

_STEP = re.compile(r"([^.\[\]]+)|\[(\d+)\]")
_PATH = re.compile(r"[^.\[\]]+(?:\[\d+\]|\.[^.\[\]]+)*")

Path_ = tuple[str | int, ...]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class Head(_Strict):
    """``[sweep]``: the base job and how the varied values are combined."""

    base: str = Field(min_length=1, description="job file, beside the sweep")
    design: Literal["grid", "zip", "random"] = "grid"
    count: int = Field(default=0, ge=0, description="of a random design")
    seed: int = Field(default=1, ge=0)

    @field_validator("count")
    @classmethod
    def _few_cases(cls, count: int) -> int:
        _check_cap(count, Cap.SWEEP_JOBS)
        return count


class Variation(_Strict):
    """``[[vary]]``: one key and its values, or its range."""

    key: str = Field(pattern=rf"^{_PATH.pattern}$")
    values: list[object] = Field(default_factory=list)
    start: Decimal | int | None = Field(default=None, alias="from")
    end: Decimal | int | None = Field(default=None, alias="to")
    steps: int = Field(default=0, ge=0, description="values of a range")

    @field_validator("values", "steps")
    @classmethod
    def _few_values(cls, found: list[object] | int) -> list[object] | int:
        _check_cap(len(found) if isinstance(found, list) else found, Cap.SWEEP_JOBS)
        return found

    @model_validator(mode="after")
    def _one_way(self) -> Variation:
        ranged = self.start is not None or self.end is not None
        if ranged == bool(self.values):
            raise ValueError('give either "values", or "from" and "to"')
        if ranged and (self.start is None or self.end is None):
            raise ValueError('a range has both "from" and "to"')
        if not all(Decimal(str(end)).is_finite() for end in (self.start, self.end) if end):
            raise ValueError('"from" and "to" are finite numbers')
        if self.steps == 1:
            raise ValueError("a range has at least two steps, its ends")
        return self

    @property
    def path(self) -> Path_:
        """The key as steps: names of tables and indices from 0."""
        return tuple(name or int(index) for name, index in _STEP.findall(self.key))

    def listed(self) -> list[object]:
        """The values in order; a range evenly spaced, its ends included."""
        if self.values:
            return list(self.values)
        if not self.steps or self.start is None or self.end is None:
            return []
        low, high = float(self.start), float(self.end)
        width = high - low
        return [_plain(low + width * (step / (self.steps - 1))) for step in range(self.steps)]

    def drawn(self, draw: random.Random) -> object:
        """One value at random: one of the list, or anywhere in the range."""
        if self.values:
            return self.values[int(draw.random() * len(self.values))]
        if self.start is None or self.end is None:
            return 0.0
        low, high = float(self.start), float(self.end)
        return _plain(low + (high - low) * draw.random())


class SweepFile(_Strict):
    """A sweep file."""

    format: Literal[1]
    sweep: Head
    vary: list[Variation] = Field(min_length=1)

    @field_validator("vary")
    @classmethod
    def _few_keys(cls, vary: list[Variation]) -> list[Variation]:
        _check_cap(len(vary), Cap.SWEEP_KEYS)
        return vary


def _check_cap(count: int, cap: Cap) -> None:
    if count > cap.limit:
        expected = f"at most {cap.limit} {cap.unit} of a sweep; {cap.advice}"
        raise PydanticCustomError("cap", "{expected}", {"expected": expected})


def is_sweep(text: str) -> bool:
    """Whether a TOML text is a sweep rather than a job."""
    try:
        return "sweep" in text and "sweep" in tomllib.loads(text)
    except (ValueError, RecursionError):
        return False


def sweep_cases(path: Path, name: str) -> Iterator[Case]:
    """The cases of a sweep file, each made when it is asked for.

    Args:
        path: of the file.
        name: what the file is called in the names of its cases.

    Raises:
        JobError: a fault in the sweep, its base job unreadable, a key that the base cannot have.
    """
    source = read_job_text(path)
    sweep = _validated(source)
    base = _base(path.parent, sweep.sweep.base, source)
    document = read_job_text(base).document()
    rows = list(_rows(sweep, source))
    width = len(str(len(rows)))
    for number, row in enumerate(rows, start=1):
        varied = copy.deepcopy(document)
        for place, (variation, value) in enumerate(zip(sweep.vary, row, strict=True)):
            _put(varied, variation.path, value, source, place)
        yield Case(name=f"{name}#{number:0{width}d}", job=base, text=toml_text(varied))


def _base(folder: Path, name: str, source: JobText) -> Path:
    """The whole path of the base job; workers may stand elsewhere."""
    try:
        base = (folder / name).resolve()
        inside = base.is_relative_to(folder.resolve())
    except (OSError, ValueError, RuntimeError) as error:  # a zero byte, links in a circle
        raise source.error(
            ("sweep", "base"), f"is {name!r}, which is no usable path: {error}."
        ) from None
    if not inside:
        raise source.error(("sweep", "base"), f"is {name!r}, which leaves the sweep's folder.")
    return base


def _validated(source: JobText) -> SweepFile:
    try:
        return SweepFile.model_validate(source.document())
    except ValidationError as error:
        raise job_error(source, error) from None


def _rows(sweep: SweepFile, source: JobText) -> Iterator[Sequence[object]]:
    """Values of every case, one for each variation."""
    if sweep.sweep.design == "random":
        if not sweep.sweep.count:
            raise source.error(
                ("sweep", "count"), 'is 0; a random design says how many, as "count = 200".'
            )
        draw = random.Random(sweep.sweep.seed)
        for _ in range(sweep.sweep.count):
            yield [variation.drawn(draw) for variation in sweep.vary]
        return
    columns = [variation.listed() for variation in sweep.vary]
    for place, column in enumerate(columns):
        if not column:
            raise source.error(
                ("vary", place), 'has a range without "steps"; say how many values it has.'
            )
    if sweep.sweep.design == "zip":
        _check_equal(columns, source)
        yield from zip(*columns, strict=True)
        return
    total = 1
    for column in columns:
        total *= len(column)
    if total > (cap := Cap.SWEEP_JOBS).limit:
        raise source.error(
            ("vary",),
            f"gives {total} combinations; at most {cap.limit} are made: give fewer values, "
            f'design = "random" with a count, or {cap.advice}.',
            value=total,
            limit=cap.limit,
        )
    yield from itertools.product(*columns)


def _check_equal(columns: list[list[object]], source: JobText) -> None:
    for place, column in enumerate(columns):
        if len(column) != len(columns[0]):
            raise source.error(
                ("vary", place),
                f"has {len(column)} values and the first one {len(columns[0])}; a zip takes them "
                'side by side, so give equally many, or design = "grid".',
            )


def _put(document: object, path: Path_, value: object, source: JobText, place: int) -> None:
    """Set one key; tables on the way are made, lists are not made longer."""
    at = document
    for step, below in itertools.pairwise(path):
        if isinstance(at, dict) and step not in at:
            at[step] = {} if isinstance(below, str) else []
        at = _table(at, step, path, source, place)[step]
    _table(at, path[-1], path, source, place)[path[-1]] = value


def _table(
    at: object, step: str | int, path: Path_, source: JobText, place: int
) -> dict[str | int, object]:
    """A table or list in which a step can be taken; both are asked in the same way."""
    named = isinstance(at, dict) and isinstance(step, str)
    counted = isinstance(at, list) and isinstance(step, int) and step < len(at)
    if not named and not counted:
        text = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
        raise source.error(
            ("vary", place, "key"),
            f"is {text.lstrip('.')!r}, which the base job has no place for: a list there is "
            "shorter, or the way leads through a value. Indices count from 0.",
        )
    return cast("dict[str | int, object]", at)


def _plain(value: float) -> float:
    """Without the noise of the last binary digits, which no drawing means."""
    return float(f"{value:.12g}")
