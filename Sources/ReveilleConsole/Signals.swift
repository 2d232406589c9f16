// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleSystem

/// The signals of a command that runs until it is ended.
package enum Signals {
    /// The signals that end the command, without signals ignored from the start, as under nohup.
    package static var ending: [Int32] {
        [SIGINT, SIGTERM, SIGHUP].filter { !IgnoredSignals.contains($0) }
    }

    /// The signals that are passed on to a program, without signals ignored from the start, as under nohup.
    package static var passedOn: [Int32] {
        [SIGHUP, SIGINT, SIGQUIT, SIGTERM].filter { !IgnoredSignals.contains($0) }
    }

    /// Ends the process as the signal would by default.
    package static func die(by number: Int32) -> Never {
        signal(number, SIG_DFL)
        raise(number)
        EventLoop.setMask(SIG_UNBLOCK, number)
        exit(128 + number)
    }
}
