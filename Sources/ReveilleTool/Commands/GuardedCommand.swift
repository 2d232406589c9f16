// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Reveille
import ReveilleConsole

/// A command whose errors are printed to stderr as one line and end the process.
protocol GuardedCommand: ParsableCommand {
    func perform() throws
}

extension GuardedCommand {
    func run() { Failure.guarding(perform) }
}

/// A guarded command for which the main thread waits.
protocol AwaitingCommand: ParsableCommand, Sendable {
    func perform() async throws
}

extension AwaitingCommand {
    func run() {
        Failure.guarding { try AwaitedTask.awaiting(perform) }
    }
}

extension AwaitedTask {
    /// Runs a body, and blocks this thread until it returns.
    static func awaiting(_ body: @escaping @Sendable () async throws -> Void) throws {
        let task = try AwaitedTask()
        task.start(body)
        try task.wait()
    }
}

extension Failure {
    fileprivate static func guarding(_ body: () throws -> Void) {
        do {
            try body()
        } catch {
            let failure = error as? Self ?? (error as? ReveilleError).map(Self.init) ?? Self(.failure, "\(error)")
            failure.end("reveille")
        }
    }
}
