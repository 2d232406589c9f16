# SPDX-License-Identifier: Apache-2.0
"""Drives a shell with job control on a terminal, and prints observations as lines of NAME=VALUE.

Arguments: the program, the address of a bus.
"""
import os
import pty
import re
import select
import sys
import termios
import time

program, address = sys.argv[1:]
child, terminal = pty.fork()
if child == 0:
    os.environ.update(PS1="ready> ", R=program, REVEILLE_ADDRESS=address, TERM="xterm", HISTFILE="", NO_COLOR="1")
    os.execvp("bash", ["bash", "--norc", "--noprofile", "--noediting", "-i"])

seen = ""


def expect(pattern):
    """Waits for a pattern in the output, and discards the output up to its end."""
    global seen
    deadline = time.monotonic() + 30
    while not (match := re.search(pattern, seen)):
        left = deadline - time.monotonic()
        if left < 0 or not select.select([terminal], [], [], left)[0]:
            print(f"FAILED=waited for {pattern!r}, saw {seen!r}")
            sys.exit(1)
        seen += os.read(terminal, 65536).decode(errors="replace")
    seen = seen[match.end():]
    return match


def keys(text):
    os.write(terminal, text.encode())


def line(command):
    keys(command + "\n")


def report(name, value):
    print(f"{name}={value}", flush=True)


def report_modes(name):
    is_raw = not termios.tcgetattr(terminal)[3] & (termios.ICANON | termios.ECHO)
    report(f"modes {name}", "raw" if is_raw else "cooked")


def report_job(name):
    line("jobs")
    report(name, expect(r"\[1\]\+?\s+(\w+)").group(1))


expect("ready> ")
line("$R watch --name job &")
job = int(expect(r"\[1\] (\d+)").group(1))
# A background job prints the initial state of each aspect too.
expect("orientation +unknown")
report_job("background")
line("echo typed $((40 + 2))")
expect("typed 42")
report_modes("beside it")

line("fg")
expect("b background, q quit")
report_modes("in the foreground")
keys("b")
expect("f foreground, q quit")
os.system(f"{program} post battery charging >/dev/null --address {address}")
os.system(f"{program} post proximity near >/dev/null --address {address}")
report("asleep", expect("battery 1, proximity 1 pending").group(0))

keys("\x1a")
expect("Stopped")
expect("ready> ")
report_modes("while it is stopped")
line("fg")
expect("f foreground, q quit")
report_modes("after fg")
keys("f")
expect("proximity +near")
expect("b background, q quit")

# SIGSTOP, as sent by a debugger, gives the program no opportunity to restore the terminal.
os.kill(job, 19)
expect("Stopped")
line("bg; echo it went on")
expect("it went on")
report_job("background again")
line("fg")
expect("b background, q quit")
report_modes("after bg and fg")
os.kill(job, 15)
expect("ready> ")
report_modes("at the end")

line("$R watch; echo ended $?")
expect("b background, q quit")
keys("q")
report("exit code", expect(r"ended (\d+)").group(1))
line("exit")
