"""gdb's side of heddle replay --gdb: a recorded execution, back and forth.

The program's threads are fibers of one kernel thread, unknown to gdb. Where a process pauses between two steps, it
stands in the runtime; an unwinder lets gdb see the stack of whichever thread is looked at, as if that had called
the runtime. No register is changed, so that the process can go on at any time. A frame filter hides the runtime's
frames from bt.

Processes come from heddle (cli/gdb_serve.h) over a socket. Going back is a fresh process: breakpoints and
watchpoints stay, since addresses are the same in all of them.
"""
import json
import os
import socket

import gdb
import gdb.unwinder

ABOUT = """heddle: steps 0 to {last}. The commands: heddle step [N], heddle back [N], heddle goto N, heddle threads,
heddle thread N. Breakpoints, watchpoints (watch -l for locals), next, finish and continue work as usual."""
MOVES = ("continue", "next", "step", "nexti", "stepi", "finish", "until", "advance")
NEVER = ("run", "start", "starti", "attach", "jump", "signal", "kill", "detach")


class Controller:
    """The heddle command at the other end."""

    def __init__(self):
        self.stream = socket.socket(fileno=int(os.environ["HEDDLE_GDB_SOCKET"])).makefile("rw")

    def ask(self, verb, **more):
        try:
            self.stream.write(json.dumps({"do": verb, **more}) + "\n")
            self.stream.flush()
            line = self.stream.readline()
        except OSError:
            line = ""
        if not line:
            raise gdb.GdbError("heddle: the command that started gdb has ended; quit")
        answer = json.loads(line)
        if "error" in answer:
            raise gdb.GdbError("heddle: " + answer["error"])
        return answer


class FrameId:
    def __init__(self, sp, pc):
        self.sp = sp
        self.pc = pc


class ThreadUnwinder(gdb.unwinder.Unwinder):
    """The caller of the innermost frame is the thread that is looked at."""

    def __init__(self):
        super().__init__("heddle")
        self.regs = None  # None: what really runs
        self.here = None   # stack pointer and program counter of the innermost frame
        self.level = 0     # its number: functions inlined into it are frames of gdb's, too

    def look_at(self, regs):
        self.regs = None
        gdb.invalidate_cached_frames()
        if regs is None:
            return
        frame = gdb.newest_frame()
        while frame.type() == gdb.INLINE_FRAME:
            frame = frame.older()
        self.level = frame.level()
        self.here = (int(frame.read_register("rsp")), int(frame.pc()))
        self.regs = regs
        gdb.invalidate_cached_frames()

    def __call__(self, pending):
        if self.regs is None:
            return None
        pc = pending.read_register("rip")
        if (int(pending.read_register("rsp")), int(pc)) != self.here:
            return None
        word = gdb.lookup_type("unsigned long")
        info = pending.create_unwind_info(FrameId(gdb.Value(self.regs["rsp"] - 8).cast(word), pc))
        for name, value in self.regs.items():
            info.add_saved_register(name, gdb.Value(value % 2**64).cast(word))
        return info


def in_runtime(address):
    return (gdb.solib_name(address) or "").endswith("/libheddle-rt.so")


def of_runtime(frame):
    """Does it belong to heddle: the runtime, or the hooks that heddle cc links into programs? Or to nobody?"""
    if in_runtime(frame.pc()) or not frame.pc():
        return True
    table = frame.find_sal().symtab
    return bool(table) and "src/hooks/" in table.filename


class HideRuntime:
    """A frame filter; bt -no-filters shows everything."""

    def __init__(self, unwinder):
        self.unwinder = unwinder
        self.name, self.priority, self.enabled = "heddle", 100, True
        gdb.frame_filters[self.name] = self

    def filter(self, frames):
        return (f for f in frames if not (self.is_stand_in(f.inferior_frame()) or of_runtime(f.inferior_frame())))

    def is_stand_in(self, frame):
        return self.unwinder.regs is not None and frame.level() <= self.unwinder.level


def quietly(on):
    try:
        gdb.execute(f"set suppress-cli-notifications {'on' if on else 'off'}", False, True)
    except gdb.error:
        pass  # gdb before 12 is more talkative


