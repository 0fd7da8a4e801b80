"""Tables of a job file → its settings, in SI, with what only the whole job can tell."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from difflib import get_close_matches
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from parts.points import ProbePoints
from planner.job.features import expanded, features_of
from planner.job.job_text import JobText
from planner.job.settings import (
    INTERPOLATION_ERROR,
    SEARCH,
    Approach,
    Checks,
    FeatureApproach,
    FeatureTouch,
    Normal,
    PlaceSettings,
    Probe,
    ProbeBody,
    Touch,
    TouchMode,
    Travel,
)
from robots.core.arrays import Array
from robots.core.file_units import metres, radians
from robots.core.mechanism import Mechanism
from robots.core.robot_file.joint_tables import vector

if TYPE_CHECKING:
    from planner.job.schema import (
        ApproachTable,
        ChecksTable,
        FeatureApproachTable,
        FeatureTouchTable,
        JobFile,
        PlaceTable,
        ProbeCapsuleTable,
        SamplingTable,
        TouchTable,
    )

_SHANK = Decimal("0.6")  # of the ball's diameter: what styli of this size have
_LOCKED = ("travel", "locked")
_SETTLE = "settle_s"
_OF_FEATURES = ("speed_mm_s", "search_before_mm", "search_after_mm", "back_off_mm", _SETTLE)
_SAME = 1e-12  # of unit vectors


def probe_of(file: JobFile, source: JobText) -> Probe:
    """``[probe]``.

    Raises:
        JobError: a shank thicker than the ball, which would touch first; a name twice.
    """
    table = file.probe
    ball, shank = table.ball_diameter_mm, table.shank_diameter_mm
    if shank is not None and shank > ball:
        raise source.error(
            ("probe", "shank_diameter_mm"),
            f"is {shank}, above ball_diameter_mm = {ball}: the shank would touch before the ball. "
            "Give at most the ball's diameter.",
            found=shank,
            limit=ball,
        )
    com = table.stylus_length_mm / 2 if table.com_mm is None else table.com_mm
    return Probe(
        stylus_length=metres(table.stylus_length_mm),
        ball_diameter=metres(ball),
        compensated=file.points.compensated is not False,
        shank_diameter=metres(_SHANK * ball if shank is None else shank),
        mass=float(table.mass_kg),
        com=metres(com),
        bodies=_bodies(table.capsule, source),
        name=table.name,
        overtravel=np.inf if table.overtravel_mm is None else metres(table.overtravel_mm),
    )


def _bodies(tables: tuple[ProbeCapsuleTable, ...], source: JobText) -> tuple[ProbeBody, ...]:
    bodies: list[ProbeBody] = []
    for place, table in enumerate(tables):
        name = table.name or f"probe {place + 1}"
        if any(body.name == name for body in bodies):
            raise source.error(
                ("probe", "capsule", place), f"is called {name!r}, as an earlier one; rename it."
            )
        start, end = (vector(ends, metres) for ends in (table.from_mm, table.to_mm))
        radius = metres(table.radius_mm)
        bodies.append(ProbeBody(name=name, start=start, end=end, radius=radius))
    return tuple(bodies)


def travel_of(file: JobFile, points: ProbePoints, source: JobText) -> Travel:
    """``[travel]``.

    Raises:
        JobError: plane and cube together, a cube without a part, a detour by plane without one;
            locked points that do not exist, stand twice, or contradict order or groups.
    """
    table = file.travel
    _check_detour(file, source)
    _check_order(file, source)
    _check_locked(file, points, source)
    plane, cube = table.clearance_plane_mm, table.clearance_cube_mm
    return Travel(
        law=table.law,
        order=table.order,
        clearance_plane=None if plane is None else metres(plane),
        clearance_cube=None if cube is None else metres(cube),
        detour=table.detour,
        group=table.group,
        locked=table.locked,
        seed=table.seed,
        search=table.search,
    )


def sampling_of(table: SamplingTable, source: JobText) -> dict[str, float | None]:
    """``[sampling]``, as the job has it.

    Raises:
        JobError: a period and an interpolation error.
    """
    period, error = table.period_ms, table.interpolation_error_mm
    if period is not None and error is not None:
        raise source.error(
            ("sampling", "interpolation_error_mm"),
            f"stands beside period_ms = {period}, which spaces the rows whatever lies between; "
            "give one of the two.",
            found=error,
        )
    return {
        "sampling_period": None if period is None else metres(period),  # milli- is 1/1000, too
        "interpolation_error": INTERPOLATION_ERROR if error is None else metres(error),
    }


def _check_detour(file: JobFile, source: JobText) -> None:
    table = file.travel
    plane, cube = table.clearance_plane_mm, table.clearance_cube_mm
    if plane is not None and cube is not None:
        raise source.error(
            ("travel", "clearance_cube_mm"),
            "stands beside clearance_plane_mm; give one of the two.",
        )
    if cube is not None and file.part.geometry is None:
        raise source.error(
            ("travel", "clearance_cube_mm"),
            "is the offset of the part's box, but the job has no part.geometry; give it, or "
            "clearance_plane_mm.",
        )
    if table.detour == "plane" and plane is None and cube is None:
        raise source.error(
            ("travel", "detour"),
            'is "plane", but there is none; give clearance_plane_mm or clearance_cube_mm.',
        )


def _check_order(file: JobFile, source: JobText) -> None:
    table = file.travel
    if table.order != "as-given":
        return
    for key, given in (("group", table.group != "none"), ("locked", bool(table.locked))):
        if given:
            raise source.error(
                ("travel", key),
                'binds an order that is looked for, but order is "as-given", which keeps the order '
                'of the points already; set order = "fastest", or remove the key.',
            )


def _check_locked(file: JobFile, points: ProbePoints, source: JobText) -> None:
    feature = dict(zip(points.names, points.features, strict=True))
    seen: set[str] = set()
    for place, names in enumerate(file.travel.locked):
        if len(names) < 2:
            raise source.error(
                _LOCKED,
                f"has list {place} with {len(names)} names; give two or more, or remove it.",
            )
        for name in names:
            if name not in feature:
                raise source.error(_LOCKED, f"names {name!r}, {_unknown(name, points.names)}")
            if name in seen:
                raise source.error(_LOCKED, f"names {name!r} twice; each point stands in one list.")
            seen.add(name)
        features = sorted({feature[name] for name in names})
        if file.travel.group == "feature" and len(features) > 1:
            raise source.error(
                _LOCKED,
                f"has list {place} with points of {len(features)} features "
                f'({", ".join(map(repr, features[:5]))}), but group is "feature"; keep each list '
                'within one feature, or set group = "none".',
            )


def _unknown(name: str, names: tuple[str, ...]) -> str:
    close = get_close_matches(name, names, n=1, cutoff=0.6)
    advice = f"did you mean {close[0]!r}?" if close else f"the first one is {names[0]!r}."
    return f"which is no point of the job; {advice}"


def checks_of(table: ChecksTable, mechanism: Mechanism, source: JobText) -> Checks:
    """``[checks]``.

    Raises:
        JobError: torque limits of another number of joints, or of a robot whose masses are not
            known.
    """
    return Checks(
        joint_margin=radians(table.joint_margin_deg),
        clearance=metres(table.clearance_mm),
        torque_limits=_torque_limits(table, mechanism, source),
    )


def _torque_limits(table: ChecksTable, mechanism: Mechanism, source: JobText) -> Array:
    """The job's limits, or else the robot's own, which are infinite where it gives none. # (n,)."""
    given = table.torque_limits_nm
    if not given:
        return mechanism.max_effort
    if len(given) != mechanism.dof:
        raise source.error(
            ("checks", "torque_limits_nm"),
            f"has {len(given)} entries; expected {mechanism.dof}, one for each joint of "
            f"{mechanism.name}, or none.",
            found=len(given),
            expected=mechanism.dof,
        )
    if not mechanism.masses_known:
        raise source.error(
            ("checks", "torque_limits_nm"),
            f"is given, but the masses of {mechanism.name} are not known, so that no torque can be "
            "checked; leave it out, or give the robot file its [joint.body] tables.",
        )
    return np.array([float(limit) for limit in given])


