// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleSystem
import ReveilleTesting
import Testing
import Varlink

/// Subscriptions to some domains of the settings, on the wire, on the command line and in the clients.
@Suite(.blocking, .timeLimit(.minutes(10))) struct DomainTests {
    private let bus: BusProcess
    private let peer: RawClient

    init() throws {
        bus = try BusProcess()
        peer = try bus.client()
        try post(app: [], dconf: [], other: [])
    }

    /// Posts settings whose domains have these keys: those of dconf, and two files.
    private func post(app: [String], dconf: [String], other: [String]) throws {
        let domains = [("app/settings", app), ("dconf", dconf), ("other", other)].map { name, keys -> JSON in
            [
                "domain": .string(name), "path": .string("/" + name), "keys": .array(keys.map { .string($0) }),
                "opaque": false,
            ]
        }
        let reply = try peer.call("Post", "\(JSON.object(["defaults": ["domains": .array(domains)]]))")
        guard reply.error == nil else { throw Trouble("Post: \(reply)") }
    }

    private var environment: [String: String] { ["REVEILLE_ADDRESS": bus.address] }

    private func start(_ arguments: [String]) throws -> RunningProgram {
        let run = try RunningProgram(arguments, in: bus.directory, environment: environment)
        try wait(for: "the subscription: \(run.errors)") {
            guard !run.process.hasEnded else { throw Trouble("ended: \(run.errors)") }
            return try peer.subscriptions().contains { $0.integer("pid") == Int(run.process.pid) }
        }
        return run
    }

    @Test(
        "a list that is wrong is refused with the entry and the reason",
        arguments: [
            (#"{"domains":["app/*","*"]}"#, "InvalidDomain", #""domain":"*""#),
            (#"{"domains":["dconf:org"]}"#, "InvalidDomain", "begins and ends with"),
            (#"{"domains":[]}"#, "InvalidParameter", #""domains""#),
            (#"{"aspects":["battery"],"domains":["app/*"]}"#, "InvalidParameter", #""domains""#),
            (
                "{\"domains\":[\((0..<65).map { "\"d\($0)\"" }.joined(separator: ","))]}", "QuotaExceeded",
                #""quota":"domains""#
            ),
        ])
    func wrongListIsRefused(parameters: String, error: String, text: String) throws {
        let stream = try bus.client()
        try stream.send(#"{"method":"org.reveille.Bus.Subscribe","parameters":\#(parameters),"more":true}"#)
        let reply = try stream.receive()
        #expect(reply.error?.hasSuffix(error) == true && "\(JSON.object(reply.parameters))".contains(text), "\(reply)")
        try stream.fence()
    }

    @Test("'on' runs its command for each change of its domains, and not at the start") func onRunsForItsDomains()
        throws
    {
        let run = try start(
            ["on", "defaults", "--domain", "dconf:/org/a/", "--state", bus.directory.path + "/state", "--", "sh", "-c"]
                + ["echo $REVEILLE_CHANGES"])
        try post(app: ["k"], dconf: ["/org/b"], other: ["k"])
        try post(app: ["k"], dconf: ["/org/a/k"], other: ["k"])
        try wait(for: "a run, not \(run.output)\(run.errors)") { run.output == "1\n" }
        #expect(run.stop() == 0)
        for number in 0..<3 { try post(app: ["k\(number)"], dconf: ["/org/a/k\(number)"], other: []) }
        // It may end before anybody sees its subscription.
        let next = try RunningProgram(
            ["on", "defaults", "--domain", "dconf:/org/a/", "--state", bus.directory.path + "/state", "--count", "1"]
                + ["--", "sh", "-c", "echo $REVEILLE_CHANGES"], in: bus.directory, environment: environment)
        try wait(for: "the end") { next.process.hasEnded }
        #expect(next.output == "3\n" && run.output == "1\n")
    }

    @Test("'get' prints some domains alone, and fails without any") func getPrintsSomeDomains() throws {
        try post(app: ["k"], dconf: ["/org/a/k", "/org/b/k"], other: ["k"])
        let run = try bus.run(["get", "defaults", "--domain", "dconf:/org/a/", "--json"])
        let event = try #require(try JSON.parse(Array(run.output.utf8)).objectValue)
        let settings = try #require(event["defaults"]?.objectValue)
        #expect(settings.objects("domains").map { $0["keys"] } == [["/org/a/k"]], "\(run.output)")
        let none = try bus.run(["get", "defaults", "--domain", "none"])
        #expect(none.code == 1 && none.errors == "reveille: there are no settings of the domain none\n")
        #expect(try bus.run(["get", "battery", "--domain", "app"]).code == 64)
    }

    @Test("a rule of some domains runs for their changes alone") func ruleRunsForItsDomains() throws {
        let path = bus.directory.path
        try bus.directory.write(
            """
            defaults --domain app/* -- sh -c 'echo app $REVEILLE_CHANGES >>\(path)/runs'
            defaults --domain dconf:/a/ --domain none -- sh -c 'echo dconf $REVEILLE_CHANGES >>\(path)/runs'

            """, to: "rules")
        let run = try RunningProgram(
            ["rules", path + "/rules", "--state", path + "/rules.json"], in: bus.directory, environment: environment)
        try wait(for: "the rules to be followed: \(run.errors)") {
            guard access(path + "/rules.json", F_OK) == 0 else { return false }
            return bus.directory.read("rules.json").components(of: "generation") == 2
        }
        try post(app: ["k"], dconf: ["/b"], other: ["k"])
        try wait(for: "a run: \(run.errors)") {
            access(path + "/runs", F_OK) == 0 && bus.directory.read("runs") == "app 1\n"
        }
        try post(app: ["k"], dconf: ["/a/k"], other: [])
        try wait(for: "a run: \(run.errors)") { bus.directory.read("runs") == "app 1\ndconf 1\n" }
        #expect(run.stop() == 0)
    }

    @Test("'watch --state' continues with the same domains, and begins anew with others") func watchContinues() throws {
        func watch(_ domains: [String]) throws -> String {
            let run = try ProgramRun(
                [
                    "watch", "defaults", "--json", "--count", "1", "--timeout", "20", "--state",
                    bus.directory.path + "/state",
                ]
                    + domains.flatMap { ["--domain", $0] }, in: bus.directory, environment: environment)
            return run.output
        }
        let begun = try start(
            ["watch", "defaults", "--state", bus.directory.path + "/state", "--domain", "app/*"])
        try wait(for: "positions") { access(bus.directory.path + "/state", F_OK) == 0 }
        #expect(begun.stop() == 0)
        try post(app: ["a"], dconf: ["/k"], other: [])
        try post(app: ["b"], dconf: ["/l"], other: [])
        #expect(try watch(["app/*"]).contains(#""changes":2,"#))
        #expect(try watch(["dconf"]).contains(#""changes":1,"#))
    }

    @Test("the clients pass lists of domains, and resume with them", arguments: ClientLanguage.allCases)
    func clientsHaveDomains(language: ClientLanguage) throws {
        guard language != .node || Node.isThere || Node.isRequired else { return }
        let client = try ClientProgram(language, on: bus)
        try client.subscribe(to: ["defaults"], ["domains": ["app/*"]])
        try post(app: ["a"], dconf: ["/k"], other: ["k"])
        let event = try #require(try client.next())
        #expect(event.integer("changes") == 1)
        #expect(event["state"]?.objectValue?.objects("domains").map { $0["domain"] } == ["app/settings"])
        let positions = try client.positions()
        for number in 0..<4 { try post(app: ["b"], dconf: ["/\(number)"], other: []) }
        try client.subscribe("same", to: ["defaults"], ["domains": ["app/*"], "resume": positions])
        #expect(try client.next("same")?.integer("changes") == 1)
        try client.subscribe("others", to: ["defaults"], ["domains": ["dconf"], "resume": positions])
        #expect(try client.next("others")?.integer("changes") == 1)
        do {
            try client.subscribe("wrong", to: ["defaults"], ["domains": ["a*"]])
            Issue.record("'a*' is accepted")
        } catch let error as ClientProgram.Failure {
            #expect(error.name == "org.reveille.Bus.InvalidDomain" && error.code == "invalidArgument")
            #expect(error.message.contains("a*") && error.message.contains("ends in"))
        }
    }
}

extension String {
    /// The number of times that a text occurs.
    fileprivate func components(of text: String) -> Int {
        split(separator: text, omittingEmptySubsequences: false).count - 1
    }
}
