// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

/// Says what became of each expectation, by the Test Anything Protocol (testanything.org), version 14.
struct TestReport {
    private let file: String
    private var count = 0
    /// Whether any expectation was not met.
    private(set) var hasFailures = false

    /// Begins a report.
    init(of scenario: Scenario) {
        file = scenario.file
        Console.line("TAP version 14")
        Console.line("1..\(scenario.lines.count { $0.step.isExpectation })")
    }

    /// Reports an expectation that was met.
    mutating func pass(_ line: Scenario.Line) {
        count += 1
        Console.line("ok \(count) - \(Self.escaped(line.text))")
    }

    /// Reports one that was not.
    mutating func fail(_ line: Scenario.Line, _ reason: String) {
        count += 1
        hasFailures = true
        Console.line("not ok \(count) - \(Self.escaped(line.text))")
        Console.line("  ---")
        Console.line("  message: \(Self.quoted(reason))")
        Console.line("  at: \(Self.quoted("\(file):\(line.number)"))")
        Console.line("  ...")
    }

    /// Reports that nothing more can be tried.
    func bailOut(_ reason: String) {
        Console.line("Bail out! \(reason)")
    }

    private static func escaped(_ text: String) -> String {
        text.replacing("\\", with: "\\\\").replacing("#", with: "\\#")
    }

    private static func quoted(_ text: String) -> String {
        "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
    }
}
