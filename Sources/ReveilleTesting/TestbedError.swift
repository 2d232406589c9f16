// SPDX-License-Identifier: Apache-2.0

import ReveilleSystem

/// An error that occurred while creating or changing synthetic devices, or running programs on a phone.
public struct TestbedError: Error, Hashable, CustomStringConvertible {
    /// The operation, its subject and the reason.
    public let description: String

    package init(_ description: String) {
        self.description = description
    }

    /// Runs calls of the system, whose errors become its own.
    static func requiring<Value>(_ calls: () throws(SystemError) -> Value) throws(TestbedError) -> Value {
        do throws(SystemError) { return try calls() } catch { throw TestbedError("\(error)") }
    }

    /// Creates the error of a system call that has just failed.
    init(_ operation: String, on subject: String) {
        self.init("\(SystemError(operation, on: subject))")
    }
}
