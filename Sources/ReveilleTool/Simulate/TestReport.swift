// SPDX-License-Identifier: Apache-2.0

import ReveilleConsole
import Varlink

/// A report of the expectations in the Test Anything Protocol (testanything.org), version 14.
struct TestReport {
    private let file: String
    private var count = 0
    private(set) var hasFailures = false

    init(of scenario: Scenario) throws(Failure) {
        file = scenario.file
        try Console.line("TAP version 14")
        try Console.line("1..\(scenario.lines.count { $0.step.expectation != nil })")
    }

    mutating func record(_ line: Scenario.Line, _ reason: String?) throws(Failure) {
        count += 1
        try Console.line("\(reason == nil ? "" : "not ")ok \(count) - \(Self.escaped(line.text))")
        guard let reason else { return }
        hasFailures = true
        try Console.line("  ---")
        try Console.line("  message: \(JSON.string(reason))")
        try Console.line("  at: \(JSON.string("\(file):\(line.number)"))")
        try Console.line("  ...")
    }

    private static func escaped(_ text: String) -> String {
        text.replacing("\\", with: "\\\\").replacing("#", with: "\\#")
    }
}
