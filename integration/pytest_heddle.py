"""heddle for pytest.

    # conftest.py
    pytest_plugins = ["pytest_heddle"]

    # test_queue.py
    def test_queue(heddle):
        heddle.verified("./queue-test", "3")                    # complete, nothing found
        heddle.holds("./queue-test", "9", options=["--max-time", "1m"])    # nothing found so far

With pytest --heddle, every heddle.yaml is a test as well. The command is $HEDDLE, else the heddle in PATH.
"""
import json
import os
import pathlib
import subprocess

import pytest


class Heddle:
    """Runs heddle check; reports go to a folder of the test's own."""

    def __init__(self, folder):
        self.command = os.environ.get("HEDDLE", "heddle")
        self.folder = pathlib.Path(folder)

    def check(self, *program, options=(), cwd=None):
        """The content of result.json; an error of usage or of heddle fails the test."""
        words = [self.command, "check", "--no-progress", "--out", str(self.folder), *map(str, options)]
        run = subprocess.run([*words, *(["--", *map(str, program)] if program else [])], cwd=cwd, stdin=subprocess.DEVNULL,
                             capture_output=True, text=True, check=False)
        self.said = run.stderr
        if run.returncode not in (0, 1, 3):
            pytest.fail(run.stderr or f"heddle: exit status {run.returncode}", pytrace=False)
        return json.loads((self.folder / "result.json").read_text())

    def holds(self, *program, **how):
        """No violation was found; the search may have been cut short."""
        result = self.check(*program, **how)
        if result["verdict"] == "violation":
            pytest.fail(self.said, pytrace=False)
        return result

    def verified(self, *program, **how):
        """No violation, and everything was looked at."""
        result = self.holds(*program, **how)
        if result["verdict"] != "verified":
            pytest.fail(f"not verified ({result['verdict']}): {result['reason']}", pytrace=False)
        return result


@pytest.fixture
def heddle(tmp_path):
    return Heddle(tmp_path / "heddle-out")


def pytest_addoption(parser):
    parser.addoption("--heddle", action="store_true", help="run every heddle.yaml as a test")


def pytest_collect_file(file_path, parent):
    if file_path.name == "heddle.yaml" and parent.config.getoption("--heddle"):
        return ScenarioFile.from_parent(parent, path=file_path)
    return None


class ScenarioFile(pytest.File):
    def collect(self):
        yield Scenario.from_parent(self, name="check")


class Scenario(pytest.Item):
    def runtest(self):
        tool = Heddle(self.path.parent / "heddle-out")
        result = tool.check(options=["-f", self.path.name], cwd=self.path.parent)
        if result["verdict"] == "violation":
            pytest.fail(tool.said, pytrace=False)
        if result["verdict"] != "verified":
            pytest.skip(f"not verified ({result['verdict']}): {result['reason']}")

    def reportinfo(self):
        return self.path, None, str(self.path)
