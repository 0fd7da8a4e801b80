"""``palpeur sample``: what is asked; ``sample`` does the work."""

from __future__ import annotations

from typing import Annotated

import typer

from planner.cli.options import Json
from planner.cli.out_place import Force, file_option


def sample(
    context: typer.Context,
    part: Annotated[
        str,
        typer.Argument(
            metavar="PART",
            help="Geometry file (STL, OBJ, PLY, GLB, 3MF, STEP), or a library part: ball, blade, "
            "block, inclined-plate.",
            show_default=False,
        ),
    ],
    *,
    feature: Annotated[
        str,
        typer.Option(
            "--feature",
            metavar="FEATURE",
            help="A face's name, #index, a kind (cylinder), nearest:x,y,z in mm, or by numbers: "
            "'circle:center=0,0,5;normal=0,0,1;diameter=20;inner'.",
            show_default=False,
        ),
    ],
    strategy: Annotated[
        str,
        typer.Option(
            "--strategy",
            help="grid, hammersley, star, helix, circles, stratified-by-curvature.",
        ),
    ] = "hammersley",
    count: Annotated[
        int, typer.Option("--count", help="Number of points; 25 where no target is given.")
    ] = 0,
    target_um: Annotated[
        float,
        typer.Option(
            "--target-um",
            help="Instead of a count: standard deviation of the fitted surface where it is worst.",
        ),
    ] = 0.0,
    sigma_um: Annotated[
        float, typer.Option("--sigma-um", help="Standard deviation of one probing, for --target.")
    ] = 1.0,
    edge_margin_mm: Annotated[
        float, typer.Option("--edge-margin-mm", help="Least distance from the feature's edges.")
    ] = 0.0,
    ball_diameter_mm: Annotated[
        float, typer.Option("--ball-diameter-mm", help="Keep points that this ball can touch.")
    ] = 0.0,
    shank_diameter_mm: Annotated[
        float, typer.Option("--shank-diameter-mm", help="And that its shank leaves room for.")
    ] = 0.0,
    stylus_length_mm: Annotated[
        float, typer.Option("--stylus-length-mm", help="Length of that shank.")
    ] = 0.0,
    stylus_axis: Annotated[
        str,
        typer.Option(
            "--stylus-axis",
            metavar="X,Y,Z",
            help="From ball to wrist, in part axes; default: the normal of each point.",
        ),
    ] = "",
    unit: Annotated[
        str, typer.Option("--unit", help="Of a geometry file that carries none: mm, cm, m, in.")
    ] = "",
    sheets: Annotated[
        str,
        typer.Option(
            "--sheets",
            help="ignore (the default) or include: surfaces of a STEP file beside its solids.",
        ),
    ] = "",
    prefix: Annotated[str, typer.Option("--prefix", help="Of the points' names.")] = "P",
    out: Annotated[
        str,
        typer.Option(
            "--out", callback=file_option, metavar="FILE", help="Write the points there, as CSV."
        ),
    ] = "",
    as_json: Json = False,
    force: Force = False,
) -> int:
    """Lay out probe points on a feature of a part, as a point file.

    Points lie where the part has surface, off its edges, and where the stylus fits.
    """
    from planner.cli.sample import SampleRequest, run_sample

    return run_sample(
        SampleRequest(
            part=part,
            feature=feature,
            strategy=strategy,
            count=count,
            target=target_um * 1e-6,
            sigma=sigma_um * 1e-6,
            edge_margin=edge_margin_mm * 1e-3,
            ball_radius=ball_diameter_mm * 0.5e-3,
            shank_radius=shank_diameter_mm * 0.5e-3,
            stylus_length=stylus_length_mm * 1e-3,
            stylus_axis=stylus_axis,
            unit=unit,
            sheets=sheets,
            prefix=prefix,
            out=out,
            json=as_json,
            session=context.obj.forced(force),
        )
    )