def place_of(table: PlaceTable) -> PlaceSettings:
    """``[place]``."""
    spans = (table.range_mm.x, table.range_mm.y, table.range_mm.z)
    return PlaceSettings(
        shift=np.array([[metres(end) for end in span] for span in spans]),
        yaw=np.array([radians(end) for end in table.yaw_deg]),
        full=table.full,
        goal=table.goal,
        seed=table.seed,
    )


def approach_of(table: ApproachTable, points: ProbePoints, source: JobText) -> Approach:
    """``[approach]``.

    Raises:
        JobError: a feature that no point has, that stands twice, or whose table changes nothing.
    """
    direction, axis = _direction(table.direction), _direction(table.axis)
    approach = Approach(
        distance=metres(table.distance_mm),
        direction=None if isinstance(direction, str) else direction,
        axis=None if isinstance(axis, str) else axis,
        law=table.law,
        tilt=radians(table.tilt_deg),
        features=_by_feature("approach", table.feature, _feature_approach, points, source),
    )
    _check_features(approach, table.feature, source)
    return approach


def touch_of(file: JobFile, approach: Approach, points: ProbePoints, source: JobText) -> Touch:
    """``[touch]``; without it what ``[approach]`` says.

    A job without the table whose approach gives a law and no overtravel comes to rest at contact,
    as all jobs did before there was a search.

    Raises:
        JobError: an approach that cannot end at the touch speed; a search or back-off beyond the
            clearance point; overtravel given twice; a feature that no point has, that stands twice,
            or whose table changes nothing; keys of a search where there is none.
    """
    table, overtravel = file.touch, file.approach.overtravel_mm
    to_rest = "law" in file.approach.model_fields_set and overtravel == 0
    if table is None:
        table = _touch_table()
        mode: TouchMode = "to-rest" if to_rest else "search"
    else:
        mode = table.mode
    settle = float(file.approach.dwell_s if table.settle_s is None else table.settle_s)
    if mode == "to-rest":
        if overtravel > 0:
            raise source.error(
                ("approach", "overtravel_mm"),
                f'is {overtravel}, but touch.mode = "to-rest" ends at the nominal surface; set '
                'touch.mode = "search", or overtravel_mm = 0.',
                found=overtravel,
            )
        return _touch_to_rest(table, settle, points, source)
    if file.approach.law != "quintic":
        raise source.error(
            ("approach", "law"),
            f'is "{file.approach.law}", but only the quintic law can end at the touch speed; set '
            'law = "quintic", or touch.mode = "to-rest".',
            found=file.approach.law,
        )
    after = table.search_after_mm
    if overtravel > 0 and after is not None and overtravel != after:
        raise source.error(
            ("approach", "overtravel_mm"),
            f"is {overtravel}, and touch.search_after_mm, its new name, is {after}; remove "
            "overtravel_mm.",
            found=overtravel,
        )
    after = after if after is not None else overtravel if overtravel > 0 else None
    touch = Touch(
        speed=metres(table.speed_mm_s),
        search_before=_metres_or_none(table.search_before_mm),
        search_after=SEARCH if after is None else metres(after),
        latency=metres(table.latency_ms),  # milli- is 1/1000, too
        deceleration=_metres_or_none(table.deceleration_mm_s2),
        back_off=_metres_or_none(table.back_off_mm),
        settle=settle,
        positioning_speed=_unlimited(table.positioning_speed_mm_s),
        features=_by_feature("touch", table.feature, _feature_touch, points, source),
    )
    _check_touched_features(touch, table.feature, source, _OF_FEATURES)
    fastest = max([touch.speed, *(one.speed or 0.0 for one in touch.features)])
    if touch.positioning_speed < fastest:
        raise source.error(
            ("touch", "positioning_speed_mm_s"),
            f"is {table.positioning_speed_mm_s}, below the touch speed of {1e3 * fastest:g}, with "
            f"which the approach ends; give at least {1e3 * fastest:g}, or 0 for what the joints "
            "allow.",
            found=touch.positioning_speed,
            limit=fastest,
        )
    _check_room(touch, approach, points, table.feature, source)
    return touch


