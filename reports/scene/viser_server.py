"""The moment in which viser records a scene: a quiet server, and the page that comes of it.

viser records what its server would send to a browser. The server stands on this machine alone, on
a port that the system picks, for the moment that takes; nobody connects to it.
"""

from __future__ import annotations

import io
import socket
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from typing import TYPE_CHECKING

from planner.errors import OutputError
from reports.scene.camera import FIELD_OF_VIEW, first_view
from reports.scene.credits import credited
from reports.scene.model import Scene

if TYPE_CHECKING:
    from viser import ViserServer

_HOST = "127.0.0.1"
_PREFERENCE = (
    "{darkMode:false}",
    '{darkMode:matchMedia("(prefers-color-scheme: dark)").matches}',
)
_VISERS_TITLE = "<title>Viser</title>"
# viser's client readies a sorter of Gaussian splats, which we have none of, by evaluating text.
# Where the page's policy forbids that, nothing is missing; the complaint of it is not passed on.
_OURS = """<title>%s</title><script>addEventListener("unhandledrejection",(e)=>{
if(e.reason instanceof EvalError)e.preventDefault();});</script>"""


@contextmanager
def quiet_server() -> Iterator[ViserServer]:
    """A server that says nothing and is stopped in any case.

    Raises:
        OutputError: this machine lets nobody listen on 127.0.0.1.
    """
    import viser

    _check_host()
    with redirect_stdout(io.StringIO()):  # viser greets, whatever it is told
        server = viser.ViserServer(host=_HOST, port=0, verbose=False)
        try:
            yield server
        finally:
            server.stop()


def look(server: ViserServer, scene: Scene) -> None:
    """Up, and where the camera begins."""
    view = first_view(scene)
    server.scene.set_up_direction("+z")
    server.initial_camera.position = view.position
    server.initial_camera.look_at = view.look_at
    server.initial_camera.fov = float(FIELD_OF_VIEW)


def titled(page: str, title: str) -> str:
    """Viser's page under a title of ours, with its credits, without its complaint of a policy.

    Args:
        page: as viser serialises it.
        title: markup of ours, nothing from an input.
    """
    return credited(page.replace(_VISERS_TITLE, _OURS % title, 1))


def as_the_reader_likes(page: str) -> str:
    """A light page that is dark where the reader's system asks for it."""
    return page.replace(*_PREFERENCE, 1)


def _check_host() -> None:
    """Without a loopback viser would wait for ever."""
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
            probe.bind((_HOST, 0))
    except OSError as error:
        raise OutputError(
            f"The 3D scene cannot be made: this machine lets nobody listen on {_HOST}: "
            f"{error.strerror}.",
            host=_HOST,
        ) from error
