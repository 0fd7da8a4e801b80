"""All gains of a stabilised robot, with the defaults that were tuned for BIP's leg and robot."""

from __future__ import annotations

from dataclasses import dataclass, field

from robots.biped.stabiliser.fields import Fields
from robots.biped.stabiliser.follower import Follower
from robots.biped.stabiliser.virtual_robot import VirtualRobot


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Gains:
    """Gains by what they belong to.

    Args:
        fields: walls and attractor.
        virtual: virtual robot.
        follower: drives of the physical robot.
    """

    fields: Fields = field(default_factory=Fields)
    virtual: VirtualRobot = field(default_factory=VirtualRobot)
    follower: Follower = field(default_factory=Follower)


# With twice the joints that the centre of mass asks for, they go back to where they were.
ON_TWO_FEET = Gains(virtual=VirtualRobot(posture_gain=0.5))
