"""A client for asyncio."""

from __future__ import annotations

import asyncio
import inspect
import ssl
from typing import Any, Awaitable, Callable, Dict, List, Mapping, Optional, Sequence, Tuple, Union

from thalweg.calls import Calls, Request, Response, Steps, Time
from thalweg.client import Server
from thalweg.errors import Unavailable
from thalweg.frames import Frame, Row
from thalweg.views import View

_Streams = Tuple[asyncio.StreamReader, asyncio.StreamWriter]


class AsyncClient:
    """Reads features from a server over HTTP, from one event loop. The methods are those of Client, as coroutines.

    token: as for Client; its function may be a coroutine function
    timeout: seconds, for each request
    connections: how many requests are in flight at most; ``read_frame`` sends its requests at the same time
    sleep: a coroutine function
    """

    def __init__(
        self,
        url: str,
        *,
        token: Union[str, Callable[[], Union[str, Awaitable[str]]], None] = None,
        context: Optional[ssl.SSLContext] = None,
        timeout: float = 10,
        retries: int = 2,
        connections: int = 4,
        sleep: Callable[[float], Awaitable[Any]] = asyncio.sleep,
    ) -> None:
        self._server = Server(url, context)
        self._token = token
        self._timeout = timeout
        self._sleep = sleep
        self._calls = Calls(retries)
        self._connections = connections
        self._permits: Optional[asyncio.Semaphore] = None  # made within the loop, which Python 3.9 needs
        self._idle: List[_Streams] = []

    async def __aenter__(self) -> AsyncClient:
        return self

    async def __aexit__(self, *error: Any) -> None:
        await self.close()

    async def close(self) -> None:
        """Closes the connections that are not in use."""
        while self._idle:
            writer = self._idle.pop()[1]
            writer.close()
            try:
                await writer.wait_closed()
            except OSError:
                pass  # the server was first

    async def views(self) -> List[View]:
        """See ``Client.views``."""
        return await self._run(self._calls.views())

    async def view(self, name: str) -> View:
        """See ``Client.view``."""
        return await self._run(self._calls.view(name))

    async def read(
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
        """See ``Client.read``."""
        options = {"features": features, "as_of": as_of, "read_from": read_from}
        return await self._run(self._calls.read(view, {**(key or {}), **entities}, options))

    async def read_frame(
        self,
        view: str,
        keys: Any,
        features: Optional[Sequence[str]] = None,
        as_of: Optional[Time] = None,
        read_from: Optional[str] = None,
    ) -> Any:
        """See ``Client.read_frame``."""
        options = {"features": features, "as_of": as_of, "read_from": read_from}
        return await self._run(self._calls.read_frame(view, keys, options))

    async def history(
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
        """See ``Client.history``."""
        options = {"features": features, "as_of": as_of, "last": last}
        return await self._run(self._calls.history(view, {**(key or {}), **entities}, options))

    async def scan(
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
        """See ``Client.scan``."""
        region = {"bbox": bbox, "polygon": polygon, "disk": disk, "parent": parent}
        options = {"features": features, "as_of": as_of}
        return await self._run(self._calls.scan(view, region, where, top, by, aggregate, options))

    async def _run(self, steps: Steps) -> Any:
        result: Any = None
        while True:
            try:
                step = steps.send(result)
            except StopIteration as done:
                return done.value
            if isinstance(step, Request):
                result = await self._exchange(step)
            elif isinstance(step, list):
                result = await self._together(step)
            else:
                result = await self._sleep(step)

    async def _together(self, calls: List[Steps]) -> List[Any]:
        tasks = [asyncio.ensure_future(self._run(call)) for call in calls]
        try:
            return await asyncio.gather(*tasks)
        finally:
            for task in tasks:
                task.cancel()  # those that run on after another has failed

    async def _exchange(self, request: Request) -> Response:
        if self._permits is None:
            self._permits = asyncio.Semaphore(self._connections)
        token = self._token() if callable(self._token) else self._token
        message = self._message(request, await token if inspect.isawaitable(token) else token)
        async with self._permits:
            try:
                return await asyncio.wait_for(self._exchange_twice(message), self._timeout)
            except (asyncio.TimeoutError, TimeoutError) as e:
                raise self._server.timed_out(self._timeout) from e
            except (OSError, EOFError) as e:
                raise self._server.unreachable(e) from e
            except (ValueError, IndexError, asyncio.LimitOverrunError) as e:
                raise Unavailable("%s does not answer as HTTP does: %s" % (self._server.url, e)) from e

    async def _exchange_twice(self, message: bytes) -> Response:
        try:
            return await self._exchange_on(await self._connection(), message)
        except (ConnectionResetError, ConnectionAbortedError, BrokenPipeError, EOFError):
            await self.close()  # what was idle as long is closed, too
            return await self._exchange_on(await self._connection(), message)

    def _message(self, request: Request, token: Optional[str]) -> bytes:
        server = self._server
        host = "[%s]" % server.host if ":" in server.host else server.host
        headers: Dict[str, Any] = {"host": "%s:%d" % (host, server.port), **request.headers(token)}
        if request.body is not None:
            headers["content-length"] = len(request.body)
        lines = ["%s %s%s HTTP/1.1" % (request.method, server.path, request.path)]
        lines += ["%s: %s" % header for header in headers.items()]
        return "\r\n".join(lines + ["", ""]).encode("latin-1") + (request.body or b"")

    async def _connection(self) -> _Streams:
        if self._idle:
            return self._idle.pop()
        return await asyncio.open_connection(self._server.host, self._server.port, ssl=self._server.context)

    async def _exchange_on(self, streams: _Streams, message: bytes) -> Response:
        reader, writer = streams
        try:
            writer.write(message)
            await writer.drain()
            response, keep = await _response(reader)
        except BaseException:
            writer.close()
            raise
        if keep:
            self._idle.append(streams)
        else:
            writer.close()
        return response


async def _response(reader: asyncio.StreamReader) -> Tuple[Response, bool]:
    """An answer, and whether the connection can be used again."""
    code = 100
    while code < 200:  # 1xx announce an answer
        start, *lines = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        code = int(start.split(" ")[1])
    headers = {
        name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in lines if line)
    }
    keep = start.startswith("HTTP/1.1") and headers.get("connection", "").lower() != "close"
    if headers.get("transfer-encoding", "").lower() == "chunked":
        body = await _chunks(reader)
    elif "content-length" in headers:
        body = await reader.readexactly(int(headers["content-length"]))
    else:
        body, keep = await reader.read(), False
    return Response(code, headers, body), keep


async def _chunks(reader: asyncio.StreamReader) -> bytes:
    body = bytearray()
    while True:
        size = int((await reader.readuntil(b"\r\n")).split(b";")[0], 16)
        if size == 0:
            while await reader.readuntil(b"\r\n") != b"\r\n":
                pass  # trailers
            return bytes(body)
        body += await reader.readexactly(size)
        await reader.readexactly(2)
