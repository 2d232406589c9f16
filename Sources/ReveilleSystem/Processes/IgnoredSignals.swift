// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Glibc

/// The signals that this process takes no notice of, because it was started so: by nohup(1), by a shell without jobs.
package enum IgnoredSignals {
    /// Whether a signal is one of them.
    package static func contains(_ signal: Int32) -> Bool {
        var action = sigaction()
        guard sigaction(signal, nil, &action) == 0 else { return false }
        return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
            == unsafeBitCast(SIG_IGN, to: Int.self)
    }
}
