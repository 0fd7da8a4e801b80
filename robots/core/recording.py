"""Recording: equations run once over recorded nodes become a straight-line programme."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, NamedTuple

from robots.core.equations.algebra import NOTHING, Functions
from robots.core.errors import EquationError


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

    operands: int
    """How many values it reads."""

    def __init__(self, word: str) -> None:
        unary = ("sin", "cos", "sign", "sqrt", "opposite")
        self.operands = 0 if word in ("input", "constant") else 1 if word in unary else 2

    # Every value of a recording is sought among the others; names are hashed more slowly.
    __hash__ = object.__hash__


_OTHERS = (Operation.SIGN, Operation.SQRT, Operation.ATAN2, Operation.OPPOSITE, Operation.MAXIMUM)
FOLD: dict[Operation, Callable[[float], float]] = {
    Operation.SIN: math.sin,
    Operation.COS: math.cos,
    Operation.SIGN: lambda x: math.copysign(1.0, x) if x and not math.isnan(x) else x,
    Operation.SQRT: lambda x: math.sqrt(x) if x >= 0.0 else math.nan,
    Operation.OPPOSITE: lambda x: x - math.copysign(math.pi, x),
}
FOLD_TWO: dict[Operation, Callable[[float, float], float]] = {
    Operation.ATAN2: math.atan2,
    Operation.MAXIMUM: max,
}
Tangent = Mapping[int, Any]  # place in the argument -> partial derivative; absent is zero


class Instruction(NamedTuple):
    """One value: an operation on the values ``a`` and ``b`` (indices), or a constant's ``number``.

    For an input, ``a`` is the argument's index and ``b`` the position in that argument. A tuple,
    because a recording makes tens of thousands.
    """

    operation: Operation
    a: int = -1
    b: int = -1
    number: float = 0.0


class Output(NamedTuple):
    """One number of the result: a value, perhaps negated."""

    value: int
    negative: bool = False


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
        origin: name that it is kept under, of a recording; see ``robots.core.kernels.recordings``.
        content: its ``digest``, where that is known.
    """

    name: str
    arguments: tuple[Argument, ...]
    result: Argument
    instructions: tuple[Instruction, ...]
    outputs: tuple[Output, ...]
    origin: str = field(default="", repr=False, compare=False)
    content: str = field(default="", repr=False, compare=False)
    # Instructions that compute: a rough cost for deciding where compilation pays. Every model of a
    # mechanism asks each of its programmes, so they are counted once.
    work: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        work = sum(1 for one in self.instructions if one.operation.operands > 0)
        object.__setattr__(self, "work", work)

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
        return self.content or hashlib.sha256(self.text().encode()).hexdigest()


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


# ---------------------------------------------------------------------------------------- Recorder
# Common terms are shared because equal instructions are the same node (hash-consing); constants,
# including 0 and ±1, fold as they meet; a sign is carried by the reference and never costs an
# instruction; what no output needs is dropped when the programme is taken.


class Node:
    """A recorded value: a reference to an instruction, perhaps with a minus sign."""

    __slots__ = ("index", "negative", "recorder")

    def __init__(self, recorder: Recorder, index: int, negative: bool = False) -> None:
        self.recorder = recorder
        self.index = index
        self.negative = negative

    def __neg__(self) -> Node:
        return Node(self.recorder, self.index, not self.negative)

    def __add__(self, other: Any) -> Any:
        return self.recorder.add(self, other)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        return self.recorder.add(self, -other)

    def __rsub__(self, other: Any) -> Any:
        return self.recorder.add(-self, other)

    def __mul__(self, other: Any) -> Any:
        return self.recorder.multiply(self, other)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Any:
        return self.recorder.divide(self, other)

    def __rtruediv__(self, other: Any) -> Any:
        return self.recorder.divide(other, self)


