import asyncio
import datetime
import json
import math
import os
import shutil
import socket
import ssl
import subprocess
import tempfile
import threading
import time
import unittest
import uuid

import thalweg
from tests import canned
from thalweg.calls import Response

_UTC = datetime.timezone.utc
_CELLS = [0x892A1008003FFFF, 0x892A1008007FFFF, 0x892A100800BFFFF]


def _scan(body):
    return canned.encode(
        {
            "view": "demand",
            "watermark": "2026-01-01T18:01:00Z",
            "features": ["k5_8m"],
            "cells": 3,
            "keys": 6,
            "counts": {"PRESENT": 2, "UNREADABLE": 1, "ZERO": 3},
            "rest": {"status": "ZERO"},
            "groups": [{"product": "a"}, {"product": "b"}],
        },
        3,
        [
            ("cell", "u64", _CELLS),
            ("group", "u32", [0, 1, 1]),
            ("status", "u8", [1, 1, 5]),
            ("finality", "u8", [2, 1, 0]),
            ("window_end", "i64", [canned.WINDOW_END, canned.WINDOW_END + 1, None]),
            ("k5_8m", "f64", [0.5, 7.0, None]),
        ],
    )


def _aggregate(body):
    return canned.encode(
        {"view": "demand", "watermark": None, "features": ["k5_8m"], "groups": [{"product": "a"}]},
        1,
        [
            ("cell", "u64", [0x872A10080FFFFFF]),
            ("group", "u32", [0]),
            ("cells", "u32", [49]),
            ("present", "u32", [7]),
            ("k5_8m", "f64", [2.5]),
        ],
    )


def _history(body):
    ends = [canned.WINDOW_END - 60_000, canned.WINDOW_END]
    return canned.encode(
        {"view": "demand", "watermark": "2026-01-01T18:01:00Z", "features": ["k0_1m"]},
        2,
        [
            ("status", "u8", [2, 1]),
            ("finality", "u8", [2, 2]),
            ("window_end", "i64", ends),
            ("age_ms", "i64", [60_812, 812]),
            ("k0_1m", "f64", [0.0, 7.0]),
        ],
    )


