"""^C, signals and sudden death: results where they can be, and nothing left behind."""

import json
import signal
import subprocess

import harness
from support import case, cpu_ticks, expect, in_scratch, marked_environment, processes_with, program, wait_until


class Search:
    """A search that would take hours, running in the background."""

    def __init__(self, place, *arguments):
        self.mark, env = marked_environment()
        self.out = place.path / "out"
        arguments = arguments or ("--", program("philosophers.c"), "14")
        self.process = subprocess.Popen([harness.heddle_path(), "check", "--no-progress", "--out", self.out, *arguments],
                                        cwd=place.path, env=env, text=True, stdin=subprocess.DEVNULL,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        wait_until(lambda: self.searching() or self.process.poll() is not None)
        expect(self.process.poll() is None, lambda: f"the search does not run: {self.process.communicate()}")

    def searching(self):
        """The program has used some CPU time: its search is well under way."""
        return any(cpu_ticks(pid) > 10 for pid in self.sut())

    def sut(self):
        return [pid for pid in processes_with(self.mark) if pid != self.process.pid]

    def end(self, status):
        """Waits for heddle's end; then nothing that it started may be alive."""
        try:
            _, err = self.process.communicate(timeout=60)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.communicate()
            raise AssertionError("heddle does not end") from None
        expect(self.process.returncode == status, f"exit {self.process.returncode}, expected {status}: {err}")
        expect(wait_until(lambda: not processes_with(self.mark)), lambda: f"left behind: {processes_with(self.mark)}")

    def result(self):
        return json.loads((self.out / "result.json").read_text())


@case
@in_scratch
def interrupted_once(place):
    """signals: ^C once writes the results, exit 3, leaves no process"""
    search = Search(place)
    search.process.send_signal(signal.SIGINT)
    search.end(3)
    result = search.result()
    expect(result["verdict"] == "bounded" and result["states"] > 0, result)
    expect("interrupt" in result["reason"].lower() or "stop" in result["reason"].lower(), result["reason"])


@case
@in_scratch
def terminated(place):
    """signals: SIGTERM does as ^C"""
    search = Search(place)
    search.process.send_signal(signal.SIGTERM)
    search.end(3)
    expect(search.result()["verdict"] == "bounded", search.result())


@case
@in_scratch
def interrupted_twice(place):
    """signals: ^C twice ends at once, exit 3, and leaves no process"""
    search = Search(place)
    search.process.send_signal(signal.SIGINT)
    search.process.send_signal(signal.SIGINT)
    search.end(3)


@case
@in_scratch
def controller_killed(place):
    """signals: kill -9 of heddle takes the program with it"""
    search = Search(place)
    search.process.kill()
    search.end(-signal.SIGKILL)


@case
@in_scratch
def program_killed(place):
    """signals: kill -9 of the program is a tool error, exit 2, with a sentence"""
    search = Search(place)
    [sut] = search.sut()
    subprocess.run(["kill", "-9", str(sut)], check=True)
    _, err = search.process.communicate(timeout=60)
    expect(search.process.returncode == 2 and "heddle: " in err, f"exit {search.process.returncode}: {err}")
    expect(not processes_with(search.mark), "left behind")


@case
@in_scratch
def violation_before_interrupt(place):
    """signals: ^C after a violation is exit 1, and the violation is reported"""
    search = Search(place, "--keep-going", "--por", "off", "--", program("long_search.c"))
    search.process.send_signal(signal.SIGINT)
    search.end(1)
    result = search.result()
    expect(result["verdict"] == "violation" and [v["kind"] for v in result["violations"]] == ["abort"], result)


@case
@in_scratch
def reader_goes_away(place):
    """signals: a reader of the output that goes away leaves no process"""
    mark, env = marked_environment()
    process = subprocess.Popen([harness.heddle_path(), "check", "--max-time", "1", "--", program("philosophers.c"), "12"],
                               cwd=place.path, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT)
    process.stdout.close()
    expect(process.wait(60) in (2, 3), f"exit {process.returncode}")
    expect(wait_until(lambda: not processes_with(mark)), "left behind")


@case
@in_scratch
def finished_run_leaves_nothing(place):
    """signals: an ordinary run with violations leaves no process"""
    mark, env = marked_environment()
    place.check("--keep-going", "--", program("two_bugs.c"), status=1, env=env)
    expect(wait_until(lambda: not processes_with(mark)), lambda: f"left behind: {processes_with(mark)}")