class Recorder:
    """Builds one programme; equal sub-expressions become one instruction."""

    def __init__(self) -> None:
        self._instructions: list[Instruction] = []
        self._known: dict[Instruction, int] = {}
        self._arguments: list[Argument] = []

    def argument(self, name: str, shape: tuple[int, ...]) -> list[Node]:
        """Declare the next input array; its numbers in row-major order."""
        argument = Argument(name=name, shape=shape)
        self._arguments.append(argument)
        place = len(self._arguments) - 1
        return [self._node(Operation.INPUT, place, k) for k in range(argument.size)]

    def programme(self, name: str, outputs: Sequence[Any], shape: tuple[int, ...]) -> Programme:
        """The instructions that ``outputs`` need, renumbered.

        Args:
            name: what the programme computes.
            outputs: nodes or plain numbers, row-major.
            shape: shape of the result for one sample.
        """
        references = [self._reference(value) for value in outputs]
        kept = self._needed({node.index for node in references})
        place = {old: new for new, old in enumerate(kept)}
        return Programme(
            name=name,
            arguments=tuple(self._arguments),
            result=Argument(name=name, shape=shape),
            instructions=tuple(_renumbered(self._instructions[old], place) for old in kept),
            outputs=tuple(Output(place[node.index], node.negative) for node in references),
        )

    def add(self, a: Any, b: Any) -> Any:
        """Sum a + b, folded."""
        x, y = self._constant_of(a), self._constant_of(b)
        if x is not None and y is not None:
            return x + y
        if x == 0.0:
            return b
        if y == 0.0:
            return a
        left, right = self._reference(a), self._reference(b)
        if left.index == right.index:
            return 0.0 if left.negative != right.negative else self.multiply(2.0, left)
        if self._is_unit_circle(left, right):
            return -1.0 if left.negative else 1.0
        return self._sum(left, right)

    def multiply(self, a: Any, b: Any) -> Any:
        """a·b, folded; constants gather in front."""
        x, y = self._constant_of(a), self._constant_of(b)
        if x is not None and y is not None:
            return x * y
        if x is not None:
            return self._scaled(x, b)
        if y is not None:
            return self._scaled(y, a)
        inner_a, inner_b = self._split_constant(a), self._split_constant(b)
        factor = inner_a[0] * inner_b[0]
        product = self._product(inner_a[1], inner_b[1])
        return product if factor == 1.0 else self._scaled(factor, product)

    def divide(self, a: Any, b: Any) -> Any:
        """a/b; division by a constant is multiplication by its inverse when that is exact."""
        x, y = self._constant_of(a), self._constant_of(b)
        if y == 0.0:
            raise ZeroDivisionError("a recorded expression divides by the constant zero")
        if x is not None and y is not None:
            return x / y
        if x == 0.0:
            return 0.0
        if y is not None and math.frexp(y)[0] in (0.5, -0.5):
            return self.multiply(1.0 / y, a)
        left, right = self._reference(a), self._reference(b)
        node = self._node(Operation.DIVIDE, left.index, right.index)
        return -node if left.negative != right.negative else node

    def unary(self, operation: Operation, a: Any) -> Any:
        """Record a function of one value; odd and even functions absorb the sign."""
        x = self._constant_of(a)
        if x is not None:
            return FOLD[operation](x)
        inner = self._unsigned(a) if operation is Operation.SQRT else a
        node = self._node(operation, inner.index)
        odd = operation in (Operation.SIN, Operation.SIGN, Operation.OPPOSITE)
        return -node if odd and a.negative else node

    def binary(self, operation: Operation, a: Any, b: Any) -> Any:
        """atan2 or the larger of two values."""
        x, y = self._constant_of(a), self._constant_of(b)
        if x is not None and y is not None:
            return FOLD_TWO[operation](x, y)
        left, right = self._reference(a), self._reference(b)
        if operation is Operation.ATAN2:
            return self._arctangent(left, right)
        return self._node(operation, self._unsigned(left).index, self._unsigned(right).index)

    def _arctangent(self, sine: Node, cosine: Node) -> Node:
        """Points mirrored at an axis share one arc tangent, which is the dearest operation."""
        angle = self._node(Operation.ATAN2, sine.index, cosine.index)
        if cosine.negative:
            angle = -self._node(Operation.OPPOSITE, angle.index)
        return -angle if sine.negative else angle

    def _unsigned(self, node: Node) -> Node:
        """The value itself where a negated reference will not do."""
        if not node.negative:
            return node
        return self._node(Operation.SUBTRACT, self._number(0.0).index, node.index)

    def _sum(self, left: Node, right: Node) -> Node:
        """Canonical sum: equal operands in any order and sign give the same instruction."""
        if left.index > right.index:
            left, right = right, left
        operation = Operation.ADD if left.negative == right.negative else Operation.SUBTRACT
        node = self._node(operation, left.index, right.index)
        return -node if left.negative else node

    def _product(self, left: Node, right: Node) -> Node:
        if left.index > right.index:
            left, right = right, left
        node = self._node(Operation.MULTIPLY, left.index, right.index)
        return -node if left.negative != right.negative else node

    def _scaled(self, factor: float, value: Any) -> Any:
        """factor·value with a positive constant in front."""
        if factor == 0.0:
            return 0.0
        inner = self._split_constant(value)
        factor *= inner[0]
        node = inner[1]
        if factor < 0.0:
            factor, node = -factor, -node
        if factor == 1.0:
            return node
        return self._product(self._number(factor), node)

    def _split_constant(self, value: Any) -> tuple[float, Node]:
        """(c, x) for a recorded c·x, (1, x) otherwise; the sign stays with x."""
        node: Node = value
        item = self._instructions[node.index]
        if item.operation is Operation.MULTIPLY:
            front = self._instructions[item.a]
            if front.operation is Operation.CONSTANT:
                return front.number, Node(self, item.b, node.negative)
            back = self._instructions[item.b]
            if back.operation is Operation.CONSTANT:
                return back.number, Node(self, item.a, node.negative)
        return 1.0, node

    def _is_unit_circle(self, left: Node, right: Node) -> bool:
        """Return whether the two are cos² and sin² of one angle with the same sign."""
        if left.negative != right.negative:
            return False
        squares = [self._instructions[node.index] for node in (left, right)]
        if any(s.operation is not Operation.MULTIPLY or s.a != s.b for s in squares):
            return False
        roots = [self._instructions[s.a] for s in squares]
        kinds = {root.operation for root in roots}
        return kinds == {Operation.SIN, Operation.COS} and roots[0].a == roots[1].a

    def _constant_of(self, value: Any) -> float | None:
        if not isinstance(value, Node):
            return float(value)
        item = self._instructions[value.index]
        if item.operation is not Operation.CONSTANT:
            return None
        return -item.number if value.negative else item.number

    def _reference(self, value: Any) -> Node:
        if isinstance(value, Node):
            return value
        return self._number(float(value))

    def _number(self, number: float) -> Node:
        return Node(self, self._index(Instruction(Operation.CONSTANT, number=number)))

    def _node(self, operation: Operation, a: int, b: int = -1) -> Node:
        return Node(self, self._index(Instruction(operation, a, b)))

    def _index(self, item: Instruction) -> int:
        known = self._known.get(item)
        if known is None:
            known = len(self._instructions)
            self._instructions.append(item)
            self._known[item] = known
        return known

    def _needed(self, roots: set[int]) -> list[int]:
        """Indices that the roots depend on, in execution order."""
        needed = set(roots)
        for index in range(len(self._instructions) - 1, -1, -1):
            if index in needed:
                item = self._instructions[index]
                needed.update((item.a, item.b)[: item.operation.operands])
        return sorted(needed)


