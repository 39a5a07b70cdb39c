"""However a run ends, no peer is left behind: processes are found by a mark in their command line or environment."""

import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import uuid

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "e2e"))

import harness  # noqa: E402
import support  # noqa: E402
from cases_interrupt import cpu_ticks  # noqa: E402
from support import expect, wait_until  # noqa: E402

LONG = ["0", *["w00r02" + "lu" * 300] * 3]   # talkers: a search of hours
SHORT = ["0", "w00r02", "w00r02"]


def processes_with(mark):
    """Whose command line or environment has the mark (zombies have neither)."""
    found = set()
    for path in [*pathlib.Path("/proc").glob("[0-9]*/cmdline"), *pathlib.Path("/proc").glob("[0-9]*/environ")]:
        try:
            if mark.encode() in path.read_bytes():
                found.add(int(path.parent.name))
        except OSError:
            pass  # it ended, or is not ours
    return found


def of_process(pid, what):
    try:
        return pathlib.Path(f"/proc/{pid}/{what}").read_text()
    except OSError:
        return ""  # it has just ended


class Scene:
    """A run of heddle in the background, with peers that carry a mark."""

    def __init__(self, scratch, peers, talkers):
        self.mark = f"mark{uuid.uuid4().hex}"
        self.out, self.peers, self.talkers = pathlib.Path(scratch) / "out", peers, talkers
        self.process = None

    def server(self, script="line echo loop"):
        """A server whose command line has the mark: a word of its script that is never played."""
        return f"{self.peers['peer']} listen {{port:7000}} when:{self.mark} close {script}"

    def start(self, words, *options):
        command = [harness.heddle_path(), "check", "--no-progress", "--out", self.out, *options, "--", self.talkers, *words]
        self.process = subprocess.Popen([str(c) for c in command], cwd=self.out.parent, text=True, stdin=subprocess.DEVNULL,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                        env=dict(support.os.environ, HEDDLE_NET_MARK=self.mark))

    def servers(self):
        """Processes of @peer that are alive."""
        alive = []
        for pid in processes_with(self.mark):
            try:
                if pathlib.Path(f"/proc/{pid}/exe").resolve() == pathlib.Path(self.peers["peer"]).resolve():
                    alive.append(pid)
            except OSError:
                pass
        return alive

    def sut(self):
        return [pid for pid in processes_with(self.mark) if pid != self.process.pid
                and of_process(pid, "comm").startswith("talkers")]

    def wait_until_searching(self):
        ready = wait_until(lambda: self.process.poll() is not None or any(cpu_ticks(p) > 20 for p in self.sut()))
        expect(ready and self.process.poll() is None, lambda: f"the search does not run: {self.process.communicate()}")
        expect(self.servers(), "no server runs during the search")

    def end(self, *status):
        """heddle ends, with one of these; then nothing may be alive."""
        try:
            out, err = self.process.communicate(timeout=60)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise AssertionError("heddle does not end") from None
        expect(self.process.returncode in status, f"exit {self.process.returncode}, expected {status}\n{out}{err}")
        expect(wait_until(lambda: not processes_with(self.mark)),
               lambda: "left behind:\n" + subprocess.run(["ps", "-fp", ",".join(map(str, processes_with(self.mark)))],
                                                          capture_output=True, text=True).stdout)
        return out + err


def finished(scene):
    """a run that ends by itself"""
    scene.start(SHORT, "--server", scene.server())
    scene.end(0, 1)


def interrupted(scene):
    """^C"""
    scene.start(LONG, "--server", scene.server())
    scene.wait_until_searching()
    scene.process.send_signal(signal.SIGINT)
    scene.end(3)


def interrupted_twice(scene):
    """^C twice"""
    scene.start(LONG, "--server", scene.server())
    scene.wait_until_searching()
    scene.process.send_signal(signal.SIGINT)
    scene.process.send_signal(signal.SIGINT)
    scene.end(3)


def killed(scene):
    """kill -9 of heddle"""
    scene.start(LONG, "--server", scene.server())
    scene.wait_until_searching()
    scene.process.kill()
    scene.end(-signal.SIGKILL)


def sut_killed(scene):
    """kill -9 of the program"""
    scene.start(LONG, "--server", scene.server())
    scene.wait_until_searching()
    for pid in scene.sut():
        support.os.kill(pid, signal.SIGKILL)
    scene.end(2)


def peer_killed(scene):
    """kill -9 of the server"""
    scene.start(LONG, "--server", scene.server())
    scene.wait_until_searching()
    for pid in scene.servers():
        support.os.kill(pid, signal.SIGKILL)
    scene.process.send_signal(signal.SIGINT)
    scene.end(2, 3)


def slow_peer_interrupted(scene):
    """^C while a server thinks for a minute"""
    scene.start(SHORT, "--peer-timeout", "2m", "--server", scene.server("line sleep:60000 echo loop"))
    asleep = wait_until(lambda: any(of_process(p, "wchan").startswith("hrtimer")
                                    or re.search(r"^Threads:\t(?!1$)", of_process(p, "status"), re.M) for p in scene.servers()))
    expect(asleep, "the server was not asked")
    scene.process.send_signal(signal.SIGINT)
    scene.end(2, 3)


def stubborn(scene):
    """a server that ignores SIGTERM, SIGHUP and SIGINT, in the background of a shell"""
    scene.start(SHORT, "--server", f"trap '' TERM HUP INT; {scene.server()} & wait")
    scene.end(0, 1)


def session_leader(scene):
    """a server that moved to a session of its own; kill -9 of heddle"""
    scene.start(LONG, "--server", f"setsid {scene.server()} & wait")
    scene.wait_until_searching()
    scene.process.kill()
    scene.end(-signal.SIGKILL)


def clients_gone(scene):
    """clients that would wait for ever; kill -9 of heddle"""
    words = ["-", "aw90r92" + "lu" * 300, *["a" + "lu" * 300] * 2]
    scene.start(words, "--clients", "3", "--client", f"{scene.peers['peer']} connect {{port}} when:{scene.mark} close line echo eof")
    scene.wait_until_searching()
    scene.process.kill()
    scene.end(-signal.SIGKILL)


def clients_gone_after_end(scene):
    """clients that would wait for ever; a run that ends by itself"""
    scene.start(["-", "aw90r92", "a", "aw90"], "--clients", "3",
                "--client", f"{scene.peers['peer']} connect {{port}} when:{scene.mark} close line echo eof")
    scene.end(0, 1)


ENDINGS = [finished, interrupted, interrupted_twice, killed, sut_killed, peer_killed, slow_peer_interrupted, stubborn,
           session_leader, clients_gone, clients_gone_after_end]


def check(job):
    function, peers, talkers = job
    with tempfile.TemporaryDirectory(prefix="heddle-net.") as scratch:
        scene = Scene(scratch, peers, talkers)
        try:
            function(scene)
        except AssertionError as wrong:
            return str(wrong)
        finally:
            for pid in processes_with(scene.mark):  # a failed case must not disturb others
                support.os.kill(pid, signal.SIGKILL)
    return None


def cases(talkers, peers, pattern):
    jobs = [(f, peers, talkers) for f in ENDINGS if re.search(pattern, f"no peer is left: {f.__doc__}")]
    for job, why in zip(jobs, harness.in_parallel(check, jobs)):
        yield f"no peer is left: {job[0].__doc__}", why
