"""The tables of a job file (TOML, format 1) and their JSON Schema.

Every key with a dimension carries its unit; a key that is not listed here is an error. Numbers are
kept as the decimals of the file, so that conversion to SI rounds once. Tables that are defaults are
not validated, so that none is built before a file is read.
"""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Annotated, Any, Literal

from pydantic import (
    ConfigDict,
    Field,
)
from pydantic_core import PydanticCustomError

from robots.core.robot_file.schema import ControllerTable, Name, PoseTable, Table, checked_name
from robots.core.schema_numbers import (
    Checked,
    Positive,
    Real,
    SpanWithin,
    WholeWithin,
    Within,
    decimal_number,
    is_number,
)

_ZERO, _ONE = Decimal(0), Decimal(1)
_STAYS = (_ZERO, _ZERO)
_ABOUT = (Decimal(-200), Decimal(200))  # [mm]
_ROUND = (Decimal(-180), Decimal(180))  # [deg]
Unit = Literal["mm", "cm", "m", "in"]
LawName = Literal["linear", "cubic", "quintic", "bang-bang", "trapezoid"]
TravelLawName = Literal[
    "linear", "cubic", "quintic", "bang-bang", "trapezoid", "double-s", "time-optimal"
]
PointFormat = Literal[
    "auto", "csv", "dmis", "list", "metrolog", "polyworks", "power-inspect", "qif", "xyz"
]
MOST_SAMPLES = 10_000_000
MOST_DIGITS = 3
# An angle of 45 degrees or a hundredth per kelvin is no small error any more.
SmallAngle = Annotated[Decimal, Within(low=_ZERO, high=Decimal(45))]  # [deg]
Kelvin = Annotated[Decimal, Within(low=_ZERO, high=Decimal(500))]
Expansion = Annotated[Decimal, Within(low=_ZERO, high=Decimal("0.01"))]  # [1/K]
Probability = Annotated[Decimal, Within(low=Decimal("0.5"), high=Decimal("0.9999"))]


def _samples(value: object) -> int:
    whole = isinstance(value, int) and not isinstance(value, bool)
    if not whole or not (value == 0 or 100 <= int(str(value)) <= MOST_SAMPLES):
        raise PydanticCustomError("samples", f"0, or a whole number from 100 to {MOST_SAMPLES}")
    return int(str(value))


Samples = Annotated[
    int,
    Checked(check=_samples, json={"type": "integer", "minimum": 0, "maximum": MOST_SAMPLES}),
]


Digits = Annotated[int, WholeWithin(low=1, high=MOST_DIGITS)]
NORMAL = "normal"
# Of a direction, whose length means nothing; shorter ones are zeros with noise.
_LARGEST_ENTRY, _SHORTEST = Decimal("1e100"), Decimal("1e-9")
MOST_POSES = 50
_LONGEST_SENTENCE = 1000
_LONGEST_LABEL = 200
LARGEST_SEED = 2**31 - 1
_TRIPLE = {"type": "array", "items": {"type": "number"}, "minItems": 3, "maxItems": 3}
# A hundred metres is beyond any measuring robot; an hour beyond any dwell.
Length = Annotated[Decimal, Within(low=Decimal(0), high=Decimal(100_000))]  # [mm]
Distance = Annotated[Decimal, Within(low=Decimal(0), high=Decimal(100_000), above=True)]  # [mm]
_TOOL_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,31}")


def _tool_name(value: object) -> str:
    if not isinstance(value, str) or not _TOOL_NAME.fullmatch(value):
        raise PydanticCustomError(
            "tool_name",
            "expected the name of a tool: letters, digits, _ and -, a letter first, 32 at most",
        )
    return value


ToolName = Annotated[
    str,
    Checked(check=_tool_name, json={"type": "string", "pattern": f"^{_TOOL_NAME.pattern}$"}),
]


