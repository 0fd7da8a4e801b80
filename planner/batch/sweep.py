"""A sweep: one base job and the keys that vary, as TOML; each combination is a case."""

from __future__ import annotations

import copy
import itertools
import os
import random
import re
from collections.abc import Iterator, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Literal, cast

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator
from pydantic_core import PydanticCustomError

from planner.batch.case import Case, swept_value
from planner.errors import JobError
from planner.job.job_text import JobText, read_job_text
from robots.core.caps import Cap
from robots.core.robot_file.source_text import toml_text
from robots.core.schema_numbers import LARGEST, is_number
from robots.core.schema_problems import Fault, Vocabulary, one_error, schema_error, shown

_STEP = re.compile(r"([^.\[\]]+)|\[(\d+)\]")
_PATH = re.compile(r"[^.\[\]]+(?:\[\d+\]|\.[^.\[\]]+)*")
_EITHER = 'give either "values", or "from" and "to"'
WANTED = {
    "format": "1",
    "sweep": 'a table with base = "job.toml"',
    "vary": "tables with a key and its values, each headed [[vary]]",
    "base": "the name of a job file beside the sweep, in quotes",
    "design": '"grid", "zip" or "random"',
    "count": "a whole number of jobs",
    "seed": "a whole number from 0",
    "key": 'a key of the job in quotes, such as "travel.law" or "cell[0].name"',
    "values": "a list of values, such as [1, 2.5]",
    "steps": "a whole number of values, 2 or more",
}
Path_ = tuple[str | int, ...]


def sweep_cases(path: Path, name: str) -> Iterator[Case]:
    """The cases of a sweep file, each made when it is asked for.

    Args:
        path: of the file.
        name: what the file is called in the names of its cases.

    Raises:
        JobError: a fault in the sweep, its base job unreadable, a key that the base cannot have.
    """
    source = read_job_text(path)
    sweep = sweep_file(source)
    base = _base(path.parent, sweep.sweep.base, source)
    document = read_job_text(base).document()
    rows = list(_rows(sweep, source))
    width = len(str(len(rows)))
    for number, row in enumerate(rows, start=1):
        varied = copy.deepcopy(document)
        for place, (variation, value) in enumerate(zip(sweep.vary, row, strict=True)):
            _put(varied, variation.path, value, source, place)
        yield Case(
            name=f"{name}#{number:0{width}d}",
            job=base,
            text=toml_text(varied),
            swept=tuple(
                (v.key, swept_value(v.key, x)) for v, x in zip(sweep.vary, row, strict=True)
            ),
        )


def _base(folder: Path, name: str, source: JobText) -> Path:
    """The whole path of the base job; workers may stand elsewhere."""
    try:
        base = (folder / name).resolve()
        inside = base.is_relative_to(folder.resolve())
    except (OSError, ValueError, RuntimeError) as error:  # a zero byte, links in a circle
        raise source.error(
            ("sweep", "base"), f"is {shown(name)}, which is no usable path: {error}."
        ) from None
    if not inside:
        raise source.error(("sweep", "base"), f"is {shown(name)}, which leaves the sweep's folder.")
    if not os.path.lexists(base):
        raise source.error(
            ("sweep", "base"), f"is {shown(name)}, and no such file is there; name a job beside it."
        )
    return base


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
    start: object = Field(default=None, alias="from", description="a finite number")
    end: object = Field(default=None, alias="to", description="a finite number")
    steps: int = Field(default=0, ge=0, description="values of a range")

    @field_validator("values", "steps")
    @classmethod
    def _few_values(cls, found: list[object] | int) -> list[object] | int:
        _check_cap(len(found) if isinstance(found, list) else found, Cap.SWEEP_JOBS)
        return found

    @property
    def path(self) -> Path_:
        """The key as steps: names of tables and indices from 0."""
        return tuple(name or int(index) for name, index in _STEP.findall(self.key))

    @property
    def ends(self) -> tuple[float, float]:
        """Both ends of a range, in the order of the file."""
        return float(str(self.start)), float(str(self.end))

    def listed(self) -> list[object]:
        """The values in order; a range evenly spaced, its ends included."""
        if self.values:
            return list(self.values)
        if not self.steps:
            return []
        low, high = self.ends
        width = high - low
        return [_plain(low + width * (step / (self.steps - 1))) for step in range(self.steps)]

    def drawn(self, draw: random.Random) -> object:
        """One value at random: one of the list, or anywhere in the range."""
        if self.values:
            return self.values[int(draw.random() * len(self.values))]
        low, high = self.ends
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


