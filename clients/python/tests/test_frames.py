import datetime
import importlib.util
import math
import unittest
from unittest import mock

import thalweg
from tests import canned
from thalweg import columns
from thalweg.columns import Answer, feature


def _installed(*names):
    return all(importlib.util.find_spec(name) for name in names)


def _feature(declared, *answers):
    """A feature in one answer after the other, each (type, values)."""
    parts = []
    for kind, values in answers:
        body = canned.encode(
            {}, len(values), [("x", "u8", [7] * len(values)), ("f", kind, values), ("y", "u8", [7] * len(values))]
        )
        parts.append(Answer(body).parts[1])
    return feature(parts, declared)


class _Columns:
    """The tests with and without NumPy."""

    def test_doubles_keep_their_bits_and_are_nan_without_avalue(self):
        values = [0.1, -0.0, math.inf, 1.0526315789473684e8, 5e-324]
        column = _feature("double", ("f64", values), ("f64", [None]))
        self.assertEqual([v.hex() for v in column.plain()[:5]], [v.hex() for v in values])
        self.assertTrue(math.isnan(column.plain()[5]))

    def test_doubles_of_one_answer_are_not_copied(self):
        column = _feature("double", ("f64", [1.5, 2.5]))
        self.assertEqual(memoryview(column.values()).tolist(), [1.5, 2.5])
        base = column.values().obj if columns.numpy is None else column.values().base
        self.assertIsNotNone(base)

    def test_wholes_are_exact(self):
        column = _feature("int64", ("i64", [2**63 - 1, 1 - 2**63]), ("i64", [2**53 + 1]))
        self.assertEqual(column.plain(), [2**63 - 1, 1 - 2**63, 2**53 + 1])
        self.assertTrue(all(type(value) is int for value in column.plain()))

    def test_wholes_without_avalue_are_none(self):
        self.assertEqual(_feature("int64", ("i64", [1, None, 3])).values(), [1, None, 3])

    def test_wholes_answer_without_any_value_is_none(self):
        column = _feature("int64", ("f64", [None, None]), ("i64", [3]))
        self.assertEqual((column.plain(), type(column)), ([None, None, 3], columns.Wholes))
        self.assertEqual(_feature("int64", ("f64", [None])).plain(), [None])

    def test_wholes_above64bits_in_one_answer_are_exact_in_all(self):
        column = _feature("int64", ("i64", [2**53 + 1, None]), ("text", [str(canned.BIG), None, "-5"]), ("f64", [None]))
        self.assertEqual(column.values(), [2**53 + 1, None, canned.BIG, None, -5, None])

    def test_texts_have_empty_and_missing_ones(self):
        self.assertEqual(_feature("string", ("text", ["", None, "Zürich", "5"])).values(), ["", None, "Zürich", "5"])
        self.assertEqual(_feature("string", ("f64", [None])).values(), [None])

    def test_lists_have_empty_and_missing_ones(self):
        for values in ([[1.5, -2.0], None, [], [3.0]], [[1.0]]):
            self.assertEqual(_feature("double_list", ("f64[]", values)).plain(), values)

    def test_feature_that_the_description_does_not_have_is_read_by_its_column(self):
        self.assertEqual(_feature(None, ("i64", [1])).plain(), [1])
        self.assertEqual(_feature(None, ("text", ["5"])).plain(), ["5"])

    def test_no_rows_are_empty(self):
        for kind in ("f64", "i64", "text", "f64[]"):
            self.assertEqual(_feature(None, (kind, [])).plain(), [])

    def test_truncated_answer_is_an_error(self):
        body = canned.encode({}, 3, [("f", "f64", [1.0, 2.0, 3.0])])
        with self.assertRaisesRegex(ValueError, "ends within a column"):
            feature(Answer(body[:-8]).parts, "double")


class ColumnsWithoutNumpyTest(_Columns, unittest.TestCase):
    def setUp(self):
        patch = mock.patch.object(columns, "numpy", None)
        patch.start()
        self.addCleanup(patch.stop)

    def test_read_frame_rows_are_the_same(self):
        server = canned.Server()
        self.addCleanup(server.close)
        with thalweg.Client(server.url) as client:
            frame = client.read_frame("user_orders", {"user": ["u1", "u9"], "shop": [5, 5]})
        first, second = frame
        self.assertEqual(
            {name: first[name] for name in frame.features}, {name: canned.value(name, first) for name in frame.features}
        )
        self.assertEqual((second["status"], second["orders_1d"], second["window_end"]), ("NOT_FOUND", None, None))


@unittest.skipUnless(_installed("numpy"), "NumPy is not installed")
class ColumnsWithNumpyTest(_Columns, unittest.TestCase):
    pass


class _Tables(unittest.TestCase):
    def setUp(self):
        self.server = canned.Server()
        self.addCleanup(self.server.close)
        self.client = thalweg.Client(self.server.url)
        self.addCleanup(self.client.close)