def _datum_features(value: object) -> tuple[str, ...]:
    """One name, or several."""
    entries = (value,) if isinstance(value, str) else value
    try:
        names = tuple(map(checked_name, entries)) if isinstance(entries, list | tuple) else ()
    except PydanticCustomError:
        names = ()
    if not names:
        raise PydanticCustomError(
            "datum_features",
            "the name of a feature, or for a common datum a list of names, as in "
            '["hole-1", "hole-2"]',
        )
    return names


DatumFeatures = Annotated[
    tuple[str, ...],
    Checked(
        check=_datum_features,
        write=lambda names: list(names) if len(names) > 1 else names[0],
        json={
            "anyOf": [
                {"type": "string", "minLength": 1, "maxLength": 100},
                {
                    "type": "array",
                    "items": {"type": "string", "minLength": 1, "maxLength": 100},
                    "minItems": 1,
                },
            ]
        },
    ),
]
Seconds = Annotated[Decimal, Within(low=Decimal(0), high=Decimal(3600))]
Scale = Annotated[Decimal, Within(low=Decimal(0), high=Decimal(1), above=True)]
Margin = Annotated[Decimal, Within(low=Decimal(0), high=Decimal(180))]  # [deg]
Period = Annotated[Decimal, Within(low=Decimal("0.01"), high=Decimal(10_000))]  # [ms]
# Below a thousandth of a millimetre rows would be closer than jumps are told apart.
Interpolation = Annotated[Decimal, Within(low=Decimal("0.001"), high=Decimal(1000))]  # [mm]
Latency = Annotated[Decimal, Within(low=Decimal(0), high=Decimal(1000))]  # [ms]
# Styli break far below; a search at a metre per second is a slip of units.
TouchSpeed = Annotated[Decimal, Within(low=Decimal(0), high=Decimal(1000), above=True)]  # [mm/s]
Mass = Annotated[Decimal, Within(low=Decimal(0), high=Decimal(1000))]  # [kg]
Cone = Annotated[Decimal, Within(low=Decimal(0), high=Decimal(90))]  # [deg]
Coordinate = Annotated[Decimal, Within(low=Decimal(-100_000), high=Decimal(100_000))]  # [mm]
Place = tuple[Coordinate, Coordinate, Coordinate]
ShiftSpan = Annotated[Any, SpanWithin(low=Decimal(-100_000), high=Decimal(100_000))]  # [mm]
TurnSpan = Annotated[Any, SpanWithin(low=Decimal(-180), high=Decimal(180))]  # [deg]


def _sentence(value: Any) -> str:
    if not (isinstance(value, str) and value.isprintable() and 0 < len(value) <= _LONGEST_SENTENCE):
        raise PydanticCustomError(
            "sentence", f"a sentence of 1 to {_LONGEST_SENTENCE} printable characters"
        )
    return value


Sentence = Annotated[
    str,
    Checked(
        check=_sentence, json={"type": "string", "minLength": 1, "maxLength": _LONGEST_SENTENCE}
    ),
]


def _label(value: Any) -> str:
    if not (isinstance(value, str) and value.isprintable() and len(value) <= _LONGEST_LABEL):
        raise PydanticCustomError(
            "label", f"a text of at most {_LONGEST_LABEL} printable characters, in quotes"
        )
    return value


Label = Annotated[str, Checked(check=_label, json={"type": "string", "maxLength": _LONGEST_LABEL})]


Seed = Annotated[int, WholeWithin(low=0, high=LARGEST_SEED)]
Poses = Annotated[int, WholeWithin(low=1, high=MOST_POSES)]


def _direction(value: Any) -> Any:
    if value == NORMAL:
        return value
    triple = isinstance(value, list | tuple) and len(value) == 3
    good = triple and all(map(_is_entry, value))
    if not good or max(abs(decimal_number(entry)) for entry in value) < _SHORTEST:
        raise PydanticCustomError(
            "direction", '"normal", or three numbers in base axes, not all zero, like [0, 0, 1]'
        )
    return tuple(decimal_number(entry) for entry in value)


def _written(value: Any) -> Any:
    return value if value == NORMAL else [float(entry) for entry in value]


Direction = Annotated[
    Any,
    Checked(check=_direction, write=_written, json={"anyOf": [{"const": NORMAL}, _TRIPLE]}),
]