class _Calls:
    """The tests of both clients."""

    def setUp(self):
        self.server = canned.Server()
        self.addCleanup(self.server.close)
        self.waits = []
        self.client = self.connect()

    def posts(self):
        return [body for method, _, _, body in self.server.requests if method == "POST"]

    def test_views_are_described(self):
        demand, orders = self.client.views()
        self.assertEqual((demand.kind, orders.kind), ("rings", "keyed"))
        self.assertEqual((demand.resolution, orders.resolution), (9, None))
        self.assertEqual(demand.entities, {"hexagon": "h3", "product": "uuid"})
        self.assertEqual(list(orders.features.items())[1], ("orders_1d", "int64"))
        self.assertEqual(orders.name, "user_orders_v2")
        self.assertEqual(
            (demand.ttl, demand.history, orders.history),
            (datetime.timedelta(minutes=10), datetime.timedelta(hours=6), None),
        )
        self.assertEqual(demand.watermark, datetime.datetime(2026, 1, 1, 18, 1, tzinfo=_UTC))
        self.assertEqual(self.client.view("demand"), demand)

    def test_read_present_key_has_its_values(self):
        row = self.client.read("user_orders", user="u17", shop=5)
        self.assertEqual((row.view, row.status, row.finality), ("user_orders_v2", "PRESENT", "FINAL"))
        self.assertEqual(row.window_end, datetime.datetime(2026, 1, 1, 18, 1, tzinfo=_UTC))
        self.assertEqual(row.age, datetime.timedelta(milliseconds=812))
        self.assertEqual(row.entities, {"user": "u17", "shop": 5})
        self.assertEqual((row["spent_1d"], row["orders_1d"], row["total"]), (17.5, 17, 2**53 + 17))
        self.assertEqual((row["city"], row["taste"], row["age"]), ("Zürich", [17.0, 17.0], 47))
        self.assertIs(type(row["orders_1d"]), int)
        self.assertEqual(self.posts(), [{"entities": [{"user": "u17", "shop": 5}]}])

    def test_read_missing_key_has_no_value_and_astatus(self):
        row = self.client.read("user_orders", {"user": "u9", "shop": 5})
        self.assertEqual((row.status, row.finality, row.window_end, row.age), ("NOT_FOUND", None, None, None))
        self.assertTrue(math.isnan(row["spent_1d"]))
        self.assertEqual([row[name] for name in ("orders_1d", "never", "city", "taste")], [None] * 4)

    def test_read_whole_number_above64bits_is_exact(self):
        self.assertEqual(self.client.read("user_orders", user="u2500", shop=5)["total"], canned.BIG)

    def test_read_options_are_sent(self):
        at = datetime.datetime(2026, 1, 1, 19, 1, tzinfo=datetime.timezone(datetime.timedelta(hours=1)))
        self.client.read("user_orders", user="u1", shop=2**60, features=("city",), as_of=at, read_from="STORE")
        self.assertEqual(
            self.posts(),
            [
                {
                    "entities": [{"user": "u1", "shop": str(2**60)}],
                    "features": ["city"],
                    "as_of": "2026-01-01T19:01:00+01:00",
                    "read_from": "STORE",
                }
            ],
        )

    def test_read_cells_are_text_or_numbers(self):
        self.server.operations["read"] = lambda body: canned.encode(
            {"view": "demand", "watermark": None, "features": ["k0_1m"]},
            1,
            [
                ("status", "u8", [2]),
                ("finality", "u8", [2]),
                ("window_end", "i64", [0]),
                ("age_ms", "i64", [0]),
                ("k0_1m", "f64", [0.0]),
            ],
        )
        product = uuid.UUID("17a2b60c-29dd-5f76-95f3-b65da5cbbdbe")
        for cell in (_CELLS[0], "892a1008003ffff"):
            self.assertEqual(self.client.read("demand", hexagon=cell, product=product).status, "ZERO")
        key = {"hexagon": "892a1008003ffff", "product": str(product)}
        self.assertEqual([body["entities"] for body in self.posts()], [[key], [key]])

    def test_read_mistakes_of_the_caller_are_not_sent(self):
        self.client.read("user_orders", user="u1", shop=5)
        sent = len(self.server.requests)
        mistakes = {
            "there are no keys": lambda c: c.read("user_orders"),
            "there are no keys ": lambda c: c.read_frame("user_orders", []),
            "view user_orders_v2 has the entity shop; keys have only: user": lambda c: c.read("user_orders", user="u1"),
            "'feature' is not an entity of view user_orders_v2": lambda c: c.read(
                "user_orders", user="u1", shop=5, feature=["a"]
            ),
            "keys[0].shop: must be a whole number, was 'x'": lambda c: c.read("user_orders", user="u1", shop="x"),
            "keys[1].user: must be text, was None": lambda c: c.read_frame(
                "user_orders", {"user": ["u1", None], "shop": [1, 2]}
            ),
            "differ in length": lambda c: c.read_frame("user_orders", {"user": ["u1"], "shop": [1, 2]}),
            "keys.shop: must be a list": lambda c: c.read_frame("user_orders", {"user": ["u1"], "shop": 1}),
            "must be a list of names, such as ['city']": lambda c: c.read(
                "user_orders", user="u1", shop=5, features="city"
            ),
            "as_of: must have a time zone": lambda c: c.read(
                "user_orders", user="u1", shop=5, as_of=datetime.datetime(2026, 1, 1)
            ),
            "BOTH returns two rows": lambda c: c.read("user_orders", user="u1", shop=5, read_from="BOTH"),
            "top and by go together": lambda c: c.scan("user_orders", top=5),
            "of bbox and parent only one": lambda c: c.scan("user_orders", bbox=(1, 2, 3, 4), parent=5),
            "disk: must be (cell, ring), was 7": lambda c: c.scan("user_orders", disk=7),
            "cannot write the request": lambda c: c.scan("user_orders", bbox=(math.nan, 1, 2, 3)),
            "where.shop: must be a whole number": lambda c: c.scan("user_orders", where={"shop": ["a"]}),
        }
        for message, call in mistakes.items():
            with self.subTest(message):
                with self.assertRaises(thalweg.InvalidArgument) as raised:
                    call(self.client)
                self.assertIn(message.strip(), str(raised.exception))
                self.assertIsNone(raised.exception.code)
                self.assertIsInstance(raised.exception, ValueError)
        self.assertEqual(len(self.server.requests), sent)

    def test_read_frame_more_than1000keys_are_in_order(self):
        keys = {"user": ["u%d" % (i * 7 % 3001) for i in range(3001)], "shop": [5] * 3001, "label": list(range(3001))}
        frame = self.client.read_frame("user_orders", keys)
        self.assertEqual(sorted(len(body["entities"]) for body in self.posts()), [1, 1000, 1000, 1000])
        self.assertEqual(len(frame), 3001)
        self.assertEqual(list(frame.columns["user"]), keys["user"])
        self.assertEqual(list(frame.columns["label"]), keys["label"])
        for row in frame:
            expected = {name: canned.value(name, row) for name in frame.features}
            if expected["spent_1d"] is None:
                self.assertTrue(math.isnan(row.pop("spent_1d")))
                del expected["spent_1d"]
            self.assertEqual({name: row[name] for name in expected}, expected)
            self.assertEqual(row["status"], "NOT_FOUND" if expected["city"] is None else "PRESENT")

    def test_read_frame_list_of_dicts_keeps_other_columns(self):
        frame = self.client.read_frame(
            "user_orders", [{"user": "u1", "shop": 5}, {"user": "u9", "shop": 5, "note": "x"}], ["orders_1d"]
        )
        self.assertEqual(
            list(frame.columns), ["user", "shop", "note", "status", "finality", "window_end", "age", "orders_1d"]
        )
        self.assertEqual(frame.columns["note"], [None, "x"])
        self.assertEqual(frame.columns["orders_1d"], [1, None])
        self.assertEqual(frame.watermark, datetime.datetime(2026, 1, 1, 18, 1, tzinfo=_UTC))

    def test_read_frame_feature_named_age_keeps_its_name(self):
        frame = self.client.read_frame("user_orders", {"user": ["u1"], "shop": [5], "status": ["new"]}, ["age"])
        self.assertEqual(
            list(frame.columns), ["user", "shop", "status", "_status", "finality", "window_end", "_age", "age"]
        )
        self.assertEqual(next(iter(frame))["age"], 31)
        self.assertEqual(next(iter(frame))["_age"], datetime.timedelta(milliseconds=812))

    def test_read_frame_column_named_as_afeature_is_refused(self):
        with self.assertRaisesRegex(thalweg.InvalidArgument, "keys have a column city, which is also a feature"):
            self.client.read_frame("user_orders", {"user": ["u1"], "shop": [5], "city": ["Bern"]})

    def test_read_frame_both_has_two_rows_for_each_key(self):
        self.server.operations["read"] = lambda body: canned.read(
            {**body, "entities": [key for key in body["entities"] for _ in range(2)]}
        )
        frame = self.client.read_frame(
            "user_orders", {"user": ["u1", "u2"], "shop": [5, 5]}, ["orders_1d"], read_from="BOTH"
        )
        self.assertEqual(frame.columns["user"], ["u1", "u1", "u2", "u2"])
        self.assertEqual(list(frame.columns["orders_1d"]), [1, 1, 2, 2])

    def test_read_frame_one_request_is_refused_fails_as_a_whole(self):
        def refuse(body):
            return canned.read(body) if len(body["entities"]) == 1000 else b""

        self.server.operations["read"] = refuse
        with self.assertRaisesRegex(thalweg.ThalwegError, "cannot read the answer of :read"):
            self.client.read_frame("user_orders", {"user": ["u%d" % i for i in range(2500)], "shop": [5] * 2500})

    def test_read_frame_view_is_switched_meanwhile_is_an_error(self):
        def switched(body):
            answer = canned.read(body)
            return answer if len(body["entities"]) == 1000 else answer.replace(b"user_orders_v2", b"user_orders_v3")

        self.server.operations["read"] = switched
        with self.assertRaisesRegex(thalweg.ThalwegError, "changed from user_orders_v2 to user_orders_v3"):
            self.client.read_frame("user_orders", {"user": ["u%d" % i for i in range(2500)], "shop": [5] * 2500})

    def test_read_view_is_switched_reads_its_description_again(self):
        self.server.operations["read"] = lambda body: canned.read(body).replace(b"user_orders_v2", b"user_orders_v3")
        for _ in range(2):
            self.client.read("user_orders", user="u1", shop=5)
        self.assertEqual([method for method, *_ in self.server.requests], ["GET", "POST", "GET", "POST"])

    def test_history_has_the_key_in_each_row(self):
        self.server.operations["history"] = _history
        frame = self.client.history("demand", hexagon=_CELLS[0], product="a", features=["k0_1m"], last=2)
        self.assertEqual(
            self.posts(),
            [{"entities": [{"hexagon": "892a1008003ffff", "product": "a"}], "features": ["k0_1m"], "last": 2}],
        )
        self.assertEqual(list(frame.columns["k0_1m"]), [0.0, 7.0])
        self.assertEqual(frame.columns["product"], ["a", "a"])
        self.assertEqual(frame.columns["status"], ["ZERO", "PRESENT"])

    def test_history_without_rows_is_empty(self):
        self.server.operations["history"] = lambda body: canned.encode(
            {"view": "demand", "watermark": None, "features": ["k0_1m"]},
            0,
            [
                ("status", "u8", []),
                ("finality", "u8", []),
                ("window_end", "i64", []),
                ("age_ms", "i64", []),
                ("k0_1m", "f64", []),
            ],
        )
        frame = self.client.history("demand", hexagon=_CELLS[0], product="a")
        self.assertEqual((len(frame), list(frame), frame.watermark), (0, [], None))

    def test_scan_rows_have_the_entities_of_the_view(self):
        self.server.operations["scan"] = _scan
        frame = self.client.scan(
            "demand",
            bbox=(-74.05, 40.68, -73.90, 40.82),
            top=20,
            by="k5_8m",
            features=["k5_8m"],
            where={"product": ["a", "b"]},
        )
        self.assertEqual(
            self.posts(),
            [
                {
                    "region": {"bbox": [-74.05, 40.68, -73.90, 40.82]},
                    "top": {"n": 20, "by": "k5_8m"},
                    "features": ["k5_8m"],
                    "where": {"product": ["a", "b"]},
                }
            ],
        )
        self.assertEqual(list(frame.columns), ["hexagon", "product", "status", "finality", "window_end", "k5_8m"])
        rows = list(frame)
        self.assertEqual((rows[1]["hexagon"], rows[1]["product"], rows[1]["k5_8m"]), ("892a1008007ffff", "b", 7.0))
        self.assertEqual((rows[2]["status"], rows[2]["window_end"]), ("UNREADABLE", None))
        self.assertTrue(math.isnan(rows[2]["k5_8m"]))
        self.assertEqual(list(frame.raw("hexagon")), _CELLS)
        self.assertEqual(list(frame.raw("status")), [1, 1, 5])
        self.assertEqual(frame.header["counts"]["ZERO"], 3)

    def test_scan_aggregate_has_its_cells(self):
        self.server.operations["scan"] = _aggregate
        frame = self.client.scan("demand", aggregate=(7, "mean"))
        self.assertEqual(self.posts(), [{"aggregate": {"resolution": 7, "by": "mean"}}])
        self.assertEqual(
            list(frame), [{"hexagon": "872a10080ffffff", "product": "a", "cells": 49, "present": 7, "k5_8m": 2.5}]
        )

    def test_scan_regions_are_written_as_the_server_reads_them(self):
        self.server.operations["scan"] = _scan
        self.client.scan("demand", polygon=[(1, 2), (3, 4), (5, 6)])
        self.client.scan("demand", disk=(_CELLS[0], 5))
        self.client.scan("demand", parent="852a1007fffffff")
        self.client.scan("demand")
        self.assertEqual(
            [body.get("region") for body in self.posts()],
            [
                {"polygon": [[1, 2], [3, 4], [5, 6]]},
                {"disk": {"cell": "892a1008003ffff", "ring": 5}},
                {"parent": "852a1007fffffff"},
                None,
            ],
        )

    def test_errors_have_the_servers_text(self):
        with self.assertRaises(thalweg.NotFound) as raised:
            self.client.read("x/y", user="u1")
        self.assertEqual(str(raised.exception), "view 'x%2Fy' is not served")
        self.assertEqual((raised.exception.code, raised.exception.status), (404, "NOT_FOUND"))
        self.assertEqual(raised.exception.details[0]["path"], "x")
        for code, status, kind in (
            (400, "INVALID_ARGUMENT", thalweg.InvalidArgument),
            (401, "UNAUTHENTICATED", thalweg.Unauthenticated),
            (403, "PERMISSION_DENIED", thalweg.PermissionDenied),
            (405, "UNIMPLEMENTED", thalweg.Unimplemented),
            (500, "INTERNAL", thalweg.Internal),
            (504, "DEADLINE_EXCEEDED", thalweg.DeadlineExceeded),
            (418, "TEAPOT", thalweg.ThalwegError),
        ):
            self.server.next = [canned.error(code, status, "why")]
            with self.assertRaises(thalweg.ThalwegError) as raised:
                self.client.views()
            self.assertIs(type(raised.exception), kind)
            self.assertEqual(
                (str(raised.exception), raised.exception.code, raised.exception.status), ("why", code, status)
            )

    def test_errors_of_aproxy_are_shown(self):
        self.server.next = [(502, {}, b"<html>bad gateway</html>")]
        with self.assertRaisesRegex(thalweg.Unavailable, "HTTP 502: <html>bad gateway</html>"):
            self.client.views()

    def test_overload_waits_as_long_as_the_server_asks(self):
        busy = canned.error(503, "RESOURCE_EXHAUSTED", "busy", retry_after="3")
        self.server.next = [busy, canned.error(503, "UNAVAILABLE", "stopping")]
        self.assertEqual(len(self.client.views()), 2)
        self.assertEqual(self.waits, [3.0, 0.2])

    def test_overload_ends_after_two_retries(self):
        self.server.next = [canned.error(503, "RESOURCE_EXHAUSTED", "busy", retry_after="1") for _ in range(3)]
        with self.assertRaises(thalweg.ResourceExhausted) as raised:
            self.client.views()
        self.assertIsInstance(raised.exception, thalweg.Unavailable)
        self.assertEqual((raised.exception.retry_after, self.waits, self.server.next), (1, [1.0, 1.0], []))

    def test_overload_of_minutes_is_not_waited_for(self):
        self.server.next = [canned.error(503, "RESOURCE_EXHAUSTED", "busy", retry_after="600")]
        with self.assertRaises(thalweg.ResourceExhausted):
            self.client.views()
        self.assertEqual(self.waits, [])

    def test_connections_are_kept(self):
        for _ in range(3):
            self.client.views()
        self.assertEqual(self.server.connections, 1)

    def test_dropped_connection_is_replaced_once(self):
        self.client.views()
        self.server.next = [canned.DROP]
        self.assertEqual(len(self.client.views()), 2)
        self.assertEqual(self.server.connections, 2)
        self.server.next = [canned.DROP, canned.DROP]
        with self.assertRaisesRegex(thalweg.Unavailable, "cannot read from " + self.server.url):
            self.client.views()
        self.assertEqual(self.server.next, [])

    def test_answers_chunked_or_up_to_the_end_are_read(self):
        body = json.dumps({"views": []}).encode("utf-8")
        self.server.next = [(200, {"transfer-encoding": "chunked"}, body), (200, {"connection": "close"}, body)]
        self.assertEqual((self.client.views(), self.client.views()), ([], []))
        self.assertEqual((len(self.client.views()), self.server.connections), (2, 2))

    def test_answer_that_is_not_in_columns_is_an_error(self):
        self.server.operations["read"] = lambda body: b"<html>welcome</html>"
        with self.assertRaisesRegex(thalweg.ThalwegError, "cannot read the answer of :read"):
            self.client.read("user_orders", user="u1", shop=5)

    def test_descriptions_are_read_once_and_again_after_arefusal(self):
        for _ in range(2):
            self.client.read("user_orders", user="u1", shop=5)
        self.server.next = [canned.error(400, "INVALID_ARGUMENT", "entities[0].shop: unknown")]
        with self.assertRaises(thalweg.InvalidArgument):
            self.client.read("user_orders", user="u1", shop=5)
        self.assertEqual([method for method, *_ in self.server.requests], ["GET", "POST", "POST", "POST"])
        self.client.read("user_orders", user="u1", shop=5)
        self.assertEqual([method for method, *_ in self.server.requests][4:], ["GET", "POST"])

    def test_token_is_text_or_afunction(self):
        self.connect(token="a").views()
        tokens = iter("bc")
        client = self.connect(token=lambda: next(tokens))
        client.views()
        client.views()
        sent = [headers.get("authorization") for _, _, headers, _ in self.server.requests]
        self.assertEqual(sent, ["Bearer a", "Bearer b", "Bearer c"])
        with self.assertRaisesRegex(thalweg.InvalidArgument, "line break"):
            self.connect(token="a\n").views()

    def test_url_other_than_http_is_refused(self):
        with self.assertRaisesRegex(thalweg.InvalidArgument, "must look like http://localhost:8080"):
            self.connect(url="localhost:8080")

    def test_server_that_is_not_there_is_unavailable(self):
        with socket.socket() as unused:
            unused.bind(("127.0.0.1", 0))
            url = "http://127.0.0.1:%d" % unused.getsockname()[1]
            with self.assertRaisesRegex(thalweg.Unavailable, "cannot read from " + url):
                self.connect(url=url).views()

    def test_server_that_does_not_answer_is_not_waited_for(self):
        with socket.socket() as silent:
            silent.bind(("127.0.0.1", 0))
            silent.listen()
            url = "http://127.0.0.1:%d" % silent.getsockname()[1]
            with self.assertRaisesRegex(thalweg.DeadlineExceeded, "did not answer within 0.05 s"):
                self.connect(url=url, timeout=0.05).views()

    @unittest.skipUnless(shutil.which("openssl"), "no openssl here makes a certificate")
    def test_tls_trusts_the_context(self):
        with tempfile.TemporaryDirectory() as folder:
            pem = os.path.join(folder, "server.pem")
            command = (
                "req -x509 -newkey rsa:2048 -nodes -days 1 -subj /CN=localhost -addext subjectAltName=IP:127.0.0.1"
            )
            subprocess.run(
                ["openssl", *command.split(), "-keyout", pem, "-out", pem + ".crt"],
                check=True,
                stderr=subprocess.DEVNULL,
            )
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(pem + ".crt", pem)
            server = canned.Server(context)
            self.addCleanup(server.close)
            trusting = ssl.create_default_context(cafile=pem + ".crt")
            self.assertEqual(len(self.connect(url=server.url, context=trusting).views()), 2)
            with self.assertRaisesRegex(thalweg.Unavailable, "certificate"):
                self.connect(url=server.url).views()


