"""The command line that a training set runs, and its failures; a real one needs pyarrow."""

import json
import os
import stat
import tempfile
import unittest

from thalweg import training_set
from thalweg.training import _options

try:
    import pyarrow
    import pyarrow.parquet
except ImportError:
    pyarrow = None


class OptionsTest(unittest.TestCase):
    def test_options_all_asTheCommandHasThem(self):
        options = _options(
            ["demand:k5_8m", "supply:*"], {"cell": "pickup"}, ("lat", "lng"), "UTC", "ms", ["age_ms"], "thalweg.yaml"
        )
        self.assertEqual(
            options,
            ["--features", "demand:k5_8m,supply:*", "--column", "cell=pickup", "--cell-at", "lat,lng"]
            + ["--zone", "UTC", "--unit", "ms", "--config", "thalweg.yaml", "--with", "age_ms"],
        )

    def test_options_none_areTheDefaultsOfTheCommand(self):
        self.assertEqual(_options([], None, None, None, None, [], None), [])


@unittest.skipIf(pyarrow is None, "pyarrow is not installed")
class TrainingSetTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def launcher(self, body):
        """A command that gets the arguments as sys.argv."""
        path = os.path.join(self.folder, "thalweg")
        with open(path, "w") as script:
            script.write("#!/usr/bin/env python3\nimport json, shutil, sys\n" + body)
        os.chmod(path, os.stat(path).st_mode | stat.S_IXUSR)
        return path

    def test_trainingSet_table_passesLabelsAndReturnsTheFile(self):
        seen = os.path.join(self.folder, "arguments")
        launcher = self.launcher(
            "a = sys.argv\njson.dump(a[1:], open(%r, 'w'))\n"
            "shutil.copy(a[a.index('--spine') + 1], a[a.index('--out') + 1])\n" % seen
        )
        labels = pyarrow.table({"user": ["u1", "u2"], "ts": [1, 2]})
        train = training_set(labels, "ts", ["orders"], unit="ms", launcher=launcher)
        self.assertEqual(train.to_pydict(), labels.to_pydict())
        with open(seen) as file:
            arguments = json.load(file)
        self.assertEqual(arguments[:2], ["training-set", "--quiet"])
        self.assertIn("--unit", arguments)

    def test_trainingSet_commandFails_itsMessage(self):
        launcher = self.launcher("sys.exit('thalweg: view orders has no feature log')\n")
        with self.assertRaisesRegex(RuntimeError, "has no feature log"):
            training_set("labels.csv", "ts", ["orders"], launcher=launcher)


if __name__ == "__main__":
    unittest.main()
