#!/usr/bin/python3
"""Uses the page of a fleet of reveille-view in headless Chromium, with a real mosquitto.

    fleet_browser.py REVEILLE REVEILLE_VIEW MOSQUITTO DIRECTORY [DEVICES]

Prints `ok NAME` or `not ok NAME: REASON` for each check. Screenshots are saved in the directory. With a number of devices,
it prints how long their tiles take instead. Exits with 0, with 1 if a check failed, and with 2 if a program is missing.
"""
import base64
import ctypes
import http.client
import json
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time

from browser import PATIENCE, Scene, expect, wait

NOW = int(time.time() * 1e6)
# The seconds after which a broker forgets a status, from which readers compute its age, and the names in libmosquitto.
LEASE, PROTOCOL_VERSION, MESSAGE_EXPIRY = 315_360_000, 1, 2
LIVE = "return document.getElementById('status').dataset.state === 'live'"


class Publisher:
    """What bridges publish, by libmosquitto."""

    def __init__(self, path):
        self.library = ctypes.CDLL("libmosquitto.so.1")
        self.library.mosquitto_new.restype = ctypes.c_void_p
        self.library.mosquitto_lib_init()
        self.client = ctypes.c_void_p(self.library.mosquitto_new(None, True, None))
        self.library.mosquitto_int_option(self.client, PROTOCOL_VERSION, 5)
        # A port of 0 means a Unix socket.
        wait(lambda: self.library.mosquitto_connect(self.client, str(path).encode(), 0, 60) == 0, "the broker")
        self.library.mosquitto_loop_start(self.client)

    def send(self, topic, payload, expiry=None):
        text = payload if isinstance(payload, str) else json.dumps(payload)
        properties = ctypes.c_void_p()
        if expiry is not None:
            self.library.mosquitto_property_add_int32(
                ctypes.byref(properties), MESSAGE_EXPIRY, ctypes.c_uint32(expiry))
        result = self.library.mosquitto_publish_v5(
            self.client, None, f"reveille/v1/{topic}".encode(), len(text.encode()), text.encode(), 1, True, properties)
        self.library.mosquitto_property_free_all(ctypes.byref(properties))
        expect(result, 0, f"the result of publishing {topic}")

    def state(self, device, aspect, generation, value, instance="one", at=NOW, **rest):
        self.send(f"{device}/state/{aspect}", {
            "instance": instance, "generation": generation, "changes": 0, "changedAt": at, "value": value} | rest)

    def battery(self, device, generation, percent, plugged=False, **rest):
        self.state(device, "battery", generation, {"level": percent / 100, "plugged": plugged}, **rest)

    def status(self, device, **members):
        self.send(f"{device}/status", members, expiry=LEASE)

    def end(self):
        self.library.mosquitto_disconnect(self.client)
        self.library.mosquitto_loop_stop(self.client, False)


class RefusingBroker:
    """A broker that accepts clients and refuses what they subscribe to."""

    def __init__(self, path):
        path.unlink(missing_ok=True)
        self.path, self.refusals = path, 0
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(str(path))
        self.listener.listen()
        self.thread = threading.Thread(target=self.serve)
        self.thread.start()

    def serve(self):
        while True:
            try:
                client = self.listener.accept()[0]
            except OSError:  # The end.
                return
            with client, client.makefile("rb") as packets:
                self.answer(client, packets)

    def answer(self, client, packets):
        while kind := packets.read(1):
            length = shift = 0
            byte = 128
            while byte & 128:
                byte = packets.read(1)[0]
                length |= (byte & 127) << shift
                shift += 7
            body = packets.read(length)
            if kind[0] >> 4 == 1:  # CONNECT
                client.sendall(bytes([0x20, 3, 0, 0, 0]))
            elif kind[0] >> 4 == 8:  # SUBSCRIBE: the identifier, the properties, and filters with options
                self.refusals += 1
                place, codes = 3 + body[2], b""
                while place < len(body):
                    place += 3 + int.from_bytes(body[place:place + 2], "big")
                    codes += b"\x87"
                client.sendall(bytes([0x90, 3 + len(codes)]) + body[:2] + b"\0" + codes)

    def end(self):
        self.listener.shutdown(socket.SHUT_RDWR)
        self.thread.join()
        self.listener.close()
        self.path.unlink()


