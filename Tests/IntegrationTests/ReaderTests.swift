// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Glibc
import ReveilleSystem
import ReveilleTesting
import Testing
import Varlink

/// Slow readers, and readers whose process has ended.
@Suite(.blocking, .timeLimit(.minutes(10))) struct ReaderTests {
    private func events(_ frame: [UInt8]) throws -> [JSONObject] {
        try Reply(parsing: frame).parameters.events
    }

    @Test("B55, B56: a subscriber that reads byte by byte receives whole frames in order and delays no other")
    func slowReaderDelaysNoOther() throws {
        let bus = try BusProcess()
        let poster = try bus.client()
        let slow = try bus.subscribe(#"{"aspects":["battery"]}"#)
        let other = try bus.subscribe(#"{"aspects":["battery"]}"#)
        var frame: [UInt8] = []
        var frames: [[UInt8]] = []
        var posted = 0
        while frames.count < 20 {
            if posted < 500 {
                posted += 1
                try poster.post(level: Double(posted) / 1_000)
                #expect(try other.next().map { $0.integer("changes") } == [1])
            }
            var byte: UInt8 = 0
            var poll = pollfd(fd: slow.client.descriptor, events: Int16(POLLIN), revents: 0)
            try #require(Glibc.poll(&poll, 1, 10_000) == 1 && recv(poll.fd, &byte, 1, 0) == 1)
            frame.append(byte)
            guard byte == 0 else { continue }
            frames.append(frame.dropLast())
            frame = []
            let last = try frames.flatMap(events).last
            if last?.integer("generation") == 500 { break }
        }
        var generation = 0
        for event in try frames.flatMap(events) {
            generation += event.integer("changes")
            #expect(event.integer("generation") == generation)
        }
        #expect(generation == 500)
        // While a frame is being read, all further changes are merged into the next one.
        #expect(frames.count < 10)
    }

    @Test("B61: a subscription ends with its process, even if a child inherited the socket")
    func subscriptionEndsDespiteAnInheritedSocket() throws {
        let bus = try BusProcess()
        let pipe = try Pipe()
        // The program subscribes, starts a child that inherits its socket, and prints the child's pid.
        let program = """
            import os, socket, subprocess, sys
            bus = socket.socket(socket.AF_UNIX)
            bus.connect(sys.argv[1])
            bus.sendall(b'{"method":"org.reveille.Bus.Subscribe","more":true}\\0')
            bus.recv(65536)
            child = subprocess.Popen(["cat"], stdin=3, pass_fds=[bus.fileno()])
            print(child.pid, flush=True)
            child.wait()
            """
        let parent = try RunningProgram(
            ["-c", program, bus.socket], program: "python3", in: bus.directory, descriptors: [3: pipe.readingEnd])
        try wait(for: "the child") { parent.output.hasSuffix("\n") }
        let child = try #require(Int32(parent.output.dropLast()))
        defer { kill(child, SIGKILL) }
        let count = { try bus.client().subscriptions().count }
        #expect(try count() == 1)
        // The child keeps the socket across execve(2).
        try wait(for: "the child's program") { (try? String(contentsOfFile: "/proc/\(child)/comm")) == "cat\n" }
        #expect(try count() == 1)
        parent.process.signal(SIGKILL)
        parent.process.wait()
        try wait(for: "the subscription to end") { try count() == 0 }
        #expect(kill(child, 0) == 0)
        withExtendedLifetime(pipe) {}
    }
}