class JobTable(Table):
    """What the job is called, and what its report should say of its source."""

    name: Name
    errata: tuple[Sentence, ...] = Field(
        default=(), description="what a reproduced source says otherwise; shown in the report"
    )


class LimitsTable(Table):
    """Limits of one joint that replace the robot file's; the keys of the joint's kind."""

    min_deg: Real | None = None
    max_deg: Real | None = None
    max_speed_rad_s: Positive | None = None
    max_acceleration_rad_s2: Positive | None = None
    max_jerk_rad_s3: Positive | None = None
    max_torque_nm: Positive | None = None
    min_mm: Real | None = None
    max_mm: Real | None = None
    max_speed_m_s: Positive | None = None
    max_acceleration_m_s2: Positive | None = None
    max_jerk_m_s3: Positive | None = None
    max_force_n: Positive | None = None


class JobRobotTable(Table):
    """The robot, and what this job changes about it."""

    model: str = Field(description="library name, or path of a robot file (.toml, .urdf)")
    tip: str | None = Field(
        default=None,
        min_length=1,
        description="of a URDF file: link whose frame is the tool frame; default tool0, flange, "
        "tcp or tool, else the last link behind the most moving joints",
    )
    meshes: str | None = Field(
        default=None,
        min_length=1,
        description="of a URDF file: folder that the meshes of its links are sought in first; "
        "default only beside the file",
    )
    tool: PoseTable | None = Field(
        default=None, description="replaces the robot's tool frame, in the joint that carries it"
    )
    limits: dict[str, LimitsTable] = Field(default={}, description="by joint name")
    default_acceleration_rad_s2: Positive | None = Field(
        default=None, description="of revolute joints without an acceleration limit"
    )
    default_acceleration_m_s2: Positive | None = Field(
        default=None, description="of prismatic joints without an acceleration limit"
    )
    speed_scale: Scale = Field(default=_ONE, description="part of the speed limits that is used")
    acceleration_scale: Scale = Field(default=_ONE, description="likewise of the accelerations")
    torque_scale: Scale = Field(default=_ONE, description="likewise of the torques")


class ProbeCapsuleTable(Table):
    """A body of the probe, in the wrist's tool frame: z along the probe axis, 0 the wrist."""

    name: Name | None = Field(default=None, description='default "probe 1", "probe 2", …')
    from_mm: Place = Field(description="one end of its axis")
    to_mm: Place = Field(description="other end of its axis")
    radius_mm: Distance


class ProbeTable(Table):
    """The touch probe: what it measures with, what it weighs, the room it takes."""

    name: ToolName = Field(
        default="",
        description="of the tool in programmes of measuring machines (ChangeTool, SNSDEF); "
        "default TIP1 and so on, one for each stylus direction",
    )
    stylus_length_mm: Length = Field(default=_ZERO, description="wrist centre to ball centre")
    ball_diameter_mm: Length = _ZERO
    shank_diameter_mm: Length | None = Field(
        default=None, description="at most the ball's; default 0.6 of it"
    )
    mass_kg: Mass = Field(default=_ZERO, description="of head and stylus, carried by the wrist")
    com_mm: Length | None = Field(
        default=None,
        description="wrist centre to centre of mass, along the probe axis; default half the stylus",
    )
    capsule: tuple[ProbeCapsuleTable, ...] = Field(
        default=(), description="head, extensions: bodies of the probe beside the stylus"
    )
    overtravel_mm: Distance | None = Field(
        default=None, description="what the stylus can give after the trigger before it breaks"
    )


class PartTable(Table):
    """The workpiece: its geometry, its pose T_base_part; on a presenter T_platform_part."""

    geometry: str | None = Field(default=None, description="STL, OBJ, PLY, GLB, 3MF or STEP")
    unit: Unit | None = Field(
        default=None, description="required for formats that carry none (STL, OBJ, PLY)"
    )
    sheets: Literal["ignore", "include"] | None = Field(
        default=None,
        description="surfaces of a STEP file beside its closed solids; left out by default",
    )
    pose: PoseTable = PoseTable.model_construct()


