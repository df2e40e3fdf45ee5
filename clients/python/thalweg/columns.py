"""Reads ``application/vnd.thalweg.columns``, as specified in ``docs/reference/http.md``."""

from __future__ import annotations

import array
import datetime
import decimal
import json
import struct
import sys
from typing import Any, Dict, List, NamedTuple, Optional, Sequence

try:
    import numpy
except ImportError:
    numpy = None  # type: ignore[assignment]

TYPE = "application/vnd.thalweg.columns"

_CODES = {"u8": "B", "u32": "I", "i64": "q", "u64": "Q", "f64": "d"}
_NUMPY = {"B": "u1", "I": "<u4", "q": "<i8", "Q": "<u8", "d": "<f8"}
_NONE = -(2**63)
_NO_LENGTH = 2**32 - 1
_EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)
_DECLARED = {"int64": "i64", "string": "text", "double_list": "f64[]"}


class Part(NamedTuple):
    """A column of an answer. data: from its beginning to the end of the answer."""

    name: str
    type: str
    data: memoryview
    rows: int


class Answer:
    """An answer in columns.

    header: the fields of the JSON answer except ``rows``
    parts: the columns in the order of the answer; a feature may have the name of another column
    """

    def __init__(self, body: bytes) -> None:
        (length,) = struct.unpack_from("<I", body)
        self.header: Dict[str, Any] = json.loads(body[4 : 4 + length])
        self.rows: int = self.header["row_count"]
        begin = (4 + length + 7) // 8 * 8
        data = memoryview(body)
        self.parts = [
            Part(column["name"], column["type"], data[begin + column["offset"] :], self.rows)
            for column in self.header["columns"]
        ]


def numbers(parts: Sequence[Part]) -> Any:
    """The numbers of parts of one type: a NumPy array where NumPy is, else a memory view or an array. One part is not copied."""
    code = _CODES[parts[0].type]
    return _joined(code, [_fixed(part.data, code, part.rows) for part in parts])


def _fixed(data: memoryview, code: str, rows: int) -> memoryview:
    size = rows * array.array(code).itemsize
    if len(data) < size:
        raise ValueError("the answer ends within a column")
    return data[:size]


def _joined(code: str, slices: List[memoryview]) -> Any:
    if numpy is not None:
        arrays = [
            numpy.frombuffer(each, _NUMPY[code]) if len(each) else numpy.empty(0, _NUMPY[code]) for each in slices
        ]
        return arrays[0] if len(arrays) == 1 else numpy.concatenate(arrays)
    if len(slices) == 1 and sys.byteorder == "little":
        return slices[0].cast(code)
    joined = array.array(code)
    for each in slices:
        joined.frombytes(each)
    if sys.byteorder != "little":
        joined.byteswap()
    return joined


class Column:
    """A column of a frame. raw: its numbers as they were answered, or its values if they are not numbers."""

    def __init__(self, raw: Any) -> None:
        self.raw = raw

    def values(self) -> Sequence[Any]:
        """Its values."""
        return self.raw

    def plain(self) -> List[Any]:
        """Its values as objects of Python."""
        values: Any = self.values()
        return values if isinstance(values, list) else values.tolist()

    def pandas(self) -> Any:
        """What a DataFrame takes as a column."""
        import pandas

        return pandas.Series(self.plain())

    def arrow(self) -> Any:
        """A pyarrow array."""
        import pyarrow

        return pyarrow.array(self.plain())


class Doubles(Column):
    """Missing values are NaN."""

    def pandas(self) -> Any:
        return self.raw

    def arrow(self) -> Any:
        import pyarrow

        return pyarrow.Array.from_buffers(pyarrow.float64(), len(self.raw), [None, pyarrow.py_buffer(self.raw)])


class Wholes(Column):
    """Whole numbers of 64 bits. If a value is missing, the values are a list with None in its place."""

    def values(self) -> Sequence[Any]:
        some_missing = bool((self.raw == _NONE).any()) if numpy is not None else _NONE in self.raw
        return [None if value == _NONE else value for value in self.raw.tolist()] if some_missing else self.raw

    def pandas(self) -> Any:
        import pandas

        return pandas.arrays.IntegerArray(self.raw.astype("int64"), self.raw == _NONE)

    def arrow(self) -> Any:
        import pyarrow

        return pyarrow.array(self.plain(), pyarrow.int64())


class BigWholes(Column):
    """Whole numbers of up to 128 bits, a list with None for a missing value."""

    def pandas(self) -> Any:
        import pandas

        return pandas.Series(self.raw, dtype=object)

    def arrow(self) -> Any:
        import pyarrow

        values = [None if value is None else decimal.Decimal(value) for value in self.raw]
        return pyarrow.array(values, pyarrow.decimal256(39))


