// SPDX-License-Identifier: Apache-2.0

import Glibc
import Reveille
import ReveilleConsole
import ReveilleCore
import ReveilleSystem
import ReveilleWire

extension CommandSession {
    /// The kernel's limit for one variable of the environment, with its name and a NUL (MAX_ARG_STRLEN).
    private static let longestVariable = 131_072

    /// Runs a command that receives an event on stdin and in its environment.
    ///
    /// `onEnd` receives the exit code, unless the command was killed while the session ends: then it is to run again. The
    /// output is the descriptor of stdout and stderr; `nil` for this process's.
    func run(
        _ command: [String], for event: Event, environment: [String: String] = Environment.all, output: Int32? = nil,
        onEnd: @escaping (Int32) throws -> Void
    ) async throws {
        let text = event.structure.printable
        var environment = environment
        environment["REVEILLE_ASPECT"] = event.aspect.name
        environment["REVEILLE_CHANGES"] = String(event.changeCount)
        let fits = "REVEILLE_EVENT=".utf8.count + text.utf8.count < Self.longestVariable
        environment["REVEILLE_EVENT"] = fits ? text : nil
        let input = try MemoryFile(Array((text + "\n").utf8))
        var descriptors = [STDIN_FILENO: input.number]
        if let output { (descriptors[STDOUT_FILENO], descriptors[STDERR_FILENO]) = (output, output) }
        defer { withExtendedLifetime(input) {} }
        try await run(command, environment: environment, descriptors: descriptors) { [unowned self] code in
            if !(isEnding && code > 128) { try onEnd(code) }
        }
    }
}

extension Device {
    /// Returns the changes for a rule to examine one by one: those that were merged into an event, as far as the bus
    /// keeps them.
    ///
    /// Without a condition, changes that were merged are one run.
    func changes(mergedInto event: Event, for rule: Rule) async -> [Event] {
        guard event.changeCount > 1, rule.condition != nil else { return [event] }
        let history = await onceConnected { try await $0.historyReply(of: event.aspect, limit: nil).events }
        // Without a history, the last change counts for all.
        return event.separated(by: history ?? [])
    }

    /// Returns the result of calls on the bus, which are repeated on the next connection if one is lost; `nil` if the bus
    /// refuses them.
    private func onceConnected<Value: Sendable>(
        _ calls: (Device) async throws -> Value
    ) async -> Value? {
        for await state in await connectionStates where state == .connected {
            do {
                return try await calls(self)
            } catch {
                guard let code = (error as? ReveilleError)?.code, [.noBus, .timeout, .system].contains(code) else {
                    return nil
                }
            }
        }
        return nil
    }
}
