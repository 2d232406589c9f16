// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The signals that this process inherited as ignored, from nohup(1) or a shell without job control.
package enum IgnoredSignals {
    package static func contains(_ signal: Int32) -> Bool {
        var action = sigaction()
        guard sigaction(signal, nil, &action) == 0 else { return false }
        return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
            == unsafeBitCast(SIG_IGN, to: Int.self)
    }
}
