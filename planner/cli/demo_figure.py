"""The demonstration's figure: one motion of the measuring arm, its joints and its torques."""

from __future__ import annotations

import io

import numpy as np

from planner.cli.tableau_4 import tableau_motion
from robots.core.mechanism import Mechanism
from robots.core.model import Model

_SAMPLES = 800
_LAW = "trapezoid"
# Colours that stay apart for colour-blind readers (Okabe and Ito).
_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00")


def motion_figure(arm: Mechanism) -> dict[str, bytes]:
    """The trapezoid motion of Tableau 4: file name to content, PNG and SVG."""
    import matplotlib
    from matplotlib.figure import Figure

    found = tableau_motion(_LAW)
    motion = found.motion(np.zeros(arm.dof))
    t = np.linspace(0.0, found.duration, _SAMPLES)
    q, qd, qdd = motion.position(t), motion.velocity(t), motion.acceleration(t)
    tau = Model(arm).torques(q, qd, qdd)
    panels = (("position deg", np.degrees(q)), ("speed rad/s", qd), ("torque N m", tau))
    with matplotlib.rc_context({"svg.hashsalt": "palpeur", "font.size": 9}):
        figure = Figure(figsize=(7.0, 7.5), layout="constrained")
        axes = figure.subplots(len(panels), 1, sharex=True)
        for axis, (label, values) in zip(axes, panels, strict=True):
            for joint, colour in enumerate(_COLOURS):
                axis.plot(t, values[:, joint], color=colour, label=f"q{joint + 1}", linewidth=1.2)
            axis.set_ylabel(label)
            axis.grid(alpha=0.3)
        axes[0].set_title(f"{arm.name}, {_LAW} law, {found.duration:.4f} s")
        axes[0].legend(ncols=arm.dof, loc="upper left", frameon=False)
        axes[-1].set_xlabel("time s")
        files = {}
        for kind, metadata in (("png", {"Software": None}), ("svg", {"Date": None})):
            content = io.BytesIO()
            figure.savefig(content, format=kind, dpi=150, metadata=metadata)
            files[f"{arm.name}-motion.{kind}"] = content.getvalue()
    return files