class Session:
    def __init__(self):
        self.controller = Controller()
        self.unwinder = ThreadUnwinder()
        gdb.unwinder.register_unwinder(None, self.unwinder)
        HideRuntime(self.unwinder)
        self.pause = None     # our breakpoint
        self.status = None    # as of the last pause or stop
        self.viewed = None    # number of the thread that is looked at
        self.moving = False   # we move it ourselves: the stop is told by us
        self.switching = False
        gdb.events.stop.connect(self.on_stop)
        gdb.events.cont.connect(self.on_continue)
        gdb.events.exited.connect(self.on_exit)
        gdb.events.breakpoint_created.connect(self.on_breakpoint)

    # ---- processes

    def start(self, step):
        """A fresh process in the place of the one we have."""
        more = {} if step is None else {"step": step}
        status = self.controller.ask("start", **more)
        self.switching = True
        try:
            scoped = self.local_watchpoints()
            self.unwinder.look_at(None)
            quietly(True)
            if gdb.selected_inferior().pid:
                gdb.execute("kill", False, True)
            gdb.execute(f"attach {status['pid']}", False, True)
        finally:
            quietly(False)
            self.switching = False
        self.controller.ask("attached")
        self.status = status
        if self.pause is None:
            self.set_pause()
        for expression in scoped:
            gdb.execute(f"watch {expression}")
        self.look_at_thread(status["thread"])

    def set_pause(self):
        address = int(gdb.parse_and_eval("(unsigned long)&heddle_replay_pause"))
        self.pause = gdb.Breakpoint(f"*{address:#x}", internal=True)
        self.pause.silent = True

    def local_watchpoints(self):
        """Those on variables of a function end with the process; they are set anew by their addresses."""
        again = []
        for point in gdb.breakpoints() or ():
            if point.type != gdb.BP_HARDWARE_WATCHPOINT or not point.enabled:
                continue
            try:
                symbol = gdb.lookup_symbol(point.expression.strip())[0]
                value = gdb.parse_and_eval(point.expression)
                if symbol and symbol.needs_frame and value.address:
                    again.append(f"-location *({value.type} *) {int(value.address):#x}")
            except gdb.error:
                pass  # no such variable here
        return again

    # ---- threads

    def thread(self, number):
        for thread in self.status["threads"]:
            if thread["number"] == number:
                return thread
        return None

    def know_threads(self):
        """In the middle of a step, the others stand where they stood before it."""
        if self.status["at"] == "in" and not self.status["threads"]:
            before = self.controller.ask("threads")
            self.status["threads"] = before["threads"]

    def look_at_thread(self, number):
        thread = self.thread(number)
        runs = self.status["at"] == "in" and number == self.status["thread"]
        self.viewed = number
        if runs or (thread and thread["exact"] and self.unwinds_to(thread["regs"]["rip"])):
            self.unwinder.look_at(None)
        elif thread:
            self.unwinder.look_at(thread["regs"])
        self.select_program_frame()

    def unwinds_to(self, pc):
        """Does the stack of the process itself lead there? As a signal frame, it has the better line numbers."""
        self.unwinder.look_at(None)
        frame = gdb.newest_frame()
        for _ in range(40):
            if frame is None:
                return False
            if frame.pc() == pc:
                return True
            frame = frame.older()
        return False

    def select_program_frame(self):
        frame = gdb.newest_frame()
        if self.unwinder.regs is not None:
            while frame.older() and frame.level() <= self.unwinder.level:
                frame = frame.older()
        while frame.older() and of_runtime(frame):
            frame = frame.older()
        if not of_runtime(frame):
            frame.select()

    # ---- what gdb tells

    def on_continue(self, _event):
        if not self.switching:
            self.unwinder.regs = None

    @staticmethod
    def on_breakpoint(point):
        """Functions of the runtime may have names like the program's."""
        if not point.visible:
            return
        for place in getattr(point, "locations", ()):  # gdb 13 and later
            if place.address and in_runtime(place.address):
                place.enabled = False

    def on_exit(self, _event):
        if not self.switching:
            self.status = None

    def on_stop(self, _event):
        if self.switching:
            return
        was = self.status
        try:
            self.status = self.controller.ask("status")
        except gdb.GdbError as error:
            gdb.write(f"{error}\n")
            return
        if self.status["at"] == "in":
            self.status["threads"] = []  # they are of another moment
        paused = gdb.newest_frame().pc() == self.pause_address()
        self.look_at_thread(self.status["thread"])
        if self.moving:
            return
        if paused:
            self.tell()
        elif was is None or (was["at"], was["step"]) != (self.status["at"], self.status["step"]):
            self.tell_step()

    def pause_address(self):
        return int(self.pause.location[1:], 16) if self.pause else None

    def tell(self):
        self.tell_step()
        if not of_runtime(gdb.selected_frame()):
            gdb.execute("frame")

    def tell_step(self):
        s = self.status
        thread = self.thread(s["thread"]) or {"name": ""}
        who = f"thread {s['thread']}" + (f" ({thread['name']})" if thread["name"] else "")
        if s["at"] == "end":
            kind = "" if s["text"].startswith(s["violation"]) else f"{s['violation']}: "
            gdb.write(f"heddle: the end, after {s['steps']} steps: {kind}{s['text']}\n")
        elif s["at"] == "before":
            gdb.write(f"heddle: before step {s['step']} of {s['steps']}: {who}: {s['text']}\n")
        else:
            gdb.write(f"heddle: in step {s['step']} of {s['steps']}: {who}: {s['text']}\n")

    # ---- moving

    def need_process(self):
        if self.status is None:
            raise gdb.GdbError("heddle: there is no process; heddle goto N starts one")

    def go_on(self, until, command="continue"):
        """Let it run up to the pause before step `until` (None: the end), or whatever stops it before."""
        more = {} if until is None else {"step": until}
        self.controller.ask("until", **more)
        self.moving = True
        try:
            text = gdb.execute(command, False, True)
        finally:
            self.moving = False
        if self.status and gdb.newest_frame().pc() != self.pause_address():
            gdb.write(text)
        self.tell()

    def goto(self, step):
        if self.status:
            s = self.status
            if not 0 <= step < s["steps"]:
                raise gdb.GdbError(f"heddle: there is no step {step}; they are 0 to {s['steps'] - 1}, "
                                   "and continue goes to the end")
            if s["at"] != "end" and step > s["step"]:
                return self.go_on(step)
            if s["at"] == "before" and step == s["step"]:
                return self.tell()
        self.start(step)
        return self.tell()

    def step(self, count):
        self.need_process()
        s = self.status
        if s["at"] == "end":
            raise gdb.GdbError(self.past_the_end())
        target = s["step"] + count
        self.go_on(target if target < s["steps"] else None)

    def back(self, count):
        self.need_process()
        s = self.status
        at = s["step"] if s["at"] == "before" else s["step"] + 1
        if at < count:
            raise gdb.GdbError("heddle: this is the beginning; heddle step goes on")
        self.start(at - count)
        self.tell()

    def past_the_end(self):
        return (f"heddle: the execution ends here ({self.status['violation']}): nothing follows; "
                "heddle back and heddle goto N go to earlier steps")

    def before_move(self, command):
        """Before a command of gdb's lets the process run."""
        if self.moving:
            return
        self.need_process()
        s = self.status
        if s["at"] == "end":
            raise gdb.GdbError(self.past_the_end())
        if s["at"] == "before" and command in ("next", "step", "nexti", "stepi"):
            self.return_to_program()
        else:
            self.controller.ask("until")

    def return_to_program(self):
        """The thread that is looked at stands in the runtime: let it come back to the program first."""
        thread = self.viewed
        self.select_program_frame()
        frame = gdb.selected_frame()
        if of_runtime(frame):
            raise gdb.GdbError("heddle: this thread has not entered the program yet; heddle step goes on")
        pc, sp = int(frame.pc()), int(frame.read_register("rsp"))
        # An atomic instruction is executed elsewhere, and the next one follows.
        places = (pc, pc + frame.architecture().disassemble(pc)[0]["length"])
        points = [gdb.Breakpoint(f"*{place:#x}", internal=True) for place in places]
        for point in points:
            point.condition = f"$rsp == {sp:#x}"
            point.silent = True
        self.controller.ask("until")
        self.moving = True
        try:
            text = gdb.execute("continue", False, True)
            arrived = self.status is not None and int(gdb.newest_frame().pc()) in places
        finally:
            self.moving = False
            for point in points:
                point.delete()
        if arrived:
            self.controller.ask("until")
            return
        if self.status is None:
            raise gdb.GdbError("heddle: the process is gone")
        if self.status["at"] != "end":
            gdb.write(text)
        self.tell()
        raise gdb.GdbError(f"heddle: thread {thread} did not come back to its function")


