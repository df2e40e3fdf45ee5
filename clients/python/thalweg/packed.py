"""Decodes blocks of rows in the ``packed`` codec, as specified in ``docs/reference/packed.md``."""

import datetime
import math
import struct
import uuid
import zlib

_MAGIC = 0xB7
_KEYED_MAGIC = 0xBA
_HAS_NULLS = 1
_VERSION = 1
_IRREGULAR = 1
_SIGNED = 2
_TWO_64 = 1 << 64
_UNIT_MS = {"ms": 1, "s": 1_000, "m": 60_000, "h": 3_600_000, "d": 86_400_000}


def _duration_ms(text):
    digits = text.rstrip("dhms")
    unit = text[len(digits):]
    if not digits.isdigit() or unit not in _UNIT_MS:
        raise ValueError(f"a window must be a whole number and ms, s, m, h or d, was {text!r}")
    return int(digits) * _UNIT_MS[unit]


class PackedView:
    """What a decoder has to know of a view, all as in its definition.

    name: qualified, ``demand`` or from version 2 on ``demand_v2``
    entities: name to type (``h3``, ``string``, ``int64``, ``bool``, ``uuid``), in the view's order, one of them ``h3``
    windows: sizes, such as ``["1m", "2m"]``; every: the step between two window ends
    """

    def __init__(self, name, resolution, entities, rings, windows, every="1m"):
        self.name = name
        self.entities = dict(entities)
        self.rings = list(rings)
        self.window_ms = [_duration_ms(size) for size in windows]
        self.features = [f"k{ring}_{size}" for ring in rings for size in windows]
        self.panes = [size // _duration_ms(every) for size in self.window_ms]
        self.unused_bits = 3 * (15 - resolution)
        layout = ",".join(map(str, self.rings)) + ";" + ",".join(map(str, self.window_ms))
        self.layout = zlib.crc32(layout.encode("ascii"))


class PackedKeyedView:
    """What a decoder has to know of a keyed view, all as in its definition.

    name, entities, windows: as of PackedView, without ``h3``
    measures: such as ``{"name": "spend", "sum": "cost", "type": "int64"}``
    """

    def __init__(self, name, entities, measures, windows):
        self.name = name
        self.entities = dict(entities)
        names = [_name(measure) for measure in measures]
        self.features = [f"{name}_{size}" for name in names for size in windows]
        forms = [_form(measure) for measure in measures]
        self.forms = [form for form in forms for _ in windows]
        parts = ",".join(f"{name}:{form}" for name, form in zip(names, forms))
        sizes = ",".join(str(_duration_ms(size)) for size in windows)
        self.layout = zlib.crc32(f"{parts};{sizes}".encode("ascii"))
        kinds = list(self.entities.values())
        narrow = all(kind in ("int64", "bool") for kind in kinds)
        self.fixed_keys = kinds == ["uuid"] or (narrow and len(kinds) <= 2)


def _name(measure):
    if "name" in measure or "count" in measure:
        return measure.get("name", "count")
    function = next(key for key in ("count_distinct", "sum", "min", "max", "mean") if key in measure)
    return function.replace("count_", "") + "_" + measure[function].replace(".", "_")


def _form(measure):
    if "per" in measure or "mean" in measure:
        return "DOUBLE"
    if "count" in measure or "count_distinct" in measure:
        return "INT64"
    if measure.get("type", "double") == "double":
        return "DOUBLE"
    return "INT128" if "sum" in measure else "INT64"


class _Reader:
    def __init__(self, data):
        self.data = data
        self.at = 0

    def take(self, length):
        if self.at + length > len(self.data):
            raise ValueError(f"at byte {self.at}: {length} bytes wanted, {len(self.data) - self.at} left")
        self.at += length
        return self.data[self.at - length:self.at]

    def uint(self, length):
        return int.from_bytes(self.take(length), "big")

    def varint(self):
        value = shift = 0
        while True:
            byte = self.uint(1)
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                return value
            shift += 7


class _Bits:
    def __init__(self, data):
        self.value = int.from_bytes(data, "big")
        self.left = 8 * len(data)

    def take(self, count):
        if count > self.left:
            raise ValueError("the sums end too early")
        self.left -= count
        return (self.value >> self.left) & ((1 << count) - 1)

    def gamma(self):
        zeros = 0
        while self.take(1) == 0:
            zeros += 1
        return (1 << zeros) | self.take(zeros)


def _unzigzag(value):
    return (value >> 1) ^ -(value & 1)


def _sums(bits, rings, windows, signed):
    """The sums of one row, rings outer, windows inner."""
    sums = []
    above_first = 0
    for ring in range(rings):
        width = above_first
        for window in range(windows):
            width += _unzigzag(bits.gamma() - 1)
            value = 0 if width == 0 else (1 << (width - 1)) | bits.take(width - 1)
            if signed:
                value = _unzigzag(value)
            if window == 0:
                above_first = width
            left = sums[-1] if window else 0
            above = sums[-windows] if ring else 0
            corner = sums[-windows - 1] if ring and window else 0
            sums.append((value + left + above - corner) % _TWO_64)
    return sums


def _whole(number):
    """As in JSON rows: what a double cannot hold is text."""
    return number if abs(number) <= 1 << 53 else str(number)


def _value(kind, reader):
    if kind == "uuid":
        return str(uuid.UUID(bytes=bytes(reader.take(16))))
    if kind == "int64":
        return _whole(int.from_bytes(reader.take(8), "big", signed=True))
    if kind == "bool":
        return reader.uint(1) == 1
    header = reader.varint()
    text = reader.take(header >> 1)
    return str(text, "utf-16-be", "surrogatepass") if header & 1 else str(text, "utf-8")


def _time(epoch_ms):
    """RFC 3339 in UTC, with a fraction only if it is not zero."""
    moment = datetime.datetime.fromtimestamp(epoch_ms // 1000, datetime.timezone.utc)
    fraction = f".{epoch_ms % 1000:03d}" if epoch_ms % 1000 else ""
    return moment.strftime("%Y-%m-%dT%H:%M:%S") + fraction + "Z"


def is_block(record):
    """Whether a record of a ``packed`` topic is a block of rows; the others are progress records, in JSON."""
    return len(record) > 0 and record[0] in (_MAGIC, _KEYED_MAGIC)


def decode_block(record, view):
    """The rows of a block, as the objects that ``format: json`` would have written.

    Raises ValueError for what is not a block of this view.
    """
    return _keyed_block(record, view) if isinstance(view, PackedKeyedView) else _block(record, view)


def _keyed_block(record, view):
    reader = _Reader(memoryview(record))
    if reader.uint(1) != _KEYED_MAGIC or reader.uint(1) != _VERSION:
        raise ValueError("not a packed block of a keyed view, version 1")
    head = {"window_end": _time(reader.uint(8)), "finality": "FINAL" if reader.uint(1) else "PARTIAL"}
    sequence = reader.varint()
    if head["finality"] == "PARTIAL":
        head["sequence"] = _whole(sequence)
    head["created"] = _time(reader.uint(8))
    if reader.uint(4) != view.layout:
        raise ValueError(f"written with other measures or windows than view {view.name} has")
    name = str(reader.take(reader.varint()), "utf-8")
    if name != view.name:
        raise ValueError(f"a block of view {name}, not of {view.name}")
    reader.varint()  # shard
    rows = []
    for _ in range(reader.varint()):
        key = _fixed_key(view, reader) if view.fixed_keys else _key(view, _Reader(reader.take(reader.varint())))
        rows.append({"view": name, **key, **head, "features": dict(zip(view.features, _features(view, reader)))})
    if reader.at != len(reader.data):
        raise ValueError(f"at byte {reader.at}: {len(reader.data) - reader.at} bytes are left over")
    return rows


def _key(view, reader):
    return {entity: _value(kind, reader) for entity, kind in view.entities.items()}


def _fixed_key(view, reader):
    """Words of 8 bytes, also for a truth value."""
    return {
        entity: reader.uint(8) == 1 if kind == "bool" else _value(kind, reader)
        for entity, kind in view.entities.items()
    }


def _features(view, reader):
    absent = 0
    if reader.uint(1) & _HAS_NULLS:
        absent = int.from_bytes(reader.take((len(view.forms) + 7) // 8), "little")
    return [None if absent >> i & 1 else _feature(form, reader) for i, form in enumerate(view.forms)]


def _feature(form, reader):
    if form != "DOUBLE":
        return _whole(_unzigzag(reader.varint()))
    value = struct.unpack(">d", reader.take(8))[0]
    return value if math.isfinite(value) else ("Infinity" if value > 0 else "-Infinity")


def _block(record, view):
    reader = _Reader(memoryview(record))
    if reader.uint(1) != _MAGIC or reader.uint(1) != _VERSION:
        raise ValueError("not a packed block of version 1")
    window_end, finality, created = reader.uint(8), reader.uint(1), reader.uint(8)
    if reader.uint(4) != view.layout:
        raise ValueError(f"written with other rings or windows than view {view.name} has")
    name = str(reader.take(reader.varint()), "utf-8")
    if name != view.name:
        raise ValueError(f"a block of view {name}, not of {view.name}")
    reader.varint()  # shard
    reader.uint(8)  # tile
    group = _Reader(reader.take(reader.varint()))
    values = {entity: _value(kind, group) for entity, kind in view.entities.items() if kind != "h3"}
    count, flags = reader.varint(), reader.uint(1)

    cells, place = [], 0
    for _ in range(count):
        place += reader.varint()
        cells.append((place << view.unused_bits) | ((1 << view.unused_bits) - 1))
    disks = [1 + 3 * ring * (ring + 1) for ring in view.rings]
    missing = [[reader.varint() if flags & _IRREGULAR else 0 for _ in disks] for _ in range(count)]

    bits = _Bits(reader.take(len(reader.data) - reader.at))
    rows = []
    for cell, gaps in zip(cells, missing):
        sums = _sums(bits, len(view.rings), len(view.panes), flags & _SIGNED)
        sizes = [disk - gap for disk, gap in zip(disks, gaps)]
        rows.append(_row(view, values, cell, window_end, finality, created, sums, sizes))
    return rows


def _row(view, values, cell, window_end, finality, created, sums, sizes):
    row = {"view": view.name}
    for entity, kind in view.entities.items():
        row[entity] = f"{cell:x}" if kind == "h3" else values[entity]
    row["window_end"] = _time(window_end)
    row["finality"] = "FINAL" if finality else "PARTIAL"
    row["created"] = _time(created)
    per_ring = len(view.panes)
    row["features"] = {
        feature: float(total) / float(sizes[i // per_ring] * view.panes[i % per_ring])
        for i, (feature, total) in enumerate(zip(view.features, sums))
    }
    return row
