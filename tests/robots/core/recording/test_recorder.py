"""The recorder: what folds, what is shared, what is dropped."""

from __future__ import annotations

import math
from collections import Counter
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from robots.core.kernels import Kernel
from robots.core.recording import Node, Operation, Recorder, derivative, recording_functions

FN = recording_functions()


@pytest.fixture
def recorder():
    return Recorder()


@pytest.fixture
def abc(recorder):
    return recorder.argument("x", (3,))


def same(a, b):
    return isinstance(a, Node) and (a.index, a.negative) == (b.index, b.negative)


def operations(recorder, *outputs):
    """Operations that the outputs cost, inputs and constants left out."""
    items = recorder.programme("f", outputs, (len(outputs),)).instructions
    return [item.operation for item in items if item.operation.operands > 0]


# --- constants -----------------------------------------------------------------------------------


def test_zero_and_one_fold(abc):
    a = abc[0]
    for found in (a + 0.0, 0.0 + a, a - 0.0, a * 1.0, 1.0 * a, a / 1.0, a + 0, 1 * a):
        assert same(found, a)
    for found in (a * -1.0, -1.0 * a, 0.0 - a, -a, a / -1.0):
        assert same(found, -a)
    for found in (a * 0.0, 0.0 * a, a - a, a + (-a), 0.0 / a):
        assert found == 0.0
        assert isinstance(found, float)


def test_signs_cost_nothing(recorder, abc):
    a, b, _ = abc
    minus = -a
    assert same(-minus, a)
    assert same((-a) * (-b), a * b)
    assert same((-a) * b, -(a * b))
    assert same((-a) / b, -(a / b))
    assert same((-a) / (-b), a / b)
    assert operations(recorder, -a, (-a) * b) == [Operation.MULTIPLY]


def test_constants_compute_at_once(recorder, abc):
    a = abc[0]
    two = recorder.add(1.0, 1.0)
    assert two == 2.0
    assert recorder.multiply(3.0, 0.5) == 1.5
    assert recorder.divide(3.0, 4.0) == 0.75
    assert FN.sin(0.5) == math.sin(0.5)
    assert FN.cos(0.0) == 1.0
    assert FN.sqrt(2.25) == 1.5
    assert [FN.sign(x) for x in (-3.0, 0.0, 7.0)] == [-1.0, 0.0, 1.0]
    assert same(a * two, 2.0 * a)


def test_constants_gather_in_front(recorder, abc):
    a, b, _ = abc
    assert same(2.0 * (3.0 * a), 6.0 * a)
    assert same(2.0 * (-3.0 * a), -6.0 * a)
    assert same((2.0 * a) * (3.0 * b), 6.0 * (a * b))
    assert same(0.5 * (2.0 * a), a)
    assert same((2.0 * a) * (-0.5 * b), -(a * b))
    assert operations(recorder, 2.0 * (3.0 * a)) == [Operation.MULTIPLY]


def test_the_same_constant_is_one_constant(recorder, abc):
    programme = recorder.programme("f", [abc[0] * 2.5, abc[1] * -2.5, abc[2] + 2.5], (3,))
    kinds = [item.operation for item in programme.instructions]
    assert kinds.count(Operation.CONSTANT) == 1


def test_division_by_a_power_of_two_is_a_multiplication(recorder, abc):
    a = abc[0]
    assert same(a / 4.0, 0.25 * a)
    assert operations(recorder, a / 4.0, a / -0.5) == [Operation.MULTIPLY] * 2
    # A third is not exact: dividing rounds once, multiplying by 1/3 twice.
    assert operations(recorder, a / 3.0) == [Operation.DIVIDE]


# --- sharing -------------------------------------------------------------------------------------


def test_sums_are_shared_in_any_order_and_sign(recorder, abc):
    a, b, _ = abc
    assert same(a + b, b + a)
    assert same(a - b, -(b - a))
    assert same(-a - b, -(a + b))
    assert same(-a + b, b - a)
    assert len(operations(recorder, a + b, b + a, -a - b)) == 1
    assert len(operations(recorder, a - b, b - a)) == 1


