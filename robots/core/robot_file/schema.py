"""The tables of a robot file (TOML, format 1) and their JSON Schema.

Every key with a dimension carries its unit; a key that is not listed here is an error. Numbers are
kept as the decimals of the file, so that conversion to SI rounds once.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Annotated, Literal

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
)
from pydantic_core import PydanticCustomError

from robots.core.capsule import MOST_CORNERS
from robots.core.schema_numbers import (
    Checked,
    NonNegative,
    Positive,
    Real,
    Triple,
    WholeWithin,
    Within,
)

LONGEST_NAME = 100


def checked_name(value: object) -> str:
    """The name itself, as a document may give it.

    Raises:
        PydanticCustomError: no text, too long, or with signs that nobody sees.
    """
    good = isinstance(value, str) and value.isprintable() and value.strip() == value != ""
    if not good or len(str(value)) > LONGEST_NAME:
        raise PydanticCustomError(
            "name", f"a name of 1 to {LONGEST_NAME} printable characters, no space at its ends"
        )
    return str(value)


def _pair(value: object) -> tuple[str, str]:
    names = value if isinstance(value, list | tuple) else ()
    if len(names) != 2 or not all(isinstance(name, str) for name in names):
        raise PydanticCustomError("pair", 'two names of capsules, as in ["base", "q3 link"]')
    return names[0], names[1]


_NAME_SCHEMA = {"type": "string", "minLength": 1, "maxLength": LONGEST_NAME}
Name = Annotated[str, Checked(check=checked_name, json=_NAME_SCHEMA)]
Pair = Annotated[
    tuple[str, str],
    Checked(
        check=_pair, json={"type": "array", "items": _NAME_SCHEMA, "minItems": 2, "maxItems": 2}
    ),
]
_HIGHEST_INPUT = 8192
Sign = Annotated[int, WholeWithin(low=-1, high=1, zero=False)]
ToolNumber = Annotated[int, WholeWithin(low=0, high=128)]
InputNumber = Annotated[int, WholeWithin(low=0, high=_HIGHEST_INPUT)]
Percent = Annotated[Decimal, Within(low=Decimal(0), high=Decimal(100), above=True)]
StartAngle = Annotated[Decimal, Within(low=Decimal(0), high=Decimal(10), above=True)]  # [deg]
StartLength = Annotated[Decimal, Within(low=Decimal(0), high=Decimal(50), above=True)]  # [mm]
_ZERO = Decimal(0)
_ZEROS = (_ZERO, _ZERO, _ZERO)


class Table(BaseModel):
    """A table that knows all its keys."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)


class InertiaTable(Table):
    """Entries of the inertia tensor itself: xy is -∫xy dm, not the product of inertia."""

    xx: Real = _ZERO
    yy: Real = _ZERO
    zz: Real = _ZERO
    xy: Real = _ZERO
    xz: Real = _ZERO
    yz: Real = _ZERO


class BodyTable(Table):
    """Mass properties in the joint frame; ``at`` says which point the tensor refers to."""

    mass_kg: NonNegative
    com_mm: Triple = _ZEROS
    inertia_kg_m2: InertiaTable | None = None
    at: Literal["origin", "com"] | None = Field(
        default=None, description="required beside inertia_kg_m2"
    )


class PoseTable(Table):
    """A frame in another one: T(translation)·Rz·Ry·Rx, as everywhere in the product's files."""

    translation_mm: Triple = _ZEROS
    rotation_zyx_deg: Triple = Field(default=_ZEROS, description="angles about z, then y, then x")


class CapsuleTable(Table):
    """All points within a radius of a segment: the room a link takes, in its joint's frame."""

    name: Name | None = Field(default=None, description='default: "<joint> link", "base"')
    from_mm: Triple
    to_mm: Triple | None = Field(default=None, description="default: from_mm, a ball")
    radius_mm: NonNegative
    corners_mm: tuple[Triple, ...] = Field(
        default=(),
        max_length=MOST_CORNERS,
        description="of a convex piece that the link lies in as well; 4 or more, not in one plane",
    )


class JointTable(Table):
    """Keys of every joint: name, parent, placement and body.

    The placement is Rx(α)·Tx(d)·Rz(θ)·Tz(r) (modified Denavit-Hartenberg), or ``pose`` where the
    joint's axis does not meet its parent's x axis at a right angle (trees, imported robots).
    """

    name: Name
    parent: str | None = Field(default=None, description='default: the joint before; or "base"')
    alpha_deg: Real = _ZERO
    d_mm: Real = _ZERO
    theta_deg: Real = _ZERO
    r_mm: Real = _ZERO
    pose: PoseTable | None = Field(default=None, description="instead of the four keys above")
    body: BodyTable | None = None
    capsule: tuple[CapsuleTable, ...] = ()


class RevoluteDrive(Table):
    """Limits and friction of a revolute joint's drive."""

    max_speed_rad_s: Positive | None = None
    max_acceleration_rad_s2: Positive | None = None
    max_jerk_rad_s3: Positive | None = None
    max_torque_nm: Positive | None = None
    coulomb_nm: NonNegative = _ZERO
    viscous_nm_s: NonNegative = _ZERO
    motor_inertia_kg_m2: NonNegative = _ZERO


class PrismaticDrive(Table):
    """Limits and friction of a prismatic joint's drive."""

    max_speed_m_s: Positive | None = None
    max_acceleration_m_s2: Positive | None = None
    max_jerk_m_s3: Positive | None = None
    max_force_n: Positive | None = None
    coulomb_n: NonNegative = _ZERO
    viscous_n_s_m: NonNegative = _ZERO
    motor_mass_kg: NonNegative = _ZERO


