"""Descriptions of views."""

from __future__ import annotations

import datetime
import re
from dataclasses import dataclass
from typing import Any, Dict, Mapping, Optional

_UNITS = {"ms": "milliseconds", "s": "seconds", "m": "minutes", "h": "hours", "d": "days"}


@dataclass(frozen=True)
class View:
    """What a server says about a view.

    name: with its version, such as ``demand_v2``
    kind: ``rings`` if a key has an H3 cell, else ``keyed``; tables are keyed
    entities: name to ``h3``, ``string``, ``uuid``, ``int64`` or ``bool``, in the view's order
    resolution: of the cell, None for a keyed view
    features: name to ``double``, ``int64``, ``string`` or ``double_list``, in the view's order
    ttl: how old a row may be; history: how far back ``as_of`` reaches, None if it is not possible
    watermark: all rows up to this window end are written; None before the first
    """

    name: str
    description: str
    kind: str
    entities: Mapping[str, str]
    resolution: Optional[int]
    features: Mapping[str, str]
    ttl: datetime.timedelta
    history: Optional[datetime.timedelta]
    watermark: Optional[datetime.datetime]

    @property
    def cell(self) -> Optional[str]:
        """The name of the entity that is a cell."""
        return next((name for name, kind in self.entities.items() if kind == "h3"), None)


def view_of(described: Dict[str, Any]) -> View:
    """The view that ``GET /v1/views/NAME`` describes."""
    entities = {entity["name"]: entity["type"] for entity in described["entities"]}
    history = described.get("history")
    return View(
        name=described["name"],
        description=described.get("description") or "",
        kind="rings" if "h3" in entities.values() else "keyed",
        entities=entities,
        resolution=next((e["resolution"] for e in described["entities"] if "resolution" in e), None),
        features={feature["name"]: feature["type"] for feature in described["features"]},
        ttl=_duration(described["ttl"]),
        history=None if history is None else _duration(history),
        watermark=time_of(described.get("watermark")),
    )


def time_of(text: Optional[str]) -> Optional[datetime.datetime]:
    """A time of an answer, RFC 3339 in UTC."""
    if text is None:
        return None
    form = "%Y-%m-%dT%H:%M:%S.%f%z" if "." in text else "%Y-%m-%dT%H:%M:%S%z"
    return datetime.datetime.strptime(text, form)


def _duration(text: str) -> datetime.timedelta:
    match = re.fullmatch(r"(\d+)(ms|s|m|h|d)", text)
    if match is None:
        raise ValueError("not a duration: " + text)
    return datetime.timedelta(**{_UNITS[match[2]]: int(match[1])})
