// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleSystem
import ReveilleTesting
import Testing
import Varlink

/// Starting, stopping and configuring the service.
@Suite(.blocking, .timeLimit(.minutes(10))) struct ServiceTests {
    @Test(arguments: [SIGTERM, SIGINT]) func signalEndsTheServiceWithSuccess(signal: Int32) throws {
        let bus = try BusProcess()
        bus.process.signal(signal)
        #expect(bus.process.wait() == 0)
        #expect(access(bus.socket, F_OK) != 0)
    }

    @Test func secondInstanceIsRefusedAndTheFirstContinues() throws {
        let bus = try BusProcess()
        let second = try ProgramRun(["serve", "--address", bus.address], in: bus.directory)
        #expect(second.code == 75)
        #expect(second.errors.contains(bus.socket))
        #expect(try bus.client().call("GetState").error == nil)
    }

    @Test func codeOfTheStartDoesNotStayInMemory() throws {
        let bus = try BusProcess()
        try wait(for: "the memory of the start to be released") {
            guard let most = bus.process.status("VmHWM"), let own = bus.process.status("RssAnon"),
                let files = bus.process.status("RssFile")
            else { throw Trouble("the status of the bus cannot be read") }
            return files < (most - own) / 2
        }
        #expect(try bus.client().call("GetState").error == nil)
    }

    @Test func regularFileAtTheAddressIsNotReplaced() throws {
        let directory = try TemporaryDirectory()
        try directory.write("precious", to: "bus")
        let result = try ProgramRun(["serve", "--address", "unix:\(directory.path)/bus"], in: directory)
        #expect(result.code == 64)
        #expect(directory.read("bus") == "precious")
    }

    @Test(
        arguments: [
            ("{ battery: { pollIntervall: 1 } }", "battery.pollIntervall: unknown key; did you mean pollInterval?"),
            ("{ battery: { pollInterval: 'soon' } }", "battery.pollInterval: not a number of seconds"),
            ("{ colour: 1 }", "colour: unknown key\n"), ("{ bus: [] }", "bus: not an object"),
            ("{ orientation: { frame: 'mars' } }", "orientation.frame: not auto, hid or iio-doc"),
            ("{ orientation: { matrix: '1, 2' } }", "orientation.matrix"), ("{ bus: { history: 0 } }", "bus.history"),
            ("{ defaults: { paths: 'x' } }", "defaults.paths"), ("{ nonsense", "not JSON5"),
            ("{ idleSampleInterval: 1E+ }", "not JSON5"), ("{ idleSampleInterval: 1e }", "not JSON5"),
            ("{ idleSampleInterval: 1e400 }", "idleSampleInterval"),
            ("{ idleSampleInterval: NaN }", "idleSampleInterval"),
            ("{ idleSampleInterval: 0 }", "idleSampleInterval"), ("", "not JSON5"), ("[]", "not an object"),
        ])
    func invalidConfigurationIsReported(configuration: String, reason: String) throws {
        let directory = try TemporaryDirectory()
        try directory.write(configuration, to: "config.json5")
        let arguments = [
            "serve", "--address", "unix:\(directory.path)/bus", "--config", directory.path + "/config.json5",
        ]
        let result = try ProgramRun(arguments, in: directory)
        #expect(result.code == 78)
        #expect(result.errors.contains(reason), "\(result.errors)")
        #expect(result.errors.contains("config.json5"))
    }

    @Test(arguments: ["bus", "tcp:localhost:1", "unix:relative", "unix:@abstract"])
    func invalidAddressIsAUsageError(address: String) throws {
        #expect(try ProgramRun(["get", "--address", address], in: TemporaryDirectory()).code == 64)
    }

    @Test func supervisorIsNotifiedWhenTheServiceIsReady() throws {
        let directory = try TemporaryDirectory()
        let supervisor = try NotifySocket(directory.path + "/notify")
        let bus = try BusProcess(environment: ["NOTIFY_SOCKET": supervisor.path])
        #expect(try supervisor.next().text == "FDSTORE=1\nFDNAME=varlink")
        #expect(try supervisor.next().text == "READY=1\nSTATUS=serving unix:" + bus.socket)
        #expect(bus.stop() == 0)
        #expect(try supervisor.next().text == "STOPPING=1")
    }

    @Test("if a saved state cannot be removed, its generations are not used again")
    func stateThatCannotBeRemovedCausesANewInstance() throws {
        let bus = try BusProcess()
        let client = try bus.client()
        try client.post(level: 0.5)
        let instance = try client.instance()
        #expect(bus.stop() == 0)
        // The next bus loads the state that the stop saved, but then cannot remove it.
        try bus.restart()
        let again = try bus.client()
        #expect(try again.instance() == instance)
        let path = bus.socket + ".state.json"
        #expect(rename(path, path + ".aside") == 0 && mkdir(path, 0o700) == 0)
        let subscriber = try bus.subscribe(#"{"aspects":["battery"]}"#)
        try again.post(level: 0.4)
        #expect(try subscriber.client.receiveText() == nil, "subscribers of the old instance must reconnect")
        let renewed = try bus.subscribe(#"{"aspects":["battery"],"initial":true}"#)
        #expect(renewed.instance != instance)
        #expect(renewed.initialEvents.first?.level == 0.4)
        // The file still cannot be replaced, but it does not belong to the current instance.
        try again.post(level: 0.3)
        #expect(try renewed.next().first?.level == 0.3)
        bus.kill()
        #expect(rmdir(path) == 0 && rename(path + ".aside", path) == 0)
        try bus.restart()
        let back = try bus.subscribe(
            #"{"instance":"\#(renewed.instance)","resume":[{"aspect":"battery","generation":2}],"aspects":["battery"]}"#
        )
        #expect(back.instance == instance)
        #expect(back.first["resumed"] == false)
    }

    @Test("other users can connect to root's bus whatever its umask", .enabled(if: geteuid() == 0, "not root"))
    func umaskDoesNotLockOut() throws {
        let bus = try BusProcess(launcher: ["sh", "-c", #"umask 077; exec "$0" "$@""#])
        try bus.waitUntilSaved()
        var status = stat()
        #expect(stat(bus.directory.path + "/reveille", &status) == 0 && status.st_mode & 0o777 == 0o755)
        #expect(stat(bus.socket, &status) == 0 && status.st_mode & 0o777 == 0o666)
        #expect(stat(bus.socket + ".state.json", &status) == 0 && status.st_mode & 0o777 == 0o600)
        #expect(bus.stop() == 0)
    }

    @Test("without entries there is no file and no timer, and the first entry adds one of each") func paysNothing()
        throws
    {
        let bus = try BusProcess()
        let client = try bus.client()
        func add(_ schedule: String) throws -> Reply {
            let entry = #"{"entry":{"id":"a","aspect":"org.example.a",\#(schedule)}}"#
            return try client.call("org.reveille.Schedule.Add", entry)
        }
        try client.fence()
        // The loop has a descriptor of its own for its timers.
        #expect(try client.call("org.reveille.Schedule.Cancel", #"{"id":"a"}"#).error != nil)
        #expect(try add(#""at":0"#).error == nil)
        try wait(for: "the entry to be over") {
            try client.call("org.reveille.Schedule.List").parameters.objects("entries").isEmpty
        }
        let timers = { try bus.descriptors().count { $0.contains("timerfd") } }
        let before = try timers()
        #expect(access(bus.directory.path + "/stored/schedule", F_OK) != 0)
        #expect(try add(#""every":3600000"#).error == nil)
        try wait(for: "the alarm") { try timers() == before + 1 }
        #expect(try bus.descriptors().contains { $0.hasSuffix("/stored/schedule") })
        #expect(try client.call("org.reveille.Schedule.Cancel").error == nil)
        #expect(access(bus.directory.path + "/stored/schedule", F_OK) != 0)
        try wait(for: "the alarm to end") { try timers() == before }
    }
}
