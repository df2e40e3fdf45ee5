"""The calls of both clients: builds requests, reads answers, and decides what is sent again.

A call is a generator. It yields a ``Request`` for its ``Response``, seconds to wait, or a list of calls for their results, which
may run at the same time. A client runs it on its connections.
"""

from __future__ import annotations

import datetime
import json
import struct
import urllib.parse
from dataclasses import dataclass
from typing import Any, Dict, Generator, List, Mapping, Optional, Sequence, Tuple, Union

from thalweg import keys as keytables
from thalweg.columns import TYPE, Answer, Column
from thalweg.errors import InvalidArgument, NotFound, ThalwegError, error_of
from thalweg.frames import Frame, Row, read_columns, scan_frame
from thalweg.views import View, time_of, view_of

_MOST_KEYS = 1000
_LONGEST_WAIT = 30
_FIRST_WAIT = 0.1

Steps = Generator[Any, Any, Any]
Time = Union[datetime.datetime, str]


@dataclass(frozen=True)
class Request:
    """A request; a body makes it a POST."""

    path: str
    body: Optional[bytes] = None
    accept: str = "application/json"

    @property
    def method(self) -> str:
        return "GET" if self.body is None else "POST"

    def headers(self, token: Optional[str]) -> Dict[str, str]:
        headers = {"accept": self.accept}
        if self.body is not None:
            headers["content-type"] = "application/json"
        if token is not None:
            if "\r" in token or "\n" in token:
                raise InvalidArgument("token: must not have a line break")
            headers["authorization"] = "Bearer " + token
        return headers


@dataclass(frozen=True)
class Response:
    """An answer; the names of its headers are in lower case."""

    code: int
    headers: Mapping[str, str]
    body: bytes


