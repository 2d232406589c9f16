// SPDX-License-Identifier: Apache-2.0

package import Logging

extension Logger {
    /// The log of a program that itself reports the loss of the bus and its return.
    package static var warnings: Logger {
        var logger = Logger(label: "reveille")
        logger.logLevel = .warning
        return logger
    }
}
