"""Views: objects shown in 3D in a notebook or a browser, and as figures.

Rooms below reach this module by name, through ``robots.core.views``.
"""

from __future__ import annotations

import sys
import tempfile
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from numpy.typing import ArrayLike

from planner.errors import OptionError
from planner.plan import Plan
from planner.proof import Proof
from reports.figures.motion import plan_figure
from reports.part import part_page
from reports.robot.page import robot_page
from reports.scene.build import scene_of
from reports.scene.model import Scene
from reports.scene.viser_scene import scene_html
from robots.robot import Robot

if TYPE_CHECKING:
    from parts.part import Part

__all__ = ["SceneView", "plan_figure", "show", "show_part", "show_plan", "show_robot"]

_HEIGHT = 560  # of the frame in a notebook [px]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class SceneView:
    """A 3D page that needs no network; a notebook shows it as the result of a cell.

    Args:
        title: of what is shown.
        html: the page.
        path: where the browser found it; None where none was opened.
    """

    title: str
    html: str = field(repr=False)
    path: Path | None = None

    def save(self, path: Path | str) -> Path:
        """Write the page."""
        target = Path(path)
        target.write_text(self.html, encoding="utf-8", newline="")
        return target

    def __repr__(self) -> str:
        """What is shown, and where."""
        where = f", {self.path}" if self.path else ""
        return f"SceneView of {self.title[:80]!r}: {len(self.html) / 1e6:.1f} MB{where}"

    def _repr_html_(self) -> str:
        """The page in a frame of its own, for notebooks."""
        return (
            f'<iframe srcdoc="{escape(self.html)}" width="100%" height="{_HEIGHT}" '
            'style="border:0" sandbox="allow-scripts"></iframe>'
        )


def show(shown: Plan | Proof | Robot | Part, *, open_browser: bool = True) -> SceneView:
    """Show a plan, a robot or a part in 3D.

    Args:
        shown: what is seen; of a proof its plan.
        open_browser: whether a page is opened outside a notebook.

    Raises:
        OptionError: something that has no picture.
        OutputError: this machine does not allow listening on 127.0.0.1, which the scene needs.
    """
    if isinstance(shown, Proof):
        shown = shown.plan
    if isinstance(shown, Plan):
        return show_plan(shown, open_browser=open_browser)
    if isinstance(shown, Robot):
        return show_robot(shown, open_browser=open_browser)
    if hasattr(shown, "geometry"):
        return show_part(shown, open_browser=open_browser)
    raise OptionError(
        f"A {type(shown).__name__} has no 3D picture; give a plan, a proof, a robot or a part.",
        value=type(shown).__name__,
    )


def show_plan(plan: Plan, *, open_browser: bool = True) -> SceneView:
    """Show robot, part, points and motion of a plan; raises as ``show``."""
    return _shown(scene_of(plan), open_browser=open_browser)


def show_robot(robot: Robot, q: ArrayLike | None = None, *, open_browser: bool = True) -> SceneView:
    """Show a robot with a slider for each joint.

    Args:
        robot: with or without capsules.
        q: first posture; zero, or the nearest to it within limits. # (n,) [rad or m]
        open_browser: as for ``show``.

    Raises:
        OptionError: a posture of another length, not finite, or outside the limits.
    """
    page = robot_page(robot, q)
    return _opened(page, robot.name, "robot.html", open_browser=open_browser)


def show_part(part: Part, *, open_browser: bool = True) -> SceneView:
    """Show a part; a click names the face and its feature."""
    return _opened(part_page(part), part.name, "part.html", open_browser=open_browser)


def _shown(scene: Scene, *, open_browser: bool) -> SceneView:
    page = scene_html(scene, dark=None)
    return _opened(page, scene.title, "scene.html", open_browser=open_browser)


def _opened(page: str, title: str, file: str, *, open_browser: bool) -> SceneView:
    if not open_browser or _in_notebook():
        return SceneView(title=title, html=page)
    import webbrowser

    path = Path(tempfile.mkdtemp(prefix="palpeur-")) / file
    path.write_text(page, encoding="utf-8", newline="")
    webbrowser.open(path.as_uri())
    return SceneView(title=title, html=page, path=path)


def _in_notebook() -> bool:
    """Return whether a notebook shows the results of its cells."""
    ipython: Any = sys.modules.get("IPython")
    shell = None if ipython is None else ipython.get_ipython()
    return shell is not None and hasattr(shell, "kernel")
