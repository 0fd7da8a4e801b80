"""Credits of the software that a page with a 3D view holds, with the texts of its licences."""

from __future__ import annotations

from html import escape
from importlib.resources import files

_STYLE = (
    "#credits{position:fixed;right:.4rem;bottom:.2rem;z-index:9;max-width:46rem;"
    "font:11px/1.4 sans-serif;color:#777}#credits[open]{background:#fff;color:#222;"
    "border:1px solid #aaa;padding:.4rem}#credits pre{max-height:70vh;overflow:auto;"
    "white-space:pre-wrap}#credits summary{cursor:pointer;text-align:right}"
)


def notices() -> str:
    """The notices, as they stand in ``NOTICE``, too."""
    return files("reports.scene").joinpath("notices.txt").read_text(encoding="utf-8")


def credited(page: str) -> str:
    """A page of viser's with its credits in a corner, folded.

    Args:
        page: with a body.

    Raises:
        ValueError: it has none, so that nobody would see them.
    """
    head, end, tail = page.rpartition("</body>")
    if not end:
        raise ValueError("the page of the 3D view has no body to hold its credits")
    # addresses stay text: no page of ours holds anything that looks like a link to elsewhere
    text = escape(notices(), quote=False).replace("://", "&#58;//")
    folded = (
        f'<style>{_STYLE}</style><details id="credits"><summary>3D view: viser, three.js and '
        f"others</summary><pre>{text}</pre></details>"
    )
    return f"{head}{folded}{end}{tail}"
