"""A server that answers as docs/reference/http.md says, with features that follow from the key."""

import http.server
import json
import math
import struct
import sys
import threading

NONE = -(2**63)
NO_LENGTH = 2**32 - 1
WINDOW_END = 1767290460000  # 2026-01-01T18:01:00Z
BIG = 2**100 + 1
DROP = "drop"

VIEWS = {
    "demand": {
        "name": "demand",
        "description": "Riders",
        "entities": [{"name": "hexagon", "type": "h3", "resolution": 9}, {"name": "product", "type": "uuid"}],
        "features": [{"name": "k0_1m", "type": "double"}, {"name": "k5_8m", "type": "double"}],
        "ttl": "10m",
        "history": "6h",
        "watermark": "2026-01-01T18:01:00Z",
    },
    "user_orders": {
        "name": "user_orders_v2",
        "description": "Orders",
        "entities": [{"name": "user", "type": "string"}, {"name": "shop", "type": "int64"}],
        "features": [
            {"name": "spent_1d", "type": "double"},
            {"name": "orders_1d", "type": "int64"},
            {"name": "total", "type": "int64"},
            {"name": "never", "type": "int64"},
            {"name": "city", "type": "string"},
            {"name": "taste", "type": "double_list"},
            {"name": "age", "type": "int64"},
        ],
        "ttl": "1d",
        "history": None,
        "watermark": None,
    },
}


def encode(fields, rows, columns):
    """An answer of columns of (name, type, values), None where there is no value."""
    described, data = [], b""
    for name, kind, values in columns:
        described.append({"name": name, "type": kind, "offset": len(data)})
        content = _content(kind, values)
        data += content + bytes(-len(content) % 8)
    header = json.dumps({**fields, "row_count": rows, "columns": described}).encode("utf-8")
    start = struct.pack("<I", len(header)) + header
    return start + bytes(-len(start) % 8) + data


def _content(kind, values):
    if kind in ("text", "f64[]"):
        contents = [
            None if v is None else v.encode("utf-8") if kind == "text" else struct.pack("<%dd" % len(v), *v)
            for v in values
        ]
        lengths = [NO_LENGTH if v is None else len(c) if kind == "text" else len(v) for v, c in zip(values, contents)]
        start = struct.pack("<%dI" % len(values), *lengths)
        return start + bytes(-len(start) % 8 if kind == "f64[]" else 0) + b"".join(c for c in contents if c)
    code = {"u8": "B", "u32": "I", "i64": "q", "u64": "Q", "f64": "d"}[kind]
    missing = {"i64": NONE, "f64": math.nan}.get(kind)
    return struct.pack("<%d%s" % (len(values), code), *(missing if v is None else v for v in values))


def value(feature, key):
    """The value of a feature of user_orders: users are u0, u1, …; every tenth has no row."""
    number = int(key["user"][1:])
    if number % 10 == 9 or feature == "never":
        return None
    return {
        "spent_1d": None if number == 3 else number + 0.5,
        "orders_1d": None if number == 3 else number,
        "total": BIG if number == 2500 else 2**53 + number,
        "city": "Zürich" if number % 2 else "",
        "taste": [number * 1.0] * (number % 3),
        "age": 30 + number,
    }[feature]


def read(body):
    """The answer to a read of user_orders."""
    keys = body["entities"]
    types = {feature["name"]: feature["type"] for feature in VIEWS["user_orders"]["features"]}
    features = body.get("features", list(types))
    status = [3 if int(key["user"][1:]) % 10 == 9 else 1 for key in keys]
    columns = [
        ("status", "u8", status),
        ("finality", "u8", [2 if s == 1 else 0 for s in status]),
        ("window_end", "i64", [WINDOW_END if s == 1 else None for s in status]),
        ("age_ms", "i64", [812 if s == 1 else None for s in status]),
    ]
    for name in features:
        values = [value(name, key) for key in keys]
        kind = {"double": "f64", "int64": "i64", "string": "text", "double_list": "f64[]"}[types[name]]
        if all(v is None for v in values):
            kind = "f64"
        elif any(isinstance(v, int) and v >= 2**63 for v in values):
            kind, values = "text", [None if v is None else str(v) for v in values]
        columns.append((name, kind, values))
    fields = {"view": "user_orders_v2", "watermark": "2026-01-01T18:01:00Z", "features": features}
    return encode(fields, len(keys), columns)


def error(code, status, message, **headers):
    body = {
        "error": {"code": code, "status": status, "message": message, "details": [{"path": "x", "message": message}]}
    }
    return code, headers, json.dumps(body).encode("utf-8")


class _Http(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request, client_address):
        if not isinstance(sys.exc_info()[1], ConnectionError):  # a client that does not wait for its answer
            super().handle_error(request, client_address)


class Server:
    """Answers with the functions and answers in ``next``, one for each request, then with ``answer``."""

    def __init__(self, context=None):
        self.requests, self.connections, self.next, self.operations = [], 0, [], {}
        self._http = _Http(("127.0.0.1", 0), self._handler())
        if context is not None:
            self._http.socket = context.wrap_socket(self._http.socket, server_side=True)
        self.port = self._http.server_port
        self.url = "http%s://127.0.0.1:%d" % ("" if context is None else "s", self.port)
        self._thread = threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        self._thread.start()

    def close(self):
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()

    def answer(self, method, path, body):
        if path == "/v1/views":
            return 200, {}, json.dumps({"views": list(VIEWS.values())}).encode("utf-8")
        name, _, operation = path[len("/v1/views/") :].partition(":")
        if name not in VIEWS:
            return error(404, "NOT_FOUND", "view '%s' is not served" % name)
        if not operation:
            return 200, {}, json.dumps(VIEWS[name]).encode("utf-8")
        return 200, {}, self.operations.get(operation, read)(body)

    def _handler(self):
        server = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def setup(self):
                server.connections += 1
                super().setup()

            def do_GET(self):
                length = int(self.headers.get("content-length", 0))
                body = json.loads(self.rfile.read(length)) if length else None
                headers = {name.lower(): text for name, text in self.headers.items()}
                server.requests.append((self.command, self.path, headers, body))
                answer = server.next.pop(0) if server.next else None
                if answer == DROP:
                    self.close_connection = True
                    return
                code, headers, content = answer or server.answer(self.command, self.path, body)
                self.send_response(code)
                if headers.get("transfer-encoding") == "chunked":
                    content = b"".join(b"%x\r\n%c\r\n" % (1, byte) for byte in content) + b"0\r\n\r\n"
                elif "connection" not in headers:
                    self.send_header("content-length", str(len(content)))
                for name, text in headers.items():
                    self.send_header(name.replace("_", "-"), text)
                self.end_headers()
                self.wfile.write(content)

            do_POST = do_GET

            def log_message(self, *args):
                pass

        return Handler
