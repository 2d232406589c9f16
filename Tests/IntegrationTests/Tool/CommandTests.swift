// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleSystem
import ReveilleTesting
import Testing
import Varlink

/// The arguments, errors and output of the commands.
@Suite(.blocking, .timeLimit(.minutes(10))) struct CommandTests {
    let bus: BusProcess

    init() throws {
        bus = try BusProcess()
    }

    private func run(_ arguments: String..., columns: Int? = nil) throws -> ProgramRun {
        var environment = ["REVEILLE_ADDRESS": bus.address]
        environment["COLUMNS"] = columns.map(String.init)
        return try ProgramRun(arguments, in: bus.directory, environment: environment)
    }

    private func holds(of subscriber: Subscriber) throws -> [String] {
        let found = try bus.client().subscriptions().first { $0["subscription"]?.stringValue == subscriber.id }
        return found?["held"]?.arrayValue?.compactMap(\.stringValue) ?? []
    }

    private static let invalidArguments: [([String], String)] = [
        (["gett"], "unknown command 'gett'; did you mean get?"),
        (["help", "statsu"], "unknown command 'statsu'; did you mean status?"),
        (["dance"], "unknown command 'dance'; see 'reveille help'"),
        (["get", "batery"], "an aspect must be locale, defaults, battery"),
        (["watch", "LOCALE"], "did you mean locale?"),
        (["post", "orientatoin", "faceUp"], "did you mean orientation?"),
        (["post", "org.example.player", "{}"], "; 'reveille publish' publishes a name\n"),
        (["watch", "--jsn"], "Did you mean '--json'?"),
        (["post", "proximity", "nera"], "proximity.state must be near, far or unknown; did you mean near?"),
        (["post", "proximity", "close"], "close: proximity.state must be near, far or unknown\n"),
        (
            ["post", "battery", "level=7"],
            "level=7: battery.level must be a number from 0 to 1, or null, in a JSON object: {\"level\": …}"
        ),
        (["post", "battery", "chraging"], "unknown, unplugged, charging or full; did you mean charging?"),
        (
            ["post", "battery", "null"],
            "null: battery must be a JSON object, or unknown, unplugged, charging or full"
        ),
        (["post", "battery", "[]"], "[]: battery must be a JSON object, or unknown, unplugged, charging or full"),
        (["post", "defaults", "app"], "app: defaults must be a JSON object with the field domains"),
        (["post", "locale", ""], ": locale must be a JSON object, or a locale name such as de_DE"),
        (["post", "locale", "xx!"], "xx!: locale must be a JSON object, or a locale name such as de_DE"),
        (["post", "locale", "de DE!"], "de DE!: locale must be a JSON object, or a locale name such as de_DE"),
        (["post", "locale", "german"], "german: locale must be a JSON object, or a locale name such as de_DE"),
        (
            ["hold", "x", "--wake-after", "-1"],
            "it must be a number of seconds from 0.001 to 31536000"
        ),
        (["post", "battery", #"{"chargeStatus":"up"}"#], "chargeStatus must be unknown, charging, discharging"),
        (["post", "battery", #"{"level":"half"}"#], "battery.level must be a number from 0 to 1, or null"),
        (["post", "battery", #"{"levle":1}"#], "levle: unknown field of battery; did you mean level?"),
        (["post", "orientation", #"{"planar":"faceUp"}"#], "planar must be portrait, portraitUpsideDown"),
        (["hold", "x", "--wake-after", "1e308"], "it must be a number of seconds from 0.001 to 31536000"),
        (["hold", "x", "--wake-after", "nan"], "it must be a number of seconds from 0.001 to 31536000"),
        (
            ["call", "Refresh", #"{"all": true}"#],
            "again now. The reply comes when all changes have been posted.\nmethod Refresh() -> ()\nreveille: org.varlink"
        ),
        (["call", "SetState", #"{"state": 1}"#], "\nmethod SetState(subscription: string, state: string,"),
        (["call", "--more", "--oneway", "GetState"], "--more and --oneway cannot be combined"),
    ]

    @Test func invalidArgumentIsReportedWithTheValidOnes() throws {
        for (arguments, message) in Self.invalidArguments {
            let run = try bus.run(arguments)
            #expect(run.code == 64, "\(arguments)")
            #expect(run.errors.contains(message), "\(run.errors)")
            #expect(run.output.isEmpty)
        }
    }

    @Test("doctor begins with the bus, or why there is none") func doctorBeginsWithTheBus() throws {
        let output = try bus.run(["doctor"]).output
        #expect(output.hasPrefix("bus         ok  answers\n    address        \(bus.address)\n"))
        #expect(bus.stop() == 0)
        #expect(try bus.run(["doctor"]).output.hasPrefix("bus         --  there is no bus at \(bus.address); is "))
    }

    @Test func postPrintsTheResultingState() throws {
        #expect(try run("post", "proximity", "near").output == "proximity   near\n")
        let posted = try JSON.parse(Array(run("post", "battery", #"{"level":0.5}"#, "--json").output.dropLast().utf8))
        let event = try #require(posted.objectValue)
        #expect(event.integer("generation") == 1)
        #expect(event.integer("sequence") == 2)
        #expect(event.level == 0.5)
    }

    @Test func wakeReportsARemainingHold() throws {
        let own = try bus.subscribe(#"{"name":"own","state":"background"}"#)
        let run = try run("wake", "own")
        #expect(run.code == 0)
        #expect(run.errors == "reveille: own remains in the background: held by its own process (app)\n")
        #expect(try holds(of: own) == ["app"])
    }

    @Test func subscriptionIsFoundByNameProcessOrPrefix() throws {
        let named = try bus.subscribe(#"{"name":"named"}"#)
        let start = named.id.prefix(12)
        for text in ["named", named.id, String(start), "\(getpid())"] {
            #expect(try run("hold", text).code == 0)
            #expect(try holds(of: named) == ["operator"], "\(text)")
            #expect(try run("wake", text).code == 0)
            #expect(try holds(of: named).isEmpty)
        }
    }

    @Test func nameOrProcessMeansAllSubscriptionsOfTheProgram() throws {
        let all = try ["twin", "twin", "other"].map { try bus.subscribe(#"{"name":"\#($0)"}"#) }
        for text in ["twin", "\(getpid())"] {
            #expect(try run("hold", text).code == 0)
            for one in all { #expect(try holds(of: one) == ["operator"], "\(text)") }
            #expect(try run("wake", text).code == 0)
            for one in all { #expect(try holds(of: one).isEmpty, "\(text)") }
        }
    }

    @Test func nameOfSeveralProgramsIsAnError() throws {
        let own = try bus.subscribe(#"{"name":"twin"}"#)
        let other = try StreamProcess(bus, #"{"aspects":["battery"],"name":"twin"}"#)
        defer { withExtendedLifetime(other) {} }
        let refusal = try run("hold", "twin")
        #expect(refusal.code == 64)
        #expect(refusal.errors.hasPrefix("reveille: 'twin' matches 2 subscriptions: "), "\(refusal.errors)")
        #expect(refusal.errors.contains("\(own.id) (twin, pid \(getpid()))"))
        #expect(try holds(of: own).isEmpty)
        #expect(try run("hold", own.id).code == 0)
        #expect(try holds(of: own) == ["operator"])
        #expect(try run("wake", own.id).code == 0)
        for text in ["nobody", ""] {
            let run = try run("hold", text)
            #expect(run.code == 1)
            #expect(run.errors.contains("no subscription has the id, name or process id '\(text)'"))
        }
        #expect(try run("wake", "twni").errors.contains("did you mean twin?"))
    }

    @Test func statusDescribesTheBus() throws {
        let run = try run("status")
        let lines = run.output.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines[0] == "address        unix:" + bus.socket)
        #expect(lines[1].hasPrefix("version        "))
        #expect(lines[2].wholeMatch(of: #/uptime         \d+ s, process \d+/#) != nil, "\(lines[2])")
        #expect(lines[2].hasSuffix(" \(bus.process.pid)"))
        #expect(lines[3] == "configuration  \(bus.directory.path)/config.json5")
        let json = try #require(try JSON.parse(Array(self.run("status", "--json").output.dropLast().utf8)).objectValue)
        #expect(json["bus"]?.objectValue?.integer("pid") == Int(bus.process.pid))
    }

    @Test(arguments: [30, 60, 80, 120]) func statusFitsTheTerminal(columns: Int) throws {
        let name = String(repeating: "a long name ", count: 9)
        let wide = String(repeating: "\u{754C}", count: 40)
        let subscribers = [try bus.subscribe(#"{"name":"\#(name)"}"#), try bus.subscribe(#"{"name":"\#(wide)"}"#)]
        let run = try run("status", columns: columns)
        // The address and the configuration are never truncated, so they can be copied.
        for line in run.output.split(separator: "\n").drop(while: { !$0.hasPrefix("ASPECT") }) {
            let width = line.reduce(0) { $0 + ($1 == "\u{754C}" ? 2 : 1) }
            #expect(width <= columns, "\(line)")
        }
        #expect(run.output.contains("\nASPECT "))
        #expect(run.output.contains("\nSUBSCRIPTION "))
        for subscriber in subscribers { #expect(run.output.contains(subscriber.id)) }
        let whole = try self.run("status")
        #expect(whole.output.contains(name))
        #expect(whole.output.contains("EVENTS  CHANGES  PENDING  ASPECTS"))
    }

    @Test func statusOmitsTheProcessOfAPassedSocket() throws {
        // The kernel reports the supervisor, which created the socket, as its process.
        let directory = try TemporaryDirectory()
        let listener = try UnixListener(at: UnixAddress("unix:\(directory.path)/bus"))
        let script = #"LISTEN_FDS=1 LISTEN_FDNAMES=varlink LISTEN_PID=$$ exec "$0" "$@""#
        let service = try RunningProgram(
            ["-c", script, BusProcess.program, "serve", "--root", directory.path], program: "sh", in: directory,
            descriptors: [3: listener.number])
        let run = try ProgramRun(["status", "--address", "unix:\(directory.path)/bus"], in: directory)
        #expect(run.code == 0)
        #expect(run.output.contains("version  "))
        #expect(!run.output.contains("uptime"))
        #expect(!run.output.contains("configuration"))
        service.stop()
        withExtendedLifetime(listener) {}
    }
}