class FleetScene(Scene):
    """A broker, reveille-view without a bus, and a browser."""

    def __init__(self, reveille, view, mosquitto, directory):
        super().__init__(reveille, view, directory)
        self.program = pathlib.Path(mosquitto)
        self.path = self.temporary / "mqtt"
        self.broker = self.publisher = None

    def start_broker(self):
        configuration = self.temporary / "mosquitto.conf"
        configuration.write_text(
            f"user root\nlistener 0 {self.path}\nallow_anonymous true\nmax_queued_messages 0\npersistence true\n"
            f"persistence_location {self.temporary}/\n")
        root = self.program.parents[2]
        libraries = [str(place) for place in (*root.glob("usr/lib/*-linux-gnu"), *root.glob("lib/*-linux-gnu"))]
        self.broker = subprocess.Popen(
            [self.program, "-c", configuration], env={**self.environment, "LD_LIBRARY_PATH": ":".join(libraries)},
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.publisher = Publisher(self.path)

    def stop_broker(self):
        self.publisher.end()
        self.broker.terminate()
        self.broker.wait()

    def start_view(self):
        self.view = subprocess.Popen(
            [self.view_program, "--port", str(self.port), "--history", str(self.temporary / "view.sqlite"),
             "--fleet", "--broker", f"unix:{self.path}"],
            env=self.environment, stdout=subprocess.PIPE, stderr=open(self.temporary / "view.log", "a"), text=True)
        self.url = self.view.stdout.readline().strip()
        self.port = int(re.search(r":(\d+)/", self.url)[1])
        self.token = self.url.split("token=")[1]

    def wait_for_board(self, device, text):
        """Waits until reveille-view has received what was published, as another page sees it."""
        def is_there():
            connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
            connection.request("GET", "/fleet/events", headers={"Cookie": f"reveille-view-{self.port}={self.token}"})
            response, lines = connection.getresponse(), []
            while not lines or not lines[-1].startswith(b"event: live"):
                lines.append(response.readline())
            connection.close()
            tiles = [tile for line in lines if b'"tiles"' in line for tile in json.loads(line[6:])["tiles"]]
            return any(tile["device"] == device and text in json.dumps(tile) for tile in tiles)
        wait(is_there, f"{text} of {device}")

    def hide(self):
        # The page stores that it was notified. What is published from here on arrives after its stream has ended.
        self.driver.execute_script(
            "localStorage.clear(); document.addEventListener('visibilitychange',"
            " () => localStorage.setItem('hidden', document.hidden), {once: true})")
        self.page = self.driver.current_window_handle
        self.driver.switch_to.new_window("tab")
        self.driver.get(f"http://127.0.0.1:{self.port}/icon.svg")
        wait(lambda: self.driver.execute_script("return localStorage.getItem('hidden')") == "true",
             "the page to be hidden")

    def wait_until_live(self):
        wait(lambda: self.driver.execute_script(LIVE), "the page to be live")

    def tile(self, device):
        return self.driver.execute_script(
            "return [...document.querySelectorAll('.tile')].find(t => t.querySelector('.name').textContent"
            " === arguments[0])?.textContent ?? ''", device).replace("\u00a0", " ")

    def order(self):
        return self.driver.execute_script(
            "return [...document.querySelectorAll('.tile:not([hidden]) .name')].map(e => e.textContent)")

    def end(self):
        super().end()
        if self.broker and self.broker.poll() is None:
            self.broker.kill()
            self.broker.wait()


def furnish(publisher):
    """A fleet that looks like one of shops."""
    poses = ("portrait", "landscapeLeft", "faceUp", "landscapeRight")
    for number in range(1, 41):
        device, at = f"kiosk-{number}", NOW - number * 47_000_000
        publisher.status(device, online=True, instance="one", aspects=["battery", "orientation", "proximity"],
                         version="1.0.0")
        publisher.battery(device, 100 + number, 20 + number * 37 % 80, plugged=number % 3 == 0, at=at)
        publisher.state(device, "orientation", 7, {"pose": poses[number % 4], "planar": "portrait"}, at=at - 10**9)
        publisher.state(device, "proximity", 9, {"state": "near" if number % 7 == 0 else "far"}, at=at - 10**9)
    publisher.status("kiosk-12", online=False, reason="lost")
    publisher.status("kiosk-17", online=False, reason="asleep", wakeEvery=900)
    publisher.status("kiosk-23", online=False, reason="stopped")
    publisher.status("kiosk-31", online=True, reason="noBus")
    publisher.battery("kiosk-8", 200, 9)


def check_entry(scene):
    scene.driver.get(scene.url)
    scene.wait_until_live()
    expect(scene.driver.current_url, f"http://127.0.0.1:{scene.port}/fleet", "the address after the token")
    wait(lambda: len(scene.order()) == 40, "40 tiles")
    # The parts of a tile arrive one after the other, and tiles move once a second.
    wait(lambda: scene.order()[:4] == ["kiosk-12", "kiosk-31", "kiosk-8", "kiosk-23"], "trouble first")
    wait(lambda: "9 %" in scene.tile("kiosk-8"), "the battery of kiosk-8")
    wait(lambda: "asleep" in scene.tile("kiosk-17"), "the state of kiosk-17")


def check_clock(scene):
    scene.publisher.battery("kiosk-38", 900, 44, synchronized=False)
    wait(lambda: "clock not set" in scene.tile("kiosk-38"), "the mark of a clock that is not synchronized")
    expect(scene.driver.execute_script("return document.getElementById('problem').hidden"), True, "no banner")
    scene.publisher.battery("kiosk-38", 901, 45)
    wait(lambda: "45 %" in scene.tile("kiosk-38"), "the next state")
    expect("clock not set" in scene.tile("kiosk-38"), False, "the mark after a state with a time")


def check_open(scene):
    scene.publisher.battery("kiosk-37", 900, 62)
    wait(lambda: "battery 62 %" in scene.tile("kiosk-37"), "the last change in words")
    press = ("[...document.querySelectorAll('.tile .name')].find(e => e.textContent === 'kiosk-37').click();"
             "return document.querySelector('.tile.open .name')?.getAttribute('aria-expanded') ?? null")
    expect(scene.driver.execute_script(press), "true", "whether the tile is open")
    states = "return [...document.querySelectorAll('.tile.open dt')].map(e => e.textContent).sort()"
    wait(lambda: scene.driver.execute_script(states) == ["battery", "orientation", "proximity"],
         "the aspects of the device")
    scene.publisher.state("kiosk-37", "orientation", 901, {"pose": "faceDown", "planar": None})
    wait(lambda: "face down" in scene.driver.execute_script(
        "return document.querySelector('.tile.open dl').textContent"), "a change of an open tile")
    scene.driver.execute_script("document.querySelector('.tile.open').scrollIntoView({block: 'center'})")
    picture = scene.driver.execute_cdp_cmd("Page.captureScreenshot", {})
    scene.driver.execute_script("scrollTo(0, 0)")
    (scene.directory / "fleet-open.png").write_bytes(base64.b64decode(picture["data"]))
    expect(scene.driver.execute_script(press), None, "whether the tile is closed")


def check_events(scene):
    scene.publisher.battery("kiosk-1", 102, 55)
    wait(lambda: "55 %" in scene.tile("kiosk-1"), "an event")
    scene.publisher.status("kiosk-1", online=False, reason="lost")
    wait(lambda: "kiosk-1" in scene.order()[:2], "a lost device to move to the front")
    scene.publisher.status("kiosk-1", online=True, instance="one")
    wait(lambda: "kiosk-1" not in scene.order()[:4], "a device that is back to leave the front")


def check_hidden(scene):
    scene.hide()
    for generation in range(103, 133):
        scene.publisher.battery("kiosk-1", generation, generation - 80)
    for device, changes in (("kiosk-2", 3), ("kiosk-3", 2), ("kiosk-4", 1), ("kiosk-5", 1)):
        for _ in range(changes):
            generation = scene.generations.get(device, 7) + 1
            scene.generations[device] = generation
            scene.publisher.state(device, "orientation", generation, {"pose": "faceDown", "planar": None})
    scene.wait_for_board("kiosk-5", "faceDown")
    scene.show()
    wait(lambda: "37 changes on 5 devices" in scene.text("return"), "the text after the return")
    wait(lambda: "30 changes" in scene.tile("kiosk-1"), "the changes of kiosk-1")


def check_other_instance(scene):
    scene.hide()
    scene.publisher.battery("kiosk-6", 2, 77, instance="two")
    scene.wait_for_board("kiosk-6", "0.77")
    scene.show()
    wait(lambda: "an unknown number of changes on 1 device" in scene.text("return"), "the text about another instance")
    wait(lambda: "restarted" in scene.tile("kiosk-6"), "the tile of another instance")


def check_problem(scene):
    scene.publisher.battery("kiosk-11", 5 * 10**12, 50)
    wait(lambda: "implausible" in scene.tile("kiosk-11"), "the problem of kiosk-11")
    scene.publisher.battery("kiosk-11", 5 * 10**12 + 1, 49)
    wait(lambda: "49 %" in scene.tile("kiosk-11"), "the next state of kiosk-11")
    expect("implausible" in scene.tile("kiosk-11"), False, "the problem after the next state")


def check_filter(scene):
    field = scene.driver.find_element("id", "filter")
    field.send_keys("kiosk-2 online")
    wait(lambda: len(scene.order()) == 10, "the devices that match")
    expect("10 of 40 devices" in scene.text("counts"), True, "the count of matches")
    scene.driver.execute_script("document.querySelector('[value=name]').click()")
    expect(scene.order()[:3], ["kiosk-2", "kiosk-20", "kiosk-21"], "the order by name")
    field.clear()
    field.send_keys(" ")
    wait(lambda: len(scene.order()) == 40, "all devices")
    scene.driver.execute_script("document.querySelector('[value=trouble]').click()")


def check_removal(scene):
    for topic in ("state/battery", "state/orientation", "state/proximity", "status"):
        scene.publisher.send(f"kiosk-40/{topic}", "")
    wait(lambda: len(scene.order()) == 39, "the tile of a removed device to go")


def check_hostile(scene):
    scene.publisher.send("kiosk-9/state/battery", "<script>alert(1)</script>")
    scene.publisher.state("kiosk-9", "orientation", 8, {"pose": "<b>x</b>"})
    wait(lambda: "near" in scene.tile("kiosk-9") or "far" in scene.tile("kiosk-9"), "the tile of a hostile device")
    expect(scene.driver.execute_script("return document.querySelectorAll('#tiles b, #tiles script').length"), 0,
           "elements of values")


def check_broker_restart(scene):
    scene.stop_broker()
    wait(lambda: "broker is away" in scene.text("status"), "the page to report the end of the broker")
    scene.start_broker()
    scene.wait_until_live()
    scene.publisher.battery("kiosk-10", 300, 61)
    wait(lambda: "61 %" in scene.tile("kiosk-10"), "an event after the restart")


def check_refusal(scene):
    scene.stop_broker()
    wait(lambda: "broker is away" in scene.text("status"), "the page to report the end of the broker")
    refusing = RefusingBroker(scene.path)
    try:
        wait(lambda: "The fleet is not read" in scene.text("status"), "the page to report the refusal")
        expect("not authorized" in scene.text("status").lower(), True, "the reason of the refusal")
        expect("until a page is opened" in (scene.temporary / "view.log").read_text(), True, "the refusal in the log")
        expect(refusing.refusals, 1, "the subscriptions of a page that stays open")
    finally:
        refusing.end()
    scene.start_broker()
    scene.hide()
    scene.show()
    scene.wait_until_live()
    scene.publisher.battery("kiosk-10", 301, 62)
    wait(lambda: "62 %" in scene.tile("kiosk-10"), "an event after the refusal")
    expect(scene.driver.execute_script(LIVE), True, "whether the page is still live")


def check_overdue(scene):
    # The reader tries again later the longer the broker is away, so the page looks at the clock more often.
    scene.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {
        "source": "const original = setInterval; setInterval = (action, pause) => original(action, pause / 100);"})
    scene.driver.refresh()
    scene.wait_until_live()
    scene.stop_broker()
    wait(lambda: "broker is away" in scene.text("status"), "the page to report the end of the broker")
    scene.driver.execute_script("const now = Date.now; Date.now = () => now() + 36e5")
    wait(lambda: re.search(r"last seen 6\d min", scene.tile("kiosk-12")), "an hour to pass on the page")
    expect("asleep" in scene.tile("kiosk-17"), True, "a sleeper that may have woken up since the broker was away")
    scene.start_broker()
    scene.wait_until_live()
    wait(lambda: "overdue" in scene.tile("kiosk-17"), "a sleeper that has not woken up to be overdue")
    scene.driver.refresh()
    scene.wait_until_live()
    wait(lambda: "asleep" in scene.tile("kiosk-17"), "the page with the right time")