def _touch_to_rest(table: TouchTable, settle: float, points: ProbePoints, source: JobText) -> Touch:
    """The approach ends at the surface, at rest: keys of the search are refused, not dropped."""
    idle = [f"touch.{key}" for key in _given(table, "mode", "positioning_speed_mm_s", _SETTLE)]
    for place, own in enumerate(table.feature):
        idle += [f"touch.feature[{place}].{key}" for key in _given(own, "name", _SETTLE)]
    if idle:
        raise source.error(
            ("touch", "mode"),
            'is "to-rest", in which nothing is searched, so that these keys mean nothing: '
            f'{", ".join(idle)}. Remove them, or set mode = "search".',
            found="to-rest",
        )
    touch = Touch(
        mode="to-rest",
        search_before=0.0,
        search_after=0.0,
        latency=0.0,
        back_off=0.0,
        settle=settle,
        positioning_speed=_unlimited(table.positioning_speed_mm_s),
        features=_by_feature("touch", table.feature, _feature_touch, points, source),
    )
    _check_touched_features(touch, table.feature, source, (_SETTLE,))
    return touch


def _given(table: TouchTable | FeatureTouchTable, *known: str) -> list[str]:
    """Keys that a table has beside the known ones, in the order of the documentation."""
    keys = type(table).model_fields
    return [key for key in keys if key in table.model_fields_set - {"feature", *known}]


def _touch_table() -> TouchTable:
    from planner.job.schema import TouchTable

    return TouchTable()


def _metres_or_none(value: Decimal | None) -> float | None:
    return None if value is None else metres(value)


def _unlimited(value: Decimal) -> float:
    return metres(value) if value > 0 else np.inf


