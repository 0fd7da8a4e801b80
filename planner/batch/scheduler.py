"""The scheduler of a dask cluster: its address, and a client of it in bounded time."""

from __future__ import annotations

import asyncio
import logging
import re
import struct
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING

from planner.errors import OptionError

if TYPE_CHECKING:
    from distributed import Client

_CONNECT = 20.0  # [s]
_PATIENCE = 0.5  # of that time until somebody listens; the scheduler may be starting, too
_STRANGER = "what answers there is none"
_SHOWN, _SAID = 80, 300  # characters of an address, and of what went wrong
_LOUD = frozenset({"distributed", "asyncio", "tornado"})  # what matters of it is said by us
_FORM = re.compile(
    r"(?:(?P<scheme>[a-z]+)://)?(?:\[(?P<six>[0-9A-Fa-f:.]+)\]|(?P<host>[^\s:/\[\]]+)):(?P<port>[0-9]+)"
)
_HOST = re.compile(rb"[A-Za-z0-9_](?:[A-Za-z0-9._-]{0,252}[A-Za-z0-9_.])?")


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """Of a scheduler.

    Args:
        scheme: "tcp" or "tls".
        host: name or number.
        port: 1 to 65535.
    """

    scheme: str
    host: str
    port: int

    def __str__(self) -> str:
        """As dask and its user write it."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{self.scheme}://{host}:{self.port}"


def address_of(text: str) -> Address:
    """An address from the command line.

    Raises:
        OptionError: this is none.
    """
    found = _FORM.fullmatch(text)
    if found is None:
        raise _no_address(text, "it has no host and port")
    if (scheme := found["scheme"] or "tcp") not in {"tcp", "tls"}:
        raise _no_address(text, "a scheduler speaks tcp or tls")
    if not 1 <= (port := int(found["port"][:9])) <= 65535:
        raise _no_address(text, "a port is 1 to 65535")
    return Address(scheme=scheme, host=found["six"] or _host(found["host"], text), port=port)


def connected(address: Address) -> Client:
    """A client of the scheduler; it lives until it is closed, whatever becomes of it.

    Raises:
        OptionError: no scheduler answers there, or the extra is not installed.
    """
    try:
        from distributed import Client
    except ImportError:
        raise OptionError(
            "--cluster needs dask.distributed, which is not installed; install palpeur[cluster]."
        ) from None
    for name in list(logging.root.manager.loggerDict):
        if name.partition(".")[0] in _LOUD:
            logging.getLogger(name).setLevel(logging.CRITICAL + 1)
    try:
        with ThreadPoolExecutor(1) as thread:  # where this is called, a loop may be running
            kind = thread.submit(asyncio.run, _kind_of_server(address)).result()
        if kind == "Scheduler":
            client: Client = Client(str(address), timeout=_CONNECT, set_as_default=False)
            return client
        reason = "a worker answers there" if kind in ("Worker", "Nanny") else _STRANGER
    except TimeoutError:
        reason = "what listens there does not answer as one does"
    except OSError as error:
        reason = _words_of(error) or "what listens there hangs up"
    except TypeError as error:  # options of a secure connection that are missing
        reason = _words_of(error)
    except (MemoryError, struct.error, ValueError, LookupError, AttributeError):
        # a stranger's bytes, read as the length of a message or as its content
        reason = _STRANGER
    raise OptionError(
        f"--cluster {address}: no scheduler answers there within {_CONNECT:g} s: {reason}. "
        "Start one with `dask scheduler --host 127.0.0.1`, workers with `dask worker ADDRESS`.",
        address=str(address),
    )


async def _kind_of_server(address: Address) -> str:
    """What a dask server says it is: "Scheduler", "Worker" or "Nanny".

    A client cannot be asked at once: its time limit does not hold for the handshake, so that it
    would wait for ever for whatever listens and says nothing.

    Raises:
        TimeoutError: no answer in time; so does what the bytes of a stranger lead to.
    """
    from distributed.core import rpc
    from distributed.security import Security

    server = rpc(
        str(address),
        timeout=_PATIENCE * _CONNECT,
        deserialize=False,
        connection_args=Security().get_connection_args("client"),
    )

    async def ask() -> str:
        async with server:
            return str((await server.identity())["type"])

    return await asyncio.wait_for(ask(), _CONNECT)


def _words_of(error: BaseException) -> str:
    """Of what is at the root of an error, on one line, without the stop at its end."""
    while isinstance(error.__cause__, OSError):
        error = error.__cause__
    words = getattr(error, "strerror", None) or str(error)
    return " ".join(words.split())[:_SAID].rstrip(".")


def _host(name: str, text: str) -> str:
    """A name as the network has it.

    Raises:
        OptionError: no name.
    """
    try:
        known = name.encode("idna")
    except UnicodeError:
        raise _no_address(text, "that is no name of a host") from None
    if not _HOST.fullmatch(known):
        raise _no_address(text, "that is no name of a host")
    return known.decode("ascii")


def _no_address(text: str, why: str) -> OptionError:
    return OptionError(
        f"--cluster is {text[:_SHOWN]!r}: {why}; give the address of a scheduler as "
        "tcp://host:8786.",
        address=text,
    )
