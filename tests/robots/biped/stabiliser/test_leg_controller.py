"""Single calls of the leg's models against the batch functions."""

from __future__ import annotations

import numpy as np
import pytest

from robots.biped.biped_file import open_biped
from robots.biped.stabiliser.leg_controller import LegController
from robots.core.model import Model


def test_models_are_those_of_the_batch():
    leg = open_biped("bip-leg").mechanism
    controller, model = LegController(leg), Model(leg)
    for q, qd, qdd in np.random.default_rng(3).uniform(-1.0, 1.0, (20, 3, 4)):
        found = controller.models(q, qd, qdd)
        np.testing.assert_allclose(found.T_base_tool, model.forward(q), atol=1e-14)
        np.testing.assert_allclose(found.tau, model.torques(q, qd, qdd), atol=1e-11)


def test_a_call_answers_in_the_same_arrays():
    controller = LegController(open_biped("bip-leg").mechanism)
    still = np.zeros(4)
    first = controller.models(still, still, still)
    assert controller.models(still + 0.1, still, still) is first
    with pytest.raises(ValueError, match="broadcast"):
        controller.models(np.zeros(5), still, still)