class ObstacleTable(Table):
    """A body that robot and probe keep away from: a geometry file, or a box."""

    name: Name
    geometry: str | None = Field(default=None, description="STL, OBJ, PLY, GLB, 3MF or STEP")
    unit: Unit | None = Field(
        default=None, description="required for formats that carry none (STL, OBJ, PLY)"
    )
    box_mm: tuple[Distance, Distance, Distance] | None = Field(
        default=None, description="edges along x, y, z; the middle of the box is its origin"
    )
    pose: PoseTable = Field(default=PoseTable(), description="T_base_obstacle")
    keep_out: bool = Field(
        default=False, strict=True, description="a volume that must stay empty, not a body"
    )


class CellTable(Table):
    """What stands around the robot, besides the part."""

    obstacle: tuple[ObstacleTable, ...] = ()


class PointTable(Table):
    """One point, with the keys of a point file's columns."""

    name: Name
    x_mm: Real
    y_mm: Real
    z_mm: Real
    nx: Real
    ny: Real
    nz: Real
    feature: str = ""


class PointsTable(Table):
    """The points: a file, or ``[[points.point]]`` tables."""

    file: str | None = Field(
        default=None,
        description="CSV, PC-DMIS .xyz, PowerInspect text, lists without header, DMIS or QIF 3.0",
    )
    format: PointFormat = Field(
        default="auto",
        description="of the point file, where neither its name nor its content tells; lists "
        "without header (name x y z i j k) must name theirs: list, metrolog and polyworks hold "
        "points on the surface, power-inspect centres of the ball",
    )
    unit: Literal["mm", "cm", "m", "in", "ft"] | None = Field(
        default=None,
        description="of a point file that carries none (PowerInspect, lists, a header without)",
    )
    point: tuple[PointTable, ...] = ()
    frame: Literal["part", "base"] = "part"
    compensated: bool | None = Field(
        default=None,
        description="true: surface points; false: ball centres. Required with a ball",
        strict=True,
    )


class FeatureApproachTable(Table):
    """How the points of one feature are touched, where that differs from ``[approach]``."""

    name: Name = Field(description="a feature of the points; hole-* for all of that name")
    distance_mm: Distance | None = None
    direction: Direction | None = None
    axis: Direction | None = None


class ApproachTable(Table):
    """How a point is touched."""

    distance_mm: Distance = Decimal(50)
    direction: Direction = NORMAL
    axis: Direction = Field(
        default=NORMAL,
        description="where the stylus points, wrist to ball, in the points' frame; default: "
        "against each normal",
    )
    law: LawName = "quintic"
    dwell_s: Seconds = Field(
        default=_ZERO, description="rest at contact; in a search default of touch.settle_s"
    )
    overtravel_mm: Length = Field(default=_ZERO, description="former name of touch.search_after_mm")
    tilt_deg: Cone = Field(
        default=_ZERO,
        description="cone about the normal within which a fix may tilt the probe axis",
    )
    feature: tuple[FeatureApproachTable, ...] = Field(
        default=(), description="features of the points that are touched differently"
    )


class FeatureTouchTable(Table):
    """The probing cycle of the points of one feature, where it differs from ``[touch]``."""

    name: Name = Field(description="a feature of the points; hole-* for all of that name")
    speed_mm_s: TouchSpeed | None = None
    search_before_mm: Distance | None = None
    search_after_mm: Distance | None = None
    back_off_mm: Distance | None = None
    settle_s: Seconds | None = None


