// SPDX-License-Identifier: Apache-2.0

import ReveilleSystem
import Testing

/// The names of units, in cgroups, on D-Bus and of programs.
@Suite(.timeLimit(.minutes(10))) struct UnitNameTests {
    private static let app = "/user.slice/user-1000.slice/user@1000.service/app.slice"

    @Test(
        arguments: [
            ("\(app)/app-player-7.scope", "app-player-7.scope", "\(app)/app-player-7.scope"),
            ("\(app)/app-player-7.scope/inner/most", "app-player-7.scope", "\(app)/app-player-7.scope"),
            ("/system.slice/cron.service", "cron.service", "/system.slice/cron.service"),
            ("/user.slice/user-1000.slice/session-2.scope", "session-2.scope", nil),
            ("\(app)/_cpu.service", "cpu.service", "\(app)/_cpu.service"),
            ("/user.slice/user-1000.slice", nil, nil), ("/", nil, nil), ("/.scopes/x", nil, nil),
        ] as [(String, String?, String?)])
    func innermostUnitOfACgroupIsFound(path: String, name: String?, unitPath: String?) {
        let unit = UnitName.innermost(inCgroup: path)
        #expect(unit?.name.text == name)
        #expect(unit?.path == unitPath ?? name.map { _ in path })
    }

    @Test(
        "services and the scopes of programs count as one program",
        arguments: [
            ("cron.service", true), ("app-player-7.scope", true), ("run-r12.scope", true),
            ("app-reveille-cat-1f.scope", true), ("session-2.scope", false), ("init.scope", false),
            ("user@1000.service", false), ("machine-web.scope", false),
        ])
    func programUnits(name: String, isOfOneProgram: Bool) {
        #expect(UnitName(name).isOfOneProgram == isOfOneProgram)
    }

    @Test(
        arguments: [
            ("/org/freedesktop/systemd1/unit/cron_2eservice", "cron.service"),
            ("/org/freedesktop/systemd1/unit/app_2dx_5cx2dy_2escope", #"app-x\x2dy.scope"#),
            ("/org/freedesktop/systemd1/unit/", nil), ("/org/freedesktop/systemd1/unit/a_2", nil),
            ("/org/freedesktop/systemd1/unit/a_zz", nil), ("/org/freedesktop/systemd1/job/7", nil), ("", nil),
        ] as [(String, String?)])
    func nameIsDecodedFromItsObjectPath(path: String, name: String?) {
        #expect(UnitName(objectPath: path)?.text == name)
    }

    @Test func nameOfAProgramIsEscapedAndBounded() {
        #expect(UnitName.scope(for: "notify-send", number: 31).text == #"app-reveille-notify\x2dsend-1f.scope"#)
        #expect(UnitName.scope(for: "", number: 1).text == "app-reveille-program-1.scope")
        #expect(UnitName.scope(for: ".é", number: 1).text == #"app-reveille-\x2e\xc3\xa9-1.scope"#)
        let long = UnitName.service(for: [String(repeating: "ü", count: 4_000)]).text
        #expect(long.utf8.count <= 255)
    }

    @Test func serviceIsNamedByItsArguments() {
        let name = UnitName.service(for: ["/usr/bin/cat", "a", "b"])
        #expect(name.text.hasPrefix("app-reveille-cat@"))
        #expect(name == UnitName.service(for: ["/usr/bin/cat", "a", "b"]))
        #expect(name != UnitName.service(for: ["/usr/bin/cat", "ab"]))
        #expect(name != UnitName.service(for: ["/usr/bin/cat", "a", "b", ""]))
        #expect(name != UnitName.service(for: ["cat", "a", "b"]))
    }
}
