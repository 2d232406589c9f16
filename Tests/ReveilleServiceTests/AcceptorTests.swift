// SPDX-License-Identifier: Apache-2.0

import Glibc
import Logging
import ReveilleSystem
import ReveilleTesting
import Testing

@testable import ReveilleService

@Suite struct AcceptorTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    @Test("work that is served last has a turn while connections keep coming") func acceptorRests() throws {
        let loop = try EventLoop()
        let address = try UnixAddress("unix:\(directory.path)/bus")
        let listener = try UnixListener(at: address)
        var client = try UnixStream(connectingTo: address)
        var accepted = 0
        var hasHadTurn = false
        let acceptor = try Acceptor(listener: listener, loop: loop, logger: Logger(label: "test")) { _ in
            accepted += 1
            if accepted == 100_000 { loop.exit() }
            guard let next = try? UnixStream(connectingTo: address) else { return loop.exit() }
            client = next
        }
        let last = try loop.timer(priority: .flood) {
            hasHadTurn = true
            loop.exit()
        }
        last.fire(after: .zero)
        try loop.run()
        #expect(hasHadTurn)
        withExtendedLifetime((acceptor, client)) {}
    }
}
