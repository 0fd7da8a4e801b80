"""Rows of arrays to vectors by column and back, as LLVM assembly.

Arrays stay as users hold them, one row per sample; a block of rows is transposed in registers by
butterfly shuffles.

What a block stores, the machine must first own: it fetches each line of memory from wherever it
last was. Large batches would wait for that at every store, so the lines of later blocks are asked
for while this one is computed, one every few instructions: a core has buffers for a dozen lines on
their way, and a burst of requests would wait for memory first and compute only then.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from robots.core.kernels.llvm_emitter import Emitter

_LINE = 8  # doubles in one line of memory
# Doubles between this block and the line asked for: far enough, and still in the cache when needed.
_AHEAD_OF_READS = 200
_AHEAD_OF_STORES = 512


def row_pointer(out: Emitter, pointer: str, stride: int) -> str:
    """Where the block's rows begin, ``stride`` doubles from block to block."""
    offset = out.value(f"mul nsw i64 %block, {stride}")
    return out.value(f"getelementptr inbounds double, ptr {pointer}, i64 {offset}")


def lines_to_read(out: Emitter, base: str, size: int) -> list[list[str]]:
    """Requests for the lines that a later block reads; beyond the array they do nothing."""
    return _requests(out, base, size, _AHEAD_OF_READS, write=False)


def lines_to_store(out: Emitter, base: str, size: int) -> list[list[str]]:
    """Requests to own the lines that a later block stores; beyond the array they do nothing."""
    return _requests(out, base, size, _AHEAD_OF_STORES, write=True)


def _requests(out: Emitter, base: str, size: int, ahead: int, *, write: bool) -> list[list[str]]:
    """Instructions for each line of ``size`` doubles, some blocks behind ``base``.

    Single samples (one lane) lie where the caller has just looked.
    """
    if out.lanes == 1 or size == 0:
        return []
    later = max(1, round(ahead / size)) * size
    requests = []
    for double in range(later, later + size, _LINE):
        line = out.name()
        requests.append(
            [
                f"{line} = getelementptr double, ptr {base}, i64 {double}",
                f"call void @llvm.prefetch.p0(ptr {line}, i32 {int(write)}, i32 3, i32 1)",
            ]
        )
    return requests


def _groups(size: int, lanes: int) -> Iterator[tuple[int, int]]:
    """Split the columns of a row into powers of two: (first column, width)."""
    start, width = 0, lanes
    while start < size:
        while width > size - start:
            width //= 2
        yield start, width
        start += width


def read_rows(out: Emitter, base: str, size: int) -> list[str]:
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
    """Transpose width × width tiles, side by side in the lanes."""
    return _butterflies(out, rows, width, width)


def _butterflies(out: Emitter, rows: list[str], width: int, end: int) -> list[str]:
    """Exchange columns of neighbouring rows at distances 1, 2, … below ``end``."""
    lanes = out.lanes
    distance = 1
    while distance < end:
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


def write_rows(out: Emitter, base: str, columns: Sequence[str]) -> None:
    """Store one vector per column as a block of rows."""
    block = base, len(columns)
    for start, width in _groups(len(columns), out.lanes):
        group = list(columns[start : start + width])
        write = _write_halves if width == out.lanes > 2 else _write_tiles
        write(out, block, start, group)


def _write_halves(out: Emitter, block: tuple[str, int], start: int, columns: list[str]) -> None:
    """Columns as many as lanes: what the last butterfly would join is stored as two halves.

    One port of the processor shuffles, and the arc tangents and products wait for it; storing a
    half of a register takes none of its time.
    """
    width = len(columns)
    half = width // 2
    rows = _butterflies(out, columns, width, half)
    for row in range(width):
        for side in (0, half):
            _store(
                out, block, (row, start + side), (rows[row % half + side], row // half * half), half
            )


def _write_tiles(out: Emitter, block: tuple[str, int], start: int, columns: list[str]) -> None:
    """Fewer columns than lanes: tiles side by side in each vector, one below the other."""
    width = len(columns)
    rows = _transposed(out, columns, width)
    for row in range(out.lanes):
        _store(out, block, (row, start), (rows[row % width], row // width * width), width)


def _store(
    out: Emitter, block: tuple[str, int], place: tuple[int, int], part: tuple[str, int], width: int
) -> None:
    """Store ``width`` lanes of a vector from a first one on at (row, column) of the block."""
    (base, size), (row, column), (vector, first) = block, place, part
    lanes = out.shuffle(vector, vector, range(first, first + width), out.lanes)
    address = out.value(f"getelementptr inbounds double, ptr {base}, i64 {row * size + column}")
    out.line(f"store <{width} x double> {lanes}, ptr {address}, align 8")
