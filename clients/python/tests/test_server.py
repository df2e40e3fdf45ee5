"""Reads from a real server whose address is in THALWEG_SERVER, such as that of ``./thalweg demo``: it needs a view with rings,
a history and a row that is present."""

import importlib.util
import json
import os
import pathlib
import unittest

import thalweg


@unittest.skipUnless(os.environ.get("THALWEG_SERVER"), "THALWEG_SERVER names no server")
class ServerTest(unittest.TestCase):
    def setUp(self):
        self.client = thalweg.Client(os.environ["THALWEG_SERVER"])
        self.addCleanup(self.client.close)
        self.view = next(
            view for view in self.client.views() if view.kind == "rings" and view.history and view.watermark
        )
        self.feature = next(iter(self.view.features))
        self.top = self.client.scan(self.view.name, top=500, by=self.feature)

    def keys(self):
        return [{name: row[name] for name in self.view.entities} for row in self.top]

    def test_scan_is_in_order_and_the_same_as_read(self):
        values = list(self.top.columns[self.feature])
        self.assertGreater(values[0], 0)
        self.assertEqual(values, sorted(values, reverse=True))
        self.assertEqual(set(self.top.columns["status"]), {"PRESENT"})
        # The same window end, because the server may have gone on.
        row = self.client.read(self.view.name, self.keys()[0], as_of=self.top.columns["window_end"][0])
        self.assertEqual(row.values, {name: self.top.columns[name][0] for name in self.view.features})

    def test_read_frame_is_the_same_as_read(self):
        at = self.view.watermark
        keys = self.keys() * 3  # more than one request
        frame = self.client.read_frame(self.view.name, keys, as_of=at)
        self.assertEqual(len(frame), len(keys))
        for i, row in list(enumerate(frame))[:: max(1, len(frame) // 5)]:
            one = self.client.read(self.view.name, keys[i], as_of=at)
            self.assertEqual((one.status, one.window_end), (row["status"], row["window_end"]))
            self.assertEqual(one.values, {name: row[name] for name in self.view.features})

    def test_history_ends_with_the_read_as_of_its_end(self):
        key = self.keys()[0]
        rows = list(self.client.history(self.view.name, key, last=5, as_of=self.view.watermark))
        self.assertEqual(rows[-1]["window_end"], self.view.watermark)
        for row in rows:
            one = self.client.read(self.view.name, key, as_of=row["window_end"])
            self.assertEqual(
                (one.status, one.values), (row["status"], {name: row[name] for name in self.view.features})
            )

    def test_unknown_feature_has_the_servers_message(self):
        with self.assertRaises(thalweg.InvalidArgument) as raised:
            self.client.read(self.view.name, self.keys()[0], features=["no_such_feature"])
        self.assertIn("no_such_feature", str(raised.exception))

    @unittest.skipUnless(importlib.util.find_spec("matplotlib"), "Matplotlib is not installed")
    def test_notebook_runs(self):
        import matplotlib

        matplotlib.use("agg")
        notebook = pathlib.Path(__file__).parents[3] / "examples/notebook/first_hour.ipynb"
        names = {}
        for cell in json.loads(notebook.read_text("utf-8"))["cells"]:
            if cell["cell_type"] == "code":
                exec("".join(cell["source"]), names)
        self.assertEqual(list(names["supply"]["demand"]), list(names["top"]["k5_8m"]))
        self.assertTrue(names["supply"]["status"].isin(["PRESENT", "ZERO"]).all())


if __name__ == "__main__":
    unittest.main()
