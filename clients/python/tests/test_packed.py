"""The decoder against blocks that the Java encoder made, and against the rows that it wrote as JSON."""

import json
import pathlib
import unittest

from thalweg.packed import PackedKeyedView, PackedView, decode_block, is_block

VECTORS = json.loads((pathlib.Path(__file__).parent / "vectors.json").read_text("utf-8"))


def views():
    return {definition["name"]: PackedView(**definition) for definition in VECTORS["views"]}


def keyed_views():
    return [PackedKeyedView(**definition) for definition in VECTORS["keyed_views"]]


class PackedTest(unittest.TestCase):
    def test_decode_every_keyed_vector_gives_the_rows_of_the_json_format(self):
        self.assertGreater(len(VECTORS["keyed_blocks"]), 0)
        for vector in VECTORS["keyed_blocks"]:
            rows = decode_block(bytes.fromhex(vector["block"]), keyed_views()[vector["view"]])
            self.assertEqual(vector["rows"], rows)

    def test_decode_keyed_cut_anywhere_is_refused(self):
        vector = VECTORS["keyed_blocks"][0]
        block = bytes.fromhex(vector["block"])
        for length in range(len(block)):
            with self.assertRaises(ValueError):
                decode_block(block[:length], keyed_views()[vector["view"]])

    def test_decode_keyed_of_another_view_is_refused(self):
        vector = VECTORS["keyed_blocks"][0]
        other = next(view for view in keyed_views() if view.layout != keyed_views()[vector["view"]].layout)
        with self.assertRaisesRegex(ValueError, "other measures or windows"):
            decode_block(bytes.fromhex(vector["block"]), other)

    def test_decode_every_vector_gives_the_rows_of_the_json_format(self):
        for vector in VECTORS["blocks"]:
            rows = decode_block(bytes.fromhex(vector["block"]), views()[vector["view"]])
            self.assertEqual(vector["rows"], rows)

    def test_decode_of_another_view_is_refused(self):
        demand, small = views().values()
        block = next(bytes.fromhex(v["block"]) for v in VECTORS["blocks"] if v["view"] == demand.name)
        with self.assertRaisesRegex(ValueError, "other rings or windows"):
            decode_block(block, small)

    def test_decode_cut_anywhere_is_refused(self):
        vector = VECTORS["blocks"][0]
        block = bytes.fromhex(vector["block"])
        for length in range(len(block)):
            with self.assertRaises(ValueError):
                decode_block(block[:length], views()[vector["view"]])

    def test_is_block_tells_blocks_from_progress_records(self):
        self.assertTrue(is_block(bytes.fromhex(VECTORS["blocks"][0]["block"])))
        self.assertFalse(is_block(b'{"view":"demand","progress":{}}'))


if __name__ == "__main__":
    unittest.main()
