"""What a page may do: data that cannot run, scripts and styles known by their hash."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from reports.page.scene import PageScene

# Inside a script element: what could end it, open a comment in it, or end a line of it.
_ESCAPES = {ord(sign): f"\\u{ord(sign):04x}" for sign in "<>&\u2028\u2029"}


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