class Calls:
    """Makes calls, and keeps the descriptions of views, which decide how keys are written and values are read."""

    def __init__(self, retries: int) -> None:
        self._retries = retries
        self._views: Dict[str, View] = {}

    def views(self) -> Steps:
        described = json.loads((yield from self._send(Request("/v1/views"))))
        return [view_of(view) for view in described["views"]]

    def view(self, name: str) -> Steps:
        return view_of(json.loads((yield from self._send(Request(_path(name))))))

    def read(self, name: str, key: Mapping[str, Any], options: Dict[str, Any]) -> Steps:
        if options.get("read_from") == "BOTH":
            raise InvalidArgument("read_from: BOTH returns two rows for each key; use read_frame")
        view, answers = yield from self._read(name, keytables.Keys.one(key), options)
        columns = read_columns(answers, view).values()
        status, finality, window_end, age, *values = [column.plain()[0] for column in columns]
        header = answers[0].header
        return Row(
            view=header["view"],
            watermark=time_of(header["watermark"]),
            entities=dict(key),
            status=status,
            finality=finality,
            window_end=window_end,
            age=age,
            values=dict(zip(header["features"], values)),
        )

    def read_frame(self, name: str, given: Any, options: Dict[str, Any]) -> Steps:
        keys = keytables.Keys(given)
        view, answers = yield from self._read(name, keys, options)
        rows = sum(answer.rows for answer in answers)
        each = rows // keys.rows  # two with read_from=BOTH
        columns = read_columns(answers, view, list(keys.columns))
        header = _header(answers)
        if keytables.is_pandas(given):
            import pandas

            table = given if each == 1 else given.iloc[[i // each for i in range(rows)]]
            values = Frame(header, columns, rows).to_pandas().set_axis(table.index)
            return pandas.concat([table, values], axis=1)
        if keytables.is_arrow(given):
            table = given if each == 1 else given.take([i // each for i in range(rows)])
            for column, values in columns.items():
                table = table.append_column(column, values.arrow())
            return table
        return Frame(header, {**_given(keys.columns, each), **columns}, rows)

    def history(self, name: str, key: Mapping[str, Any], options: Dict[str, Any]) -> Steps:
        view, answers = yield from self._read(name, keytables.Keys.one(key), options, "history")
        columns = read_columns(answers, view, list(key))
        given = _given({entity: [value] for entity, value in key.items()}, answers[0].rows)
        return Frame(_header(answers), {**given, **columns}, answers[0].rows)

    def scan(
        self,
        name: str,
        region: Dict[str, Any],
        where: Optional[Mapping[str, Any]],
        top: Optional[int],
        by: Optional[str],
        aggregate: Optional[Tuple[int, str]],
        options: Dict[str, Any],
    ) -> Steps:
        asked = _options(options)
        regions = {kind: _region(kind, value) for kind, value in region.items() if value is not None}
        if len(regions) > 1:
            raise InvalidArgument("cannot scan: of %s only one can be given" % " and ".join(regions))
        if (top is None) != (by is None):
            raise InvalidArgument(
                "cannot scan: top and by go together: top=20, by=FEATURE returns the 20 greatest rows"
            )
        if regions:
            asked["region"] = regions
        if top is not None:
            asked["top"] = {"n": top, "by": by}
        if aggregate is not None:
            asked["aggregate"] = dict(zip(("resolution", "by"), aggregate))
        view = yield from self._described(name)
        if where is not None:
            asked["where"] = {entity: _where(view, entity, values) for entity, values in where.items()}
        return scan_frame((yield from self._ask(name, "scan", asked)), view)

    def _read(self, name: str, keys: keytables.Keys, options: Dict[str, Any], operation: str = "read") -> Steps:
        asked = _options(options)
        view = yield from self._described(name)
        encoded = keys.encoded(view)
        same = [
            name for name in asked.get("features", view.features) if name in keys.columns.keys() - view.entities.keys()
        ]
        if same:
            raise InvalidArgument(
                "cannot read features: keys have a column %s, which is also a feature; rename it, or choose features"
                % same[0]
            )
        batches = [encoded[at : at + _MOST_KEYS] for at in range(0, len(encoded), _MOST_KEYS)]
        answers = yield [self._ask(name, operation, {"entities": batch, **asked}) for batch in batches]
        versions = sorted({answer.header["view"] for answer in answers})
        if len(versions) > 1:
            raise ThalwegError("the view changed from %s to %s during the read; read again" % tuple(versions[:2]))
        if versions[0] != view.name or not view.features.keys() >= set(answers[0].header["features"]):
            self._views.pop(name, None)  # NAME leads to another version, or live values that no description has
        return view, answers

    def _described(self, name: str) -> Steps:
        if name not in self._views:
            self._views[name] = yield from self.view(name)
        return self._views[name]

    def _ask(self, name: str, operation: str, asked: Dict[str, Any]) -> Steps:
        try:
            body = json.dumps(asked, separators=(",", ":"), allow_nan=False).encode("ascii")
        except (TypeError, ValueError) as e:
            raise InvalidArgument("cannot write the request: %s" % e) from None
        try:
            answered = yield from self._send(Request("%s:%s" % (_path(name), operation), body, TYPE))
        except (InvalidArgument, NotFound):
            self._views.pop(name, None)  # the view may have other entities now
            raise
        try:
            return Answer(answered)
        except (struct.error, ValueError, KeyError, TypeError) as e:
            raise ThalwegError("cannot read the answer of :%s: %s" % (operation, e), 200) from e

    def _send(self, request: Request) -> Steps:
        """Sends a request, and again if the server answers 503, after the time that it asks for."""
        attempt = 0
        while True:
            response = yield request
            if response.code == 200:
                return response.body
            error = error_of(response.code, response.headers, response.body)
            wait = _FIRST_WAIT * 2**attempt if error.retry_after is None else error.retry_after
            if response.code != 503 or attempt == self._retries or wait > _LONGEST_WAIT:
                raise error
            yield float(wait)
            attempt += 1


def _path(view: str) -> str:
    return "/v1/views/" + urllib.parse.quote(view, safe="")


def _options(options: Dict[str, Any]) -> Dict[str, Any]:
    asked = {name: value for name, value in options.items() if value is not None}
    if isinstance(asked.get("features"), str):
        raise InvalidArgument("features: must be a list of names, such as [%r]" % asked["features"])
    if "features" in asked:
        asked["features"] = list(asked["features"])
    if isinstance(asked.get("as_of"), datetime.datetime):
        if asked["as_of"].tzinfo is None:
            raise InvalidArgument("as_of: must have a time zone, was %s" % asked["as_of"])
        asked["as_of"] = asked["as_of"].isoformat()
    return asked


def _region(kind: str, value: Any) -> Any:
    try:
        if kind == "parent":
            return keytables.cell_text(value)
        if kind == "disk":
            cell, ring = value
            return {"cell": keytables.cell_text(cell), "ring": ring}
        return [list(point) for point in value] if kind == "polygon" else list(value)
    except (TypeError, ValueError):
        form = {
            "bbox": "(west, south, east, north)",
            "polygon": "[(lng, lat), …]",
            "disk": "(cell, ring)",
            "parent": "a cell, as hex text or a whole number",
        }[kind]
        raise InvalidArgument("%s: must be %s, was %r" % (kind, form, value)) from None


def _where(view: View, entity: str, values: Any) -> Any:
    kind = view.entities.get(entity, "")
    if isinstance(values, (list, tuple, set, frozenset)):
        return [keytables.encoded(kind, value, "where." + entity) for value in values]
    return keytables.encoded(kind, values, "where." + entity)


def _given(given: Mapping[str, List[Any]], each: int) -> Dict[str, Column]:
    return {name: Column([value for value in values for _ in range(each)]) for name, values in given.items()}


def _header(answers: Sequence[Answer]) -> Dict[str, Any]:
    """The header of all answers; its watermark is the earliest."""
    watermarks: List[Any] = [answer.header["watermark"] for answer in answers]
    header = {name: value for name, value in answers[0].header.items() if name not in ("columns", "row_count")}
    header["watermark"] = None if None in watermarks else min(watermarks, key=time_of)  # type: ignore[arg-type]
    return header
