"""Alignment by given numbers."""

from __future__ import annotations

import numpy as np
import pytest

from parts.alignment.alignment import Alignment, fixed, move_points, rotation_zyx
from parts.errors import AlignmentError


def test_translation_and_roll_pitch_yaw():
    found = fixed([0.1, 0.2, 0.3], [0.5, -0.2, 0.1])
    assert np.array_equal(found.T_base_part[:3, :3], rotation_zyx([0.5, -0.2, 0.1]))
    assert found.T_base_part[:3, 3].tolist() == [0.1, 0.2, 0.3]
    assert found.method == "fixed"
    assert found.convergence is None
    assert np.abs(found.T_base_part @ found.T_part_base - np.eye(4)).max() < 1e-16 * 4


def test_residuals_are_what_measured_points_miss():
    nominal, miss = np.eye(3), np.array([0, 0.003, 0.004])
    T = fixed([0, 0, 1]).T_base_part
    found = fixed([0, 0, 1], nominal=nominal, measured=move_points(T, nominal) + miss)
    assert found.residuals == pytest.approx([0.005] * 3, abs=1e-15)
    assert found.rms == pytest.approx(0.005, abs=1e-15)


def test_values_cannot_be_changed():
    found = fixed([0, 0, 1])
    with pytest.raises(ValueError, match="read-only"):
        found.T_base_part[0, 0] = 2.0
    assert isinstance(found, Alignment)


def test_faults():
    with pytest.raises(AlignmentError, match=r"Row 1 of the translation is .* finite numbers"):
        fixed([0, np.inf, 0])
    with pytest.raises(AlignmentError, match="angles have shape"):
        fixed([0, 0, 0], [1, 2])
    with pytest.raises(AlignmentError, match="measured points have shape"):
        fixed([0, 0, 0], nominal=np.eye(3), measured=np.eye(3)[:2])
