// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import CSystemd
import Glibc

/// A thread of the system, for what blocks.
package enum Pthread {
    private final class Body {
        let run: @Sendable () -> Void
        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    /// Runs a body on a thread of its own, which nobody waits for; signals stay with the others.
    package static func start(_ run: @escaping @Sendable () -> Void) throws(SystemError) {
        var all = sigset_t()
        var before = sigset_t()
        sigfillset(&all)
        // A new thread has the mask of the one that makes it.
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