@unittest.skipUnless(_installed("pandas"), "pandas is not installed")
class PandasTest(_Tables):
    def keys(self, users):
        import pandas

        return pandas.DataFrame(
            {"label": range(len(users)), "user": users, "shop": 5}, index=[i // 2 for i in range(len(users))]
        )

    def test_read_frame_data_frame_keeps_index_columns_and_types(self):
        import pandas

        keys = self.keys(["u%d" % i for i in range(2501)])
        answer = self.client.read_frame("user_orders", keys)
        self.assertTrue(answer[["label", "user", "shop"]].equals(keys))
        self.assertEqual(list(answer["status"].iloc[8:10]), ["PRESENT", "NOT_FOUND"])
        types = answer.dtypes.astype(str)
        self.assertEqual(types["spent_1d"], "float64")
        self.assertEqual((types["orders_1d"], types["never"], types["total"]), ("Int64", "Int64", "object"))
        self.assertEqual((types["_age"], types["age"]), ("timedelta64[ms]", "Int64"))
        self.assertTrue(types["window_end"].startswith("datetime64[") and types["window_end"].endswith("UTC]"))
        plain = answer.reset_index(drop=True)
        self.assertEqual(plain["total"][2500], canned.BIG)
        self.assertEqual(plain["window_end"][0], pandas.Timestamp("2026-01-01T18:01:00Z"))
        self.assertTrue(
            pandas.isna(plain["window_end"][9])
            and pandas.isna(plain["orders_1d"][9])
            and math.isnan(plain["spent_1d"][9])
        )
        self.assertEqual((plain["orders_1d"][17], plain["spent_1d"][17], plain["city"][17]), (17, 17.5, "Zürich"))
        self.assertEqual(list(plain["taste"][17]), [17.0, 17.0])

    def test_read_frame_both_repeats_the_keys(self):
        self.server.operations["read"] = lambda body: canned.read(
            {**body, "entities": [key for key in body["entities"] for _ in range(2)]}
        )
        answer = self.client.read_frame("user_orders", self.keys(["u1", "u2", "u3"]), ["orders_1d"], read_from="BOTH")
        self.assertEqual(list(answer["label"]), [0, 0, 1, 1, 2, 2])
        self.assertEqual(list(answer.index), [0, 0, 0, 0, 1, 1])

    def test_read_frame_missing_key_is_refused(self):
        with self.assertRaisesRegex(thalweg.InvalidArgument, r"keys\[1\].user: must be text"):
            self.client.read_frame("user_orders", self.keys(["u1", None]))

    def test_read_frame_whole_keys_as_doubles_are_refused(self):
        keys = self.keys(["u1"]).assign(shop=5.0)
        with self.assertRaisesRegex(thalweg.InvalidArgument, r"keys\[0\].shop: must be a whole number, was 5.0"):
            self.client.read_frame("user_orders", keys)


@unittest.skipUnless(_installed("pyarrow"), "pyarrow is not installed")
class ArrowTest(_Tables):
    def test_read_frame_table_has_typed_columns(self):
        import pyarrow

        keys = pyarrow.table({"user": ["u%d" % i for i in range(2501)], "shop": [5] * 2501})
        answer = self.client.read_frame("user_orders", keys)
        self.assertTrue(answer.select(["user", "shop"]).equals(keys))
        types = {field.name: str(field.type) for field in answer.schema}
        self.assertEqual((types["spent_1d"], types["orders_1d"], types["never"]), ("double", "int64", "int64"))
        self.assertEqual((types["total"], types["city"]), ("decimal256(39, 0)", "string"))
        self.assertTrue(types["taste"].startswith("list<") and types["taste"].endswith("double>"))
        self.assertEqual((types["status"], types["finality"]), ("string", "string"))
        self.assertEqual((types["window_end"], types["_age"]), ("timestamp[ms, tz=UTC]", "duration[ms]"))
        row = answer.slice(17, 1).to_pylist()[0]
        self.assertEqual((row["spent_1d"], row["orders_1d"], row["taste"]), (17.5, 17, [17.0, 17.0]))
        self.assertEqual(row["window_end"], datetime.datetime(2026, 1, 1, 18, 1, tzinfo=datetime.timezone.utc))
        row = answer.slice(9, 1).to_pylist()[0]
        self.assertEqual(
            (row["status"], row["orders_1d"], row["finality"], row["window_end"]), ("NOT_FOUND", None, None, None)
        )
        self.assertTrue(math.isnan(row["spent_1d"]))
        self.assertEqual(int(answer["total"][2500].as_py()), canned.BIG)

    def test_read_frame_table_and_both_repeats_the_keys(self):
        import pyarrow

        self.server.operations["read"] = lambda body: canned.read(
            {**body, "entities": [key for key in body["entities"] for _ in range(2)]}
        )
        keys = pyarrow.table({"user": ["u1", "u2"], "shop": [5, 6]})
        answer = self.client.read_frame("user_orders", keys, ["orders_1d"], read_from="BOTH")
        self.assertEqual(answer["shop"].to_pylist(), [5, 5, 6, 6])

    def test_to_arrow_without_numpy_is_the_same(self):
        keys = {"user": ["u1", "u2", "u9"], "shop": [5, 5, 5]}
        features = ["spent_1d", "orders_1d", "city", "taste"]
        tables = []
        for numpy in (columns.numpy, None):
            with mock.patch.object(columns, "numpy", numpy):
                tables.append(self.client.read_frame("user_orders", keys, features).to_arrow())
        self.assertEqual(tables[0].drop_columns(["spent_1d"]), tables[1].drop_columns(["spent_1d"]))
        self.assertEqual(str(tables[0]["spent_1d"]), str(tables[1]["spent_1d"]))


if __name__ == "__main__":
    unittest.main()
