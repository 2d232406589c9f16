"""The real program, `reveille serve`, without devices, with files of its own."""
import os
import signal
import socket
import subprocess
import time

from history import Recorder


class Bus:
    """A bus that can be stopped, killed and started again at the same address."""

    def __init__(self, recorder: Recorder, program: str, directory: str, configuration: str = "{}") -> None:
        self.recorder = recorder
        self.directory = directory
        self.address = os.path.join(directory, "reveille", "org.reveille.Bus")
        os.makedirs(os.path.join(directory, "root/home/u/.config"), exist_ok=True)
        os.makedirs(os.path.join(directory, "devices/sys/class"), exist_ok=True)
        with open(os.path.join(directory, "config.json5"), "w", encoding="utf-8") as file:
            file.write(configuration)
        self._arguments = [
            program, "serve", "--address", "unix:" + self.address, "--root", os.path.join(directory, "root"),
            "--config", os.path.join(directory, "config.json5"),
        ]
        # The preloaded library shows the program a /sys without devices.
        self._environment = {
            "PATH": os.environ.get("PATH", "/usr/bin:/bin"), "HOME": "/home/u",
            "STATE_DIRECTORY": os.path.join(directory, "state"), "UMOCKDEV_DIR": os.path.join(directory, "devices"),
            "LD_PRELOAD": "libumockdev-preload.so.0",
        }
        self.start()

    def start(self) -> None:
        """Starts the bus and waits until it accepts connections."""
        with open(os.path.join(self.directory, "log"), "ab") as log:
            self.process = subprocess.Popen(
                self._arguments, env=self._environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        self.recorder.note("bus", event="start", pid=self.process.pid)
        while not self._accepts():
            if self.process.poll() is not None:
                raise RuntimeError(f"the bus ended with {self.process.returncode}; see {self.directory}/log")
            time.sleep(0.002)

    def end(self, number: signal.Signals) -> None:
        """Ends the bus by SIGTERM or SIGKILL, and waits until it has ended."""
        event = "kill" if number == signal.SIGKILL else "term"
        self.recorder.note("bus", event=event, pid=self.process.pid)
        self.process.send_signal(number)
        code = self.process.wait(60)
        self.recorder.note("bus", event="exit", pid=self.process.pid, code=code)

    def _accepts(self) -> bool:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
            try:
                probe.connect(self.address)
            except OSError:
                return False
            return True
