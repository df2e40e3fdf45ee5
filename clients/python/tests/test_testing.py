"""Against the launcher of this clone: build it first."""

import os
import shutil
import tempfile
import unittest

from thalweg import testing

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", "..", ".."))
LAUNCHER = os.path.join(ROOT, "thalweg")


class TestingTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)
        for name in ("campaign_views.yaml", "ads.csv"):
            shutil.copy(os.path.join(ROOT, "examples", name), self.folder)
        with open(os.path.join(ROOT, "examples", "tests", "campaign_views.yaml")) as example:
            self.text = example.read().replace("view: ../", "view: ").replace("under: [restart, rescale, shuffle_partitions]", "")

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w") as file:
            file.write(text)
        return path

    def test_run_tests_that_pass_and_fail_returns_both(self):
        name = "name: campaign_views_counts_views_of_all_ads"
        passing = self.write("passing.yaml", self.text.replace(name, "name: right"))
        failing = self.write(
            "failing.yaml", self.text.replace(name, "name: wrong").replace("views_10s: 2}", "views_10s: 3}")
        )

        right, wrong = testing.run(passing, failing, launcher=LAUNCHER)

        self.assertEqual(("right", passing, None), (right.name, right.file, right.failure))
        self.assertEqual("right", str(right))
        self.assertGreater(right.seconds, 0)
        right.check()
        with self.assertRaisesRegex(AssertionError, r"wrong \(.*failing.yaml\)[\s\S]*views_10s: expected 3, was 2"):
            wrong.check()

    def test_run_definition_that_cannot_be_used_raises_its_problems(self):
        path = self.write("broken.yaml", self.text.replace("expect:", "expects:"))
        with self.assertRaisesRegex(ValueError, "expects: is not a known key"):
            testing.run(path, launcher=LAUNCHER)

    def test_run_no_launcher_raises(self):
        with self.assertRaisesRegex(FileNotFoundError, "no command .*thalweg; name the launcher .* THALWEG"):
            testing.run(self.folder, launcher=os.path.join(self.folder, "thalweg"))


if __name__ == "__main__":
    unittest.main()
