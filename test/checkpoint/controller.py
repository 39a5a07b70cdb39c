"""The controller of these tests: checkpoint-driver, line by line."""

import os
import pathlib
import re
import subprocess

from support import expect, harness, marked_environment, processes_with

BUILD = pathlib.Path(os.environ.get("HEDDLE_BUILD", harness.ROOT / "build"))
DRIVER = BUILD / "test" / "checkpoint" / "checkpoint-driver"


class Driver:
    """The test's controller; a context that fails when it leaves anything behind."""

    def __init__(self, place, backend, servers=(), clients=()):
        self.mark, env = marked_environment()
        env["HEDDLE_PEER_LIBRARY"] = str(BUILD / "libheddle-peer.so")
        self.out = place.path / "out"
        self.out.mkdir(exist_ok=True)
        command = [DRIVER, self.out, backend]
        for word, commands in (("--server", servers), ("--client", clients)):
            for text in commands:
                command += [word, text]
        self.process = subprocess.Popen(command, cwd=place.path, env=env, text=True, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, start_new_session=True)
        self.first = self.process.stdout.readline().strip()

    def __enter__(self):
        expect(self.first == "ready", f"the driver says {self.first!r}")
        return self

    def __exit__(self, kind, *_):
        if self.process.poll() is None:
            self.process.stdin.close()
            self.process.wait(30)
            expect(kind or not self.left(), lambda: f"left behind: {self.left()}")
        self.process.stdout.close()
        self.process.stdin.close()

    def left(self):
        return processes_with(self.mark)

    def do(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        return self.process.stdout.readline().rstrip("\n")

    def number(self, line):
        answer = self.do(line)
        match = re.fullmatch(r"(?:conn|saved) (\d+)", answer)
        expect(match, f"{line}: {answer}")
        return int(match[1])

    def ask(self, conn, text=b"", verb="ask"):
        """What the peer says; its flags are lost."""
        answer = self.do(f"{verb} {conn} {text.hex()}")
        match = re.match(r"said ([0-9a-f]*)", answer)
        expect(match, f"{verb} {text!r}: {answer}")
        return bytes.fromhex(match[1])

    def restore(self, number):
        answer = self.do(f"restore {number}")
        expect(answer == "restored", answer)

    def acts(self, conn):
        """{call: count}"""
        found = re.findall(r"([^,]+?) (\d+)(?: \(tamed\))?(?:, |$)", self.do(f"acts {conn}"))
        return {name: int(count) for name, count in found}