def _feature_touch(table: FeatureTouchTable, name: str) -> FeatureTouch:
    return FeatureTouch(
        name=name,
        speed=_metres_or_none(table.speed_mm_s),
        search_before=_metres_or_none(table.search_before_mm),
        search_after=_metres_or_none(table.search_after_mm),
        back_off=_metres_or_none(table.back_off_mm),
        settle=None if table.settle_s is None else float(table.settle_s),
    )


FeatureTableType = TypeVar("FeatureTableType", "FeatureApproachTable", "FeatureTouchTable")
FeatureValues = TypeVar("FeatureValues", FeatureApproach, FeatureTouch)


def _by_feature(
    table: str,
    tables: tuple[FeatureTableType, ...],
    values: Callable[[FeatureTableType, str], FeatureValues],
    points: ProbePoints,
    source: JobText,
) -> tuple[FeatureValues, ...]:
    """What ``[[table.feature]]`` says of every feature; wildcards stand for several."""
    names = expanded([own.name for own in tables], features_of(points), table, source)
    return tuple(
        values(own, name) for own, some in zip(tables, names, strict=True) for name in some
    )


def _check_touched_features(
    touch: Touch, tables: tuple[FeatureTouchTable, ...], source: JobText, keys: tuple[str, ...]
) -> None:
    usual = replace(touch, features=())
    for place, table in enumerate(tables):
        own = _feature_touch(table, table.name)
        if replace(touch, features=(own,)).of(own.name) == usual:
            raise source.error(
                ("touch", "feature", place),
                f"gives feature {own.name!r} nothing that [touch] does not; give "
                f"{' or '.join(filter(None, (', '.join(keys[:-1]), keys[-1])))}, different from "
                "there, or remove the table.",
            )


def _check_room(
    touch: Touch,
    approach: Approach,
    points: ProbePoints,
    tables: tuple[FeatureTouchTable, ...],
    source: JobText,
) -> None:
    """Search and back-off begin and end between the clearance point and the surface."""
    some = expanded([own.name for own in tables], features_of(points), "touch", source)
    place_of = {name: place for place, names in enumerate(some) for name in names}
    for feature in dict.fromkeys(points.features):
        own, distance = touch.of(feature), approach.of(feature).distance
        of = f' of feature "{feature}"' if feature else ""
        for key, length, limit, words in (
            ("search_before_mm", own.search_before, 0.9 * distance, "the search would start"),
            ("back_off_mm", own.back_off, distance, "the back-off would end"),
        ):
            if length is None or length <= limit:
                continue
            raise source.error(
                (*_table_with(key, place_of.get(feature), tables), key),
                f"is {1e3 * length:g}, but the clearance point{of} is {1e3 * distance:g} mm from "
                f"contact: {words} {_where(length, distance)}. Give at most {1e3 * limit:g}, or a "
                "longer approach.distance_mm.",
                found=length,
                limit=limit,
            )


def _where(length: float, distance: float) -> str:
    return "beyond it" if length > distance else "too near to it"


def _table_with(
    key: str, place: int | None, tables: tuple[FeatureTouchTable, ...]
) -> tuple[str | int, ...]:
    """The table that gives a feature's key: its own, or that of all points."""
    if place is not None and getattr(tables[place], key) is not None:
        return ("touch", "feature", place)
    return ("touch",)


def _check_features(
    approach: Approach, tables: tuple[FeatureApproachTable, ...], source: JobText
) -> None:
    usual = replace(approach, features=())
    for place, table in enumerate(tables):
        own = _feature_approach(table, table.name)
        if _same(replace(approach, features=(own,)).of(own.name), usual):
            raise source.error(
                ("approach", "feature", place),
                f"gives feature {own.name!r} nothing that [approach] does not; give distance_mm, "
                "direction or axis, different from there, or remove the table.",
            )


def _feature_approach(table: FeatureApproachTable, name: str) -> FeatureApproach:
    return FeatureApproach(
        name=name,
        distance=None if table.distance_mm is None else metres(table.distance_mm),
        direction=None if table.direction is None else _direction(table.direction),
        axis=None if table.axis is None else _direction(table.axis),
    )


def _same(own: Approach, usual: Approach) -> bool:
    """Whether a feature is touched like all points."""
    pairs = ((own.direction, usual.direction), (own.axis, usual.axis))
    return own.distance == usual.distance and all(
        np.allclose(a, b, rtol=0.0, atol=_SAME) if a is not None and b is not None else a is b
        for a, b in pairs
    )


def _direction(value: Normal | tuple[Decimal, ...]) -> Array | Normal:
    return value if isinstance(value, str) else np.array([float(v) for v in value])
