"""Capsules → ``<collision>`` elements: a cylinder and the two spheres that round it off."""

from __future__ import annotations

from typing import Any

import numpy as np

from robots.core.arrays import Array
from robots.core.capsule import Capsule
from robots.core.orientation.axis_angle import turn_between
from robots.core.pose import angles_zyx

Element = Any  # lxml's element class is private


def add_collisions(link: Element, capsule: Capsule) -> None:
    """Append a capsule to a link: one sphere for a ball, else cylinder, sphere, sphere."""
    size = {"radius": repr(capsule.radius + 0.0)}
    axis = capsule.end - capsule.start
    length = float(np.linalg.norm(axis))
    if length == 0.0:
        _add(link, capsule.name, capsule.start, "sphere", size)
        return
    R = turn_between([0.0, 0.0, 1.0], axis / length).rotation
    yaw, pitch, roll = angles_zyx(R).angles
    middle = 0.5 * (capsule.start + capsule.end)
    cylinder = size | {"length": repr(length)}
    _add(link, capsule.name, middle, "cylinder", cylinder, rpy=_numbers([roll, pitch, yaw]))
    _add(link, f"{capsule.name} start", capsule.start, "sphere", size)
    _add(link, f"{capsule.name} end", capsule.end, "sphere", size)


def _add(
    link: Element,
    name: str,
    place: Array,
    tag: str,
    size: dict[str, str],
    *,
    rpy: str = "0 0 0",
) -> None:
    from lxml import etree

    collision = etree.SubElement(link, "collision", name=name)
    etree.SubElement(collision, "origin", xyz=_numbers(place), rpy=rpy)
    etree.SubElement(etree.SubElement(collision, "geometry"), tag, size)


def _numbers(values: Any) -> str:
    return " ".join(repr(float(value) + 0.0) for value in values)
