"""What a client raises. Each status of ``docs/reference/http.md`` has its class."""

from __future__ import annotations

import json
from typing import Dict, List, Mapping, Optional


class ThalwegError(Exception):
    """A call failed; the text is the server's message.

    code: the HTTP status, None if there was no answer
    status: such as ``NOT_FOUND``
    details: up to 20 problems, each with ``path`` and ``message``
    retry_after: seconds after which the server asked to try again, None if it did not
    """

    status = "UNKNOWN"

    def __init__(
        self,
        message: str,
        code: Optional[int] = None,
        status: Optional[str] = None,
        details: Optional[List[Dict[str, str]]] = None,
        retry_after: Optional[int] = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.status = status or self.status
        self.details = details or []
        self.retry_after = retry_after


class InvalidArgument(ThalwegError, ValueError):
    """The request is not valid. ``code`` is None if it was refused before it was sent."""

    status = "INVALID_ARGUMENT"


class Unauthenticated(ThalwegError):
    """The server needs a token, or does not accept this one."""

    status = "UNAUTHENTICATED"


class PermissionDenied(ThalwegError):
    """The caller may not do this, or the server answers this machine's programs only."""

    status = "PERMISSION_DENIED"


class NotFound(ThalwegError):
    """There is no such view. A key without a row is not an error: its row has the status ``NOT_FOUND``."""

    status = "NOT_FOUND"


class Unimplemented(ThalwegError):
    """The server does not have this operation."""

    status = "UNIMPLEMENTED"


class Internal(ThalwegError):
    """The server failed; see its log."""

    status = "INTERNAL"


class Unavailable(ThalwegError):
    """The server or its store cannot be reached; ``code`` is None if there was no answer."""

    status = "UNAVAILABLE"


class ResourceExhausted(Unavailable):
    """The server is overloaded."""

    status = "RESOURCE_EXHAUSTED"


class DeadlineExceeded(ThalwegError):
    """There was no answer in time; ``code`` is None if the client stopped waiting."""

    status = "DEADLINE_EXCEEDED"


_CLASSES = {
    each.status: each
    for each in (
        InvalidArgument,
        Unauthenticated,
        PermissionDenied,
        NotFound,
        Unimplemented,
        Internal,
        Unavailable,
        ResourceExhausted,
        DeadlineExceeded,
    )
}


def error_of(code: int, headers: Mapping[str, str], body: bytes) -> ThalwegError:
    """The exception for an answer other than 200; the names of headers are in lower case."""
    after = headers.get("retry-after", "")
    retry_after = int(after) if after.isascii() and after.isdigit() else None
    try:
        error = json.loads(body)["error"]
        status, message, details = error["status"], error["message"], error.get("details")
    except (ValueError, KeyError, TypeError):  # of a proxy
        status = "UNAVAILABLE" if code in (502, 503) else "UNKNOWN"
        message, details = "HTTP %d: %s" % (code, body[:200].decode("utf-8", "replace")), None
    return _CLASSES.get(status, ThalwegError)(message, code, status, details, retry_after)
