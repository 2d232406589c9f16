// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleSystem
import ReveilleTesting
import Testing
import Varlink

/// `reveille watch --state`: the file, with many names and when the run is killed.
@Suite(.blocking, .timeLimit(.minutes(10))) struct WatchStateTests {
    /// F_SETPIPE_SZ of fcntl(2), which Glibc does not export to Swift.
    private static let setPipeSize: Int32 = 1_031

    private let bus: BusProcess
    private let publisher: RawClient

    init() throws {
        bus = try BusProcess()
        publisher = try bus.client()
    }

    private var state: String { bus.directory.path + "/positions" }

    private func publish(_ names: Range<Int>, step: Int) throws {
        for number in names {
            let reply = try publisher.call(
                "Publish", #"{"aspect":"org.example.n\#(number)","value":{"step":\#(step)}}"#)
            guard reply.error == nil else { throw Trouble("Publish: \(reply)") }
        }
    }

    private func watch(_ more: [String] = [], descriptors: [Int32: Int32] = [:]) throws -> RunningProgram {
        try RunningProgram(
            ["watch", "org.example.*", "--json", "--state", state, "--address", bus.address] + more,
            in: bus.directory, descriptors: descriptors)
    }

    /// Stores the positions of the states now.
    private func begin() throws {
        let run = try watch()
        try wait(for: "positions") { access(state, F_OK) == 0 }
        #expect(run.stop() == 0)
    }

    private func aspects(_ run: RunningProgram) throws -> [String] {
        try run.output.split(separator: "\n").map { try JSON.parse(Array($0.utf8)).objectValue?.aspect ?? "" }
    }

    @Test func eventsThatAKilledRunHasNotPrintedArePrintedByTheNext() throws {
        try publish(100..<150, step: 0)
        try begin()
        let stored = bus.directory.read("positions")
        try publish(100..<150, step: 1)
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        defer { for end in ends { close(end) } }
        // Too small for the events.
        let size = fcntl(ends[1], Self.setPipeSize, 4_096)
        let run = try watch(descriptors: [1: ends[1]])
        try wait(for: "a full pipe") {
            var count: Int32 = 0
            return ioctl(ends[0], UInt(FIONREAD), &count) == 0 && count == size
        }
        run.process.signal(SIGKILL)
        run.process.wait()
        #expect(bus.directory.read("positions") == stored)
        let next = try watch(["--count", "50"])
        #expect(next.process.wait() == 0)
        #expect(try aspects(next) == (100..<150).map { "org.example.n\($0)" })
    }

    @Test(arguments: [["watch"], ["on", "battery", "level < 0.1"]])
    func secondRunWithTheSameFileIsRefused(command: [String]) throws {
        let program = command[0] == "on" ? ["--", "true"] : []
        let arguments = command + ["--state", state, "--address", bus.address] + program
        let first = try RunningProgram(arguments, in: bus.directory)
        try wait(for: "the lock") { bus.directory.read("positions.lock") == "\(first.process.pid)\n" }
        let second = try ProgramRun(arguments, in: bus.directory)
        #expect(second.code == 75)
        #expect(
            second.errors == """
                reveille: \(state): another 'reveille \(command[0])' (process \(first.process.pid)) uses this file

                """)
        #expect(first.stop() == 0)
    }

    @Test(arguments: [["watch"], ["on", "battery", "level < 0.1"]])
    func fileBeyondTheLimitIsRefused(command: [String]) throws {
        try bus.directory.write("", to: "positions")
        try #require(truncate(state, 2_097_153) == 0)
        let program = command[0] == "on" ? ["--", "true"] : []
        let run = try bus.run(command + ["--state", state] + program)
        #expect(run.code == 74)
        #expect(
            run.errors == """
                reveille: \(state): a file of 'reveille \(command[0]) --state' can have at most 2 MiB; left unchanged

                """)
        var status = stat()
        #expect(stat(state, &status) == 0 && status.st_size == 2_097_153)
    }
}