def recording_functions() -> Functions:
    """Functions of recorded values; plain numbers are computed at once."""
    return Functions(
        sin=lambda x: _apply(Operation.SIN, x),
        cos=lambda x: _apply(Operation.COS, x),
        sign=lambda x: _apply(Operation.SIGN, x),
        sqrt=lambda x: _apply(Operation.SQRT, x),
        atan2=lambda y, x: _apply_two(Operation.ATAN2, y, x),
        maximum=lambda a, b: _apply_two(Operation.MAXIMUM, a, b),
        nonzero=_nonzero,
    )


def _nonzero(x: Any) -> Any:
    """Divide in place of zero; the sign stays outside, where it costs nothing."""
    return -(-x + NOTHING) if isinstance(x, Node) and x.negative else x + NOTHING


def _apply(operation: Operation, x: Any) -> Any:
    return x.recorder.unary(operation, x) if isinstance(x, Node) else FOLD[operation](float(x))


def _apply_two(operation: Operation, a: Any, b: Any) -> Any:
    for value in (a, b):
        if isinstance(value, Node):
            return value.recorder.binary(operation, a, b)
    return FOLD_TWO[operation](float(a), float(b))


def _renumbered(item: Instruction, place: Mapping[int, int]) -> Instruction:
    if item.operation.operands == 0:
        return item
    b = place[item.b] if item.operation.operands == 2 else -1
    return Instruction(item.operation, place[item.a], b)


# -------------------------------------------------------------------------------------- Derivative
# Values and tangents are recorded anew, so constants fold, equal terms are shared (a product and
# its derivative use the same sines and cosines) and tangents that are zero cost nothing.


@dataclass(frozen=True, slots=True, kw_only=True)
class _Value:
    """A recorded value and its partial derivatives."""

    primal: Any
    tangent: Tangent


def derivative(programme: Programme, argument: str) -> Programme:
    """Partial derivatives of every number of the result by every number of one argument.

    The derivative of a sign is taken as zero, which it is wherever it exists; a square root has
    none at zero and gives a division by zero there; the larger of two equal values has the mean
    of their derivatives.

    Args:
        programme: what to differentiate.
        argument: name of the argument to differentiate by, of ``size`` numbers.

    Returns:
        A programme of the same arguments, result shape (*result, size): its last index is the place
        in the argument, row-major.

    Raises:
        EquationError: the programme has no such argument; the message lists those it has. Or it
            takes an arc tangent.
    """
    place = _place(programme, argument)
    recorder = Recorder()
    inputs = [recorder.argument(given.name, given.shape) for given in programme.arguments]
    values: list[_Value] = []
    for item in programme.instructions:
        values.append(_step(recorder, item, values, inputs, place))
    size = programme.arguments[place].size
    outputs = [x for out in programme.outputs for x in _row(values[out.value], out, size)]
    name = f"{programme.name}_by_{argument}"
    return recorder.programme(name, outputs, (*programme.result.shape, size))


