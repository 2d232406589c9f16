// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Glibc
import ReveilleSystem
import ReveilleTesting
import Varlink

/// A group of clients of one kind in a separate process.
final class StormGroup {
    enum Kind: String {
        case asleep, awake, flood
    }

    static let argument = "storm-group"
    let process: ChildProcess
    private let numbers: Pipe
    private let commands: Pipe

    init(_ kind: Kind, _ address: UnixAddress, count: Int) throws {
        numbers = try Pipe()
        commands = try Pipe()
        process = try ChildProcess(
            [CommandLine.arguments[0], Self.argument, kind.rawValue, address.description, "\(count)"],
            environment: ChildProcess.environment, descriptors: [0: commands.readingEnd, 1: numbers.writable])
        numbers.closeWritingEnd()
    }

    deinit {
        process.signal(SIGTERM)
        process.wait()
    }

    /// Receives the next number that the group reports.
    func nextNumber() throws -> Int {
        var number: Int64 = 0
        guard read(numbers.readingEnd, &number, 8) == 8 else {
            throw StormError(description: "a group of clients ended early")
        }
        return Int(number)
    }

    func tell() {
        commands.wake()
    }

    // MARK: - In the group's process

    /// Runs the group that the arguments describe.
    static func run(_ arguments: [String]) throws {
        guard arguments.count == 3, let kind = Kind(rawValue: arguments[0]), let count = Int(arguments[2]) else {
            throw StormError(description: "invalid group: \(arguments)")
        }
        DescriptorLimit.raise()
        let address = try UnixAddress(arguments[1])
        let connect = { BenchClient(try UnixStream(connectingTo: address)) }
        switch kind {
        case .flood: try flood(try connect(), count)
        case .asleep: try sleep(try (0..<count).map { _ in try connect() }, connect)
        case .awake: try watch(try (0..<count).map { _ in try connect() })
        }
    }

    private static func say(_ number: Int) {
        var number = Int64(number)
        _ = write(STDOUT_FILENO, &number, 8)
    }

    private static func flood(_ client: BenchClient, _ count: Int) throws {
        let call = { (name: JSON) in
            let locale: JSONObject = [
                "identifier": name, "languages": [name], "numeric": name, "time": name, "monetary": name,
                "measurement": name,
            ]
            return Call(
                method: "org.reveille.Bus.Post", parameters: ["locale": .object(locale)], mode: .oneway)
        }
        let pair = call("de_DE").encoded() + call("fr_FR").encoded()
        let batch = (0..<100).flatMap { _ in pair }
        for _ in 0..<count / 200 { try client.send(batch) }
        // The reply follows the last post.
        try client.send(Call(method: "org.reveille.Bus.DescribeAspects"))
        try client.receive()
    }

    private static func subscribe(_ clients: [BenchClient], state: String) throws -> [String] {
        try clients.map { client in
            let parameters: JSONObject = ["aspects": ["locale"], "state": .string(state)]
            try client.send(Call(method: "org.reveille.Bus.Subscribe", parameters: parameters, mode: .more))
            return try client.receive().parameters["subscription"]?.stringValue ?? ""
        }
    }

    private static func sleep(_ clients: [BenchClient], _ connect: () throws -> BenchClient) throws {
        let names = try subscribe(clients, state: "background")
        say(clients.count)
        var byte: UInt8 = 0
        guard read(STDIN_FILENO, &byte, 1) == 1 else { return }
        let control = try connect()
        var right = 0
        for (client, name) in zip(clients, names) {
            let parameters: JSONObject = ["subscription": .string(name), "state": "foreground"]
            try control.send(Call(method: "org.reveille.Bus.SetState", parameters: parameters))
            try control.receive()
            if changes(try client.receive()) == StormBench.posts { right += 1 }
        }
        say(right)
    }

    private static func watch(_ clients: [BenchClient]) throws {
        _ = try subscribe(clients, state: "foreground")
        say(clients.count)
        var told = Array(repeating: 0, count: clients.count)
        var events = 0
        while told.contains(where: { $0 < StormBench.posts }) {
            for (index, client) in clients.enumerated() where told[index] < StormBench.posts {
                told[index] += changes(try client.receive())
                events += 1
            }
        }
        say(events)
    }

    private static func changes(_ reply: Reply) -> Int {
        let events = reply.parameters["events"]?.arrayValue?.compactMap(\.objectValue) ?? []
        return events.reduce(0) { $0 + Int($1["changes"]?.integerValue ?? 0) }
    }
}