class TouchTable(Table):
    """The probing cycle: approach, search, trigger, back-off, retract."""

    mode: Literal["search", "to-rest"] = Field(
        default="search",
        description="search: constant speed through the nominal surface until the probe triggers; "
        "to-rest: the approach ends at rest at contact",
    )
    speed_mm_s: TouchSpeed = Field(
        default=Decimal(5), description="of the ball, constant through the nominal surface"
    )
    search_before_mm: Distance | None = Field(
        default=None, description="default 3, or half of the approach where that is less"
    )
    search_after_mm: Distance | None = Field(
        default=None, description="past the nominal surface; default 3"
    )
    latency_ms: Latency = Field(
        default=Decimal(2), description="from the trigger to the begin of the stop"
    )
    deceleration_mm_s2: Positive | None = Field(
        default=None, description="of the stop; default: the most that the joints allow"
    )
    back_off_mm: Distance | None = Field(
        default=None,
        description="after the stop, from the nominal surface; default 2, or the whole approach "
        "where that is less",
    )
    settle_s: Seconds | None = Field(
        default=None, description="rest after the stop; default approach.dwell_s"
    )
    positioning_speed_mm_s: Length = Field(
        default=_ZERO,
        description="largest speed of the ball in approach, retract and travel; 0: what the joints "
        "allow",
    )
    feature: tuple[FeatureTouchTable, ...] = Field(
        default=(), description="features of the points that are touched differently"
    )


class TravelTable(Table):
    """How the robot goes from one clearance point to the next."""

    law: TravelLawName = "trapezoid"
    order: Literal["as-given", "fastest"] = "as-given"
    clearance_plane_mm: Coordinate | None = Field(
        default=None, description="base z above which travel is free to go"
    )
    clearance_cube_mm: Distance | None = Field(
        default=None, description="offset of the part's box, outside which travel is free to go"
    )
    detour: Literal["auto", "plane", "none"] = Field(
        default="auto", description="round obstacles: any way, by plane or cube only, or not"
    )
    group: Literal["none", "feature"] = Field(
        default="none", description="feature: points of one feature are visited together"
    )
    locked: tuple[tuple[str, ...], ...] = Field(
        default=(), description="lists of points, each visited in this order without interruption"
    )
    seed: Seed = 1
    search: Literal["quick", "normal", "thorough"] = Field(
        default="normal", description="how long the order search looks"
    )


class ChecksTable(Table):
    """What a plan must keep beyond the robot's own limits."""

    joint_margin_deg: Margin = _ZERO
    clearance_mm: Length = _ZERO
    torque_limits_nm: tuple[Positive, ...] = Field(
        default=(), description="one per joint; empty: reported, not limited"
    )


class SamplingTable(Table):
    """Rows of the trajectory that is written out: spaced by what lies between, or regular."""

    period_ms: Period | None = Field(
        default=None, description="time step; rows are spaced by interpolation_error_mm without it"
    )
    interpolation_error_mm: Interpolation | None = Field(
        default=None,
        description="what straight lines between rows may miss of the ball's place; 0.1 by default",
    )


class RangeTable(Table):
    """Least and greatest move of the part's origin, in base axes; an axis left out stays."""

    x: ShiftSpan = _STAYS
    y: ShiftSpan = _STAYS
    z: ShiftSpan = _STAYS


class PlaceTable(Table):
    """Where ``palpeur place`` looks for a better pose of the part, seen from the job's."""

    range_mm: RangeTable = RangeTable.model_construct(x=_ABOUT, y=_ABOUT)
    yaw_deg: TurnSpan = Field(default=_ROUND, description="about base z, through its origin")
    full: bool = Field(default=False, strict=True, description="tilt it too, to any orientation")
    goal: Literal["margin", "time", "energy"] = "margin"
    seed: Seed = 1


class FeatureTable(Table):
    """A feature under a name of the job's own."""

    name: Name = Field(description="what the job calls it, everywhere else")
    source: Name = Field(
        alias="is",
        description="what the points call it; or a feature of part.geometry (palpeur part show), "
        "whose points it then names where they name none",
    )


class DatumTable(Table):
    """A datum of the drawing."""

    label: Name = Field(description="its letter, by which tolerances and alignment refer to it")
    feature: DatumFeatures = Field(
        description="feature of the points that it is taken from; several for a common datum, as a "
        "pattern of bores"
    )
    association: Literal["least-squares", "contact"] = Field(
        default="least-squares",
        description="contact: of a hole the largest inscribed, of a shaft the smallest "
        "circumscribed cylinder, of a plane the nearest one outside the material (ISO 5459)",
    )
    boundary_mm: Distance | None = Field(
        default=None,
        description="diameter or width of its maximum material boundary, where a tolerance refers "
        "to it with (M); default by its own tolerances",
    )


