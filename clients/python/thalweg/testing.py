"""Runs tests of views (`thalweg test`) from pytest or unittest.

    import pytest
    from thalweg import testing

    @pytest.mark.parametrize("result", testing.run("tests"), ids=str)
    def test_view(result):
        result.check()

The tests run once, when pytest collects them, in one process of Thalweg.
"""

import os
import subprocess
import tempfile
import xml.etree.ElementTree
from dataclasses import dataclass
from typing import List, Optional

_FAILED = 1


@dataclass(frozen=True)
class Result:
    """How a test ended.

    name: of the test; file: that defines it; seconds: that it took; failure: what differs, in lines, None if nothing does.
    """

    name: str
    file: str
    seconds: float
    failure: Optional[str]

    def check(self) -> None:
        """Raises AssertionError with what differs if the test failed."""
        __tracebackhide__ = True  # pytest shows the test, not this method
        if self.failure is not None:
            raise AssertionError("%s (%s)\n%s" % (self.name, self.file, self.failure))

    def __str__(self) -> str:
        return self.name


def run(*files: str, launcher: Optional[str] = None, config: Optional[str] = None) -> List[Result]:
    """Runs the tests in files and folders, and returns how each ended, in their order.

    launcher: the command, by default that of the environment variable THALWEG, else `thalweg` of the search path.
    config: the deployment configuration, as `--config`.

    Raises ValueError with the command's message if a definition cannot be used or there is no test, RuntimeError if the
    command fails otherwise, FileNotFoundError if there is no launcher.
    """
    command = [launcher or os.environ.get("THALWEG", "thalweg"), "test", "--quiet"]
    if config is not None:
        command += ["--config", config]
    with tempfile.TemporaryDirectory(prefix="thalweg") as folder:
        report = os.path.join(folder, "results.xml")
        try:
            done = subprocess.run(
                command + ["--junit", report] + [str(file) for file in files],
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                text=True,
            )
        except FileNotFoundError:
            raise FileNotFoundError(
                "cannot run tests: there is no command %s; name the launcher of a distribution in the environment variable THALWEG"
                % command[0]
            ) from None
        if done.returncode == 2:
            raise ValueError(done.stderr.strip())
        if done.returncode not in (0, _FAILED) or not os.path.exists(report):
            raise RuntimeError("exit code %d: %s" % (done.returncode, done.stderr.strip()))
        return [_result(case) for case in xml.etree.ElementTree.parse(report).getroot()]


def _result(case: xml.etree.ElementTree.Element) -> Result:
    failure = case.find("failure")
    return Result(
        name=case.attrib["name"],
        file=case.attrib["classname"],
        seconds=float(case.attrib["time"]),
        failure=None if failure is None else failure.text,
    )