class ClientTest(_Calls, unittest.TestCase):
    def connect(self, url=None, **options):
        client = thalweg.Client(url or self.server.url, sleep=self.waits.append, **options)
        self.addCleanup(client.close)
        return client

    def test_threads_share_aclient(self):
        rows = {}

        def read(number):
            rows[number] = self.client.read("user_orders", user="u%d" % number, shop=5)["city"]

        threads = [threading.Thread(target=read, args=(number,)) for number in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(rows, {number: "Zürich" if number % 2 else "" for number in range(8)})

    def test_read_frame_1000keys_of54features_needs_little_processor_time(self):
        features = ["k%d" % i for i in range(54)]
        view = {**canned.VIEWS["demand"], "features": [{"name": name, "type": "double"} for name in features]}
        ends = [canned.WINDOW_END] * 1000
        body = canned.encode(
            {"view": "demand", "watermark": "2026-01-01T18:01:00Z", "features": features},
            1000,
            [
                ("status", "u8", [1] * 1000),
                ("finality", "u8", [2] * 1000),
                ("window_end", "i64", ends),
                ("age_ms", "i64", [812] * 1000),
            ]
            + [(name, "f64", [float(i) for i in range(1000)]) for name in features],
        )

        class Canned(thalweg.Client):
            def _exchange(self, request):
                return Response(200, {}, json.dumps(view).encode("utf-8") if request.body is None else body)

        client = Canned("http://localhost")
        keys = {
            "hexagon": [_CELLS[0] + i for i in range(1000)],
            "product": ["17a2b60c-29dd-5f76-95f3-b65da5cbbdbe"] * 1000,
        }
        times = []
        for _ in range(20):
            begin = time.process_time()
            frame = client.read_frame("demand", keys)
            last = [values[999] for values in frame.columns.values()]
            times.append(time.process_time() - begin)
        self.assertEqual(last[-1], 999.0)
        self.assertLess(sorted(times)[10], 0.15)  # 15 ms are the aim


class _Blocking:
    """Runs the coroutines of an AsyncClient on a loop of its own."""

    def __init__(self, loop, client):
        self._loop, self._client = loop, client

    def __getattr__(self, name):
        return lambda *args, **options: self._loop.run_until_complete(getattr(self._client, name)(*args, **options))


class AsyncClientTest(_Calls, unittest.TestCase):
    def setUp(self):
        self.loop = asyncio.new_event_loop()
        self.addCleanup(self.loop.close)
        super().setUp()

    def connect(self, url=None, **options):
        async def sleep(seconds):
            self.waits.append(seconds)

        client = _Blocking(self.loop, thalweg.AsyncClient(url or self.server.url, sleep=sleep, **options))
        self.addCleanup(client.close)
        return client

    def test_token_is_acoroutine(self):
        async def token():
            return "d"

        self.connect(token=token).views()
        self.assertEqual(self.server.requests[-1][2]["authorization"], "Bearer d")

    def test_read_frame_requests_are_in_flight_at_the_same_time(self):
        both = threading.Barrier(2, timeout=30)

        def together(body):
            both.wait()
            return canned.read(body)

        self.server.operations["read"] = together
        keys = {"user": ["u%d" % i for i in range(4000)], "shop": [5] * 4000}
        frame = self.connect(connections=2).read_frame("user_orders", keys, ["orders_1d"])
        self.assertEqual(frame.columns["orders_1d"][3998], 3998)
        self.assertEqual(self.server.connections, 2)

    def test_context_manager_closes(self):
        async def run():
            async with thalweg.AsyncClient(self.server.url) as client:
                return await client.views()

        self.assertEqual(len(self.loop.run_until_complete(run())), 2)


if __name__ == "__main__":
    unittest.main()
