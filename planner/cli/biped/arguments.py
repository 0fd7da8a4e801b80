"""Arguments and options that several commands of ``palpeur biped`` share."""

from __future__ import annotations

from typing import Annotated

import typer

Biped = Annotated[
    str,
    typer.Argument(
        metavar="ROBOT",
        help="Name from `palpeur biped list`, or path of a biped file (.toml).",
        show_default=False,
    ),
]
Posture = Annotated[
    str,
    typer.Option(
        "--posture",
        metavar="DEG,…",
        help="Angles of all joints in degrees, or of some by name, as in q2=-16,q3=85.",
    ),
]
States = Annotated[
    str,
    typer.Option(
        "--states",
        metavar="FILE",
        help="CSV table of states, a unit in every column's name; - reads standard input.",
    ),
]
Ground = Annotated[
    str,
    typer.Option("--tilt", metavar="ROLL,PITCH", help="Of the ground, in degrees."),
]
