"""A client that waits for each answer."""

from __future__ import annotations

import http.client
import ssl
import time
import urllib.parse
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple, Union

from thalweg.calls import Calls, Request, Response, Steps, Time
from thalweg.errors import DeadlineExceeded, InvalidArgument, Unavailable
from thalweg.frames import Frame, Row
from thalweg.views import View

Token = Union[str, Callable[[], str], None]

# How a connection ends that the server, or something on the way, has closed.
_DROPPED = (ConnectionResetError, ConnectionAbortedError, BrokenPipeError, http.client.IncompleteRead, ssl.SSLEOFError)


class Server:
    """Where a client connects to."""

    def __init__(self, url: str, context: Optional[ssl.SSLContext]) -> None:
        parts = urllib.parse.urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise InvalidArgument("the URL of a server must look like http://localhost:8080, was %r" % url)
        self.url = url
        self.host: str = parts.hostname
        self.context = (context or ssl.create_default_context()) if parts.scheme == "https" else None
        self.port: int = parts.port or (443 if self.context else 80)
        self.path = parts.path.rstrip("/")

    def timed_out(self, timeout: float) -> DeadlineExceeded:
        return DeadlineExceeded("%s did not answer within %s s" % (self.url, timeout))

    def unreachable(self, error: Exception) -> Unavailable:
        return Unavailable("cannot read from %s: %s" % (self.url, str(error) or type(error).__name__))


