"""Work of ``palpeur sample``: a part, a feature, points, and what they are worth."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from parts.features import Feature
from parts.geometry import Geometry, Sheets
from parts.part import load_part
from parts.probe import Tip
from parts.sampling import Design, Sample, points_csv
from planner.cli.exit_codes import ExitCode
from planner.cli.output import FORMAT, print_json
from planner.cli.session import Session
from planner.errors import OptionError
from planner.result_files import check_file, write_result
from robots.core.arrays import Array

_COMMAND = "palpeur sample"
_SHEETS: dict[str, Sheets | None] = {"": None, "ignore": "ignore", "include": "include"}


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleRequest:
    """What was asked, in SI; the meaning of each field is that of its option."""

    part: str
    feature: str
    session: Session
    strategy: str = "hammersley"
    count: int = 0
    target: float = 0.0
    sigma: float = 1e-6
    edge_margin: float = 0.0
    ball_radius: float = 0.0
    shank_radius: float = 0.0
    stylus_length: float = 0.0
    stylus_axis: str = ""
    unit: str = ""
    sheets: str = ""
    prefix: str = "P"
    out: str = ""
    json: bool = False


def run_sample(request: SampleRequest) -> int:
    """Lay out points, print or write them, and say what they are worth.

    Raises:
        OptionError: options that contradict each other.
        PartError: a part, feature or layout that cannot be.
        OutputError: the file cannot be written, or is somebody else's.
    """
    _check(request)
    if request.out:
        # before the work, not after it
        check_file(Path(request.out), _COMMAND, force=request.session.force)
    part = load_part(request.part, unit=request.unit or None, sheets=_SHEETS[request.sheets])
    geometry, feature = part.geometry, part.feature(request.feature)
    found = part.sample(
        feature,
        count=request.count,
        strategy=request.strategy,
        target=request.target,
        sigma=request.sigma,
        edge_margin=request.edge_margin,
        tip=_tip(request),
        stylus_axis=_direction(request.stylus_axis) if request.stylus_axis else None,
        prefix=request.prefix,
    )
    if request.out:
        write_result(
            Path(request.out), points_csv(found.points), _COMMAND, force=request.session.force
        )
    if request.json:
        print_json(_document(request, geometry, feature, found))
    elif not request.out:
        sys.stdout.write(points_csv(found.points))
    for sentence in _told(request, geometry, feature, found):
        request.session.say(sentence)
    return ExitCode.DONE


def _check(request: SampleRequest) -> None:
    if request.sheets not in _SHEETS:
        raise OptionError(
            f"--sheets is {request.sheets!r}; expected ignore or include.", value=request.sheets
        )
    if request.count and request.target:
        raise OptionError("--count and --target-um exclude each other; give one.")
    for option, value in (("--count", request.count), ("--target-um", 1e6 * request.target)):
        if not value >= 0.0:
            raise OptionError(f"{option} is {value:g}; it must be above zero.", value=value)
    if request.shank_radius and not (request.ball_radius and request.stylus_length):
        raise OptionError(
            "--shank-diameter-mm needs --ball-diameter-mm and --stylus-length-mm, to know where "
            "the shank is."
        )


def _tip(request: SampleRequest) -> Tip | None:
    """The stylus that must fit; None where no ball is given."""
    if not request.ball_radius:
        return None
    return Tip(
        length=request.stylus_length,
        ball_radius=request.ball_radius,
        shank_radius=request.shank_radius,
    )


def _direction(text: str) -> Array:
    try:
        vector = np.array([float(cell) for cell in text.split(",")])
    except ValueError:
        vector = np.zeros(0)
    length = float(np.linalg.norm(vector))
    if vector.shape != (3,) or not 0.0 < length < np.inf:
        raise OptionError(
            f"--stylus-axis {text!r} is no direction; expected three numbers, such as 0,0,1.",
            value=text,
        )
    return np.asarray(vector / length)


def _told(request: SampleRequest, geometry: Geometry, feature: Feature, found: Sample) -> list[str]:
    """What a reader should know beside the points."""
    where = f", written to {request.out}" if request.out else ""
    lines = [
        f"{len(found.points)} points ({found.strategy}) on {feature.kind} {feature.name!r} of "
        f"{geometry.source}{where}.",
        f"Star discrepancy {found.discrepancy:.3f}; {_worth(found.design)}.",
    ]
    if found.off_surface or found.not_reached:
        lines.append(
            f"Of {found.laid_out} places laid out, {found.off_surface} are off the surface or near "
            f"its edge, and at {found.not_reached} the stylus does not fit."
        )
    if feature.kind in ("freeform", "facets"):
        lines.append(
            f"The points lie on triangles, their normals are "
            f"{'interpolated' if feature.kind == 'freeform' else 'those of the triangles'}."
        )
    audit = geometry.audit
    if audit.sheet_faces:
        lines.append(
            f"{audit.sheets} sheets beside the solids of the file ({audit.sheet_faces} faces) were "
            "left out; --sheets include makes them part."
        )
    if audit.turned:
        lines.append(
            f"{audit.turned} of {audit.triangles} triangles were turned round: their closed pieces "
            "were inside out."
        )
    return [*lines, *(f"Warning: {text}" for text in audit.warnings)]


def _worth(design: Design) -> str:
    if not np.isfinite(design.surface):
        return (
            f"these points do not determine the {design.parameters} parameters of the feature: "
            "take more, or hammersley"
        )
    return (
        f"a fit knows the surface to {design.surface:.3g} times the standard deviation of one "
        "probing, or better"
    )


def _document(
    request: SampleRequest, geometry: Geometry, feature: Feature, found: Sample
) -> dict[str, object]:
    points = found.points
    rows = zip(points.names, points.positions * 1e3, points.normals, points.features, strict=True)
    keys = ("x_mm", "y_mm", "z_mm", "nx", "ny", "nz")
    return {
        "format": FORMAT,
        "part": geometry.source,
        "feature": {"name": feature.name, "kind": feature.kind},
        "strategy": found.strategy,
        "edge_margin_mm": request.edge_margin * 1e3,
        "laid_out": found.laid_out,
        "off_surface": found.off_surface,
        "not_reached": found.not_reached,
        "star_discrepancy": found.discrepancy,
        "fit": {
            "parameters": found.design.parameters,
            "surface_per_sigma": found.design.surface,
            "sizes_per_sigma": found.design.sizes,
        },
        "points": [
            {"name": name, **dict(zip(keys, [*p, *n], strict=True)), "feature": label}
            for name, p, n, label in rows
        ],
        "warnings": geometry.audit.warnings,
        "notes": geometry.notes,
    }
