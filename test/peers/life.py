"""Does anything of a peer live? A FIFO tells: it ends when the last process that inherited it has ended, even one that no
look at /proc would catch."""

import os
import pathlib
import shlex

import harness

BUILD = pathlib.Path(os.environ.get("HEDDLE_BUILD", harness.ROOT / "build"))
WILD = shlex.quote(str(BUILD / "test" / "peers" / "peers-wild"))
LIFE = "exec 9>life; "  # how a peer's command begins


class Life:
    def __init__(self, place):
        os.mkfifo(place.path / "life")
        self.fifo = os.open(place.path / "life", os.O_RDONLY | os.O_NONBLOCK)

    def __del__(self):
        os.close(self.fifo)

    def lives(self):
        try:
            return os.read(self.fifo, 1) != b""
        except BlockingIOError:
            return True
