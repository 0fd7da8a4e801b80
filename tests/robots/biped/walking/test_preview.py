"""Preview control: published gains to the printed digits."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from robots.biped.errors import BipedError
from robots.biped.scenarios.walk import CartTable, preview_gains, run_preview
from tests.cases import cases


@pytest.mark.parametrize(
    ("height", "G_i", "G_x"),
    [
        (0.814, 618.702, (72719.439, 21549.598, 177.013)),
        (1.011, 586.687, (76569.909, 25174.716, 193.777)),
    ],
)
def test_published_gains(height, G_i, G_x):
    """bip2000.md: T 5 ms, N 320, Q 1, R 1e-6, g 9.81; printed to three decimals."""
    gains = preview_gains(CartTable(height=height), 320)
    assert gains.G_i == pytest.approx(G_i, abs=5e-4)
    np.testing.assert_allclose(gains.G_x, G_x, atol=5e-4, rtol=0)
    assert gains.G_p.shape == (320,)
    assert gains.G_p[0] == pytest.approx(-gains.G_i)
    assert gains.horizon == pytest.approx(1.6)


def test_gains_are_those_of_the_finite_horizon_optimum():
    """An independent oracle: the Riccati recursion, run until it stands still."""
    table = CartTable(height=0.9)
    A, B, C = table.transition, table.input, table.output
    At = np.block([[np.ones((1, 1)), (C @ A)[None]], [np.zeros((3, 1)), A]])
    Bt = np.concatenate([[C @ B], B])[:, None]
    Q = np.diag([1.0, 0, 0, 0])
    P = Q
    for _ in range(4000):
        K = (Bt.T @ P @ At) / (1e-6 + Bt.T @ P @ Bt)
        P = Q + At.T @ P @ (At - Bt @ K)
    gains = preview_gains(table, 10)
    # 4000 steps of a pole near 0.985 leave nothing of the start; rounding remains.
    np.testing.assert_allclose(K[0], [gains.G_i, *gains.G_x], rtol=1e-6)


def test_preview_row_takes_the_state_along():
    """A world moved by one metre changes nothing: with a long preview G_x[0] = −ΣG_p."""
    gains = preview_gains(CartTable(height=0.8), 4000)
    assert gains.G_p.sum() == pytest.approx(-gains.G_x[0], rel=1e-6)


@settings(max_examples=cases(gate=6, soak=15), deadline=None)
@given(origin=st.floats(-50, 50), step=st.floats(-0.3, 0.3))
def test_follows_a_step_and_comes_to_rest(origin, step):
    gains = preview_gains(CartTable(height=0.9))
    t = np.arange(1200) * 0.005
    wanted = origin + step * np.clip((t - 2.0) / 0.4, 0, 1)
    motion = run_preview(gains, wanted[:, None])
    # The error is linear in the step: 1.8 mm for 0.22 m at 1.011 m (bip2000.md).
    assert np.abs(motion.zmp[:, 0] - wanted).max() <= 0.009 * abs(step) + 1e-9
    assert motion.position[-1, 0] == pytest.approx(origin + step, abs=1e-3 * abs(step) + 1e-9)
    assert abs(motion.velocity[-1, 0]) <= 1e-3 * abs(step) + 1e-9


def test_published_zmp_errors():
    """bip2000.md: 0.2 m steps, 2 s, 0.4 s on both feet: at most 1.6 mm in x, 1.8 mm in y."""
    t = np.arange(0, 14, 0.005)
    ticks = [0, 2, 2.4, 4, 4.4, 6, 6.4, 8, 8.4]
    x = np.interp(t, ticks, [0, 0, 0, 0, 0.2, 0.2, 0.4, 0.4, 0.4])
    y = np.interp(t, ticks, [0, 0, 0.11, 0.11, -0.11, -0.11, 0.11, 0.11, 0])
    reference = np.column_stack([x, y])
    motion = run_preview(preview_gains(CartTable(height=1.011)), reference)
    worst = 1e3 * np.abs(motion.zmp - reference).max(axis=0)
    assert worst[0] < 1.65
    assert worst[1] < 1.85


def test_cart_table_law():
    gains = preview_gains(CartTable(height=0.7))
    wanted = np.cumsum(np.random.default_rng(3).normal(size=(300, 2)), axis=0) * 1e-3
    motion = run_preview(gains, wanted)
    np.testing.assert_allclose(
        motion.zmp, motion.position - 0.7 / 9.81 * motion.acceleration, atol=1e-12
    )
    # Jerk held for a period: position is the exact cubic.
    jerk = np.diff(motion.acceleration, axis=0) / 0.005
    ahead = (
        motion.position[:-1]
        + 0.005 * motion.velocity[:-1]
        + 0.005**2 / 2 * motion.acceleration[:-1]
        + 0.005**3 / 6 * jerk
    )
    np.testing.assert_allclose(motion.position[1:], ahead, atol=1e-12)


def test_start_state_is_honoured():
    gains = preview_gains(CartTable(height=0.9))
    start = np.array([[0.01, 0.1, 0.0]])
    motion = run_preview(gains, np.zeros((900, 1)), start)
    assert motion.position[0, 0] == 0.01
    assert motion.velocity[0, 0] == 0.1
    assert abs(motion.position[-1, 0]) < 1e-4


@pytest.mark.parametrize("field", ["height", "period", "gravity"])
@pytest.mark.parametrize("value", [0.0, -1.0, np.nan, np.inf])
def test_bad_table(field, value):
    with pytest.raises(BipedError, match=f"cart-table's {field}") as caught:
        CartTable(**{"height": 1.0, field: value})
    assert caught.value.facts["limit"] == 0.0


def test_bad_gains_and_references():
    with pytest.raises(BipedError, match="N = 0"):
        preview_gains(CartTable(height=1.0), 0)
    with pytest.raises(BipedError, match="R = 0"):
        preview_gains(CartTable(height=1.0), 10, jerk_weight=0.0)
    gains = preview_gains(CartTable(height=1.0), 5)
    for reference in (np.zeros(4), np.zeros((0, 2)), np.full((3, 1), np.nan)):
        with pytest.raises(BipedError, match="ZMP reference"):
            run_preview(gains, reference)
