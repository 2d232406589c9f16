// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Glibc
import ReveilleTesting
import Testing

/// `reveille on` whose connection ends between an event and the changes that were merged into it.
@Suite(.blocking, .timeLimit(.minutes(10))) struct OnConnectionTests {
    /// Forwards all connections to a bus, and ends the first one on which the history is asked for.
    private static let relay = """
        import os, socket, sys, threading
        has_ended = False
        def forward(source, target):
            global has_ended
            while data := source.recv(65536):
                if b"GetHistory" in data and not has_ended:
                    has_ended = True
                    break
                target.sendall(data)
            for end in (source, target):
                try: end.shutdown(socket.SHUT_RDWR)
                except OSError: pass
        server = socket.socket(socket.AF_UNIX)
        server.bind(sys.argv[1] + ".new")
        server.listen()
        os.rename(sys.argv[1] + ".new", sys.argv[1])
        while True:
            client, _ = server.accept()
            bus = socket.socket(socket.AF_UNIX)
            bus.connect(sys.argv[2])
            for pair in ((client, bus), (bus, client)):
                threading.Thread(target=forward, args=pair, daemon=True).start()
        """

    @Test("no time is missed if the connection ends while the merged changes are looked up")
    func lookUpIsRepeated() throws {
        let scene = try OnScene()
        let relay = try ChildProcess(
            ["python3", "-c", Self.relay, scene.path("relay"), scene.bus.socket], environment: ChildProcess.environment)
        defer { relay.signal(SIGKILL) }
        try wait(for: "the relay") { access(scene.path("relay"), F_OK) == 0 }
        #expect(mkfifo(scene.path("gate"), 0o600) == 0)
        let run = try RunningProgram(
            ["on"] + scene.low + ["--", "sh", "-c", "cat; read line <\(scene.path("gate"))"], in: scene.bus.directory,
            environment: ["REVEILLE_ADDRESS": "unix:" + scene.path("relay")])
        try wait(for: "the subscription") { try scene.bus.client().subscriptions().count == 1 }
        try scene.post(0.09)
        try scene.waitForRuns(of: run, at: [0.09])
        try scene.post(0.5, 0.08, 0.5, 0.07)
        for levels in [[0.09, 0.08], [0.09, 0.08, 0.07]] {
            try scene.open("gate")
            try scene.waitForRuns(of: run, at: levels)
        }
        try scene.open("gate")
        #expect(run.errors.contains("reconnected"), "\(run.errors)")
        #expect(run.stop() == 0)
    }
}

extension OnScene {
    /// Lets a command continue that reads a pipe.
    fileprivate func open(_ gate: String) throws {
        var number: Int32 = -1
        try wait(for: "the command to wait") {
            number = Glibc.open(path(gate), O_WRONLY | O_NONBLOCK)
            return number >= 0
        }
        close(number)
    }
}
