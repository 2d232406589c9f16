// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import CSystemd
import Glibc

/// A system thread for blocking work.
package enum Pthread {
    private final class Body {
        let run: @Sendable () -> Void
        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    /// Runs a closure on a detached thread, in which all signals are blocked.
    package static func start(_ run: @escaping @Sendable () -> Void) throws(SystemError) {
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
        pthread_detach(thread)
    }
}
