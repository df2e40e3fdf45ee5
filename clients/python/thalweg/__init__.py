"""Reads features from Thalweg, makes training sets, decodes ``packed`` rows, and runs tests of views."""

from thalweg.aio import AsyncClient
from thalweg.client import Client
from thalweg.errors import (
    DeadlineExceeded,
    Internal,
    InvalidArgument,
    NotFound,
    PermissionDenied,
    ResourceExhausted,
    ThalwegError,
    Unauthenticated,
    Unavailable,
    Unimplemented,
)
from thalweg.frames import Frame, Row
from thalweg.training import training_set
from thalweg.views import View

__all__ = [
    "AsyncClient",
    "Client",
    "DeadlineExceeded",
    "Frame",
    "Internal",
    "InvalidArgument",
    "NotFound",
    "PermissionDenied",
    "ResourceExhausted",
    "Row",
    "ThalwegError",
    "Unauthenticated",
    "Unavailable",
    "Unimplemented",
    "View",
    "training_set",
]
