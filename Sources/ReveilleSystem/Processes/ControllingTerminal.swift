// SPDX-License-Identifier: Apache-2.0

import Glibc

package struct ControllingTerminal {
    private let wasThere: Bool

    /// Records whether there is a terminal; a process that should outlive its terminal has none.
    package init() {
        wasThere = Self.isThere && !IgnoredSignals.contains(SIGHUP)
    }

    /// Whether the terminal has been closed; SIGHUP is then not a request to reload the configuration.
    package var isGone: Bool {
        wasThere && !Self.isThere
    }

    private static var isThere: Bool {
        let number = open("/dev/tty", O_RDONLY | O_NOCTTY | O_CLOEXEC | O_NONBLOCK)
        guard number >= 0 else { return false }
        close(number)
        return true
    }
}

/// The signals that this process inherited as ignored, from nohup(1) or a shell without job control.
package enum IgnoredSignals {
    package static func contains(_ signal: Int32) -> Bool {
        var action = sigaction()
        guard sigaction(signal, nil, &action) == 0 else { return false }
        return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
            == unsafeBitCast(SIG_IGN, to: Int.self)
    }
}
