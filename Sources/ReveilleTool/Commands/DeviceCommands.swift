// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Glibc
import Reveille
import ReveilleConsole
import ReveilleSystem
import ReveilleWire
import Varlink

struct InfoCommand: AwaitingCommand {
    static let configuration = CommandConfiguration(
        commandName: "info",
        abstract: "Describe the device: model, system, processors and memory.",
        discussion: """
            The identifier is a different one for each user, and cannot be traced to the hardware. A dash stands for \
            values that the firmware does not state. 'reveille check' shows what the device can do.

            EXAMPLES
              reveille info
              reveille info --json | jq -r .model
            """)

    @Flag(help: "Print one JSON object, the reply of org.reveille.Device.GetInfo.")
    var json = false

    @OptionGroup var bus: BusOptions

    func perform() async throws {
        let info = try await bus.device().info
        if json { return try Console.json(.object(info.parameters)) }
        for (name, value) in Self.rows(of: info) {
            try Console.line(Style.bold(StyledText(name)).padded(to: 15) + StyledText(value ?? "-"))
        }
    }

    private static func rows(of info: DeviceInfo) -> [(String, String?)] {
        [
            ("name", info.name), ("model", info.model), ("vendor", info.vendor),
            ("chassis", info.chassis?.rawValue),
            ("system", [info.system, info.systemVersion].filter { !$0.isEmpty }.joined(separator: " ")),
            ("kernel", info.kernel), ("identifier", info.identifier),
            ("processors", "\(info.processors)" + (info.frequency.map { ", \(rounded($0, 1e9)) GHz at most" } ?? "")),
            ("memory", info.memory > 0 ? "\(rounded(info.memory, 0x1p30)) GiB" : nil),
        ]
    }

    private static func rounded(_ number: Int, _ unit: Double) -> Double {
        (Double(number) / unit * 10).rounded() / 10
    }
}

struct CheckCommand: AwaitingCommand {
    private static let words = Aspect.device.map(\.name) + Capability.Word.allCases.map(\.rawValue)

    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Check whether the device and the bus have capabilities.",
        discussion: """
            A capability is an aspect (\(Aspect.device.map(\.name).joined(separator: ", "))), a published name, or one \
            of \(Capability.Word.allCases.map(\.rawValue).joined(separator: ", ")). The answer is yes, no with the \
            reason, or unknown. If suspend is named, the answer for this process is followed by an answer for each \
            program that has a subscription.

            EXAMPLES
              reveille check                            check all capabilities
              reveille check proximity publish
              reveille check battery > /dev/null && ./battery-indicator

            EXIT CODES
              0 if all answers are yes, 1 if one is no, 64 if one is unknown because there is no such capability,
              76 if one is unknown because the bus is of an earlier version
            """)

    @Argument(help: "The capabilities to check. Default: all.", completion: .list(words))
    var capabilities: [String] = []

    @Flag(help: "Print each answer as a line of JSON, an Answer of the interface org.reveille.Device.")
    var json = false

    @OptionGroup var bus: BusOptions

    func perform() async throws {
        let names = capabilities.isEmpty ? Self.words : capabilities
        let device = try await bus.device()
        let answers = try await device.checkAll(names.map { Capability($0) })
        let column = max(EventText.narrowestColumn, (names.map(\.columns).max() ?? 0) + 2)
        for (name, answer) in zip(names, answers) {
            if json {
                try Console.json(CapabilityCheck(name, answer).structure)
            } else {
                try Console.line(Style.bold(StyledText(name)).padded(to: column) + Self.text(answer))
            }
        }
        if !json, capabilities.contains(Capability.suspend.description) { try await printPrograms(of: device, column) }
        try Self.checkAreKnown(Array(zip(names, answers)))
        if answers.contains(where: { $0 != .yes }) { Glibc.exit(Failure.Code.failure.rawValue) }
    }

    /// Prints for each program with a subscription whether the bus can suspend it, if both run as this user.
    private func printPrograms(of device: Device, _ column: Int) async throws {
        let subscribers = try await device.shell.subscriptions()
        for (name, reason) in try BlockingClient(bus.resolved()).obstacles(toSuspending: subscribers) ?? [] {
            let text = StyledText("  \(name)").padded(to: column - 1) + " "
            try Console.line(text + Self.text(reason.map { .no($0) } ?? .yes))
        }
    }

    private static func text(_ answer: CapabilityAnswer) -> StyledText {
        switch answer {
        case .yes: Style.green("yes")
        case .no(let reason): Style.yellow("no") + "   \(reason)"
        case .unknown: Style.dim("unknown")
        }
    }

    private static func checkAreKnown(_ answers: [(name: String, answer: CapabilityAnswer)]) throws(Failure) {
        let unknown = answers.filter { $0.answer == .unknown }.map(\.name)
        if let name = unknown.first(where: { !words.contains($0) && Aspect($0)?.isPublished != true }) {
            let hint = Suggestion.phrase(for: name, among: words)
            throw Failure(.usage, "there is no capability \(name.debugDescription)\(hint)")
        }
        if let name = unknown.first {
            throw Failure(.protocol, "the bus does not know the capability \(name); is it an earlier version?")
        }
    }
}
