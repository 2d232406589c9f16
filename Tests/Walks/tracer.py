"""Runs in gdb: records the calls of some functions of a program.

The environment has the arguments of the program for a shell (`WALKS_ARGUMENTS`), variables for it (`WALKS_VARIABLES`), the lines
of the sources where functions begin, each with a name (`WALKS_FUNCTIONS`), and the file to which each call adds a line with that
name (`WALKS_TRACE`).
"""
import json
import os

import gdb


class Function(gdb.Breakpoint):
    def __init__(self, line: str, name: str) -> None:
        super().__init__(line, internal=True)
        self.name = name

    def stop(self) -> bool:
        trace.write(self.name + "\n")
        return False


for setting in ("confirm off", "pagination off", "breakpoint pending off"):
    gdb.execute("set " + setting)
gdb.execute("handle SIGCHLD SIGPIPE nostop noprint pass", to_string=True)
for variable, value in json.loads(os.environ["WALKS_VARIABLES"]).items():
    gdb.execute(f"set environment {variable} {value}")
functions = [Function(line, name) for line, name in json.loads(os.environ["WALKS_FUNCTIONS"]).items()]
with open(os.environ["WALKS_TRACE"], "w", buffering=1) as trace:
    gdb.execute("starti " + os.environ["WALKS_ARGUMENTS"], to_string=True)
    # It would drop the breakpoints with the code that has run: it returns at once.
    gdb.execute("set {char} c_reveille_release_memory = 0xc3")
    gdb.execute("continue", to_string=True)
