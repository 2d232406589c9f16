// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import CReveilleLinux
import Glibc

/// What the kernel, libudev or libsystemd refused: what was tried, on what, and why.
package struct SystemError: Error, Hashable, CustomStringConvertible {
    /// The call that failed, by its C name: `inotify_add_watch`.
    package let operation: String
    /// The path or address it was tried on, if there is one.
    package let subject: String?
    /// The error number of errno(3).
    package let code: Int32

    /// Makes an error of a call that left its reason in `errno`, or of the number given.
    package init(_ operation: String, on subject: String? = nil, code: Int32 = errno) {
        self.operation = operation
        self.subject = subject
        self.code = code
    }

    /// Whether somebody listens at an address but does not accept, or not fast enough.
    package var isQueueFull: Bool { operation == "connect" && code == EAGAIN }

    /// One line: `inotify_add_watch /etc: No space left on device (ENOSPC)`.
    package var description: String {
        let reason = isQueueFull ? "the listener's queue of connections is full" : String(cString: strerror(code))
        let name = c_reveille_error_name(code).map { " (" + String(cString: $0) + ")" } ?? ""
        return "\(operation)\(subject.map { " " + $0 } ?? ""): \(reason)\(name)"
    }
}

/// Calls again for as long as a signal interrupts the call.
///
/// - Returns: What the call returned, -1 with `errno` set on every other failure.
package func retryingOnInterrupt<Result: SignedInteger>(_ call: () -> Result) -> Result {
    while true {
        let result = call()
        if result != -1 || errno != EINTR { return result }
    }
}
