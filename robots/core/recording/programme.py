"""A straight-line programme: what a recording leaves, in the order it is to be executed."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from enum import Enum


class Operation(Enum):
    """One instruction's operation; operands are earlier values of the programme.

    The opposite of an angle in [-π, π] is half a turn away and in the same range.
    """

    INPUT = "input"
    CONSTANT = "constant"
    ADD = "add"
    SUBTRACT = "sub"
    MULTIPLY = "mul"
    DIVIDE = "div"
    SIN = "sin"
    COS = "cos"
    SIGN = "sign"
    SQRT = "sqrt"
    ATAN2 = "atan2"
    OPPOSITE = "opposite"
    MAXIMUM = "max"

    @property
    def operands(self) -> int:
        """How many values it reads."""
        if self in (Operation.INPUT, Operation.CONSTANT):
            return 0
        return 1 if self in _UNARY else 2


_UNARY = (Operation.SIN, Operation.COS, Operation.SIGN, Operation.SQRT, Operation.OPPOSITE)
_OTHERS = (
    Operation.SIGN,
    Operation.SQRT,
    Operation.ATAN2,
    Operation.OPPOSITE,
    Operation.MAXIMUM,
)


@dataclass(frozen=True, slots=True)
class Instruction:
    """One value: an operation on the values ``a`` and ``b`` (indices), or a constant's ``number``.

    For an input, ``a`` is the argument's index and ``b`` the position in that argument.
    """

    operation: Operation
    a: int = -1
    b: int = -1
    number: float = 0.0


@dataclass(frozen=True, slots=True)
class Output:
    """One number of the result: a value, perhaps negated."""

    value: int
    negative: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class OperationCounts:
    """Arithmetic of a programme. Negations ride on additions and are not counted."""

    multiplications: int
    additions: int
    divisions: int
    sines_cosines: int
    others: int

    def __str__(self) -> str:
        """Short form for tables."""
        text = f"{self.multiplications} mul + {self.additions} add + {self.sines_cosines} sin/cos"
        if self.divisions:
            text += f" + {self.divisions} div"
        return text + (f" + {self.others} other" if self.others else "")


@dataclass(frozen=True, slots=True, kw_only=True)
class Argument:
    """A named input or output array: ``size`` numbers per sample, shown to users as ``shape``."""

    name: str
    shape: tuple[int, ...]

    @property
    def size(self) -> int:
        """Numbers per sample."""
        size = 1
        for extent in self.shape:
            size *= extent
        return size


@dataclass(frozen=True, slots=True, kw_only=True)
class Programme:
    """Instructions from inputs to one output array, with nothing dead among them.

    Args:
        name: what it computes.
        arguments: input arrays in call order.
        result: the output array.
        instructions: inputs and constants included; operands stand before their use.
        outputs: row-major numbers of the result.
    """

    name: str
    arguments: tuple[Argument, ...]
    result: Argument
    instructions: tuple[Instruction, ...]
    outputs: tuple[Output, ...]

    @property
    def counts(self) -> OperationCounts:
        """How much arithmetic one sample costs."""
        tally = dict.fromkeys(Operation, 0)
        for instruction in self.instructions:
            tally[instruction.operation] += 1
        return OperationCounts(
            multiplications=tally[Operation.MULTIPLY],
            additions=tally[Operation.ADD] + tally[Operation.SUBTRACT],
            divisions=tally[Operation.DIVIDE],
            sines_cosines=tally[Operation.SIN] + tally[Operation.COS],
            others=sum(tally[operation] for operation in _OTHERS),
        )

    @property
    def work(self) -> int:
        """Instructions that compute; a rough cost for deciding where compilation pays."""
        return sum(1 for i in self.instructions if i.operation.operands > 0)

    def text(self) -> str:
        """Canonical text: equal programmes have equal text, on every machine."""
        shapes = [f"{a.name}{list(a.shape)}" for a in (*self.arguments, self.result)]
        lines = [f"{self.name}({', '.join(shapes)})"]
        for index, item in enumerate(self.instructions):
            body = (
                item.number.hex() if item.operation is Operation.CONSTANT else f"{item.a} {item.b}"
            )
            lines.append(f"{index} {item.operation.value} {body}")
        lines.extend(f"out {'-' if out.negative else '+'}{out.value}" for out in self.outputs)
        return "\n".join(lines)

    @property
    def digest(self) -> str:
        """Content hash, the key of every cache."""
        return hashlib.sha256(self.text().encode()).hexdigest()
