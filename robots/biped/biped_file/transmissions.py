"""Transmission tables → drives in SI."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from robots.core.arrays import Array
from robots.core.errors import RobotError
from robots.core.file_units import metres, radians
from robots.core.mechanism import Mechanism
from robots.core.robot_file.source_text import SourceText

if TYPE_CHECKING:
    from robots.biped.biped_file.schema import (
        BipedFile,
        CardanScrewsTable,
        CrankScrewTable,
        FixedRatioTable,
    )
    from robots.core.transmission import Drives, Transmission


def drives(file: BipedFile, mechanism: Mechanism, source: SourceText) -> Drives:
    """Motors and transmissions of a file, in its order.

    Raises:
        RobotFileError: no transmission, or one that cannot work over its joints' range.
    """
    from robots.core.transmission import Drives

    if not file.transmission:
        raise source.error(("transmission",), "is missing; give [[transmission]] tables.")
    made = []
    for index, table in enumerate(file.transmission):
        try:
            made.append(_transmission(table, _range(table.joints, mechanism)))
        except RobotError as error:
            raise source.error(("transmission", index), f"cannot work. {error}") from error
    inertias = [float(x) for table in file.transmission for x in table.rotor_inertia_kg_m2]
    try:
        return Drives(
            transmissions=tuple(made),
            joints=tuple(joint.name for joint in mechanism.movable),
            rotor_inertias=np.array(inertias),
            encoder_counts=file.encoder_counts,
        )
    except RobotError as error:
        raise source.error(("transmission",), f"do not fit the robot. {error}") from error


def _range(joints: tuple[str, ...], mechanism: Mechanism) -> Array:
    """Joint limits, one row per joint. # (k, 2) [rad]."""
    found = [mechanism.joints[mechanism.index(name)] for name in joints]
    return np.array([(joint.q_min, joint.q_max) for joint in found])


def _transmission(
    table: FixedRatioTable | CrankScrewTable | CardanScrewsTable, joint_range: Array
) -> Transmission:
    from robots.core.transmission import CardanScrews, CrankScrew, FixedRatio

    if table.kind == "fixed-ratio":
        return FixedRatio(
            joint=table.joints[0],
            motor=table.motors[0],
            ratio=float(table.ratio),
            joint_range=joint_range,
        )
    if table.kind == "crank-screw":
        return CrankScrew(
            joint=table.joints[0],
            motor=table.motors[0],
            crank_sense=table.crank_sense,
            screw_sense=table.screw_sense,
            joint_range=joint_range,
            **_constants(table),
        )
    return CardanScrews(
        joints=table.joints,
        motors=table.motors,
        screw_sense=table.screw_sense,
        joint_range=joint_range,
        **_constants(table),
    )


def _constants(table: CrankScrewTable | CardanScrewsTable) -> dict[str, Any]:
    """Lengths and angles by the symbol that the key's name starts with."""
    constants = {}
    for key in type(table).model_fields:
        value = getattr(table, key)
        if value is not None and key.endswith("_mm"):
            constants[key.removesuffix("_mm")] = metres(value)
        if value is not None and key.endswith("_deg"):
            constants[key.removesuffix("_deg")] = radians(value)
    return constants
