"""A real bus without devices, with files of its own."""
import os
import signal
import subprocess

import wire


class Bus:
    def __init__(self, program, directory, configuration):
        self._directory = directory
        self.path = os.path.join(directory, "reveille", "org.reveille.Bus")
        self.address = "unix:" + self.path
        for folder in ("root/home/u/.config", "devices/sys/class"):
            os.makedirs(os.path.join(directory, folder))
        self._arguments = [
            program, "serve", "--address", self.address, "--root", os.path.join(directory, "root"),
            "--config", os.path.join(directory, "config.json5"),
        ]
        # The preloaded library shows the program a /sys without devices.
        self._environment = {
            "PATH": os.environ.get("PATH", "/usr/bin:/bin"), "HOME": "/home/u",
            "STATE_DIRECTORY": os.path.join(directory, "state"), "UMOCKDEV_DIR": os.path.join(directory, "devices"),
            "LD_PRELOAD": "libumockdev-preload.so.0",
            # The message bus of this machine may have a login manager.
            "DBUS_SYSTEM_BUS_ADDRESS": f"unix:path={directory}/no-message-bus",
        }
        self.start(configuration)

    # --- Its life

    def start(self, configuration=None):
        if configuration is not None:
            with open(os.path.join(self._directory, "config.json5"), "w", encoding="utf-8") as file:
                file.write(configuration)
        with open(os.path.join(self._directory, "log"), "ab") as log:
            self._process = subprocess.Popen(
                self._arguments, env=self._environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        wire.wait_for("the bus to accept connections", self._accepts)

    def _accepts(self):
        if self._process.poll() is not None:
            with open(os.path.join(self._directory, "log"), encoding="utf-8", errors="replace") as file:
                raise RuntimeError(f"the bus has ended: {file.read()}")
        try:
            wire.Connection.to(self.path).close()
        except OSError:
            return False
        return True

    def kill(self):
        """Ends the bus as a crash does, once its state is saved: an outdated state is removed."""
        wire.wait_for("the state to be saved", lambda: os.path.exists(self.path + ".state.json"))
        self._end(signal.SIGKILL)

    def crash(self):
        """Kills the bus, and starts the next one."""
        self.kill()
        self.start()

    def forget(self):
        """Replaces the bus by another instance, which knows nothing of this one."""
        self._end(signal.SIGTERM)
        os.unlink(self.path + ".state.json")
        self.start()

    def _end(self, number):
        self._process.send_signal(number)
        self._process.wait(wire.PATIENCE)

    def close(self):
        self._process.kill()
        self._process.wait()

    # --- Calls

    def call(self, method, **parameters):
        with wire.Connection.to(self.path) as connection:
            return connection.call(method, **parameters)

    def battery(self, *levels):
        for level in levels:
            state = {"state": "unplugged", "level": level, "plugged": False, "chargeStatus": "discharging", "packs": []}
            self.call("Post", battery=state)

    def proximity(self, *words):
        for word in words:
            self.call("Post", proximity={"state": word})

    def publish(self, name, *values):
        for value in values:
            self.call("Publish", aspect=name, value=value)

    def withdraw(self, name):
        self.call("Publish", aspect=name, value=None)

    def value(self, name):
        """Returns the published value of a name; None if there is none."""
        return self.call("GetState", aspects=[name])["events"][0].get("value")

    def subscription(self, name="s"):
        """Returns a subscription as the bus lists it; None if there is none."""
        entries = self.call("ListSubscriptions")["subscriptions"]
        return next((entry for entry in entries if entry.get("name") == name), None)

    def wait_until_held(self, *reasons, name="s"):
        """Waits until the bus has a subscription that is held for these reasons alone."""
        wire.wait_for(
            f"the subscription to be held by {list(reasons)}",
            lambda: (entry := self.subscription(name)) and entry["held"] == list(reasons))