def _place(programme: Programme, argument: str) -> int:
    names = [given.name for given in programme.arguments]
    if argument not in names:
        raise EquationError(
            f"{programme.name} has no argument {argument!r} to differentiate by; "
            f"it has {', '.join(names)}.",
            argument=argument,
        )
    return names.index(argument)


def _row(value: _Value, out: Output, size: int) -> list[Any]:
    row = [value.tangent.get(k, 0.0) for k in range(size)]
    return [-x for x in row] if out.negative else row


def _step(
    recorder: Recorder,
    item: Instruction,
    values: Sequence[_Value],
    inputs: Sequence[Sequence[Any]],
    place: int,
) -> _Value:
    """One instruction with its derivative."""
    if item.operation is Operation.CONSTANT:
        return _Value(primal=item.number, tangent={})
    if item.operation is Operation.INPUT:
        tangent = {item.b: 1.0} if item.a == place else {}
        return _Value(primal=inputs[item.a][item.b], tangent=tangent)
    if item.operation.operands == 1:
        return _unary(recorder, item.operation, values[item.a])
    return _binary(recorder, item.operation, values[item.a], values[item.b])


def _unary(recorder: Recorder, operation: Operation, a: _Value) -> _Value:
    primal = recorder.unary(operation, a.primal)
    slope: Any = 0.0
    if a.tangent and operation is Operation.SIN:
        slope = recorder.unary(Operation.COS, a.primal)
    elif a.tangent and operation is Operation.COS:
        slope = -recorder.unary(Operation.SIN, a.primal)
    elif a.tangent and operation is Operation.SQRT:
        slope = recorder.divide(0.5, primal)
    elif operation is Operation.OPPOSITE:
        slope = 1.0
    return _Value(primal=primal, tangent=_scaled(recorder, slope, a.tangent))


def _binary(recorder: Recorder, operation: Operation, a: _Value, b: _Value) -> _Value:
    if operation is Operation.ADD:
        primal = recorder.add(a.primal, b.primal)
        return _Value(primal=primal, tangent=_sum(recorder, a.tangent, b.tangent))
    if operation is Operation.SUBTRACT:
        minus = {k: -x for k, x in b.tangent.items()}
        primal = recorder.add(a.primal, -b.primal)
        return _Value(primal=primal, tangent=_sum(recorder, a.tangent, minus))
    if operation is Operation.MULTIPLY:
        left = _scaled(recorder, b.primal, a.tangent)
        right = _scaled(recorder, a.primal, b.tangent)
        primal = recorder.multiply(a.primal, b.primal)
        return _Value(primal=primal, tangent=_sum(recorder, left, right))
    if operation is Operation.MAXIMUM:
        # The derivative of the larger one; where they are equal, the mean of both.
        side = recorder.unary(Operation.SIGN, recorder.add(a.primal, -b.primal))
        half = recorder.multiply(0.5, side)
        left = _scaled(recorder, recorder.add(0.5, half), a.tangent)
        right = _scaled(recorder, recorder.add(0.5, -half), b.tangent)
        primal = recorder.binary(Operation.MAXIMUM, a.primal, b.primal)
        return _Value(primal=primal, tangent=_sum(recorder, left, right))
    if operation is not Operation.DIVIDE:
        raise EquationError(
            f"A programme with {operation.value} has no derivative here; differentiate what stands "
            "before it.",
            operation=operation.value,
        )
    # (a/b)' = (a' - (a/b)·b')/b: one division more per partial derivative, no square of b.
    primal = recorder.divide(a.primal, b.primal)
    rest = _sum(recorder, a.tangent, _scaled(recorder, -primal, b.tangent))
    return _Value(primal=primal, tangent={k: recorder.divide(x, b.primal) for k, x in rest.items()})


def _scaled(recorder: Recorder, factor: Any, tangent: Tangent) -> Tangent:
    return {k: recorder.multiply(factor, x) for k, x in tangent.items()}


def _sum(recorder: Recorder, left: Tangent, right: Tangent) -> Tangent:
    both = dict(left)
    for k, x in right.items():
        both[k] = recorder.add(both[k], x) if k in both else x
    return both
