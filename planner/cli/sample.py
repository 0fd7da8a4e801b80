"""Work of ``palpeur sample``: a part, a feature, points, and what they are worth."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from parts.features import Feature, choose_feature
from parts.geometry import Geometry, Sheets, load_geometry
from parts.library import names, open_part
from parts.probe import Tip
from parts.sampling import Design, Reach, Sample, count_for, points_csv, sample
from planner.cli.exit_codes import ExitCode
from planner.cli.output import FORMAT, print_json
from planner.cli.session import Session
from planner.errors import OptionError
from planner.result_files import check_file, write_result
from robots.core.arrays import Array

_COMMAND = "palpeur sample"
_SHEETS: dict[str, Sheets | None] = {"": None, "ignore": "ignore", "include": "include"}
_USUAL = 25  # points, where nothing is asked


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
        check_file(
            Path(request.out), _COMMAND, force=request.session.force
        )  # before the work, not after it
    geometry = open_geometry(request.part, request.unit, request.sheets)
    feature = choose_feature(geometry, request.feature)
    reach = _reach(request, geometry)
    count = _count(request, feature, reach)
    found = sample(feature, request.strategy, count, reach=reach, prefix=request.prefix)
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


def open_geometry(part: str, unit: str = "", sheets: str = "") -> Geometry:
    """A geometry file, or a part of the library where there is no such file.

    Raises:
        OptionError: an unknown choice of sheets.
        PartError: neither, or a file that cannot be read.
    """
    if sheets not in _SHEETS:
        raise OptionError(f"--sheets is {sheets!r}; expected ignore or include.", value=sheets)
    if not Path(part).exists() and (part in names() or not Path(part).suffix):
        return open_part(part).geometry
    return load_geometry(Path(part), unit=unit or None, sheets=_SHEETS[sheets])


def _check(request: SampleRequest) -> None:
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


def _reach(request: SampleRequest, geometry: Geometry) -> Reach:
    if not request.ball_radius:
        return Reach(edge_margin=request.edge_margin)
    tip = Tip(
        length=request.stylus_length,
        ball_radius=request.ball_radius,
        shank_radius=request.shank_radius,
    )
    away = _direction(request.stylus_axis) if request.stylus_axis else None
    return Reach(edge_margin=request.edge_margin, geometry=geometry, tip=tip, away=away)


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


def _count(request: SampleRequest, feature: Feature, reach: Reach) -> int:
    if not request.target:
        return request.count or _USUAL
    return count_for(
        feature, request.strategy, sigma=request.sigma, target=request.target, reach=reach
    )


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
