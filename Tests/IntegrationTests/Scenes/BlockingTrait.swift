// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleSystem
import Synchronization
import Testing

/// Runs tests that wait in system calls on threads of their own.
///
/// All other tests share as many threads as there are processors. Two tests that block would hold both of two, and
/// asynchronous tests would exceed their time limits before they have begun.
struct BlockingTrait: SuiteTrait, TestTrait, TestScoping {
    private static let threads = BlockingThreads()

    let isRecursive = true

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        try await withTaskExecutorPreference(Self.threads) {
            let start = ContinuousClock.now
            defer { Self.record(ContinuousClock.now - start, of: test) }
            try await function()
        }
    }

    /// Adds a line to the file in REVEILLE_TEST_SECONDS, if it is set: the events of a run have the time that a test waited
    /// for its turn, not how long it ran.
    private static func record(_ duration: Duration, of test: Test) {
        guard let path = getenv("REVEILLE_TEST_SECONDS"), let file = fopen(path, "a") else { return }
        fputs("\(duration / .seconds(1)) \(test.displayName ?? test.name)\n", file)
        fclose(file)
    }
}

extension Trait where Self == BlockingTrait {
    /// The tests of the suite wait in system calls.
    static var blocking: Self { Self() }
}

/// A few threads that take turns with jobs that block.
private final class BlockingThreads: TaskExecutor, @unchecked Sendable {
    /// Two threads leave processors idle; with sixteen, tested programs answer too late.
    private static let count = 8

    private let jobs = Mutex<[UnownedJob]>([])
    private let waiting: UnsafeMutablePointer<sem_t>

    init() {
        waiting = .allocate(capacity: 1)
        sem_init(waiting, 0, 0)
        for _ in 0..<Self.count {
            do {
                try Pthread.start { [self] in while true { runNext() } }
            } catch {
                fatalError("tests that block have no thread: \(error)")
            }
        }
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        jobs.withLock { $0.append(job) }
        sem_post(waiting)
    }

    private func runNext() {
        guard sem_wait(waiting) == 0 else { return }
        let job = jobs.withLock { $0.removeFirst() }
        job.runSynchronously(on: asUnownedTaskExecutor())
    }
}