def sweep_file(source: JobText) -> SweepFile:
    """What a sweep file says.

    Args:
        source: its text.

    Raises:
        JobError: the first faults, each with its line and key.
    """
    try:
        sweep = SweepFile.model_validate(source.document())
    except ValidationError as error:
        raise schema_error(source, error, Vocabulary(root=SweepFile, wanted=WANTED)) from None
    faults = [*_head_faults(sweep.sweep), *_repeated(sweep.vary)]
    for place, variation in enumerate(sweep.vary):
        faults += _faults(variation, place)
    if faults:
        raise one_error(source, faults)
    return sweep


def _check_cap(count: int, cap: Cap) -> None:
    if count > cap.limit:
        expected = f"at most {cap.limit} {cap.unit} of a sweep; {cap.advice}"
        raise PydanticCustomError("cap", "{expected}", {"expected": expected})


def _head_faults(head: Head) -> Iterator[Fault]:
    if head.design != "random" and "count" in head.model_fields_set:
        makes = "every combination" if head.design == "grid" else "one job per place of its lists"
        yield Fault(
            path=("sweep", "count"),
            sentence=f'is {head.count}, and design = "{head.design}" makes {makes}; only a random '
            'design counts: give design = "random", or leave "count" out.',
        )


def _repeated(vary: list[Variation]) -> Iterator[Fault]:
    first: dict[str, int] = {}
    for place, variation in enumerate(vary):
        before = first.setdefault(variation.key, place)
        if before != place:
            yield Fault(
                path=("vary", place, "key"),
                sentence=f"is {shown(variation.key)}, which vary[{before}] varies already; put all "
                "its values into one [[vary]].",
            )


def _faults(variation: Variation, place: int) -> Iterator[Fault]:
    """What is wrong with one key that varies; the first thing explains the others."""
    given = variation.model_fields_set
    if {"start", "end"} & given and "values" in given:
        yield Fault(path=("vary", place), sentence=f"has values and a range; {_EITHER}.")
    elif not {"start", "end"} & given and not variation.values:
        empty = "has an empty list of values" if "values" in given else "has no values"
        yield Fault(path=("vary", place), sentence=f"{empty}; {_EITHER}.")
    elif variation.values and "steps" in given:
        yield Fault(
            path=("vary", place, "steps"),
            sentence=f'is {variation.steps}, and "values" lists them already; leave "steps" out, '
            'or give "from" and "to" in place of "values".',
        )
    elif not variation.values:
        yield from _range_faults(variation, place)


def _range_faults(variation: Variation, place: int) -> Iterator[Fault]:
    for name, field, value in (("from", "start", variation.start), ("to", "end", variation.end)):
        if field not in variation.model_fields_set:
            yield Fault(
                path=("vary", place, name), sentence='is missing; a range has both "from" and "to".'
            )
        elif not _usable(value):
            yield Fault(
                path=("vary", place, name),
                sentence=f"is {shown(value)}; a range ends at finite numbers up to {LARGEST:e}, "
                f"such as {name} = {'10' if name == 'from' else '20.5'}.",
            )
    if variation.steps == 1:
        yield Fault(
            path=("vary", place, "steps"),
            sentence="is 1; a range has at least two steps, its ends: give 2 or more, or "
            '"values" with the one.',
        )


def _usable(value: object) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | Decimal):
        return False
    return is_number(value)


def _plain(value: float) -> float:
    """Without the noise of the last binary digits, which no drawing means."""
    return float(f"{value:.12g}")


def faults_of_first_cases(cases: Sequence[Case]) -> Iterator[str]:
    """What the job schema refuses in the first case of each sweep, such as a misspelt key.

    Only the schema is asked, so no file that a job names is read, and other cases may still be
    right where a sweep varies what decides which keys there are.

    Args:
        cases: of a batch, in order.
    """
    seen: set[str] = set()
    for case in cases:
        sweep = case.name.rpartition("#")[0]
        if case.text and sweep not in seen:
            seen.add(sweep)
            fault = _fault(case)
            if fault is not None:
                yield fault.message


def _fault(case: Case) -> JobError | None:
    from pydantic import ValidationError

    from planner.job.job_text import JobText, job_text, job_vocabulary
    from planner.job.schema import JobFile
    from robots.core.robot_file.source_text import SourceText
    from robots.core.schema_problems import schema_error

    try:
        JobFile.model_validate(job_text(case.job, case.text, in_file=False).document())
    except JobError as error:
        return error
    except ValidationError as error:
        # no file holds the text of a case, so a line of it would lead nowhere
        nameless = JobText(source=SourceText(origin=case.name, text=""), raw=b"")
        return schema_error(nameless, error, job_vocabulary())
    return None
