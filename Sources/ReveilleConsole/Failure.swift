// SPDX-License-Identifier: Apache-2.0

import Glibc
package import ReveilleSystem

/// The reason for a command's failure: one line of text and an exit code of sysexits(3).
package struct Failure: Error, CustomStringConvertible {
    package enum Code: Int32 {
        case failure = 1
        case usage = 64
        /// The bus, or the broker, cannot be reached.
        case noBus = 69
        /// Data could not be written to stdout or to a file, or a file of stored state cannot be used.
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

    package let code: Code
    package let description: String

    package init(_ code: Code, _ description: String) {
        self.code = code
        self.description = description
    }

    /// Creates the failure of a system call on a file that stores a program's state.
    package init(storing error: SystemError) {
        self.init([EACCES, EPERM].contains(error.code) ? .permission : .output, "\(error)")
    }

    /// Runs a body, and turns its errors into failures with an exit code, unless they are.
    package static func coded<Value>(_ code: Code, _ body: () throws -> Value) throws(Failure) -> Value {
        do { return try body() } catch { throw error as? Failure ?? Failure(code, "\(error)") }
    }

    /// Prints the failure to stderr as one line, and ends the process.
    ///
    /// - Parameter program: The name that begins the line, unless stderr is a journal, which records the name itself.
    package func end(_ program: String) -> Never {
        // The journal marks the failure of a unit as an error.
        let prefix = ProgramLog.isStderrJournal ? "<\(LogLevel.error.priority)>" : "\(program): "
        Console.error("\(prefix)\(self)")
        exit(code.rawValue)
    }
}
