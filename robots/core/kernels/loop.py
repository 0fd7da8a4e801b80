"""Plain Python loops over arrays as machine code: compiled by Numba once per machine, then loaded.

A loop is an ordinary function of NumPy arrays and numbers that writes into its last arrays and
returns nothing; it and the functions of its own package that it calls are plain Python and run
uncompiled too, which is how tests read them. Numba is imported only to compile: the machine code
lies in the same cache as the recorded kernels, keyed by the text of the modules it came from.
"""

from __future__ import annotations

import ctypes
import hashlib
import logging
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from types import FunctionType, ModuleType
from typing import Any

import numpy as np

from robots.core.errors import EquationError
from robots.core.kernels import cache
from robots.core.kernels.address import address_of
from robots.core.kernels.machine import host, load_symbol

# Raise when the generated code changes in a way the modules' texts do not show.
_GENERATION = "2"
_LOG = logging.getLogger("palpeur.kernels")
_DTYPES = {
    **{"f8": "float64", "f4": "float32"},
    **{"i8": "int64", "i4": "int32", "u8": "uint64", "u1": "uint8"},
}
_SCALARS: dict[str, Any] = {"f8": ctypes.c_double, "i8": ctypes.c_int64}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Argument:
    """Type of one argument: "f8[2]" is a C-ordered matrix of doubles, "i8" an integer."""

    kind: str
    rank: int
    dtype: np.dtype[Any]

    def takes(self, value: Any) -> bool:
        """Whether a value may be passed as this array."""
        return (
            isinstance(value, np.ndarray)
            and value.dtype == self.dtype
            and value.ndim == self.rank
            and value.flags.c_contiguous
        )


class Loop:
    """A function of loops, called with arrays; the call releases the interpreter lock.

    Args:
        function: plain Python; every function that it calls must be of its own top package, or one
            that Numba knows.
        arguments: types in order, such as "f8[2] i4[1] i8"; f8 f4 i8 i4 u8 u1, the brackets hold
            the number of axes.

    Raises:
        EquationError: a type that is not known.
    """

    def __init__(self, function: Callable[..., None], arguments: str) -> None:
        self.function = function
        self._arguments = tuple(_argument(text) for text in arguments.split())
        self._signature = arguments
        self._lock = Lock()  # threads may call before any of them has loaded
        self._call: Any = None
        self._keep: Any = None  # what holds the machine code in memory

    def __call__(self, *values: Any) -> None:
        """Run; arrays must be C-ordered and of the declared types.

        Raises:
            EquationError: an array of another type, rank or order.
        """
        if self._call is None:
            self._load()
        flat: list[Any] = []
        for place, (argument, value) in enumerate(zip(self._arguments, values, strict=True)):
            if argument.rank == 0:
                flat.append(value)
            elif argument.takes(value):
                flat += (address_of(value), *value.shape)
            else:
                raise self._refused(place, value)
        self._call(*flat)

    def _refused(self, place: int, value: Any) -> EquationError:
        argument = self._arguments[place]
        found = f"{value.dtype} {value.shape}" if isinstance(value, np.ndarray) else repr(value)
        return EquationError(
            f"Argument {place} of loop {self.function.__name__} is {found}; expected a "
            f"C-ordered array of {argument.dtype} with {argument.rank} axes.",
            place=place,
        )

    def _load(self) -> None:
        with self._lock:
            if self._call is None:
                self._call = self._loaded()

    def _loaded(self) -> Any:
        """The machine code as a ctypes function, out of the cache or compiled."""
        modules = _modules_of(self.function)
        key = self._key(modules)
        entry = cache.read(key)
        if entry is None:
            _LOG.info("compiling %s", self.function.__qualname__)
            code, name = self._compiled(modules)
            entry = name.encode() + b"\0" + code
            cache.write(key, entry)
        name_bytes, _, code = entry.partition(b"\0")
        address, self._keep = load_symbol(code, name_bytes.decode())
        kinds: list[Any] = []
        for argument in self._arguments:
            if argument.rank == 0:
                kinds.append(_SCALARS[argument.kind])
            else:
                kinds += [ctypes.c_void_p, *[ctypes.c_int64] * argument.rank]
        return ctypes.CFUNCTYPE(None, *kinds)(address)

    def _key(self, modules: dict[str, ModuleType]) -> str:
        import llvmlite

        texts = [Path(str(m.__file__)).read_text("utf-8") for _, m in sorted(modules.items())]
        name = f"{self.function.__module__}.{self.function.__qualname__}"
        parts = (_GENERATION, llvmlite.__version__, *host(), name, self._signature, *texts)
        return hashlib.sha256("\0".join(parts).encode()).hexdigest()

    def _compiled(self, modules: dict[str, ModuleType]) -> tuple[bytes, str]:
        """Object code, and the name of its entry."""
        import numba
        from numba import carray, types

        entry = _jitted(modules)[self.function.__module__][self.function.__name__]
        kinds: list[Any] = []
        for argument in self._arguments:
            base = getattr(types, argument.dtype.name)
            if argument.rank == 0:
                kinds.append(base)
            else:
                kinds += [types.CPointer(base), *[types.int64] * argument.rank]
        namespace: dict[str, Any] = {"entry": entry, "carray": carray}
        exec(_wrapper(self._arguments), namespace)
        made = numba.cfunc(types.void(*kinds), nopython=True, error_model="numpy")(
            namespace["wrapper"]
        )
        return bytes(made._library._get_compiled_object()), str(made.native_name)