class Client:
    """Reads features from a server over HTTP.

    url: such as ``http://localhost:8080``
    token: of the caller, where the server needs one: text, or a function that returns it, which is called for each request
    context: an ``ssl.SSLContext``, where the system does not trust the server or the server needs a certificate
    timeout: seconds without data from the server, after which a call fails
    retries: how often a request is sent again that the server answered with 503, after the time of its ``Retry-After``, at most
    30 s, or else 0.1 s, 0.2 s and so on
    sleep: waits for seconds

    Connections are kept. A request is also sent again, once, if its connection was closed: reads change nothing.

    All calls raise ThalwegError, or one of its classes. Threads may share a client; each call uses a connection of its own.
    """

    def __init__(
        self,
        url: str,
        *,
        token: Token = None,
        context: Optional[ssl.SSLContext] = None,
        timeout: float = 10,
        retries: int = 2,
        sleep: Callable[[float], Any] = time.sleep,
    ) -> None:
        self._server = Server(url, context)
        self._token = token
        self._timeout = timeout
        self._sleep = sleep
        self._calls = Calls(retries)
        self._idle: List[http.client.HTTPConnection] = []

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *error: Any) -> None:
        self.close()

    def close(self) -> None:
        """Closes the connections that are not in use."""
        while self._idle:
            self._idle.pop().close()

    def views(self) -> List[View]:
        """All views of the server."""
        return self._run(self._calls.views())

    def view(self, name: str) -> View:
        """A view by its name: ``demand``, ``demand_v2``."""
        return self._run(self._calls.view(name))

    def read(
        self,
        view: str,
        key: Optional[Mapping[str, Any]] = None,
        /,
        *,
        features: Optional[Sequence[str]] = None,
        as_of: Optional[Time] = None,
        read_from: Optional[str] = None,
        **entities: Any,
    ) -> Row:
        """Reads the features of one key.

        key, entities: each entity of the view, in a dict or as arguments. A cell is hex text or a whole number.
        features: names; default: all
        as_of: a time with time zone: the values at the last window end at or before it
        read_from: ``STORE`` (default) or ``LIVE``
        """
        options = {"features": features, "as_of": as_of, "read_from": read_from}
        return self._run(self._calls.read(view, {**(key or {}), **entities}, options))

    def read_frame(
        self,
        view: str,
        keys: Any,
        features: Optional[Sequence[str]] = None,
        as_of: Optional[Time] = None,
        read_from: Optional[str] = None,
    ) -> Any:
        """Reads the features of any number of keys, 1,000 with each request.

        keys: a pandas DataFrame, a pyarrow Table, a dict of lists or a list of dicts, with a column for each entity of the
        view. Other columns are kept.
        features, as_of: as for ``read``
        read_from: ``STORE`` (default), ``LIVE``, or ``BOTH``, which returns two rows for each key: the store's, then the live one

        Returns the columns of ``keys``, then ``status``, ``finality``, ``window_end``, ``age`` and the features, in the order
        of the keys: a DataFrame with the index of ``keys`` if they are a DataFrame, a Table if they are a Table, else a Frame.
        """
        options = {"features": features, "as_of": as_of, "read_from": read_from}
        return self._run(self._calls.read_frame(view, keys, options))

    def history(
        self,
        view: str,
        key: Optional[Mapping[str, Any]] = None,
        /,
        *,
        features: Optional[Sequence[str]] = None,
        as_of: Optional[Time] = None,
        last: Optional[int] = None,
        **entities: Any,
    ) -> Frame:
        """Reads the latest window ends of one key, the oldest first. The view must have a cell and a history.

        key, entities, features: as for ``read``
        as_of: the newest window end is at or before it; default: the watermark
        last: how many window ends, 1 to 400; default: 400
        """
        options = {"features": features, "as_of": as_of, "last": last}
        return self._run(self._calls.history(view, {**(key or {}), **entities}, options))

    def scan(
        self,
        view: str,
        *,
        bbox: Optional[Sequence[float]] = None,
        polygon: Optional[Sequence[Sequence[float]]] = None,
        disk: Optional[Tuple[Union[str, int], int]] = None,
        parent: Union[str, int, None] = None,
        where: Optional[Mapping[str, Any]] = None,
        features: Optional[Sequence[str]] = None,
        top: Optional[int] = None,
        by: Optional[str] = None,
        aggregate: Optional[Tuple[int, str]] = None,
        as_of: Optional[Time] = None,
    ) -> Frame:
        """Reads all keys of a region that have a row. The view must have a cell.

        bbox: (west, south, east, north) in degrees; polygon: [(lng, lat), …]; disk: (cell, ring); parent: a coarser cell. At
        most one of them; default: all cells that have rows
        where: entity to a value or a list of values, besides the cell
        top, by: the rows with the greatest values of a feature, the greatest first
        aggregate: (resolution, ``"mean"``, ``"max"`` or ``"sum"``): one row for each coarser cell
        features, as_of: as for ``read``
        """
        region = {"bbox": bbox, "polygon": polygon, "disk": disk, "parent": parent}
        options = {"features": features, "as_of": as_of}
        return self._run(self._calls.scan(view, region, where, top, by, aggregate, options))

    def _run(self, steps: Steps) -> Any:
        result: Any = None
        while True:
            try:
                step = steps.send(result)
            except StopIteration as done:
                return done.value
            if isinstance(step, Request):
                result = self._exchange(step)
            elif isinstance(step, list):
                result = [self._run(each) for each in step]
            else:
                result = self._sleep(step)

    def _exchange(self, request: Request) -> Response:
        try:
            try:
                return self._exchange_on(self._connection(), request)
            except _DROPPED:
                self.close()  # what was idle as long is closed, too
                return self._exchange_on(self._connection(), request)
        except TimeoutError as e:
            raise self._server.timed_out(self._timeout) from e
        except (OSError, http.client.HTTPException) as e:
            if "timed out" in str(e):  # Python 3.9 has another class for it
                raise self._server.timed_out(self._timeout) from e
            raise self._server.unreachable(e) from e

    def _connection(self) -> http.client.HTTPConnection:
        try:
            return self._idle.pop()
        except IndexError:
            pass
        server = self._server
        if server.context is None:
            return http.client.HTTPConnection(server.host, server.port, timeout=self._timeout)
        return http.client.HTTPSConnection(server.host, server.port, timeout=self._timeout, context=server.context)

    def _exchange_on(self, connection: http.client.HTTPConnection, request: Request) -> Response:
        token = self._token() if callable(self._token) else self._token
        try:
            connection.request(request.method, self._server.path + request.path, request.body, request.headers(token))
            answer = connection.getresponse()
            headers = {name.lower(): value for name, value in answer.getheaders()}
            response = Response(answer.status, headers, answer.read())
        except BaseException:
            connection.close()
            raise
        if not answer.will_close:
            self._idle.append(connection)
        return response
