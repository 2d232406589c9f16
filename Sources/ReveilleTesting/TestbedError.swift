// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Glibc

/// Why a synthetic device cannot be made or changed.
public struct TestbedError: Error, Hashable, CustomStringConvertible {
    /// What was tried, on what, and why it failed.
    public let description: String

    /// Makes an error of its one line.
    package init(_ description: String) {
        self.description = description
    }

    /// Ends the process with the error on stderr: for what the test kit is asked to do and cannot throw from.
    func abort() -> Never {
        let line = Array("ReveilleTesting: \(description)\n".utf8)
        _ = write(STDERR_FILENO, line, line.count)
        Glibc.abort()
    }
}
