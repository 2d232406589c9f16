// SPDX-License-Identifier: Apache-2.0

import Glibc
import Reveille
import ReveilleConsole
import ReveilleSystem
import ReveilleWire

/// The running commands of `reveille on` and `reveille rules`, each of which receives an event.
///
/// Used by one actor, on the thread of its loop.
final class EventCommands {
    /// The kernel's limit for one variable of the environment, with its name and a NUL (MAX_ARG_STRLEN).
    private static let longestVariable = 131_072

    private var running: [(program: Program, answer: CheckedContinuation<Int32, Never>)] = []
    /// The last signal that was passed on.
    private var signal: Int32?
    /// Whether a signal ends the session.
    var isEnding: Bool { signal != nil }

    /// Runs a command that receives an event on stdin and in its environment; returns its exit code, or `nil` if it was
    /// killed while the session ends: it is to run again.
    ///
    /// A signal for both is passed on before the end of the command is noticed: of the pending signals, the kernel reports
    /// SIGCHLD after those that end the session.
    ///
    /// The output is the descriptor of its stdout and stderr; `nil` for this process's.
    func run(
        _ command: [String], for event: Event, environment: [String: String], output: Int32? = nil,
        isolation: isolated (any Actor)? = #isolation
    ) async throws -> Int32? {
        let program = try Self.start(command, for: event, environment, output)
        let code = await withCheckedContinuation { answer in
            running.append((program, answer))
            // It may have come before the command was among the running ones: a call of an async function can let others
            // run first.
            if let signal { program.pass(signal) }
            // The command may have ended before there was anything to answer.
            answerEnded()
        }
        return isEnding && code > 128 ? nil : code
    }

    /// Answers for the commands that have ended; to be called on SIGCHLD.
    func answerEnded() {
        // Asked once: a command can end between two questions.
        running.removeAll { program, answer in
            guard program.hasEnded else { return false }
            answer.resume(returning: program.exitCode ?? 0)
            return true
        }
    }

    /// Passes a signal on to the running commands, and to those that are started later.
    func pass(_ number: Int32) {
        signal = number
        for (program, _) in running { program.pass(number) }
    }

    private static func start(
        _ command: [String], for event: Event, _ environment: [String: String], _ output: Int32?
    ) throws -> Program {
        let text = event.structure.printable
        var environment = environment
        environment["REVEILLE_ASPECT"] = event.aspect.name
        environment["REVEILLE_CHANGES"] = String(event.changeCount)
        let fits = "REVEILLE_EVENT=".utf8.count + text.utf8.count < longestVariable
        environment["REVEILLE_EVENT"] = fits ? text : nil
        let input = try MemoryFile(Array((text + "\n").utf8))
        var descriptors = [STDIN_FILENO: input.number]
        if let output { (descriptors[STDOUT_FILENO], descriptors[STDERR_FILENO]) = (output, output) }
        return try Program(command, environment: environment, descriptors: descriptors)
    }
}

extension Device {
    /// Returns the changes that were merged into an event, as far as the bus keeps them.
    func changes(mergedInto event: Event) async -> [Event] {
        guard event.changeCount > 1 else { return [event] }
        let history = await onceConnected { device throws(ReveilleError) in try await device.history(of: event.aspect) }
        // Without a history, the last change counts for all.
        return Trigger.changes(mergedInto: event, from: history ?? [])
    }

    /// Returns the result of calls on the bus, which are repeated on the next connection if one is lost; `nil` if the bus
    /// refuses them.
    private func onceConnected<Value: Sendable>(
        _ calls: (Device) async throws(ReveilleError) -> Value
    ) async -> Value? {
        for await state in await connectionStates where state == .connected {
            do throws(ReveilleError) {
                return try await calls(self)
            } catch {
                guard [.noBus, .timeout, .system].contains(error.code) else { return nil }
            }
        }
        return nil
    }
}
