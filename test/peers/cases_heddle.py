"""heddle check with peers that do not want to end: none is left, however the run ends."""

import os
import pathlib
import signal
import subprocess

from life import LIFE, Life, WILD
from support import (case, cpu_ticks, expect, harness, in_scratch, marked_environment, one_sentence, processes_with, program,
                     wait_until)

BUILD = pathlib.Path(harness.heddle_path()).parent
CLIENT = BUILD / "examples" / "net" / "daytime-client"  # the program under test; nine threads take hours
SERVER = LIFE + f"{WILD} daemon & {WILD} breeder & exec {BUILD}/examples/net/daytime-server {{port:1313}}"
THREADS = "9"


def program_of(pid):
    try:
        return os.readlink(f"/proc/{pid}/exe")
    except OSError:
        return None  # it has just ended


class Check:
    """A running heddle check."""

    def __init__(self, place, *arguments, server=SERVER):
        self.life = Life(place)
        self.mark, env = marked_environment()
        self.process = subprocess.Popen([harness.heddle_path(), "check", "--no-progress", "--out", place.path / "out",
                                         "--server", server, *arguments], cwd=place.path, env=env, text=True,
                                        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                        start_new_session=True)

    def sut(self):
        return [pid for pid in processes_with(self.mark) if program_of(pid) == str(CLIENT.resolve())]

    def wait_for_search(self):
        def searches():
            return any(cpu_ticks(pid) > 10 for pid in self.sut())
        wait_until(lambda: searches() or self.process.poll() is not None)
        expect(self.process.poll() is None and self.life.lives(), lambda: f"no search: {self.process.communicate()[1]}")
        return self

    def end(self, status, now=True):
        """now: nothing is left at the moment at which heddle has ended."""
        def gone():
            return not processes_with(self.mark) and not self.life.lives()
        try:
            _, err = self.process.communicate(timeout=60)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.communicate()
            raise AssertionError("heddle does not end") from None
        left = not (gone() if now else wait_until(gone))
        expect(not left, lambda: f"left behind: {processes_with(self.mark)}\n{err}")
        expect(self.process.returncode == status, f"exit {self.process.returncode}, expected {status}: {err}")
        return err


def long_check(place):
    check = Check(place, "--", CLIENT, "127.0.0.1", "1313", THREADS)
    try:
        return check.wait_for_search()
    except BaseException:
        check.process.kill()
        raise


@case
@in_scratch
def interrupted_once(place):
    """heddle: ^C on the terminal leaves no peer"""
    check = long_check(place)
    os.killpg(check.process.pid, signal.SIGINT)
    check.end(3)


@case
@in_scratch
def interrupted_twice(place):
    """heddle: ^C twice leaves no peer"""
    check = long_check(place)
    os.killpg(check.process.pid, signal.SIGINT)
    os.killpg(check.process.pid, signal.SIGINT)
    check.end(3)


@case
@in_scratch
def terminated(place):
    """heddle: SIGTERM leaves no peer"""
    check = long_check(place)
    check.process.terminate()
    check.end(3)


@case
@in_scratch
def killed(place):
    """heddle: kill -9 leaves no peer"""
    check = long_check(place)
    check.process.kill()
    check.end(-signal.SIGKILL, now=False)


@case
@in_scratch
def program_killed(place):
    """heddle: kill -9 of the checked program leaves no peer"""
    check = long_check(place)
    [sut] = check.sut()
    os.kill(sut, signal.SIGKILL)
    check.end(2)


@case
@in_scratch
def program_crashes(place):
    """heddle: a program that crashes leaves no peer"""
    Check(place, "--", program("crash.c"), "null").end(1)


@case
@in_scratch
def search_ends(place):
    """heddle: a finished search leaves no peer"""
    Check(place, "--", CLIENT, "127.0.0.1", "1313", "2").end(0)


@case
@in_scratch
def server_dies(place):
    """heddle: a server that dies before the program talks to it: a sentence, exit 2"""
    check = Check(place, "--", CLIENT, "127.0.0.1", "1313", "2", server=LIFE + "echo no room; exit 7")
    err = check.end(2)
    one_sentence(harness.Run([], 2, "", err, None, []), r"server 1 \(.*\) ended with exit status 7 .*: no room$")


@case
@in_scratch
def server_never_ready(place):
    """heddle: a server that never listens: a sentence, exit 2, no peer left"""
    check = Check(place, "--peer-timeout", "300ms", "--", CLIENT, "127.0.0.1", "1313", "2",
                  server=LIFE + f"exec {WILD} stubborn")
    err = check.end(2)
    one_sentence(harness.Run([], 2, "", err, None, []), "server 1 ")


@case
@in_scratch
def interrupted_while_starting(place):
    """heddle: ^C while a server starts leaves no peer"""
    check = Check(place, "--peer-timeout", "10m", "--", CLIENT, "127.0.0.1", "1313", "2",
                  server=LIFE + f"exec {WILD} runner")
    wait_until(lambda: "ready" in read(place.path / "out" / "server-1.log"))
    os.killpg(check.process.pid, signal.SIGINT)
    check.end(2)


@case
@in_scratch
def client_does_not_come(place):
    """heddle: a client that ends without connecting: a sentence with its last words, exit 2"""
    server = BUILD / "examples" / "net" / "alphabet-server"
    check = Check(place, "--client", "echo went elsewhere than {port}; exit 9", "--", server, "2626", "1",
                  server=LIFE + f"{BUILD}/examples/net/daytime-server {{port:1}}")
    err = check.end(2)
    one_sentence(harness.Run([], 2, "", err, None, []), r"client 1 .*exit status 9.*went elsewhere than \d+$")


def read(path):
    try:
        return path.read_text()
    except OSError:
        return ""
