// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Glibc
package import ReveilleSystem
import Synchronization

/// Reads attributes that may take their time, on one thread of its own.
///
/// A sensor at 1 Hz holds a read of sysfs for a second; the loop must not wait for it. Paths go in, text
/// comes back on the loop; the thread knows nothing else.
package final class Sampler {
    private struct Work: Sendable {
        let number: Int
        let paths: [String]
    }

    /// What the two threads share.
    private final class Mailbox: Sendable {
        struct State: Sendable {
            var requests: [Work] = []
            var results: [(number: Int, attributes: [SysfsAttribute])] = []
        }

        let state = Mutex(State())
        /// Written to wake the thread; its end of input ends the thread.
        let requestPipe: Pipe
        /// Written to wake the loop.
        let resultPipe: Pipe

        init() throws(SystemError) {
            requestPipe = try Pipe()
            resultPipe = try Pipe()
        }

        func work() {
            while requestPipe.waitForWake() {
                let requests = state.withLock { state in
                    defer { state.requests = [] }
                    return state.requests
                }
                for request in requests {
                    let attributes = request.paths.map(SysfsAttribute.read)
                    state.withLock { $0.results.append((request.number, attributes)) }
                    resultPipe.wake()
                }
            }
        }
    }

    private let mailbox: Mailbox
    private var source: EventSource?
    private var completions: [Int: ([SysfsAttribute]) -> Void] = [:]
    private var lastNumber = 0

    /// Starts the thread.
    package init(loop: EventLoop) throws(SystemError) {
        mailbox = try Mailbox()
        source = try loop.watch(mailbox.resultPipe.readingEnd, for: .readable, priority: .watcher) { [weak self] _ in
            self?.deliver()
        }
        try Pthread.start { [mailbox] in mailbox.work() }
    }

    deinit {
        source?.cancel()
        mailbox.requestPipe.closeWritingEnd()
    }

    /// Reads attributes one after the other.
    ///
    /// - Parameters:
    ///   - paths: Files in sysfs.
    ///   - completion: Gets what was read, in the same order, on the loop; not before this call returns.
    package func read(_ paths: [String], completion: @escaping ([SysfsAttribute]) -> Void) {
        lastNumber += 1
        completions[lastNumber] = completion
        let work = Work(number: lastNumber, paths: paths)
        mailbox.state.withLock { $0.requests.append(work) }
        mailbox.requestPipe.wake()
    }

    private func deliver() {
        mailbox.resultPipe.drain()
        let results = mailbox.state.withLock { state in
            defer { state.results = [] }
            return state.results
        }
        for result in results {
            completions.removeValue(forKey: result.number)?(result.attributes)
        }
    }
}
