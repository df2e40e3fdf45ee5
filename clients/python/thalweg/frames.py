"""What reads return."""

from __future__ import annotations

import datetime
from collections.abc import Mapping as AbstractMapping
from dataclasses import dataclass
from typing import Any, Dict, Iterator, List, Mapping, Optional, Sequence

from thalweg.columns import Ages, Answer, Cells, Codes, Column, Part, Times, feature, numbers
from thalweg.views import View, time_of

_STATUSES = {1: "PRESENT", 2: "ZERO", 3: "NOT_FOUND", 4: "OUTSIDE_MAX_AGE", 5: "UNREADABLE"}
_FINALITIES = {0: None, 1: "PARTIAL", 2: "FINAL"}
# Of all bytes, so that the codes of a later server do not fail.
_STATUS_TABLE = [_STATUSES.get(code, "STATUS_%d" % code) for code in range(256)]
_FINALITY_TABLE = [_FINALITIES.get(code, "FINALITY_%d" % code) for code in range(256)]


@dataclass(frozen=True)
class Row:
    """The features of one key.

    view: that answered, with its version
    watermark: all rows up to this window end are written; None before the first
    entities: the key, as it was asked for
    status: ``PRESENT``, ``ZERO``, ``NOT_FOUND``, ``OUTSIDE_MAX_AGE`` or ``UNREADABLE``
    finality: ``PARTIAL``, ``FINAL`` or None
    window_end: in UTC, None without a row
    age: now less window_end, below zero while the window is open
    values: by feature. A missing value is NaN for doubles, else None

    ``row["revenue_5m"]`` is the value of a feature.
    """

    view: str
    watermark: Optional[datetime.datetime]
    entities: Mapping[str, Any]
    status: str
    finality: Optional[str]
    window_end: Optional[datetime.datetime]
    age: Optional[datetime.timedelta]
    values: Mapping[str, Any]

    def __getitem__(self, name: str) -> Any:
        return self.values[name]


class Frame:
    """Rows as columns.

    view: that answered, with its version; features: their names
    watermark: all rows up to this window end are written; None before the first
    header: the fields of the answer besides its rows: those of a scan are ``cells``, ``keys``, ``counts`` and ``rest``
    columns: name to a sequence: doubles and whole numbers are NumPy arrays where NumPy is, else memory views or arrays, and
    mostly not copied; whole numbers with a missing value, and all other columns, are lists. A missing double is NaN, any
    other missing value None

    Iteration returns a dict for each row.
    """

    def __init__(self, header: Dict[str, Any], columns: Dict[str, Column], rows: int) -> None:
        self.header = header
        self.columns: Mapping[str, Sequence[Any]] = _Values(columns)
        self._columns = columns
        self._rows = rows

    @property
    def view(self) -> str:
        return self.header["view"]

    @property
    def features(self) -> List[str]:
        return self.header["features"]

    @property
    def watermark(self) -> Optional[datetime.datetime]:
        return time_of(self.header["watermark"])

    def raw(self, name: str) -> Any:
        """A column as it was answered: a cell as 64 bits, a window end as epoch ms, a status as its number."""
        return self._columns[name].raw

    def __len__(self) -> int:
        return self._rows

    def __iter__(self) -> Iterator[Dict[str, Any]]:
        names = list(self._columns)
        for row in zip(*(column.plain() for column in self._columns.values())):
            yield dict(zip(names, row))

    def __repr__(self) -> str:
        return "Frame(view=%r, rows=%d, columns=%r)" % (self.view, self._rows, list(self._columns))

    def to_pandas(self) -> Any:
        """A DataFrame: doubles are float64 with NaN, whole numbers Int64 with NA, those above 64 bits objects, window ends
        datetime64 in UTC, ages timedelta64, cells hex text."""
        import pandas

        return pandas.DataFrame({name: column.pandas() for name, column in self._columns.items()})

    def to_arrow(self) -> Any:
        """A pyarrow Table: doubles are float64 with NaN, whole numbers int64 with null, those above 64 bits decimal256(39),
        window ends timestamp[ms, UTC], ages duration[ms], cells hex text."""
        import pyarrow

        return pyarrow.table({name: column.arrow() for name, column in self._columns.items()})


class _Values(AbstractMapping):
    """The values of columns, each made when it is first asked for."""

    def __init__(self, columns: Dict[str, Column]) -> None:
        self._columns = columns
        self._made: Dict[str, Sequence[Any]] = {}

    def __getitem__(self, name: str) -> Sequence[Any]:
        if name not in self._made:
            self._made[name] = self._columns[name].values()
        return self._made[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __len__(self) -> int:
        return len(self._columns)


def read_columns(answers: Sequence[Answer], view: View, taken: Sequence[str] = ()) -> Dict[str, Column]:
    """The columns of reads, or of a history, one answer below the other.

    taken: names of other columns of the frame. An underscore in front distinguishes ``status``, ``finality``,
    ``window_end`` and ``age`` from them and from features.
    """
    parts = [[answer.parts[i] for answer in answers] for i in range(len(answers[0].parts))]
    names = {*taken, *answers[0].header["features"]}
    columns: Dict[str, Column] = {
        _free("status", names): Codes(numbers(parts[0]), _STATUS_TABLE),
        _free("finality", names): Codes(numbers(parts[1]), _FINALITY_TABLE),
        _free("window_end", names): Times(numbers(parts[2])),
        _free("age", names): Ages(numbers(parts[3])),
    }
    columns.update(_features(parts[4:], view))
    return columns


def scan_frame(answer: Answer, view: View) -> Frame:
    """The rows of a region, the entities in the view's order."""
    features = answer.header["features"]
    cell, group, *others = answer.parts[: len(answer.parts) - len(features)]
    names = {*view.entities, *features}
    codes = numbers([group])
    columns: Dict[str, Column] = {}
    for entity, kind in view.entities.items():
        if kind == "h3":
            columns[entity] = Cells(numbers([cell]))
        else:
            table = [_entity(values[entity], kind) for values in answer.header["groups"]]
            columns[entity] = Codes(codes, table)
    for part in others:
        columns[_free(part.name, names)] = _described(part)
    columns.update(_features([[part] for part in answer.parts[len(answer.parts) - len(features) :]], view))
    return Frame({k: v for k, v in answer.header.items() if k not in ("columns", "groups")}, columns, answer.rows)


def _described(part: Part) -> Column:
    raw = numbers([part])
    if part.name == "status":
        return Codes(raw, _STATUS_TABLE)
    if part.name == "finality":
        return Codes(raw, _FINALITY_TABLE)
    return Times(raw) if part.name == "window_end" else Column(raw)


def _features(parts: Sequence[Sequence[Part]], view: View) -> Dict[str, Column]:
    return {each[0].name: feature(each, view.features.get(each[0].name)) for each in parts}


def _entity(value: Any, kind: str) -> Any:
    return int(value) if kind == "int64" else value


def _free(name: str, taken: Any) -> str:
    while name in taken:
        name = "_" + name
    return name