def _argument(text: str) -> _Argument:
    kind, _, rest = text.partition("[")
    rank = int(rest.removesuffix("]")) if rest else 0
    if kind not in _DTYPES or (rank == 0 and kind not in _SCALARS):
        raise EquationError(
            f"A loop has no argument type {text!r}; there are {', '.join(_DTYPES)}."
        )
    return _Argument(kind=kind, rank=rank, dtype=np.dtype(_DTYPES[kind]))


def _wrapper(arguments: tuple[_Argument, ...]) -> str:
    """Text of a function that makes arrays of pointers and sizes, then calls the entry."""
    names, made = [], []
    for k, argument in enumerate(arguments):
        sizes = [f"n{k}_{axis}" for axis in range(argument.rank)]
        names += [f"a{k}", *sizes]
        made.append(f"carray(a{k}, ({', '.join(sizes)},))" if sizes else f"a{k}")
    return f"def wrapper({', '.join(names)}):\n    entry({', '.join(made)})\n"


def _modules_of(function: Callable[..., None]) -> dict[str, ModuleType]:
    """Modules whose functions a loop may call: its own, and those that these import from."""
    package = function.__module__.partition(".")[0]
    found: dict[str, ModuleType] = {}
    waiting = [function.__module__]
    while waiting:
        name = waiting.pop()
        if name in found:
            continue
        found[name] = sys.modules[name]
        waiting += [
            value.__module__
            for value in vars(found[name]).values()
            if isinstance(value, FunctionType) and value.__module__.partition(".")[0] == package
        ]
    return found


def _jitted(modules: dict[str, ModuleType]) -> dict[str, dict[str, Any]]:
    """Namespaces of the modules with every function of theirs ready for Numba."""
    import numba

    spaces: dict[str, dict[str, Any]] = {name: dict(vars(m)) for name, m in modules.items()}
    made: dict[tuple[str, str], Any] = {}
    for name, module in modules.items():
        for key, value in vars(module).items():
            if isinstance(value, FunctionType) and value.__module__ == name:
                copy = FunctionType(value.__code__, spaces[name], key, value.__defaults__)
                copy.__annotations__ = {}
                made[name, value.__name__] = numba.njit(error_model="numpy", _nrt=False)(copy)
    for space in spaces.values():
        for key, value in space.items():
            if isinstance(value, FunctionType):
                space[key] = made.get((value.__module__, value.__name__), value)
    return spaces
