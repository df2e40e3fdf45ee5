"""Keys as a caller has them: a DataFrame, a pyarrow Table, a dict of lists or a list of dicts."""

from __future__ import annotations

import operator
import sys
import uuid
from typing import Any, Callable, Dict, Iterable, List, Mapping

from thalweg.errors import InvalidArgument
from thalweg.views import View

_EXACT_IN_JSON = 2**53


class Keys:
    """A table of keys. columns: name to a list, those of the view's entities and others; rows: how many."""

    def __init__(self, given: Any) -> None:
        self._exact = False
        self.columns = _columns(given)
        lengths = {name: len(column) for name, column in self.columns.items()}
        self.rows = next(iter(lengths.values()), 0)
        if self.rows == 0:
            raise InvalidArgument("cannot read features: there are no keys")
        if len(set(lengths.values())) > 1:
            raise InvalidArgument("cannot read features: the columns of keys differ in length: %s" % lengths)

    @classmethod
    def one(cls, key: Mapping[str, Any]) -> Keys:
        """One key, which has nothing but its entities."""
        keys = cls([key])
        keys._exact = True
        return keys

    def encoded(self, view: View) -> List[Dict[str, Any]]:
        """The keys as a request has them.

        Raises InvalidArgument if an entity is missing, or a value cannot be of its type.
        """
        missing = [name for name in view.entities if name not in self.columns]
        if missing:
            raise InvalidArgument(
                "cannot read features: view %s has the entity %s; keys have only: %s"
                % (view.name, missing[0], ", ".join(map(str, self.columns)))
            )
        unknown = [name for name in self.columns if name not in view.entities]
        if self._exact and unknown:
            raise InvalidArgument(
                "cannot read features: '%s' is not an entity of view %s, whose entities are: %s"
                % (unknown[0], view.name, ", ".join(view.entities))
            )
        columns = [_encoded(name, kind, self.columns[name]) for name, kind in view.entities.items()]
        return [dict(zip(view.entities, values)) for values in zip(*columns)]


def _columns(given: Any) -> Dict[str, List[Any]]:
    if is_pandas(given):
        return {name: given[name].tolist() for name in given.columns}
    if is_arrow(given):
        return {name: given[name].to_pylist() for name in given.column_names}
    if isinstance(given, Mapping):
        return {name: _list(name, column) for name, column in given.items()}
    rows = list(given)
    names = dict.fromkeys(name for row in rows for name in row)
    return {name: [row.get(name) for row in rows] for name in names}


def _list(name: str, column: Any) -> List[Any]:
    if isinstance(column, (str, bytes)) or not isinstance(column, Iterable):
        raise InvalidArgument("keys.%s: must be a list with a value for each key, was %r" % (name, column))
    return column.tolist() if hasattr(column, "tolist") else list(column)


def is_pandas(given: Any) -> bool:
    """Whether it is a DataFrame. A program that has one has imported pandas."""
    return "pandas" in sys.modules and isinstance(given, sys.modules["pandas"].DataFrame)


def is_arrow(given: Any) -> bool:
    """Whether it is a pyarrow Table."""
    return "pyarrow" in sys.modules and isinstance(given, sys.modules["pyarrow"].Table)


def cell_text(value: Any) -> str:
    """An H3 cell as a request has it. Raises TypeError for what is neither text nor a whole number."""
    return value if isinstance(value, str) else format(operator.index(value), "x")


def _whole(value: Any) -> Any:
    if isinstance(value, bool):
        raise TypeError
    number = operator.index(value)
    return number if abs(number) <= _EXACT_IN_JSON else str(number)


def _string(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value


def _truth(value: Any) -> bool:
    if type(value).__name__ not in ("bool", "bool_"):  # NumPy's is not a bool
        raise TypeError
    return bool(value)


_ENCODERS: Dict[str, Callable[[Any], Any]] = {
    "h3": cell_text,
    "int64": _whole,
    "string": _string,
    "uuid": lambda value: str(value) if isinstance(value, uuid.UUID) else _string(value),
    "bool": _truth,
}
_NEEDED = {
    "h3": "an H3 cell, as hex text or a whole number",
    "int64": "a whole number",
    "string": "text",
    "uuid": "text or a UUID",
    "bool": "true or false",
}


def encoded(kind: str, value: Any, path: str) -> Any:
    """A value of an entity as a request has it. Raises InvalidArgument that names the path."""
    try:
        return _ENCODERS.get(kind, _same)(value)
    except TypeError:
        raise InvalidArgument("%s: must be %s, was %r" % (path, _NEEDED[kind], value)) from None


def _same(value: Any) -> Any:
    return value


def _encoded(name: str, kind: str, column: List[Any]) -> List[Any]:
    encoder = _ENCODERS.get(kind, _same)
    try:
        return [encoder(value) for value in column]
    except TypeError:
        return [encoded(kind, value, "keys[%d].%s" % (i, name)) for i, value in enumerate(column)]