def check_requests(scene):
    for path in ("/fleet", "/fleet/events", "/fleet/device?device=kiosk-1", "/fleet.js", "/fleet.css"):
        expect(scene.request(path, host=f"evil.example:{scene.port}")[0], 403, f"{path} with a wrong Host")
        expect(scene.request(path, cookie=False)[0], 401, f"{path} without a token")
        expect(scene.request(path, headers={"Sec-Fetch-Site": "cross-site"})[0], 403, f"{path} of another site")
    expect(scene.request("/fleet/events?resume=x")[0], 400, "an invalid position")
    expect(scene.request("/fleet/device?device=none")[0], 404, "a device that the broker does not know")


def check_pictures(scene):
    for name, width, height, scheme in (
            ("light", 1200, 900, "light"), ("dark", 1200, 900, "dark"), ("narrow", 320, 640, "light")):
        scene.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [
            {"name": "prefers-color-scheme", "value": scheme}]})
        scene.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500})
        picture = scene.driver.execute_cdp_cmd("Page.captureScreenshot", {})
        (scene.directory / f"fleet-{name}.png").write_bytes(base64.b64decode(picture["data"]))
        wide = scene.driver.execute_script("return document.documentElement.scrollWidth")
        expect(wide <= width, True, f"a page of {wide} pixels fits into {width}")