class TargetTable(Table):
    """A reference point, and the directions in which it holds the part."""

    point: Name = Field(description="a point of the job")
    locks: tuple[Literal["x", "y", "z", "normal"], ...] = Field(
        description="axes of the part, or the point's normal"
    )


class EvaluationTable(Table):
    """How measured points are compared with the job's."""

    alignment: Literal["none", "points", "normals", "surface", "datums", "rps"] = Field(
        default="none",
        description="none: the part stands as the job says; points: best fit of point pairs; "
        "normals: of the deviations along the normals; surface: of the distances to the geometry; "
        "datums: a datum system (3-2-1, plane-hole-hole, plane-hole-slot, …); rps: reference "
        "points",
    )
    datums: tuple[Name, ...] = Field(
        default=(),
        description="primary, secondary, tertiary: labels of [[datum]], or features of the points; "
        '"A-B" for two that are one datum',
    )
    target: tuple[TargetTable, ...] = Field(default=(), description="reference points of rps")
    outliers: Literal["report", "drop"] = Field(
        default="report", description="drop: fits leave them out, and say so"
    )
    compensated: bool | None = Field(
        default=None,
        strict=True,
        description="of measured files that do not say, and of DMIS results: true: points on the "
        "surface; false: centres of the ball",
    )
    compensation: Literal["nominal", "fitted"] = Field(
        default="nominal", description="normal along which centres of the ball are moved"
    )


class ToleranceTable(Table):
    """What the drawing asks of a feature of the points."""

    feature: Name = Field(
        description="feature of the points that the tolerance holds; hole-* for all of that name"
    )
    kind: Literal[
        "flatness",
        "straightness",
        "roundness",
        "cylindricity",
        "parallelism",
        "perpendicularity",
        "angularity",
        "position",
        "coaxiality",
        "profile",
        "circular runout",
        "total runout",
        "diameter",
        "width",
        "distance",
    ]
    value_mm: Length | None = Field(
        default=None,
        description="width or diameter of the zone, 0 only with material; of diameter, "
        "width and distance: ± from nominal",
    )
    nominal_mm: Distance | None = Field(
        default=None,
        description="of sizes (diameter, width, distance): what the drawing says; default by the "
        "points",
    )
    lower_mm: Real | None = Field(
        default=None, description="of sizes, instead of value_mm: lower deviation"
    )
    upper_mm: Real | None = Field(default=None, description="likewise the upper deviation")
    datum: Name | None = Field(
        default=None, description="datum or feature that orientation and distance are taken from"
    )
    datums: tuple[Name, ...] = Field(
        default=(),
        description="datum system, primary first: labels of [[datum]], or features of the points; "
        '"A-B" for two that are one datum, "B(M)" for B at its maximum material boundary; default '
        "the alignment",
    )
    projected_mm: Distance | None = Field(
        default=None,
        description="of position and orientation of an axis: length of a projected zone (P), which "
        "stands on the plane of the primary datum, outside the material",
    )
    material: Literal["M", "L"] | None = Field(
        default=None,
        description="M: maximum material requirement, L: least; the zone grows by what the size "
        "departs from that limit. Needs the tolerance of its diameter or width",
    )


