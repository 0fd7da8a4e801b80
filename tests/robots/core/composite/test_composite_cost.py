"""Compositions of a robot: a choice of cuts, each as good as the robot's own model."""

from __future__ import annotations

from robots.core.composite.benchmark import composite_cost, compositions
from robots.library import load


def test_every_cut_of_a_chain_agrees():
    found = list(compositions(load("planar-4r")))
    assert [one.title for one in found] == [
        *("cut at q2", "cut at q3", "cut at q4", "cut at q3, standing on q4")
    ]
    cost = composite_cost(found[0])
    assert cost.agrees
    assert cost.composite_us > 0.0 < cost.monolithic_us
