// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Glibc
import ReveilleService
import ReveilleSystem
import ReveilleWire
import Varlink

/// Why the command ends without success: one line, and an exit code of sysexits(3).
struct Failure: Error, CustomStringConvertible {
    /// What scripts can tell failures apart by.
    enum Code: Int32 {
        case failure = 1
        case usage = 64
        case noBus = 69
        case tryAgain = 75
        case `protocol` = 76
        case permission = 77
        case configuration = 78
        /// As timeout(1) has it.
        case timeout = 124
        /// As shells have it.
        case notStarted = 127
    }

    let code: Code
    let description: String

    init(_ code: Code, _ description: String) {
        self.code = code
        self.description = description
    }

    /// A system call that failed on the way to the bus.
    init(reaching error: SystemError) {
        switch error.code {
        case EACCES, EPERM: self.init(.permission, "\(error)")
        case EAGAIN: self.init(.tryAgain, "\(error)")
        default: self.init(.noBus, "\(error); is 'reveille serve' running?")
        }
    }

    /// A system call that failed as the bus started.
    init(serving error: SystemError) {
        switch error.code {
        case EACCES, EPERM: self.init(.permission, "\(error)")
        case EADDRINUSE: self.init(.tryAgain, "\(error); another bus serves this address")
        default: self.init(.failure, "\(error)")
        }
    }

    /// An error that the bus answered.
    init(_ error: CallError) {
        switch error.name {
        case CallError.permissionDenied.name: self.init(.permission, "\(error)")
        case CallError.quotaExceeded("", limit: 0).name: self.init(.tryAgain, "\(error)")
        case CallError.invalidParameter("").name: self.init(.usage, "\(error)")
        default: self.init(.failure, "\(error)")
        }
    }

    /// Runs a command's body, and ends the process with one line on stderr where it fails.
    static func guarding(_ body: () throws -> Void) {
        do {
            try body()
        } catch {
            Console.error("reveille: \(error)")
            exit((error as? Failure)?.code.rawValue ?? Code.failure.rawValue)
        }
    }
}
