// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Glibc
import ReveilleSystem
import ReveilleTesting
import Testing
import Varlink

/// Slow readers, and readers whose process has ended.
@Suite(.blocking, .timeLimit(.minutes(10))) struct ReaderTests {
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
