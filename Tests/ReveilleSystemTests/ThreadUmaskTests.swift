// SPDX-License-Identifier: Apache-2.0

import ReveilleSystem
import Testing

@Suite struct ThreadUmaskTests {
    @Test("a umask that one thread sets does not change the umask of the process")
    func otherThreadsDoNotSeeIt() async throws {
        let before = try #require(Self.umaskOfProcess)
        let during = await withCheckedContinuation { continuation in
            do throws(SystemError) {
                try Pthread.start {
                    continuation.resume(returning: ThreadUmask.with(0o123) { Self.umaskOfProcess })
                }
            } catch {
                continuation.resume(returning: "\(error)")
            }
        }
        #expect(during == before)
    }

    /// The umask of the process's first thread (proc_pid_status(5)).
    private static var umaskOfProcess: String? {
        guard case .bytes(let bytes) = FileContents.read("/proc/self/status", limit: 65_536) else { return nil }
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n").first { $0.hasPrefix("Umask:") }
            .map(String.init)
    }
}
