"""Templates of the pages and what a page may do: text is escaped, scripts are known by hash."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Callable, Iterable
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from reports.visible_text import cut, visible

if TYPE_CHECKING:
    from jinja2 import Environment

    from reports.page.scene import PageScene

SHARED = "reports.page"
# Inside a script element: what could end it, open a comment in it, or end a line of it.
_ESCAPES = {ord(sign): f"\\u{ord(sign):04x}" for sign in "<>&\u2028\u2029"}


@cache
def environment(package: str, *filters: Callable[[str], str]) -> Environment:
    """Templates of a package; those of the report page are found behind them.

    Args:
        package: with a folder ``templates``.
        filters: further ones, known to templates by their names.
    """
    from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined

    made = Environment(
        loader=ChoiceLoader([PackageLoader(name) for name in dict.fromkeys((package, SHARED))]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_seen,
    )
    made.filters["cut"] = cut
    made.filters.update({function.__name__: function for function in filters})
    return made


@cache
def asset(name: str, folder: str = f"{SHARED}/assets") -> str:
    """A style or script that goes into a page.

    Args:
        name: of the file.
        folder: package and folder in it, as "reports.page/assets".
    """
    package, _, inside = folder.partition("/")
    return (files(package) / inside / name).read_text(encoding="utf-8")


def _seen(value: object) -> object:
    """Every text that a template writes has nothing hidden in it; markup is ours."""
    return visible(value) if type(value) is str else value


def data_block(value: object) -> str:
    """JSON that stays data wherever it stands in a page; equal values give equal text.

    Args:
        value: of dicts, lists, texts and finite numbers.
    """
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return text.encode("utf-8", "backslashreplace").decode("utf-8").translate(_ESCAPES)


def digest(text: str) -> str:
    """A script or style as a policy names it."""
    whole = hashlib.sha256(text.encode("utf-8")).digest()
    return f"'sha256-{base64.b64encode(whole).decode('ascii')}'"


def policy(*, scripts: Iterable[str], styles: Iterable[str], scene: bool) -> str:
    """The content security policy of the page, and of the scene that inherits it.

    Args:
        scripts: digests of all scripts that may run.
        styles: digests of all styles.
        scene: whether a 3D scene is embedded. It unpacks itself with WebAssembly that it holds
            as data, and textures become pictures by way of blobs.
    """
    code, images = [*scripts], ["data:"]
    rules = ["default-src 'none'", "base-uri 'none'", "form-action 'none'"]
    if scene:
        code.append("'wasm-unsafe-eval'")
        images.append("blob:")
        rules.append("connect-src data: blob:")
    rules.append(f"script-src {' '.join(code)}")
    rules.append(f"style-src {' '.join(styles)}")
    rules.append(f"img-src {' '.join(images)}")
    return "; ".join(rules)


def filled(
    template: str,
    package: str = SHARED,
    *,
    style: str,
    script: str,
    scene: PageScene | None = None,
    motion: object = None,
    **content: object,
) -> str:
    """Fill the template of a page that runs its own style, script and scene and nothing else.

    Args:
        template: name of its file.
        package: with the template.
        style: text of the page's style.
        script: text of its script.
        scene: embedded in the page; None for none.
        motion: data of the page's script.
        **content: what else the template reads.
    """
    from markupsafe import Markup

    return (
        environment(package)
        .get_template(template)
        .render(
            policy=page_policy(style, script, scene),
            style=Markup(style),
            script=Markup(script),
            scene=Markup(data_block(scene.text)) if scene else None,
            motion=Markup(data_block(motion)),
            **content,
        )
    )


def page_policy(style: str, script: str, scene: PageScene | None) -> str:
    """The policy of a page of one style, one script, and perhaps a scene.

    Args:
        style: its text.
        script: its text.
        scene: embedded in the page; None for none.
    """
    return policy(
        scripts=(digest(script), *(scene.scripts if scene else ())),
        styles=(digest(style), *(scene.styles if scene else ())),
        scene=scene is not None,
    )