def number_in(argument, default=None):
    if not argument.strip() and default is not None:
        return default
    try:
        value = int(argument, 0)
    except ValueError:
        value = -1
    if value < 0 or (default and value < 1):
        raise gdb.GdbError(f"heddle: {argument.strip() or 'nothing'} is no number of a step or thread")
    return value


def command(name, category=gdb.COMMAND_RUNNING, prefix=False):
    """Makes a gdb command of a function; its docstring is the help."""
    def make(function):
        class Command(gdb.Command):
            __doc__ = function.__doc__

            def __init__(self):
                super().__init__(name, category, prefix=prefix)

            def invoke(self, argument, _from_tty):
                self.dont_repeat_if_asked()
                function(argument)

            def dont_repeat_if_asked(self):
                if name not in ("heddle step", "heddle back"):
                    self.dont_repeat()
        Command()
        return function
    return make


@command("heddle", prefix=True)
def heddle(_argument):
    """Go through a recorded execution: heddle step, back, goto, threads, thread."""
    gdb.execute("help heddle")


@command("heddle step")
def heddle_step(argument):
    """Execute the next step, or the next N: heddle step [N]. Breakpoints and watchpoints stop it earlier."""
    session.step(number_in(argument, 1))


@command("heddle back")
def heddle_back(argument):
    """Go to the step before, or N steps back: heddle back [N]. It is replayed in a fresh process."""
    session.back(number_in(argument, 1))


