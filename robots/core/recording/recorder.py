"""The recorder: a scalar that writes down what is done to it.

Common terms are shared because equal instructions are the same node (hash-consing); constants,
including 0 and ±1, fold as they meet; a sign is carried by the reference and never costs an
instruction; what no output needs is dropped when the programme is taken.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from robots.core.equations.functions import Functions
from robots.core.recording.folds import FOLD, FOLD_TWO
from robots.core.recording.programme import (
    Argument,
    Instruction,
    Operation,
    Output,
    Programme,
)

Number = float | int


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
        """Whether the two are cos² and sin² of one angle with the same sign."""
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
    )


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
