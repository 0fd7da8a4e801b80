"""Instructions of LLVM assembly over whole vectors, one number per lane."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass, field


@dataclass(slots=True)
class Emitter:
    """Collects lines and hands out names."""

    lanes: int
    lines: list[str] = field(default_factory=list)
    _count: int = 0

    @property
    def vector(self) -> str:
        """Type of a value: one number per lane."""
        return f"<{self.lanes} x double>"

    def line(self, text: str) -> None:
        """Add one instruction without a result."""
        self.lines.append("  " + text)

    def value(self, text: str) -> str:
        """Add one instruction and name its result."""
        name = self.name()
        self.line(f"{name} = {text}")
        return name

    def name(self) -> str:
        """A name that no value has yet."""
        self._count += 1
        return f"%v{self._count}"

    def interleave(self, span: tuple[int, int], groups: Sequence[Sequence[str]]) -> None:
        """Spread groups of instructions evenly between the lines from a first to a last."""
        first, last = span
        lines = self.lines[first:last]
        mixed: list[str] = []
        for k, group in enumerate(groups):
            start, end = (len(lines) * j // len(groups) for j in (k, k + 1))
            mixed += [f"  {text}" for text in group] + lines[start:end]
        if groups:
            self.lines[first:last] = mixed

    def constant(self, number: float) -> str:
        """The same number in every lane."""
        return "<" + ", ".join([f"double {hex_double(number)}"] * self.lanes) + ">"

    def shuffle(self, a: str, b: str, lanes: Sequence[int], width: int) -> str:
        """Lanes of a (0…) and b (width…) in a new order; both have ``width`` lanes."""
        mask = ", ".join(f"i32 {lane}" for lane in lanes)
        kind = f"<{width} x double>"
        return self.value(f"shufflevector {kind} {a}, {kind} {b}, <{len(lanes)} x i32> <{mask}>")


def hex_double(number: float) -> str:
    """LLVM's exact spelling of a double."""
    return "0x" + struct.pack(">d", number).hex().upper()
