#!/usr/bin/python3
"""Uses the page of reveille-view in headless Chromium, as a person would.

    browser.py REVEILLE REVEILLE_VIEW DIRECTORY [CHECK...]

Prints `ok NAME` or `not ok NAME: REASON` for each check. Screenshots are saved in the directory. Exits with 0, with 1 if
a check failed, and with 2 if Chromium or its driver is missing.
"""
import base64
import http.client
import http.server
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

PATIENCE = 20
LIVE = "return document.getElementById('status').dataset.state === 'live'"


def wait(condition, what):
    """Waits until a condition holds, and returns its value."""
    deadline = time.monotonic() + PATIENCE
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > deadline:
            raise AssertionError(f"waited {PATIENCE} s for {what}")
        time.sleep(0.02)


class Scene:
    """A bus, reveille-view and a browser."""

    def __init__(self, reveille, view, directory):
        self.reveille, self.view_program = reveille, view
        self.directory = pathlib.Path(directory)
        self.temporary = pathlib.Path(tempfile.mkdtemp(prefix="reveille-view-"))
        self.socket = self.temporary / "bus" / "org.reveille.Bus"
        self.environment = {**os.environ, "REVEILLE_ADDRESS": f"unix:{self.socket}", "HOME": str(self.temporary)}
        self.bus = self.view = self.driver = None
        self.port = 0
        (self.temporary / "root").mkdir()

    def start_bus(self):
        self.bus = subprocess.Popen(
            [self.reveille, "serve", "--address", f"unix:{self.socket}", "--root", str(self.temporary / "root")],
            env=self.environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        wait(lambda: subprocess.run(
            [self.reveille, "get", "locale"], env=self.environment, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL).returncode == 0, "the bus")

    def stop_bus(self, number=signal.SIGTERM):
        self.bus.send_signal(number)
        self.bus.wait()

    def start_view(self):
        self.view = subprocess.Popen(
            [self.view_program, "--port", str(self.port), "--history", str(self.temporary / "view.sqlite")],
            env=self.environment, stdout=subprocess.PIPE, stderr=open(self.temporary / "view.log", "a"), text=True)
        self.url = self.view.stdout.readline().strip()
        self.port = int(re.search(r":(\d+)/", self.url)[1])
        self.token = self.url.split("token=")[1]

    def stop_view(self):
        self.view.terminate()
        self.view.wait()

    def run(self, *arguments):
        subprocess.run([self.reveille, *arguments], env=self.environment, check=True, stdout=subprocess.DEVNULL)

    def post_battery(self, percent, state="unplugged"):
        charge = {"unplugged": "discharging", "charging": "charging", "full": "full"}[state]
        self.run("post", "battery", json.dumps({
            "state": state, "level": percent / 100, "plugged": state != "unplugged", "chargeStatus": charge,
            "packs": [{"name": "BAT0", "level": percent / 100, "chargeStatus": charge}]}))

    def request(self, path, host=None, cookie=True, method="GET", headers=None):
        """Sends a request as any program can, and returns its status, headers and text."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        connection.putrequest(method, path, skip_host=True)
        connection.putheader("Host", host or f"127.0.0.1:{self.port}")
        if cookie:
            connection.putheader("Cookie", f"reveille-view-{self.port}={self.token}")
        for name, value in (headers or {}).items():
            connection.putheader(name, value)
        connection.endheaders()
        response = connection.getresponse()
        return response.status, response.headers, response.read().decode()

    def pages(self):
        """The subscriptions of pages that are visible."""
        return [one for one in self.subscriptions() if one["name"] == "reveille-view page"]

    def subscriptions(self):
        return json.loads(self.request("/subscriptions")[2])["subscriptions"]

    def start_browser(self):
        from selenium import webdriver
        from selenium.webdriver.chrome.service import Service
        options = webdriver.ChromeOptions()
        for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                         "--window-size=1200,900", "--force-prefers-reduced-motion"):
            options.add_argument(argument)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        options.binary_location = shutil.which("chromium")
        self.driver = webdriver.Chrome(service=Service(shutil.which("chromedriver")), options=options)
        self.driver.set_page_load_timeout(PATIENCE)

    def text(self, identifier):
        return self.driver.execute_script(
            "const e = document.getElementById(arguments[0]); return e.hidden ? '' : e.textContent", identifier)

    def card(self, aspect):
        return self.driver.execute_script(
            "return document.querySelector(`[data-aspect='${arguments[0]}'] :is(.value, .members)`)?.textContent ?? ''",
            aspect).replace("\u00a0", " ")

    def wait_until_live(self):
        wait(lambda: self.driver.execute_script(LIVE), "the page to be live")

    def hide(self):
        self.page = self.driver.current_window_handle
        self.driver.switch_to.new_window("tab")
        wait(lambda: not self.pages(), "the hidden page to have no subscription")

    def show(self):
        self.driver.close()
        self.driver.switch_to.window(self.page)

    def end(self):
        if self.driver:
            self.driver.quit()
        for process in (self.view, self.bus):
            if process and process.poll() is None:
                process.kill()
                process.wait()
        shutil.rmtree(self.temporary, ignore_errors=True)


def expect(value, expected, what):
    if value != expected:
        raise AssertionError(f"{what}: expected {expected!r}, got {value!r}")


def furnish(scene):
    """Sets states and a history as on a laptop."""
    now = int(time.time())
    lines, level, charging = [], 64.0, False
    for at in range(now - 20 * 86400, now - 900, 600):
        hour = at % 86400 / 3600
        if 1 < hour < 7:
            level = min(100, level + 4) if charging else level
        charging = (charging or level < 18) and level < 100 if not 1 < hour < 4 else level < 100
        if 7 <= hour <= 23 and not charging:
            level -= 0.9 if 12 < hour < 19 else 0.35
        level = max(8, min(100, level + (2.2 if charging else 0)))
        state = "fully-charged" if level == 100 else "charging" if charging else "discharging"
        lines.append(f"{at}\t{level:.3f}\t{state}\n")
    path = scene.temporary / "history-charge-BAT0.dat"
    path.write_text("".join(lines))
    subprocess.run(
        [scene.view_program, "--history", str(scene.temporary / "view.sqlite"), "--import", str(path)],
        check=True, stdout=subprocess.DEVNULL)
    for pose in ("portrait", "landscapeLeft", "faceUp", "portrait"):
        scene.run("post", "orientation", json.dumps({"pose": pose, "planar": "portrait"}))
    for lux in (120, 340, 90, 15, 260):
        scene.run("post", "light", json.dumps({"lux": lux}))
    for state in ("near", "far"):
        scene.run("post", "proximity", state)
    scene.run("post", "network", json.dumps({
        "reachable": True, "interface": "wlan0", "kind": "wifi", "addresses": ["192.168.1.23", "2001:db8::17"]}))
    scene.run("post", "display", json.dumps({
        "screens": [{"name": "eDP-1", "width": 2560, "height": 1600, "widthMM": 301, "heightMM": 188, "scale": None}],
        "brightness": 0.6}))
    scene.run("publish", "org.example.volume", json.dumps({"level": 37}))
    scene.run("publish", "org.example.player.track", json.dumps({"title": "Gnossienne No. 1", "artist": "Satie"}))
    for percent in (44, 43, 42):
        scene.post_battery(percent)


def check_entry(scene):
    scene.driver.get(scene.url)
    scene.wait_until_live()
    expect(scene.driver.current_url, f"http://127.0.0.1:{scene.port}/", "the address after the token")
    expect(scene.driver.execute_script("return document.cookie"), "", "the cookies that scripts can read")
    wait(lambda: scene.card("battery") == "42 %", "the battery's card")
    expect(len(scene.pages()), 1, "the subscriptions of a visible page")


def check_loading(scene):
    """What is not known yet is loading, and neither nothing nor none."""
    source = scene.request("/")[2]
    expect(source.count("Loading…"), 4, "sections that are loading")
    expect("Nothing has changed" in source, False, "the page says what it does not know")
    wait(lambda: "Loading" not in scene.driver.execute_script("return document.querySelector('main').innerText"),
         "everything to be loaded")


def check_levels(scene):
    """The chart of the battery has each level of the lane, and the page lists neither its history nor names of rules."""
    for percent in (46, 45, 44, 43, 42):
        scene.post_battery(percent)
    scene.run("publish", "org.reveille.rules.x1.y2", json.dumps({"rule": "every 1h -- true"}))
    scene.run("publish", "org.example.volume", json.dumps({"level": 36}))
    scene.driver.execute_script("document.getElementById('battery-table').closest('details').open = true")
    rows = "return [...document.querySelectorAll('#battery-table tbody tr')].map(row => row.children[1].textContent)"
    levels = [f"{percent}\u00a0%" for percent in range(42, 47)]
    wait(lambda: scene.driver.execute_script(rows)[:5] == levels, "the levels in the table of the chart")
    scene.driver.execute_script("document.getElementById('battery-table').closest('details').open = false")
    names = [one["name"] for one in scene.subscriptions()]
    expect("reveille-view history" in names, True, "a subscription of the history")
    wait(lambda: "reveille-view page" in scene.text("subscriptions"), "the subscription of the page")
    expect("history" in scene.text("subscriptions"), False, "the history is listed")
    wait(lambda: scene.card("org.example.volume") == "36", "an event of a name")
    expect(scene.card("org.reveille.rules.x1.y2"), "", "a card of a rule")


def check_events(scene):
    scene.post_battery(41)
    wait(lambda: scene.card("battery") == "41 %", "an event")
    scene.run("publish", "org.example.volume", json.dumps({"level": 12}))
    wait(lambda: scene.card("org.example.volume") == "12", "an event of a name")


def check_members(scene):
    """Members are rows, their numbers are lines, and the first chart shows ten minutes."""
    for celsius, humidity in ((20.5, 40), (22, 40), (21, 41)):
        scene.run("publish", "org.example.room", json.dumps(
            {"place": "kitchen", "air": {"celsius": celsius, "humidity": humidity}}))
    rows = "return [...document.querySelectorAll(`[data-aspect='org.example.room'] :is(dt, dd)`)].map(e => e.textContent)"
    wait(lambda: scene.driver.execute_script(rows)
         == ["air.celsius", "21", "air.humidity", "41", "place", "kitchen"], "a row for each member")
    tracks = """
        import('/draw.js').then(draw => arguments[0](draw.tracks({ aspect: 'org.example.room', value: JSON.parse(
          '{"place": "kitchen", "air": {"celsius": 21}, "list": [1]}') }).map(track => [track.name, track.text, track.number ?? null])));
        """
    expect(scene.driver.execute_async_script(tracks), [["", "kitchen · [1]", None], ["air.celsius", "21", 21]], "lanes")
    names = "return [...document.querySelectorAll('#lanes .name')].map(e => e.textContent)"
    wait(lambda: {"org.example.room", "\u2003air.celsius", "\u2003air.humidity"}
         <= set(scene.driver.execute_script(names)), "lanes of the words and of each number")
    ranges = "return [...document.querySelectorAll('#lanes g title')].map(e => e.textContent)"
    wait(lambda: {"between 20.5 and 22", "between 40 and 41"} <= set(scene.driver.execute_script(ranges)), "the lines")
    ticks = scene.driver.execute_script(
        "return [...document.querySelectorAll('#lanes > text[text-anchor]')].map(e => e.textContent)")
    minutes = [int(found[1]) for tick in ticks if (found := re.match(r"\d+:(\d\d)", tick))]
    expect((minutes[-1] - minutes[0]) % 60 in range(6, 11), True, f"the marks {minutes} are within ten minutes")


def check_signs(scene):
    """A charging battery has a sign, and a card that changes all the time is not always lit."""
    shown = "return document.querySelectorAll('.card .bolt').length"
    expect(scene.driver.execute_script(shown), 0, "the signs of a battery that is not charging")
    scene.post_battery(41, "charging")
    wait(lambda: scene.driver.execute_script(shown) == 1, "the sign of a battery that is charging")
    scene.run("post", "motion", json.dumps({"acceleration": {"x": 0, "y": 0, "z": 1}, "rotation": None}))
    wait(lambda: scene.card("motion") == "1 g", "a sample of motion")
    lit = "return [...document.querySelectorAll('.card.fresh')].map(card => card.dataset.aspect)"
    expect("motion" in scene.driver.execute_script(lit), False, "a sample is shown as a change")
    expect("battery" in scene.driver.execute_script(lit), True, "a change is shown as a change")
    scene.post_battery(41)
    wait(lambda: scene.driver.execute_script(shown) == 0, "the sign to disappear")


def check_hidden(scene):
    count = "return document.querySelectorAll('#wakes rect').length"
    before = scene.driver.execute_script(count)
    scene.hide()
    for percent in range(40, 33, -1):
        scene.post_battery(percent)
    scene.show()
    wait(lambda: "7 battery changes, one event" in scene.text("return"), "the text after the return")
    expect(scene.card("battery"), "34 %", "the battery after the return")
    # The chart follows with the next frame.
    wait(lambda: scene.driver.execute_script(count) > before, "the chart of deliveries")
    expect(scene.driver.execute_script(count) - before, 1, "the deliveries for seven changes")


def check_names(scene):
    scene.run("publish", "zz-shop.counter", '{"count": 5}')
    wait(lambda: scene.card("zz-shop.counter") == "5", "a name whose first word is new")
    expect(len(scene.pages()), 1, "the subscriptions of the page")
    scene.run("publish", "org.example.serial", '{"number": 9007199254740993}')
    wait(lambda: scene.card("org.example.serial") == "9007199254740993", "an integer that no double can hold")
    scene.run("publish", "org.example.serial", '{"deep": [-9223372036854775808], "more": 1e300}')
    wait(lambda: scene.card("org.example.serial") == "deep[-9223372036854775808]more1e+300", "integers in a list")


def check_bus_restart(scene):
    scene.post_battery(33)
    wait(lambda: scene.card("battery") == "33 %", "the event before the restart")
    scene.stop_bus()
    wait(lambda: "bus is away" in scene.text("status"), "the page to report the end of the bus")
    scene.start_bus()
    scene.wait_until_live()
    expect("instance" in scene.text("return"), False, "a resumption is reported as another instance")
    scene.post_battery(32)
    wait(lambda: scene.card("battery") == "32 %", "an event after the restart")


def check_other_instance(scene):
    scene.stop_bus(signal.SIGKILL)
    for path in scene.socket.parent.glob("*.json"):
        path.unlink()
    scene.start_bus()
    scene.post_battery(50)
    wait(lambda: "nother instance" in scene.text("return"), "the page to report another instance")
    wait(lambda: scene.card("battery") == "50 %", "the state of the other instance")


def check_view_restart(scene):
    scene.stop_view()
    wait(lambda: scene.driver.execute_script("return document.getElementById('status').dataset.state") == "lost",
         "the page to report that reveille-view is gone")
    scene.start_view()
    wait(lambda: "Open the address" in scene.text("status"), "the page to ask for the new address")
    scene.driver.get(scene.url)
    scene.wait_until_live()
    scene.post_battery(49)
    wait(lambda: scene.card("battery") == "49 %", "an event after the restart")


def check_requests(scene):
    for path in ("/", "/events", "/subscriptions", "/battery", "/changes?aspect=battery", "/view.js"):
        expect(scene.request(path, host=f"evil.example:{scene.port}")[0], 403, f"{path} with a wrong Host")
        expect(scene.request(path, cookie=False)[0], 401, f"{path} without a token")
        expect(scene.request(path, headers={"Sec-Fetch-Site": "cross-site"})[0], 403, f"{path} of another site")
        expect(scene.request(path, headers={"Origin": "http://evil.example"})[0], 403, f"{path} of another origin")
    expect(scene.request("/?token=" + "0" * 32, cookie=False)[0], 401, "a wrong token")
    expect(scene.request("/", method="POST")[0], 405, "POST")
    status, headers, _ = scene.request("/")
    expect((status, headers["X-Content-Type-Options"]), (200, "nosniff"), "the page")


class OtherSite(http.server.BaseHTTPRequestHandler):
    """A site whose page tries to read the page of reveille-view."""

    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(b"<!DOCTYPE html><title>other</title>")

    def log_message(self, *_):
        pass


ATTACK = """
const done = arguments[1], base = arguments[0];
const attempts = {
  fetch: fetch(base + 'subscriptions', {credentials: 'include'}).then(r => r.text(), () => 'refused'),
  blind: fetch(base + 'subscriptions', {credentials: 'include', mode: 'no-cors'}).then(r => r.type + r.status, () => 'refused'),
  stream: new Promise(resolve => {
    const stream = new EventSource(base + 'events', {withCredentials: true});
    stream.onerror = () => { stream.close(); resolve('refused'); };
    stream.addEventListener('start', () => resolve('read'));
  }),
  script: new Promise(resolve => {
    const script = document.createElement('script');
    script.src = base + 'view.js'; script.type = 'text/javascript';
    script.onerror = () => resolve('refused'); script.onload = () => resolve('read');
    document.head.append(script);
  }),
};
Promise.all(Object.entries(attempts).map(async ([name, result]) => [name, await result])).then(done);
"""


def check_other_site(scene):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), OtherSite)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    page = scene.driver.current_window_handle
    scene.driver.switch_to.new_window("tab")
    try:
        # The same host is the same site, to which browsers send the cookie; the other one is another site.
        for host in ("127.0.0.1", "localhost"):
            scene.driver.get(f"http://{host}:{server.server_port}/")
            results = scene.driver.execute_async_script(ATTACK, f"http://127.0.0.1:{scene.port}/")
            expect(sorted(set(result for _, result in results) - {"opaque0"}), ["refused"], f"attempts from {host}")
    finally:
        server.shutdown()
        scene.driver.close()
        scene.driver.switch_to.window(page)


def check_keyboard(scene):
    from selenium.webdriver.common.keys import Keys
    chart = scene.driver.find_element("id", "battery")
    wait(chart.is_displayed, "the chart of the battery")
    scene.driver.execute_script("document.getElementById('battery').focus()")
    active = scene.driver.switch_to.active_element
    expect(active.get_attribute("id"), "battery", "the element with the focus")
    active.send_keys(Keys.ARROW_LEFT)
    first = wait(lambda: scene.text("reading"), "the point under the cursor")
    active.send_keys(Keys.HOME)
    wait(lambda: scene.text("reading") != first, "another point")


# Posts are moments apart. A picture of an hour needs changes that are spread over it.
SPREAD = """
const original = window.fetch, now = Date.now();
window.fetch = async (path, ...rest) => {
  const response = await original(path, ...rest);
  if (!path.startsWith('/changes')) return response;
  const reply = await response.json(), count = reply.events.length;
  reply.events = reply.events.filter((_, index) => count < 30 || index % 3 === 0);
  reply.events.forEach((event, index) => {
    const part = (index + .35 + .3 * Math.sin(index * 7 + path.length)) / reply.events.length;
    event.changedAt = (now - 3600e3 * 1.1 * (1 - part)) * 1e3;
  });
  return new Response(JSON.stringify(reply));
};
"""


def check_pictures(scene):
    """Saves screenshots, and checks that nothing is wider than a narrow screen."""
    scene.driver.execute_script(SPREAD)
    scene.hide()
    for percent in range(48, 11, -1):
        scene.post_battery(percent)
    for pose in ("landscapeLeft", "portrait"):
        scene.run("post", "orientation", json.dumps({"pose": pose, "planar": pose}))
    scene.show()
    wait(lambda: "37 battery changes, one event" in scene.text("return"), "the text after the return")
    sleeper = subprocess.Popen(
        [scene.reveille, "watch", "battery", "orientation"], env=scene.environment, stdout=subprocess.DEVNULL)
    wait(lambda: sleeper.pid in [one["pid"] for one in scene.subscriptions()], "the program to subscribe")
    sleeper.send_signal(signal.SIGSTOP)
    for percent in (13, 14, 15, 16):
        scene.post_battery(percent, "charging")
    wait(lambda: "does not read" in scene.text("subscriptions"), "the program that is stopped")
    for name, width, height, scheme in (
            ("light", 1200, 900, "light"), ("dark", 1200, 900, "dark"), ("narrow", 320, 640, "light"),
            ("narrow-dark", 320, 640, "dark")):
        scene.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [
            {"name": "prefers-color-scheme", "value": scheme}]})
        scene.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500})
        span = "month" if scheme == "dark" else "week"
        scene.driver.execute_script(f"document.querySelector('[value={span}]').click()")
        wait(lambda: scene.driver.execute_script(
            f"return document.getElementById('chart-text').textContent.includes('{span}')"), "the chart")
        wide = scene.driver.execute_script("return document.documentElement.scrollWidth")
        size = scene.driver.execute_cdp_cmd("Page.getLayoutMetrics", {})["cssContentSize"]
        picture = scene.driver.execute_cdp_cmd("Page.captureScreenshot", {
            "captureBeyondViewport": True, "clip": {"x": 0, "y": 0, "width": width, "height": size["height"], "scale": 1}})
        (scene.directory / f"view-{name}.png").write_bytes(base64.b64decode(picture["data"]))
        expect(wide <= width, True, f"a page of {wide} pixels fits into {width}")
    sleeper.kill()
    sleeper.wait()


def check_console(scene):
    """Violations of the content security policy and failures of scripts are in the console."""
    wrong = [entry["message"] for entry in scene.driver.get_log("browser")
             if "Content Security Policy" in entry["message"] and str(scene.port) + "/" in entry["message"].split(" ")[0]
             or "Uncaught" in entry["message"]]
    expect(wrong, [], "messages in the console")


CHECKS = (check_entry, check_loading, check_levels, check_events, check_members, check_signs, check_hidden, check_bus_restart, check_requests, check_other_site,
          check_keyboard, check_view_restart, check_pictures, check_names, check_other_instance, check_console)


def main():
    reveille, view, directory, *names = sys.argv[1:]
    checks = [check for check in CHECKS if not names or check.__name__.removeprefix("check_") in names]
    for program in ("chromium", "chromedriver"):
        if not shutil.which(program):
            print(f"skipped: {program} is not installed")
            return 2
    try:
        import selenium  # noqa: F401
    except ImportError:
        print("skipped: python3-selenium is not installed")
        return 2
    pathlib.Path(directory).mkdir(parents=True, exist_ok=True)
    scene = Scene(reveille, view, directory)
    failed = 0
    # The processes of the scene end with this one, however it is stopped.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    try:
        scene.start_bus()
        furnish(scene)
        scene.start_view()
        scene.start_browser()
        for check in checks:
            name = check.__name__.removeprefix("check_").replace("_", " ")
            try:
                check(scene)
                print(f"ok {name}", flush=True)
            except Exception as error:
                failed += 1
                print(f"not ok {name}: {error}", flush=True)
    finally:
        scene.end()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
