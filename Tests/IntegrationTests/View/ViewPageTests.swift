// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleTesting
import Testing

/// The page of `reveille-view` in headless Chromium.
@Suite(
    .blocking, .timeLimit(.minutes(10)),
    .enabled(if: Browser.isThere || Browser.isRequired, "no Chromium, driver or Selenium: run Scripts/setup test"))
struct ViewPageTests {
    private static let checks = 16
    private static let fleetChecks = 16
    private static let mosquitto = Package.root + "/.build-mosquitto/usr/sbin/mosquitto"

    @Test("B240, B242: a browser follows, hides, returns and resumes, and other sites cannot read the page")
    func browser() throws {
        let directory = try TemporaryDirectory()
        // The pictures remain, for people to look at.
        let pictures = Package.root + "/.build/view-pictures"
        let run = try ProgramRun(
            [
                "-B", Package.root + "/Tests/SatelliteTests/View/browser.py", BusProcess.program, ViewScene.program,
                pictures,
            ],
            program: "/usr/bin/python3", in: directory)
        #expect(run.code == 0, "\(run.output)\(run.errors)")
        let lines = run.output.split(separator: "\n")
        #expect(lines.count == Self.checks && lines.allSatisfy { $0.hasPrefix("ok ") }, "\(run.output)")
    }

    @Test(
        "a browser shows a fleet, and receives each device that changed while it was hidden once",
        .enabled(if: access(mosquitto, X_OK) == 0 || Browser.isRequired, "no mosquitto: run Scripts/setup test"))
    func fleet() throws {
        let directory = try TemporaryDirectory()
        let run = try ProgramRun(
            [
                "-B", Package.root + "/Tests/SatelliteTests/View/fleet_browser.py", BusProcess.program,
                ViewScene.program,
                Self.mosquitto, Package.root + "/.build/view-pictures",
            ], program: "/usr/bin/python3", in: directory)
        #expect(run.code == 0, "\(run.output)\(run.errors)")
        let lines = run.output.split(separator: "\n")
        #expect(lines.count == Self.fleetChecks && lines.allSatisfy { $0.hasPrefix("ok ") }, "\(run.output)")
    }
}

/// The packages `chromium`, `chromium-driver` and `python3-selenium`.
enum Browser {
    static var isThere: Bool {
        let files = ["/usr/bin/chromium", "/usr/bin/chromedriver", "/usr/lib/python3/dist-packages/selenium"]
        return files.allSatisfy { access($0, F_OK) == 0 }
    }
    /// Whether a missing browser is a failure, as in continuous integration.
    static var isRequired: Bool { getenv("CI") != nil }
}