class UncertaintyTable(Table):
    """Standard deviations of what makes a measured point wrong; what is left out is zero."""

    encoder_deg: SmallAngle = Field(default=_ZERO, description="of each reading of a turning joint")
    encoder_mm: Length = Field(default=_ZERO, description="of each reading of a sliding joint")
    encoder_resolution_deg: SmallAngle = Field(
        default=_ZERO,
        description="step of the reading of a turning joint; evenly within it",
    )
    encoder_resolution_mm: Length = Field(default=_ZERO, description="likewise, sliding joint")
    encoder_offset_deg: SmallAngle = Field(default=_ZERO, description="of a turning joint's zero")
    encoder_offset_mm: Length = Field(default=_ZERO, description="of a sliding joint's zero")
    length_mm: Length = Field(default=_ZERO, description="of every length of the arm")
    angle_deg: SmallAngle = Field(default=_ZERO, description="of every angle between its axes")
    stylus_mm: Length = Field(
        default=_ZERO, description="of each coordinate of the ball on the wrist"
    )
    probe_mm: Length = Field(default=_ZERO, description="of a touch, the same in every direction")
    probe_normal_mm: Length = Field(default=_ZERO, description="of a touch, along the normal only")
    trigger_jitter_ms: Latency = Field(
        default=_ZERO,
        description="of the time from contact to the latched reading: the ball goes on at touch "
        "speed",
    )
    alignment_mm: Length = Field(default=_ZERO, description="of each coordinate of the part's pose")
    alignment_deg: SmallAngle = Field(
        default=_ZERO,
        description="of the part's turn about each axis, at the middle of the points",
    )
    temperature_k: Kelvin = Field(default=_ZERO, description="of the arm, about its reference")
    expansion_per_k: Expansion = Field(default=_ZERO, description="of the arm's lengths")
    part_temperature_k: Kelvin = Field(default=_ZERO, description="of the part, about its own")
    part_expansion_per_k: Expansion = Field(default=_ZERO, description="of the part's lengths")
    samples: Samples = Field(default=10_000, description="Monte Carlo draws; 0: first order only")
    digits: Digits | None = Field(
        default=None, description="draw until so many digits of every sigma are settled"
    )
    coverage: Probability = Field(default=Decimal("0.95"), description="of the interval")
    interval: Literal["symmetric", "shortest"] = Field(
        default="symmetric", description="equal probability beyond both ends, or the shortest"
    )
    seed: Seed = 1


class PresenterTable(Table):
    """A hexapod that holds the part; ``[part] pose`` is then T_platform_part."""

    platform: str = Field(description="library name, or path of a platform file (.toml)")
    pose: PoseTable = Field(default=PoseTable(), description="T_base_hexapod")
    length_sigma_um: Length = Field(
        default=Decimal(5), description="standard deviation of a leg's length"
    )
    part_mass_kg: Mass = Field(default=Decimal(0), description="for the forces of the legs")
    most_poses: Poses = Field(default=6, description="of the platform, that may be used")
    seed: Seed = 1


class ReportTable(Table):
    """What the first page of reports says of the part and of who measures it."""

    part: Label = ""
    drawing: Label = ""
    revision: Label = ""
    serial: Label = ""
    operator: Label = ""


class JobFile(Table):
    """A whole job file."""

    model_config = ConfigDict(title="Palpeur job file, format 1")

    format: Literal[1]
    job: JobTable
    robot: JobRobotTable
    controller: ControllerTable | None = Field(
        default=None, description="replaces that of the robot file"
    )
    probe: ProbeTable = ProbeTable.model_construct()
    part: PartTable = PartTable.model_construct()
    cell: CellTable = CellTable.model_construct()
    points: PointsTable
    feature: tuple[FeatureTable, ...] = ()
    approach: ApproachTable = ApproachTable.model_construct()
    touch: TouchTable | None = Field(
        default=None,
        description="without it: a search with every default, or to-rest where [approach] gives a "
        "law and no overtravel",
    )
    travel: TravelTable = TravelTable.model_construct()
    checks: ChecksTable = ChecksTable.model_construct()
    sampling: SamplingTable = SamplingTable.model_construct()
    place: PlaceTable = PlaceTable.model_construct()
    presenter: PresenterTable | None = None
    uncertainty: UncertaintyTable | None = None
    evaluation: EvaluationTable = EvaluationTable.model_construct()
    datum: tuple[DatumTable, ...] = ()
    tolerance: tuple[ToleranceTable, ...] = ()
    report: ReportTable = ReportTable()


def _is_entry(value: Any) -> bool:
    return is_number(value) and abs(decimal_number(value)) < _LARGEST_ENTRY
