// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Glibc
import Reveille
import ReveilleService
import ReveilleSystem
import ReveilleWire
import Varlink

/// The reason for a command's failure: one line of text and an exit code of sysexits(3).
struct Failure: Error, CustomStringConvertible {
    /// The exit codes, by which scripts distinguish failures.
    enum Code: Int32 {
        case failure = 1
        case usage = 64
        case noBus = 69
        /// Data could not be written to stdout or to a file.
        case output = 74
        case tryAgain = 75
        case `protocol` = 76
        case permission = 77
        case configuration = 78
        /// The code that timeout(1) uses.
        case timeout = 124
        /// The code that shells use.
        case notStarted = 127
    }

    let code: Code
    let description: String

    init(_ code: Code, _ description: String) {
        self.code = code
        self.description = description
    }

    /// Creates the failure of a system call that was made to start the bus.
    init(serving error: SystemError, at address: UnixAddress) {
        var status = stat()
        if error.code == EADDRINUSE, lstat(address.path, &status) == 0, status.st_mode & S_IFMT != S_IFSOCK {
            self.init(.usage, "\(address.path) is not a socket")
            return
        }
        switch error.code {
        case EACCES, EPERM: self.init(.permission, "\(error)")
        case EADDRINUSE: self.init(.tryAgain, "\(error); another bus uses this address")
        default: self.init(.failure, "\(error)")
        }
    }

    init(_ error: CallError) {
        switch error.name {
        case CallError.permissionDenied.name: self.init(.permission, "\(error)")
        case CallError.quotaExceeded("", limit: 0).name: self.init(.tryAgain, "\(error)")
        case CallError.invalidParameter("").name: self.init(.usage, "\(error)")
        default: self.init(.failure, "\(error)")
        }
    }

    init(_ error: ReveilleError) {
        let code: Code =
            switch error.code {
            case .noBus: .noBus
            case .timeout: .timeout
            case .notPermitted: .permission
            case .quotaExceeded, .system: .tryAgain
            case .invalidArgument: .usage
            case .invalidReply, .notSupported: .protocol
            default: .failure
            }
        self.init(code, error.description)
    }

    /// Runs a command's body; an error is printed to stderr as one line and ends the process.
    static func guarding(_ body: () throws -> Void) {
        do {
            try body()
        } catch {
            end(error)
        }
    }

    /// Runs an asynchronous body as ``guarding(_:)`` does, and blocks this thread until it returns.
    static func awaiting(_ body: @escaping @Sendable () async throws -> Void) {
        guarding {
            let task = try AwaitedTask()
            task.start(body)
            _ = task.end.waitForWake()
            try task.check()
        }
    }

    private static func end(_ error: any Error) -> Never {
        let failure = error as? Failure ?? (error as? ReveilleError).map(Failure.init) ?? Failure(.failure, "\(error)")
        // A unit that fails has an error in the journal.
        let prefix = ProgramLog.isStderrJournal ? "<\(LogLevel.error.priority)>" : "reveille: "
        Console.error("\(prefix)\(failure)")
        exit(failure.code.rawValue)
    }
}
