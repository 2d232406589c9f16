// SPDX-License-Identifier: Apache-2.0

import CReveilleLinux
import Glibc

/// An error from the kernel, libudev or libsystemd: the operation, its subject and the reason.
package struct SystemError: Error, Hashable, CustomStringConvertible {
    /// The C name of the failed call, such as `inotify_add_watch`.
    package let operation: String
    /// The path or address, if there is one.
    package let subject: String?
    package let code: Int32

    package init(_ operation: String, on subject: String? = nil, code: Int32 = errno) {
        self.operation = operation
        self.subject = subject
        self.code = code
    }

    /// Whether the path does not exist, including paths with a file in the place of a directory.
    package var isAbsence: Bool { code == ENOENT || code == ENOTDIR }

    /// Whether a listener exists but accepts connections too slowly or not at all.
    package var isQueueFull: Bool { operation == "connect" && code == EAGAIN }

    /// The error on one line, such as `inotify_add_watch /etc: No space left on device (ENOSPC)`.
    package var description: String {
        let reason = isQueueFull ? "connection queue of the listener is full" : String(cString: strerror(code))
        let name = c_reveille_error_name(code).map { " (" + String(cString: $0) + ")" } ?? ""
        return "\(operation)\(subject.map { " " + $0 } ?? ""): \(reason)\(name)"
    }
}

/// Repeats a call for as long as signals interrupt it; returns -1 with `errno` for every other failure.
package func retryingOnInterrupt<Result: SignedInteger>(_ call: () -> Result) -> Result {
    while true {
        let result = call()
        if result != -1 || errno != EINTR { return result }
    }
}
