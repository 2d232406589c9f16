// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
package import ReveilleSystem

package struct LogOptions: ParsableArguments {
    @Option(help: "The least important messages on stderr. Default: $LOG_LEVEL, else info.")
    private var logLevel: LogLevel?

    package init() {}

    /// Fails if the environment has an invalid level.
    package func log(of program: String) throws(Failure) -> ProgramLog {
        do throws(LogLevel.Invalid) {
            return ProgramLog(of: program, level: try LogLevel.chosen(logLevel))
        } catch {
            throw Failure(.usage, "\(error)")
        }
    }
}

extension LogLevel: ExpressibleByArgument {}
