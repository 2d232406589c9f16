// SPDX-License-Identifier: Apache-2.0

import CSystemd
import Glibc

/// A system thread for blocking work.
package enum Pthread {
    private final class Body {
        let run: @Sendable () -> Void
        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    /// Throws if a number of threads cannot run at the same time now.
    package static func probe(_ count: Int) throws(SystemError) {
        let gate = Lock(())
        var started: [pthread_t] = []
        defer { for thread in started { pthread_join(thread, nil) } }
        try gate.withLock { _ throws(SystemError) in
            for _ in 0..<count { started.append(try create { gate.withLock { _ in } }) }
        }
    }

    /// Runs a closure on a detached thread, in which all signals are blocked.
    package static func start(_ run: @escaping @Sendable () -> Void) throws(SystemError) {
        pthread_detach(try create(run))
    }

    private static func create(_ run: @escaping @Sendable () -> Void) throws(SystemError) -> pthread_t {
        var all = sigset_t()
        var before = sigset_t()
        sigfillset(&all)
        // A new thread inherits the signal mask of its creator.
        pthread_sigmask(SIG_SETMASK, &all, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
        let body = Unmanaged.passRetained(Body(run))
        var thread = pthread_t()
        let result = pthread_create(
            &thread, nil,
            { argument in
                guard let argument else { return nil }
                Unmanaged<Body>.fromOpaque(argument).takeRetainedValue().run()
                return nil
            }, body.toOpaque())
        guard result == 0 else {
            body.release()
            throw SystemError("pthread_create", code: result)
        }
        return thread
    }
}
