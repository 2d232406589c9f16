// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleSystem
import ReveilleTesting
import Testing
import Varlink

@Suite(.blocking, .timeLimit(.minutes(10))) struct ReaderTests {
    /// Makes calls on connections of their own, starts a child that inherits the sockets, and prints the child's pid.
    private static let program = """
        import socket, subprocess, sys
        peers = []
        for call in sys.argv[2:]:
            peers.append(socket.socket(socket.AF_UNIX))
            peers[-1].connect(sys.argv[1])
            peers[-1].sendall(call.encode() + bytes(1))
            peers[-1].recv(65536)
        child = subprocess.Popen(["cat"], stdin=3, pass_fds=[peer.fileno() for peer in peers])
        print(child.pid, flush=True)
        child.wait()
        """

    @Test("B61, B94: a subscription and a task end with their process, even if a child has inherited the sockets")
    func inheritedSocketsKeepNothing() throws {
        let bus = try BusProcess()
        let pipe = try Pipe()
        let own = try bus.subscribe()
        let task = #"{"subscription":"\#(own.id)","name":"upload"}"#
        let calls = [
            #"{"method":"org.reveille.Bus.Subscribe","more":true}"#,
            #"{"method":"org.reveille.Bus.BeginTask","parameters":\#(task),"more":true}"#,
        ]
        let parent = try RunningProgram(
            ["-c", Self.program, bus.socket] + calls, program: "python3", in: bus.directory,
            descriptors: [3: pipe.readingEnd])
        try wait(for: "the child") { parent.output.hasSuffix("\n") }
        let child = try #require(Int32(parent.output.dropLast()))
        defer { kill(child, SIGKILL) }
        // The child keeps the sockets across execve(2).
        try wait(for: "the child's program") { (try? String(contentsOfFile: "/proc/\(child)/comm")) == "cat\n" }
        func tasks(of subscriptions: [JSONObject]) -> Int { subscriptions.flatMap { $0.objects("tasks") }.count }
        let before = try bus.client().subscriptions()
        #expect(before.count == 2 && tasks(of: before) == 1, "\(before)")
        parent.process.signal(SIGKILL)
        parent.process.wait()
        try wait(for: "the subscription and the task to end") {
            let left = try bus.client().subscriptions()
            return left.count == 1 && tasks(of: left) == 0
        }
        #expect(kill(child, 0) == 0)
        withExtendedLifetime((pipe, own)) {}
    }
}
