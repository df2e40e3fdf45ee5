"""Reads the rows of a region from a feature server, as specified in ``docs/reference/http.md``."""

import json
import struct
import sys
import urllib.error
import urllib.request

_TYPE = "application/vnd.thalweg.columns"
_FORMATS = {"u8": "B", "u32": "I", "i64": "q", "u64": "Q", "f64": "d"}
_STATUSES = {1: "PRESENT", 5: "UNREADABLE"}


class ScanError(Exception):
    """The server refused or failed; ``code`` is the HTTP status."""

    def __init__(self, code, message):
        super().__init__(message)
        self.code = code


class Scan:
    """The answer to a scan.

    header: the answer besides its rows: ``watermark``, ``features``, ``cells``, ``keys``, ``counts``, ``rest``, ``groups``
    columns: name to a sequence of numbers, in the order of the rows; memory views of the answer, which NumPy wraps without a
    copy: ``numpy.asarray(scan.columns["cell"])``
    """

    def __init__(self, body):
        (length,) = struct.unpack_from("<I", body)
        self.header = json.loads(body[4 : 4 + length].decode("utf-8"))
        begin = (4 + length + 7) // 8 * 8
        self.columns = {
            column["name"]: _column(body, begin + column["offset"], column["type"], self.header["row_count"])
            for column in self.header["columns"]
        }

    def __len__(self):
        return self.header["row_count"]

    def rows(self):
        """The rows one by one: a dict of the entities, ``cell`` as hex text, the other columns and the features.

        The entity of the cell is always ``cell``, the name of its column, whatever the view calls it.
        """
        groups = self.header["groups"]
        for i in range(len(self)):
            row = dict(groups[self.columns["group"][i]])
            for name, column in self.columns.items():
                row[name] = column[i]
            del row["group"]
            row["cell"] = format(row["cell"], "x")
            if "status" in row:
                row["status"] = _STATUSES[row["status"]]
            yield row


def _column(body, at, kind, rows):
    code = _FORMATS[kind]
    size = struct.calcsize("<" + code)
    part = memoryview(body)[at : at + rows * size]
    if sys.byteorder == "little":
        return part.cast(code)
    return struct.unpack("<%d%s" % (rows, code), part)


def scan(
    server,
    view,
    region=None,
    where=None,
    features=None,
    top=None,
    aggregate=None,
    as_of=None,
    token=None,
    context=None,
    timeout=10,
):
    """Reads the rows of a region.

    server: such as ``http://127.0.0.1:8080``
    region, where, features, top, aggregate, as_of: as in the request, such as ``{"bbox": [-74.05, 40.68, -73.90, 40.82]}``
    token: of a caller, where the server needs one
    context: an ``ssl.SSLContext`` that trusts the server, where the system does not
    timeout: seconds

    Returns a Scan; raises ScanError with the server's message, or OSError if it cannot be reached.
    """
    asked = {
        "region": region,
        "where": where,
        "features": features,
        "top": top,
        "aggregate": aggregate,
        "as_of": as_of,
    }
    headers = {"content-type": "application/json", "accept": _TYPE}
    if token is not None:
        headers["authorization"] = "Bearer " + token
    request = urllib.request.Request(
        "%s/v1/views/%s:scan" % (server.rstrip("/"), view),
        data=json.dumps({key: value for key, value in asked.items() if value is not None}).encode("utf-8"),
        headers=headers,
    )
    try:
        with urllib.request.urlopen(request, timeout=timeout, context=context) as answer:
            return Scan(answer.read())
    except urllib.error.HTTPError as e:
        with e:
            raise ScanError(e.code, _message(e)) from None


def _message(error):
    try:
        return json.loads(error.read().decode("utf-8"))["error"]["message"]
    except (ValueError, KeyError, TypeError):
        return str(error)