def check_console(scene):
    wrong = [entry["message"] for entry in scene.driver.get_log("browser")
             if "Content Security Policy" in entry["message"] or "Uncaught" in entry["message"]]
    expect(wrong, [], "messages in the console")


CHECKS = (check_entry, check_clock, check_open, check_events, check_hidden, check_other_instance, check_problem, check_filter, check_removal,
          check_hostile, check_pictures, check_broker_restart, check_refusal, check_overdue, check_requests, check_console)


def measure(scene, devices):
    """Prints the times of a large fleet."""
    for number in range(devices):
        scene.publisher.status(f"device-{number:05}", online=True, instance="one")
        scene.publisher.battery(f"device-{number:05}", 1, number % 101)
    scene.start_view()
    scene.start_browser()
    # The longest time without an answer of the page.
    start = time.monotonic()
    scene.driver.get(scene.url)
    count = "return document.querySelectorAll('.tile').length"
    wait(lambda: scene.driver.execute_script(LIVE), "the page to be live")
    wait(lambda: scene.driver.execute_script(count) == devices, "all tiles")
    print(f"{devices} tiles: {time.monotonic() - start:.2f} s until all are there")
    gaps = """
      const done = arguments[0]; let last = performance.now(), longest = 0, end = last + 3000;
      requestAnimationFrame(function frame(now) {
        longest = Math.max(longest, now - last); last = now;
        if (now < end) requestAnimationFrame(frame); else done(longest);
      });"""
    for number in range(1_000):
        scene.publisher.battery(f"device-{number * 7:05}", 2, number % 101)
    print(f"1,000 devices change: longest frame {scene.driver.execute_async_script(gaps):.0f} ms")
    scene.hide()
    for number in range(devices // 2):
        scene.publisher.battery(f"device-{number:05}", 5, 50)
    scene.wait_for_board(f"device-{devices // 2 - 1:05}", '"total": 4')
    start = time.monotonic()
    scene.show()
    wait(lambda: "Hidden" in scene.text("return"), "the text after the return")
    print(f"return to {devices // 2} changed devices: {time.monotonic() - start:.2f} s; {scene.text('return')}")
    start = time.monotonic()
    scene.driver.execute_script("document.querySelector('[value=name]').click()")
    scene.driver.execute_script("return document.getElementById('tiles').offsetHeight")
    print(f"another order: {time.monotonic() - start:.2f} s")


def main():
    reveille, view, mosquitto, directory, *devices = sys.argv[1:]
    for program in ("chromium", "chromedriver", mosquitto):
        if not shutil.which(program):
            print(f"skipped: {program} is missing")
            return 2
    pathlib.Path(directory).mkdir(parents=True, exist_ok=True)
    scene = FleetScene(reveille, view, mosquitto, directory)
    scene.generations = {}
    failed = 0
    # The processes of the scene end with this one, however it is stopped.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    try:
        scene.start_broker()
        if devices:
            measure(scene, int(devices[0]))
            return 0
        furnish(scene.publisher)
        scene.start_view()
        scene.start_browser()
        for check in CHECKS:
            name = check.__name__.removeprefix("check_").replace("_", " ")
            try:
                check(scene)
                print(f"ok {name}", flush=True)
            except Exception as error:  # Whatever fails is the result of the check.
                failed += 1
                print(f"not ok {name}: {type(error).__name__}: {error}", flush=True)
        if failed:
            print((scene.temporary / "view.log").read_text())
    finally:
        scene.end()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
