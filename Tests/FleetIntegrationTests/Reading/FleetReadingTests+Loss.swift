// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleFleet
import ReveilleFleetCore
import ReveilleSystem
import ReveilleTesting
import Testing
import Varlink

/// Brokers, rules and outputs in which events can get lost.
extension FleetReadingTests {
    @Test("a reader without the right to mark has read everything, although devices publish all the time")
    func busyBroker() async throws {
        let broker = try MosquittoBroker(
            rules: "topic read reveille/v1/+/status\ntopic readwrite reveille/v1/+/state/+\n")
        try await scene.connect("a", to: broker.address())
        try await scene.publish(of: "a", generation: 1)
        let publishing = Task { [scene] in
            for generation in Int64(2)... {
                try Task.checkCancellation()
                try await scene.publish(of: "a", generation: generation)
            }
        }
        defer { publishing.cancel() }
        let events = try await FleetScene.follow(broker.address())
        let taken = try await FleetScene.untilCaughtUp(events)
        #expect(taken.states.first?.device.text == "a")
    }

    @Test("events that watch could not print before SIGTERM are printed by the next run")
    func blockedOutput() async throws {
        let (broker, directory) = (try MosquittoBroker(), try TemporaryDirectory())
        let aspects = (0..<300).map { "org.example.job\($0)" }
        try await scene.connect("a", to: broker.address())
        for aspect in aspects { try await scene.publish(aspect, of: "a", generation: 1, padding: 1_000) }
        let arguments = ["watch", "--json", "--state", directory.path + "/positions"]
        let first = try FleetProgram(arguments, on: "\(broker.address())", in: directory)
        try wait(for: "positions: \(first.errors)") { directory.read("positions").contains("job299=1") }
        first.process.signal(SIGTERM)
        #expect(first.process.wait() == 0)
        for aspect in aspects { try await scene.publish(aspect, of: "a", generation: 2, padding: 1_000) }

        var ends: [Int32] = [0, 0]
        #expect(pipe(&ends) == 0)
        var environment = Environment.all
        environment["REVEILLE_BROKER"] = "\(broker.address())"
        let second = try ChildProcess(
            [ChildProcess.sibling("reveille-fleet")] + arguments, environment: environment, descriptors: [1: ends[1]])
        close(ends[1])
        var size: Int32 = 0
        try wait(for: "a full pipe") { ioctl(ends[0], UInt(FIONREAD), &size) == 0 && size > 60_000 }
        second.signal(SIGTERM)
        #expect(second.wait() == 0)
        var printed = Set(try Self.names(in: Self.contents(of: ends[0])))
        #expect(!printed.isEmpty && printed.count < aspects.count)

        let third = try FleetProgram(arguments, on: "\(broker.address())", in: directory)
        try wait(for: "the rest: \(third.errors)") {
            printed.formUnion(try Self.names(in: third.output))
            return printed.count == aspects.count
        }
        third.process.signal(SIGTERM)
        third.process.wait()
    }

    /// Returns what a pipe holds, and closes it.
    private static func contents(of pipe: Int32) -> String {
        defer { close(pipe) }
        var (contents, buffer) = ([UInt8](), [UInt8](repeating: 0, count: 1 << 16))
        while case let count = read(pipe, &buffer, buffer.count), count > 0 { contents += buffer.prefix(count) }
        return String(decoding: contents, as: UTF8.self)
    }

    /// Returns the aspects in complete lines of JSON.
    private static func names(in output: String) throws -> [String] {
        let lines = output.split(separator: "\n", omittingEmptySubsequences: true)
        return try (output.hasSuffix("\n") ? lines[...] : lines.dropLast()).compactMap {
            try JSON.parse(Array($0.utf8)).objectValue?["aspect"]?.stringValue
        }
    }
}
