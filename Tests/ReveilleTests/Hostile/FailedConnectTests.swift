// SPDX-License-Identifier: Apache-2.0

import Glibc
import Reveille
import ReveilleLink
import ReveilleSystem
import ReveilleTesting
import ReveilleWire
import Testing

/// Devices and streams that fail to connect, in a separate process so that no other test changes its file descriptors.
@Suite(.timeLimit(.minutes(10))) struct FailedConnectTests {
    @Test func failedConnectsLeaveNoDescriptor() async {
        await #expect(processExitsWith: .success) {
            let directory = try TemporaryDirectory()
            let before = try OpenDescriptors.count()
            for _ in 0..<50 {
                _ = await #expect(throws: ReveilleError.self) {
                    try await Device.connect(to: "unix:\(directory.path)/nobody")
                }
            }
            // The runtime opens some descriptors.
            let allowed = before + 10
            #expect(try await OpenDescriptors.settled(at: allowed) <= allowed)
        }
    }

    @Test("waiting for a bus ends with a CancellationError if its task is cancelled")
    func cancelledWaitThrowsACancellationError() async throws {
        let directory = try TemporaryDirectory()
        let waiting = Task { try await Device.connect(to: "unix:\(directory.path)/nobody", wait: true) }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { _ = try await waiting.value }
    }
}

/// The file descriptors of this process.
enum OpenDescriptors {
    /// The time limit for ending threads to close their descriptors.
    private static let patience: Duration = .seconds(5)

    static func count() throws -> Int {
        guard let directory = opendir("/proc/self/fd") else { throw SystemError("opendir", on: "/proc/self/fd") }
        defer { closedir(directory) }
        var count = 0
        while readdir(directory) != nil { count += 1 }
        return count
    }

    /// Returns their number once it has fallen to an expected value, or after a time limit.
    static func settled(at expected: Int) async throws -> Int {
        let deadline = ContinuousClock.now + patience
        while try count() > expected, ContinuousClock.now < deadline { await Task.yield() }
        return try count()
    }
}
