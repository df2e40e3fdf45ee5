import http.server
import json
import math
import struct
import threading
import unittest

from thalweg.scan import Scan, ScanError, scan

_CELLS = [0x892A1008003FFFF, 0x892A1008007FFFF, 0x892A100800BFFFF]


def _body():
    """Two readable rows and one that is not, byte by byte as docs/reference/http.md says."""
    columns = [
        ("cell", "u64", struct.pack("<3Q", *_CELLS)),
        ("group", "u32", struct.pack("<3I", 0, 1, 1)),
        ("status", "u8", bytes([1, 1, 5])),
        ("finality", "u8", bytes([2, 1, 0])),
        ("window_end", "i64", struct.pack("<3q", 1000, 2000, -(2**63))),
        ("k0_1m", "f64", struct.pack("<3d", 0.5, 7.0, math.nan)),
    ]
    offset, described, data = 0, [], b""
    for name, kind, content in columns:
        described.append({"name": name, "type": kind, "offset": offset})
        data += content + bytes(-len(content) % 8)
        offset = len(data)
    header = json.dumps(
        {
            "view": "demand",
            "features": ["k0_1m"],
            "cells": 3,
            "row_count": 3,
            "groups": [{"product": "a"}, {"product": "b"}],
            "columns": described,
        }
    ).encode("utf-8")
    start = struct.pack("<I", len(header)) + header
    return start + bytes(-len(start) % 8) + data


class _Handler(http.server.BaseHTTPRequestHandler):
    seen = []

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self.seen.append((self.path, dict(self.headers), body))
        known = self.path == "/v1/views/demand:scan"
        answer = _body() if known else b'{"error":{"code":404,"message":"view \'x\' is not served"}}'
        self.send_response(200 if known else 404)
        self.send_header("content-length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *args):
        pass


class ScanTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = http.server.HTTPServer(("127.0.0.1", 0), _Handler)
        cls.url = "http://127.0.0.1:%d/" % cls.server.server_port
        cls.thread = threading.Thread(target=cls.server.serve_forever, daemon=True)
        cls.thread.start()

    @classmethod
    def tearDownClass(cls):
        cls.server.shutdown()
        cls.server.server_close()
        cls.thread.join()

    def test_columns_are_numbers_in_the_order_of_the_rows(self):
        answer = Scan(_body())
        self.assertEqual(list(answer.columns["cell"]), _CELLS)
        self.assertEqual(list(answer.columns["window_end"]), [1000, 2000, -(2**63)])
        self.assertEqual(list(answer.columns["k0_1m"])[:2], [0.5, 7.0])
        self.assertEqual(len(answer), 3)

    def test_rows_have_the_values_of_their_group(self):
        rows = list(Scan(_body()).rows())
        self.assertEqual(
            rows[1],
            {
                "product": "b",
                "cell": "892a1008007ffff",
                "status": "PRESENT",
                "finality": 1,
                "window_end": 2000,
                "k0_1m": 7.0,
            },
        )
        self.assertEqual(rows[2]["status"], "UNREADABLE")
        self.assertTrue(math.isnan(rows[2]["k0_1m"]))

    def test_request_has_what_was_asked(self):
        answer = scan(self.url, "demand", region={"parent": "852a1007fffffff"}, features=["k0_1m"], token="secret")
        self.assertEqual(answer.header["view"], "demand")
        path, headers, body = _Handler.seen[-1]
        self.assertEqual(body, {"region": {"parent": "852a1007fffffff"}, "features": ["k0_1m"]})
        headers = {name.lower(): value for name, value in headers.items()}
        self.assertEqual(headers["authorization"], "Bearer secret")
        self.assertEqual(headers["accept"], "application/vnd.thalweg.columns")

    def test_refusal_has_the_servers_message(self):
        with self.assertRaises(ScanError) as raised:
            scan(self.url, "x")
        self.assertEqual(raised.exception.code, 404)
        self.assertEqual(str(raised.exception), "view 'x' is not served")


if __name__ == "__main__":
    unittest.main()
