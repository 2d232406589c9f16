// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
package import ReveilleSystem

/// The option that chooses the messages of a program's log.
package struct LogOptions: ParsableArguments {
    @Option(help: "The least important messages on stderr. Default: $LOG_LEVEL, else info.")
    private var logLevel: LogLevel?

    /// Creates the option without a value.
    package init() {}

    /// Returns the log of a program.
    ///
    /// - Throws: `Failure` if the environment has an invalid level.
    package func log(of program: String) throws(Failure) -> ProgramLog {
        do throws(LogLevel.Invalid) {
            return ProgramLog(of: program, level: try LogLevel.chosen(logLevel))
        } catch {
            throw Failure(.usage, "\(error)")
        }
    }
}

extension LogLevel: ExpressibleByArgument {}