class RevoluteTable(JointTable, RevoluteDrive):
    """A joint that turns about its z axis."""

    type: Literal["revolute"]
    min_deg: Real | None = None
    max_deg: Real | None = None


class PrismaticTable(JointTable, PrismaticDrive):
    """A joint that slides along its z axis."""

    type: Literal["prismatic"]
    min_mm: Real | None = None
    max_mm: Real | None = None


class FixedTable(JointTable):
    """A joint that does not move."""

    type: Literal["fixed"]


class ToolTable(PoseTable):
    """The tool (probe) frame in a joint's frame."""

    joint: str | None = Field(default=None, description="default: the last joint")
    body: BodyTable | None = Field(default=None, description="the tool's own mass, in its frame")


class RobotTable(Table):
    """Name, provenance and gravity; or the whole geometry as a description phrase."""

    name: Name
    maker: str = Field(default="", description="of the machine; the library is listed by it")
    source: str = ""
    gravity_m_s2: Triple | None = None
    description: str | None = None
    masses: Literal["known", "unknown"] = Field(
        default="known",
        description="unknown: torques, power and energy are not evaluated, whatever bodies say",
    )
    self_collision: tuple[Pair, ...] | None = Field(
        default=None,
        description="names of capsules that must not touch each other; default: all but neighbours",
    )


class CoupledAxisTable(Table):
    """An axis in whose value another one stands, too."""

    axis: ToolNumber = Field(description="its number, from 1 on")
    of: ToolNumber = Field(description="number of the other one")
    factor: Real = Field(description="of the other one's sign · joint + offset; often 1 or -1")


class ControllerTable(Table):
    """The robot's controller: joints by its axes, their signs and zeros, tool, base and input."""

    axes: tuple[Name, ...] = Field(description="name of the joint in each axis of the controller")
    signs: tuple[Sign, ...] = Field(
        default=(), description="1 or -1 per axis: value of the axis = sign · joint + offset"
    )
    offsets_deg: tuple[Real, ...] = Field(
        default=(), description="of the axes that turn, in the order of axes; default 0"
    )
    offsets_mm: tuple[Real, ...] = Field(default=(), description="likewise, axes that slide")
    home_deg: tuple[Real, ...] = Field(
        default=(),
        description="where programmes start, in the robot's own joints (not the controller's "
        "values), those that turn, in the order of axes; default: at their first clearance point",
    )
    home_mm: tuple[Real, ...] = Field(default=(), description="likewise, joints that slide")
    tool_number: ToolNumber = Field(
        default=0, description="of the tool whose point is the ball, as calibrated there"
    )
    base_number: ToolNumber = Field(
        default=0, description="of the frame that is the base of the robot file; 0: the robot's own"
    )
    probe_input: InputNumber | None = Field(
        default=None,
        description="digital input that is true while the probe is deflected; no default: KRL, "
        "RAPID, URScript and FANUC TP read it",
    )
    speed_override_percent: Percent = Decimal(100)
    start_tolerance_deg: StartAngle = Field(
        default=Decimal("0.5"), description="of the posture that a programme starts from"
    )
    start_tolerance_mm: StartLength = Decimal("0.5")
    cartesian: bool | None = Field(
        default=None,
        strict=True,
        description="whether the controller solves straight lines; default: with six axes or more",
    )
    coupled: tuple[CoupledAxisTable, ...] = Field(
        default=(),
        description="axes in whose value another one stands, too, as axis 3 of FANUC arms, which "
        "is counted from the horizontal",
    )


class DescribedBodyTable(BodyTable):
    """Mass properties of the body that a joint of the description carries, in the phrase's axes."""

    joint: str = Field(description='"q1" for the first joint of the phrase, and so on')


class DescribedCapsuleTable(CapsuleTable):
    """A capsule that a joint of the description carries, in the phrase's axes."""

    joint: str


class DescribedDriveTable(RevoluteDrive, PrismaticDrive):
    """Drive of a joint of the description; the keys are those of the joint's kind."""

    joint: str


class RobotFile(Table):
    """A whole robot file. Either ``joint`` tables or ``robot.description``, not both."""

    model_config = ConfigDict(title="Palpeur robot file, format 1")

    format: Literal[1]
    robot: RobotTable
    gravity_m_s2: Triple | None = Field(default=None, description="also accepted in [robot]")
    description: str | None = Field(default=None, description="also accepted in [robot]")
    joint: tuple[
        Annotated[RevoluteTable | PrismaticTable | FixedTable, Field(discriminator="type")], ...
    ] = ()
    tool: ToolTable | None = None
    controller: ControllerTable | None = None
    base_capsule: tuple[CapsuleTable, ...] = Field(
        default=(), description="the room the base takes, in the base frame"
    )
    body: tuple[DescribedBodyTable, ...] = ()
    capsule: tuple[DescribedCapsuleTable, ...] = ()
    drive: tuple[DescribedDriveTable, ...] = ()
    lengths_mm: dict[str, Real] = Field(default={}, description="values of the phrase's lengths")
    limits_mm: dict[str, Real] = Field(default={}, description="values of prismatic limits")
    angles_deg: dict[str, Real] = Field(default={}, description="values of constant angles")
    limits_deg: dict[str, Real] = Field(default={}, description="values of joint-angle limits")