def test_products_and_functions_are_shared(recorder, abc):
    a, b, _ = abc
    assert same(a * b, b * a)
    assert same(FN.sin(a), FN.sin(a))
    assert same(a / b, a / b)
    assert not same(a / b, b / a)
    assert len(operations(recorder, FN.sin(a + b), FN.sin(b + a))) == 2


def test_a_sum_of_two_equal_terms_is_a_double(recorder, abc):
    a = abc[0]
    assert same(a + a, 2.0 * a)
    assert same(-a - a, -2.0 * a)
    assert operations(recorder, a + a) == [Operation.MULTIPLY]


def test_odd_and_even_functions_absorb_the_sign(abc):
    a, b, _ = abc
    assert same(FN.sin(-a), -FN.sin(a))
    assert same(FN.cos(-a), FN.cos(a))
    assert same(FN.sign(-a), -FN.sign(a))
    assert same(FN.sin(b - a), -FN.sin(a - b))
    assert same(FN.cos(b - a), FN.cos(a - b))


def test_sine_and_cosine_squared_add_up_to_one(abc):
    a, b, _ = abc
    s, c = FN.sin(a), FN.cos(a)
    assert s * s + c * c == 1.0
    assert c * c + s * s == 1.0
    assert -(s * s) - c * c == -1.0
    assert (-s) * s - c * c == -1.0
    for other in (s * s - c * c, s * s + s * s, s * s + FN.cos(b) * FN.cos(b), s * c + c * s):
        assert isinstance(other, Node)
    s, c = FN.sin(a + b), FN.cos(b + a)
    assert s * s + c * c == 1.0


# --- programmes ----------------------------------------------------------------------------------


def test_dead_code_is_dropped(recorder, abc):
    a, b, c = abc
    unused = FN.sin(a * b) / (c + 3.0)
    assert isinstance(unused, Node)
    programme = recorder.programme("f", [a + b], ())
    assert programme.work == 1
    assert len(programme.instructions) == 3  # two inputs, one sum
    assert programme.arguments[0].size == 3


def test_the_recorder_may_go_on_after_a_programme(recorder, abc):
    a, b, _ = abc
    first = recorder.programme("f", [a * b], ())
    FN.sin(a * b)
    again = recorder.programme("f", [a * b], ())
    assert first.text() == again.text()


def test_operands_stand_before_their_use(recorder, abc):
    a, b, c = abc
    outputs = [(a + b) * FN.sin(c) - a / (b + 2.0), FN.sqrt(a * a + b * b), -c, 4.0]
    programme = recorder.programme("f", outputs, (4,))
    for place, item in enumerate(programme.instructions):
        for operand in (item.a, item.b)[: item.operation.operands]:
            assert 0 <= operand < place
    assert len(programme.outputs) == 4


def test_constant_outputs_need_no_input(recorder):
    recorder.argument("x", (2,))
    programme = recorder.programme("f", [1.5, -2.0, 0.0], (3,))
    assert programme.work == 0
    np.testing.assert_array_equal(Kernel(programme, "numpy")([7.0, 8.0]), [1.5, -2.0, 0.0])


# --- refusals ------------------------------------------------------------------------------------


def test_division_by_the_constant_zero_is_refused(abc):
    with pytest.raises(ZeroDivisionError, match="divides by the constant zero"):
        abc[0] / 0.0


def test_a_root_of_any_difference_can_be_recorded(recorder, abc):
    """1 - x² is recorded as -(x² - 1); the root needs the difference itself."""
    root = recorder.programme("f", [FN.sqrt(1.0 - abc[0] * abc[0])], ())
    assert Kernel(root, "numpy")([0.6, 0.0, 0.0]) == pytest.approx(0.8)
    assert Kernel(root, "compiled")([0.6, 0.0, 0.0]) == pytest.approx(0.8)


def test_constants_fold_as_the_number_reading_has_them():
    assert math.isnan(FN.sqrt(-1.0))
    assert math.isnan(FN.sign(math.nan))
    assert FN.atan2(1.0, -1.0) == math.atan2(1.0, -1.0)
    assert FN.maximum(1.0, 2.0) == 2.0