class Texts(Column):
    """A list of texts, with None for a missing value."""

    def arrow(self) -> Any:
        import pyarrow

        return pyarrow.array(self.raw, pyarrow.string())


class Lists(Column):
    """A list of sequences of doubles, with None for a missing value."""

    def plain(self) -> List[Any]:
        return [None if value is None else value.tolist() for value in self.raw]

    def pandas(self) -> Any:
        import pandas

        return pandas.Series(self.raw, dtype=object)

    def arrow(self) -> Any:
        import pyarrow

        return pyarrow.array(self.plain(), pyarrow.list_(pyarrow.float64()))


class Codes(Column):
    """Small numbers, and a table of what they mean."""

    def __init__(self, raw: Any, table: Sequence[Any]) -> None:
        super().__init__(raw)
        self._table = table

    def values(self) -> Sequence[Any]:
        return [self._table[code] for code in self.raw]

    def arrow(self) -> Any:
        import pyarrow

        texts = all(value is None or isinstance(value, str) for value in self._table)
        return pyarrow.array(self.values(), pyarrow.string() if texts else None)


class Cells(Column):
    """H3 cells: 64 bits as numbers, hex text as values."""

    def values(self) -> Sequence[Any]:
        return [format(cell, "x") for cell in self.raw.tolist()]

    def arrow(self) -> Any:
        import pyarrow

        return pyarrow.array(self.values(), pyarrow.string())


class Times(Column):
    """Epoch milliseconds as numbers, times in UTC as values."""

    def values(self) -> Sequence[Any]:
        return [None if ms == _NONE else _EPOCH + datetime.timedelta(milliseconds=ms) for ms in self.raw.tolist()]

    def pandas(self) -> Any:
        import pandas

        # NumPy's value for "not a time" is the one of the answer.
        return pandas.DatetimeIndex(self.raw.view("<M8[ms]")).tz_localize("UTC")

    def arrow(self) -> Any:
        import pyarrow

        return pyarrow.array(self.values(), pyarrow.timestamp("ms", tz="UTC"))


class Ages(Column):
    """Milliseconds as numbers, durations as values."""

    def values(self) -> Sequence[Any]:
        return [None if ms == _NONE else datetime.timedelta(milliseconds=ms) for ms in self.raw.tolist()]

    def pandas(self) -> Any:
        import pandas

        return pandas.TimedeltaIndex(self.raw.view("<m8[ms]"))

    def arrow(self) -> Any:
        import pyarrow

        return pyarrow.array(self.values(), pyarrow.duration("ms"))


def feature(parts: Sequence[Part], declared: Optional[str]) -> Column:
    """A feature from its parts, in the order of the answers.

    declared: the feature's type in the description of its view. It decides what a column without any value is, which is
    answered as doubles, and whether text is a number.
    """
    types = {part.type for part in parts}
    others = types - {"f64"}
    type = "text" if len(others) > 1 else next(iter(others)) if others else _DECLARED.get(declared or "", "f64")
    if types == {type} and type in _CODES:
        return Doubles(numbers(parts)) if type == "f64" else Wholes(numbers(parts))
    values = [value for part in parts for value in _values(part)]
    if type == "i64":
        packed = array.array("q", [_NONE if value is None else value for value in values])
        return Wholes(packed if numpy is None else numpy.array(packed))
    if type == "text" and declared == "int64":
        return BigWholes([None if value is None else int(value) for value in values])
    return Lists(values) if type == "f64[]" else Texts(values)


def _values(part: Part) -> List[Any]:
    if part.type == "f64":
        return [None if value != value else value for value in numbers([part]).tolist()]
    if part.type == "i64":
        return [None if value == _NONE else value for value in numbers([part]).tolist()]
    lengths = _joined("I", [_fixed(part.data, "I", part.rows)]).tolist()
    at = 4 * part.rows
    values: List[Any] = []
    if part.type == "text":
        for length in lengths:
            if length == _NO_LENGTH:
                values.append(None)
            else:
                values.append(str(_fixed(part.data[at:], "B", length), "utf-8"))
                at += length
        return values
    if part.type != "f64[]":
        raise ValueError("column %s has the type %s, which this client does not know" % (part.name, part.type))
    at = (at + 7) // 8 * 8
    for length in lengths:
        if length == _NO_LENGTH:
            values.append(None)
        else:
            values.append(_joined("d", [_fixed(part.data[at:], "d", length)]))
            at += 8 * length
    return values
