// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Glibc
import Reveille
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
        /// What was to be written to stdout or to a file is lost.
        case output = 74
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

    /// A system call that failed as the bus started.
    init(serving error: SystemError, at address: UnixAddress) {
        var status = stat()
        if error.code == EADDRINUSE, lstat(address.path, &status) == 0, status.st_mode & S_IFMT != S_IFSOCK {
            self.init(.usage, "\(address.path) is not a socket")
            return
        }
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

    /// What the library could not do.
    init(_ error: ReveilleError) {
        let code: Code =
            switch error.code {
            case .noBus: .noBus
            case .timeout: .timeout
            case .notPermitted: .permission
            case .quotaExceeded, .system: .tryAgain
            case .invalidArgument: .usage
            case .invalidReply: .protocol
            default: .failure
            }
        self.init(code, error.description)
    }

    /// Runs a command's body, and ends the process with one line on stderr where it fails.
    static func guarding(_ body: () throws -> Void) {
        do {
            try body()
        } catch {
            end(error)
        }
    }

    /// Runs a command's body that waits for a bus, as ``guarding(_:)`` does; this thread waits for it.
    ///
    /// Commands stay as they are for that: signals come to the thread that is the program's first.
    static func awaiting(_ body: @escaping @Sendable () async throws -> Void) {
        guarding {
            let end = try Pipe()
            let outcome = Lock<(any Error)?>(nil)
            Task {
                do {
                    try await body()
                } catch {
                    outcome.withLock { $0 = error }
                }
                end.wake()
            }
            _ = end.waitForWake()
            if let error = outcome.withLock({ $0 }) { throw error }
        }
    }

    private static func end(_ error: any Error) -> Never {
        let failure = error as? Failure ?? (error as? ReveilleError).map(Failure.init) ?? Failure(.failure, "\(error)")
        Console.error("reveille: \(failure)")
        exit(failure.code.rawValue)
    }
}
