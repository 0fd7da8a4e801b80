"""A programme as LLVM assembly: one loop over blocks of ``lanes`` samples, straight line inside.

Arrays stay as users hold them, one row per sample. A block of rows is read, transposed in registers
(butterfly shuffles), computed with explicit vectors, transposed back and stored; no buffer and no
loop vectoriser stand between the recording and the machine. Sums of products may be contracted to
fused multiply-adds; nothing else is reordered, so NaN and infinities behave as written.

What a block stores, the machine must first own: it fetches each line of memory from wherever it
last was. Large batches would wait for that at every store, so the lines of a later block are asked
for while this one is computed.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from robots.core.kernels.llvm_arctangent import arctangent, opposite
from robots.core.kernels.llvm_trigonometry import Trigonometry
from robots.core.recording import Operation, Programme

ENTRY = "palpeur_kernel"

_LINE = 8  # doubles in one line of memory
_AHEAD = 512  # doubles between a store and the line asked for: far enough, and still in the cache

_BINARY = {
    Operation.ADD: "fadd",
    Operation.SUBTRACT: "fsub",
    Operation.MULTIPLY: "fmul",
    Operation.DIVIDE: "fdiv",
}


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
        self._count += 1
        name = f"%v{self._count}"
        self.line(f"{name} = {text}")
        return name

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


def llvm_text(programme: Programme, lanes: int) -> str:
    """LLVM assembly of ``void palpeur_kernel(i64 blocks, ptr in0, …, ptr out)``.

    Args:
        programme: what to compute.
        lanes: samples per block: doubles in one vector register of the machine, a power of two.
    """
    out = Emitter(lanes=lanes)
    pointers = [f"%in{k}" for k in range(len(programme.arguments))]
    bases = [
        _row_pointer(out, pointer, lanes * argument.size)
        for pointer, argument in zip(pointers, programme.arguments, strict=True)
    ]
    target = _row_pointer(out, "%out", lanes * programme.result.size)
    _ask_for_lines(out, target, lanes * programme.result.size)
    values = _compute(programme, out, bases)
    _write_rows(out, target, _outputs(programme, out, values))
    arguments = ", ".join(f"ptr noalias readonly {pointer}" for pointer in pointers)
    body = "\n".join(out.lines)
    return f"""define void @{ENTRY}(i64 %blocks, {arguments}, ptr noalias %out) #0 {{
entry:
  %some = icmp sgt i64 %blocks, 0
  br i1 %some, label %loop, label %done
loop:
  %block = phi i64 [ 0, %entry ], [ %next, %loop ]
{body}
  %next = add nuw nsw i64 %block, 1
  %more = icmp slt i64 %next, %blocks
  br i1 %more, label %loop, label %done
