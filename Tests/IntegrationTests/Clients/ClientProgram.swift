// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleSystem
import ReveilleTesting
import Testing
import Varlink

/// The clients in other languages, which all have the same behavior.
enum ClientLanguage: String, CaseIterable {
    case python
    case asyncio
    case node

    /// Clients with code of their own: the client for asyncio only waits in another way than the blocking one.
    static let separate: [ClientLanguage] = [.python, .node]

    /// The file of the client.
    var module: (directory: String, name: String) {
        switch self {
        case .python, .asyncio: (Package.root + "/Sources/Clients/Python", "reveille.py")
        case .node: (Package.root + "/Sources/Clients/Node", "reveille.mjs")
        }
    }

    fileprivate var interpreter: [String] {
        self == .node ? ["node", "--input-type=module", "-e"] : ["python3", "-X", "dev", "-c"]
    }

    private static let directory = Package.root + "/Tests/IntegrationTests/Clients/"

    /// The adapter, with the lines that `Tests/ClientConformance/run` documents.
    var command: [String] {
        switch self {
        case .python: ["python3", "-X", "dev", Self.directory + "Python/client.py", "blocking"]
        case .asyncio: ["python3", "-X", "dev", Self.directory + "Python/client.py", "asyncio"]
        case .node: ["node", Self.directory + "Node/client.mjs"]
        }
    }
}

/// A running program that uses a client of another language as the test asks.
final class ClientProgram {
    /// A call of a client that failed.
    struct Failure: Error, Equatable {
        /// The text for people.
        let message: String
        /// The word for programs, as in the Swift library.
        let code: String
        /// The name of the Varlink error; `nil` if the bus did not answer.
        let name: String?
        let parameters: JSONObject
    }

    private let run: RunningProgram
    private let peer: RawClient
    private var last: Int64 = 0
    private var outcomes: [Int64: Result<JSON, Failure>] = [:]

    /// Starts a program that is not connected to a bus.
    init(_ language: ClientLanguage, in directory: TemporaryDirectory, environment: [String: String] = [:]) throws {
        var ends: [Int32] = [0, 0]
        try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        defer { close(ends[1]) }
        peer = RawClient(descriptor: ends[0], terminator: UInt8(ascii: "\n"))
        let command = language.command
        run = try RunningProgram(
            Array(command.dropFirst()), program: command[0], in: directory, environment: environment,
            descriptors: [0: ends[1], 1: ends[1]])
    }

    /// Starts a program that is connected to a bus.
    convenience init(_ language: ClientLanguage, on bus: BusProcess) throws {
        try self.init(language, in: bus.directory)
        try call("connect", ["address": .string(bus.address)])
    }

    var process: ChildProcess { run.process }
    /// Warnings, and exceptions that nothing handled.
    var errors: String { run.errors }

    func begin(_ action: String, _ members: JSONObject = [:]) throws -> Int64 {
        last += 1
        var request = members
        request["id"] = .integer(last)
        request["do"] = .string(action)
        try peer.send("\(JSON.object(request))")
        return last
    }

    func result(of call: Int64) throws -> JSON {
        while outcomes[call] == nil {
            guard let text = try peer.receiveText(seconds: 30) else { throw Trouble("the program ended: \(errors)") }
            let reply = try #require(try JSON.parse(Array(text.utf8)).objectValue)
            let id = try #require(reply["id"]?.integerValue)
            guard let error = reply["error"]?.objectValue else {
                outcomes[id] = .success(reply["result"] ?? .null)
                continue
            }
            outcomes[id] = .failure(
                Failure(
                    message: error["message"]?.stringValue ?? "", code: error["code"]?.stringValue ?? "",
                    name: error["name"]?.stringValue, parameters: error["parameters"]?.objectValue ?? [:]))
        }
        return try outcomes.removeValue(forKey: call)?.get() ?? .null
    }

    @discardableResult
    func call(_ action: String, _ members: JSONObject = [:]) throws -> JSON {
        try result(of: begin(action, members))
    }

    func subscribe(_ name: String = "s", to aspects: [String], _ options: JSONObject = [:]) throws {
        var options = options
        options["name"] = .string(name)
        try call(
            "subscribe",
            ["of": .string(name), "aspects": .array(aspects.map(JSON.string)), "options": .object(options)])
    }

    func next(_ name: String = "s") throws -> JSONObject? {
        try call("next", ["of": .string(name)]).objectValue
    }

    func next(_ count: Int, _ name: String = "s") throws -> [JSONObject] {
        try (0..<count).map { _ in try #require(try next(name)) }
    }

    func enterBackground(_ name: String = "s") throws { try call("enterBackground", ["of": .string(name)]) }

    func enterForeground(_ name: String = "s") throws { try call("enterForeground", ["of": .string(name)]) }

    func positions(_ name: String = "s") throws -> JSON { try call("positions", ["of": .string(name)]) }

    func post(level: Double) throws { try call("post", ["arguments": ["battery", Self.battery(level)]]) }

    func post(proximity: String) throws {
        try call("post", ["arguments": ["proximity", ["state": .string(proximity)]]])
    }

    private static func battery(_ level: Double) -> JSON {
        [
            "state": "unplugged", "level": .number(level), "plugged": false, "chargeStatus": "discharging", "packs": [],
        ]
    }
}

extension JSONObject {
    var state: JSONObject? { self["state"]?.objectValue }
    /// The state and the number of changes in an event of a client, for comparisons.
    var levelAndChanges: [Double] { [state?["level"]?.numberValue ?? -1, Double(integer("changes"))] }
}

extension String {
    /// Whether a program wrote nothing to stderr but asyncio's remarks on slow steps, which depend on the load.
    var isSilent: Bool { split(separator: "\n").allSatisfy { $0.contains("Executing <") } }
}

extension BusProcess {
    func run(_ code: String, in language: ClientLanguage) throws {
        let command = language.interpreter
        let run = try ProgramRun(
            command.dropFirst() + [code], program: command[0], in: directory,
            environment: ["REVEILLE_ADDRESS": address, "PYTHONPATH": ClientLanguage.python.module.directory])
        #expect(run.code == 0 && run.errors.isSilent, "\(run.errors)")
    }

    /// Returns the subscription with a name as listed by the bus; `nil` if there is none.
    func subscription(named name: String = "s") throws -> JSONObject? {
        try client().subscriptions().first { $0["name"] == .string(name) }
    }

    /// Waits until a subscription with a name is held for exactly these reasons.
    func waitForSubscription(_ name: String = "s", heldBy reasons: [String]) throws {
        let wanted = JSON.array(reasons.map(JSON.string))
        try wait(for: "\(name) to be held by \(reasons)") {
            try subscription(named: name)?["held"] == wanted
        }
    }
}