@command("heddle goto")
def heddle_goto(argument):
    """Go to just before a step: heddle goto N. Forward, breakpoints and watchpoints stop it earlier."""
    session.goto(number_in(argument))


@command("heddle threads", gdb.COMMAND_STACK)
def heddle_threads(_argument):
    """List the program's threads and what each is about to do or waits for."""
    session.need_process()
    session.know_threads()
    s = session.status
    for thread in sorted(s["threads"], key=lambda t: t["number"]):
        mark = "*" if thread["number"] == session.viewed else " "
        name = f" ({thread['name']})" if thread["name"] else ""
        runs = s["at"] == "in" and thread["number"] == s["thread"]
        gdb.write(f"{mark} thread {thread['number']}{name}: {'runs: ' if runs else ''}{thread['text'] or 'runs'}\n")


@command("heddle thread", gdb.COMMAND_STACK)
def heddle_thread(argument):
    """Look at a thread of the program: heddle thread N; bt, frame, up and print then show it."""
    session.need_process()
    session.know_threads()
    number = number_in(argument)
    if not session.thread(number):
        raise gdb.GdbError(f"heddle: no thread {number}; see heddle threads")
    session.look_at_thread(number)
    gdb.execute("frame")


@command("heddle-before", gdb.COMMAND_OBSCURE)
def heddle_before(argument):
    """Used by heddle's hooks of gdb's commands."""
    session.before_move(argument)


@command("heddle-never", gdb.COMMAND_OBSCURE)
def heddle_never(argument):
    """Used by heddle's hooks of gdb's commands."""
    if not session.switching:
        raise gdb.GdbError(f"heddle: {argument} would leave the recorded execution; heddle goto 0 begins it again, "
                           "continue goes on, quit ends")


def set_up():
    for line in ("set confirm off", "set pagination off",
                 "handle all nostop noprint pass", "handle SIGINT stop print nopass",
                 "set breakpoint pending on", "set trust-readonly-sections on", "set can-use-hw-watchpoints 1"):
        gdb.execute(line, False, True)
    for name in MOVES:
        gdb.execute(f"define hook-{name}\nheddle-before {name}\nend", False, True)
    for name in NEVER:
        gdb.execute(f"define hook-{name}\nheddle-never {name}\nend", False, True)


set_up()
session = Session()
first = session.controller.ask("first")
session.start(first.get("step"))
gdb.write(ABOUT.format(last=session.status["steps"] - 1) + "\n")
session.tell()
gdb.execute("heddle threads")