done:
  ret void
}}
declare void @llvm.prefetch.p0(ptr, i32, i32, i32)
declare {out.vector} @llvm.fma.v{lanes}f64({out.vector}, {out.vector}, {out.vector})
declare {out.vector} @llvm.fabs.v{lanes}f64({out.vector})
declare {out.vector} @llvm.sqrt.v{lanes}f64({out.vector})
declare {out.vector} @llvm.copysign.v{lanes}f64({out.vector}, {out.vector})
attributes #0 = {{ nounwind "min-legal-vector-width"="{64 * lanes}" \
"prefer-vector-width"="{64 * lanes}" }}
"""


def _row_pointer(out: Emitter, pointer: str, stride: int) -> str:
    offset = out.value(f"mul nsw i64 %block, {stride}")
    return out.value(f"getelementptr inbounds double, ptr {pointer}, i64 {offset}")


def _ask_for_lines(out: Emitter, target: str, size: int) -> None:
    """Own the lines of a later block before its stores; beyond the array this does nothing."""
    blocks = max(1, round(_AHEAD / size)) if size else 0
    for double in range(0, size, _LINE):
        address = out.value(f"getelementptr double, ptr {target}, i64 {blocks * size + double}")
        out.line(f"call void @llvm.prefetch.p0(ptr {address}, i32 1, i32 3, i32 1)")


def _compute(programme: Programme, out: Emitter, bases: Sequence[str]) -> list[str]:
    """Emit the instructions in order; the name of every value."""
    columns = [
        _read_rows(out, base, argument.size)
        for base, argument in zip(bases, programme.arguments, strict=True)
    ]
    trigonometry = Trigonometry(out)
    values: list[str] = []
    for item in programme.instructions:
        match item.operation:
            case Operation.INPUT:
                name = columns[item.a][item.b]
            case Operation.CONSTANT:
                name = out.constant(item.number)
            case Operation.SIN:
                name = trigonometry.sin(values[item.a])
            case Operation.COS:
                name = trigonometry.cos(values[item.a])
            case Operation.ATAN2:
                name = arctangent(out, values[item.a], values[item.b])
            case Operation.OPPOSITE:
                name = opposite(out, values[item.a])
            case Operation.MAXIMUM:
                name = _maximum(out, values[item.a], values[item.b])
            case Operation.SIGN:
                name = _sign(out, values[item.a])
            case Operation.SQRT:
                name = out.value(
                    f"call {out.vector} @llvm.sqrt.v{out.lanes}f64({out.vector} {values[item.a]})"
                )
            case _:
                word = _BINARY[item.operation]
                name = out.value(f"{word} contract {out.vector} {values[item.a]}, {values[item.b]}")
        values.append(name)
    return values


def _sign(out: Emitter, x: str) -> str:
    """-1, 0 or 1 by lane; NaN stays NaN."""
    one = out.constant(1.0)
    unit = out.value(
        f"call {out.vector} @llvm.copysign.v{out.lanes}f64({out.vector} {one}, {out.vector} {x})"
    )
    moving = out.value(f"fcmp one {out.vector} {x}, {out.constant(0.0)}")
    return out.value(f"select <{out.lanes} x i1> {moving}, {out.vector} {unit}, {out.vector} {x}")


def _maximum(out: Emitter, x: str, y: str) -> str:
    """The larger by lane; NaN in either stays NaN."""
    smaller = out.value(f"fcmp ult {out.vector} {x}, {y}")
    larger = f"<{out.lanes} x i1> {smaller}, {out.vector} {y}, {out.vector} {x}"
    chosen = out.value(f"select {larger}")
    broken = out.value(f"fcmp uno {out.vector} {x}, {x}")
    return out.value(f"select <{out.lanes} x i1> {broken}, {out.vector} {x}, {out.vector} {chosen}")


def _outputs(programme: Programme, out: Emitter, values: Sequence[str]) -> list[str]:
    return [
        out.value(f"fneg {out.vector} {values[item.value]}")
        if item.negative
        else values[item.value]
        for item in programme.outputs
    ]


def _groups(size: int, lanes: int) -> Iterator[tuple[int, int]]:
    """Split the columns of a row into powers of two: (first column, width)."""
    start, width = 0, lanes
    while start < size:
        while width > size - start:
            width //= 2
        yield start, width
        start += width


def _read_rows(out: Emitter, base: str, size: int) -> list[str]:
    """Columns of a block of rows, one vector each."""
    columns: list[str] = []
    for start, width in _groups(size, out.lanes):
        rows = [_gather_rows(out, (base, size), start, width, j) for j in range(width)]
        columns.extend(_transposed(out, rows, width))
    return columns


def _gather_rows(out: Emitter, block: tuple[str, int], start: int, width: int, j: int) -> str:
    """Columns start…start+width of the rows j, j+width, …, side by side in one vector."""
    base, size = block
    parts = []
    for row in range(j, out.lanes, width):
        address = out.value(f"getelementptr inbounds double, ptr {base}, i64 {row * size + start}")
        kind = f"<{width} x double>"
        parts.append(out.value(f"load {kind}, ptr {address}, align 8"))
    return _joined(out, parts, width)


def _joined(out: Emitter, parts: list[str], width: int) -> str:
    """Neighbouring vectors joined pairwise until one is left."""
    while len(parts) > 1:
        parts = [
            out.shuffle(parts[k], parts[k + 1], range(2 * width), width)
            for k in range(0, len(parts), 2)
        ]
        width *= 2
    return parts[0]


def _transposed(out: Emitter, rows: list[str], width: int) -> list[str]:
    """Transpose width × width tiles, side by side in the lanes, by butterflies."""
    lanes = out.lanes
    distance = 1
    while distance < width:
        moved = list(rows)
        for i in range(width):
            if i & distance:
                continue
            a, b = rows[i], rows[i + distance]
            low = [k if not k & distance else lanes + k - distance for k in range(lanes)]
            high = [k + distance if not k & distance else lanes + k for k in range(lanes)]
            moved[i] = out.shuffle(a, b, low, lanes)
            moved[i + distance] = out.shuffle(a, b, high, lanes)
        rows = moved
        distance *= 2
    return rows


def _write_rows(out: Emitter, base: str, columns: Sequence[str]) -> None:
    """Store one vector per column as a block of rows."""
    size = len(columns)
    for start, width in _groups(size, out.lanes):
        rows = _transposed(out, list(columns[start : start + width]), width)
        for row in range(out.lanes):
            tile, j = row // width * width, row % width
            part = (
                rows[j]
                if width == out.lanes
                else out.shuffle(rows[j], rows[j], range(tile, tile + width), out.lanes)
            )
            address = out.value(
                f"getelementptr inbounds double, ptr {base}, i64 {row * size + start}"
            )
            out.line(f"store <{width} x double> {part}, ptr {address}, align 8")
