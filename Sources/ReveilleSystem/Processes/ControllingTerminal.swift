// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Glibc

/// The terminal that this process was started from, if it was.
package struct ControllingTerminal {
    private let wasThere: Bool

    /// Looks whether there is one; a process that is to outlive its terminal has none.
    package init() {
        wasThere = Self.isThere && !IgnoredSignals.contains(SIGHUP)
    }

    /// Whether there was one and it has been closed: SIGHUP means that then, and not that something is to be read again.
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