def test_arctangent_and_maximum_keep_their_signs(recorder, abc):
    x, y, _ = abc
    programme = recorder.programme(
        "f", [FN.atan2(-y, x), FN.atan2(y, -x), FN.maximum(-x, 0.5), FN.maximum(x, y)], (4,)
    )
    at = np.array([0.3, -0.7, 0.0])
    expected = [math.atan2(0.7, 0.3), math.atan2(-0.7, -0.3), 0.5, 0.3]
    for engine in ("numpy", "compiled"):
        assert np.allclose(Kernel(programme, engine)(at), expected, atol=1e-15)


def test_mirrored_points_share_one_arc_tangent(recorder, abc):
    x, y, _ = abc
    mirrored = [FN.atan2(s * y, c * x) for s in (1.0, -1.0) for c in (1.0, -1.0)]
    programme = recorder.programme("f", mirrored, (4,))
    tally = Counter(item.operation for item in programme.instructions)
    assert (tally[Operation.ATAN2], tally[Operation.OPPOSITE]) == (1, 1)
    values = np.array([0.0, 1e-300, 1e-8, 0.3, 1.0, 7.0])
    points = np.array(
        [
            (a * u, b * v, 0.0)
            for u, v in product(values, values)
            if u or v
            for a, b in product((1.0, -1.0), repeat=2)
        ]
    )
    signs = [(s, c) for s in (1.0, -1.0) for c in (1.0, -1.0)]
    expected = np.column_stack([np.arctan2(s * points[:, 1], c * points[:, 0]) for s, c in signs])
    for engine in ("numpy", "compiled"):
        found = Kernel(programme, engine)(points)
        turns = (found - expected) / (2.0 * math.pi)  # π and -π are the same direction
        assert np.abs(turns - np.round(turns)).max() < 1e-16
        assert np.abs(found).max() <= math.pi


def test_the_opposite_of_an_angle_turns_as_the_angle_does(recorder, abc):
    """Its derivative is one; beside atan2 itself no programme holds it."""
    x, _, _ = abc
    opposite = recorder.unary(Operation.OPPOSITE, x)
    assert same(recorder.unary(Operation.OPPOSITE, -x), -opposite)
    assert recorder.unary(Operation.OPPOSITE, 1.0) == 1.0 - math.pi
    slopes = derivative(recorder.programme("f", [opposite], (1,)), "x")
    assert np.allclose(Kernel(slopes, "numpy")(np.array([0.3, 0.2, 0.1])), [[1.0, 0.0, 0.0]])


# --- law: a recording means what its equation says ------------------------------------------------

NUMBERS = st.sampled_from([0.0, 1.0, -1.0, 2.0, -0.5, 3.0, 0.1])


@st.composite
def expressions(draw, depth=4):
    """A random expression of scalars x and a reading's functions fn."""
    kind = draw(st.integers(0, 6)) if depth else draw(st.integers(0, 1))
    if kind == 0:
        place = draw(st.integers(0, 2))
        return lambda x, _: x[place]
    if kind == 1:
        number = draw(NUMBERS)
        return lambda *_: number
    left, right = draw(expressions(depth - 1)), draw(expressions(depth - 1))
    return {
        2: lambda x, fn: left(x, fn) + right(x, fn),
        3: lambda x, fn: left(x, fn) - right(x, fn),
        4: lambda x, fn: left(x, fn) * right(x, fn),
        5: lambda x, fn: fn.sin(left(x, fn)) * right(x, fn),
        6: lambda x, fn: fn.cos(-left(x, fn)) - right(x, fn),
    }[kind]


@given(expression=expressions(), x=st.tuples(*[st.floats(-3, 3)] * 3))
def test_recorded_and_direct_evaluation_agree(expression, x):
    from robots.core.equations.algebra import numbers

    recorder = Recorder()
    output = expression(recorder.argument("x", (3,)), FN)
    found = Kernel(recorder.programme("f", [output], ()), "numpy")(np.array(x))
    expected = expression(x, numbers())
    # At most 2⁴ leaves of size 3 multiplied together: rounding of 81·1e-16 and its growth.
    assert found == pytest.approx(expected, rel=1e-12, abs=1e-12)
