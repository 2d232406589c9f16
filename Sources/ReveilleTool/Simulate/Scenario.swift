// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleSystem

/// What happens to a synthetic phone while a program runs: a step a line.
struct Scenario {
    /// A step and where it stands.
    struct Line: Equatable {
        /// Counted from 1; 0 for the start that nobody wrote.
        let number: Int
        let text: String
        let step: ScenarioStep
    }

    /// The file, as messages name it.
    let file: String
    /// In their order; exactly one is the start.
    let lines: [Line]

    /// Far more than anybody writes by hand.
    private static let limit = 1 << 20

    /// Reads a scenario.
    ///
    /// - Throws: `Failure` naming the file, and the line that is wrong with what was expected there.
    init(file: String) throws(Failure) {
        switch FileContents.read(file, limit: Self.limit) {
        case .bytes(let bytes):
            guard let text = String(validating: bytes, as: UTF8.self) else {
                throw Failure(.configuration, "\(file): not UTF-8")
            }
            try self.init(text, file: file)
        case .missing: throw Failure(.configuration, "open \(file): No such file or directory (ENOENT)")
        case .notAFile: throw Failure(.configuration, "\(file): not a file")
        case .tooLarge(let limit): throw Failure(.configuration, "\(file): longer than \(limit) bytes")
        case .unreadable(let error): throw Failure(.configuration, "\(error)")
        }
    }

    /// Reads a scenario's text.
    init(_ text: String, file: String) throws(Failure) {
        self.file = file
        var lines: [Line] = []
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            guard var words = ScenarioWords(line), !words.isComment else { continue }
            let text = words.text
            do throws(ScenarioError) {
                lines.append(Line(number: index + 1, text: text, step: try words.step()))
            } catch {
                throw Failure(.configuration, "\(file):\(index + 1): expected \(error.expected), not \"\(text)\"")
            }
        }
        let starts = lines.indices.filter { lines[$0].step == .start }
        if let second = starts.dropFirst().first {
            throw Failure(.configuration, "\(file):\(lines[second].number): expected one start only, this is a second")
        }
        if let start = starts.first, let early = lines[..<start].first(where: \.step.needsProgram) {
            throw Failure(.configuration, "\(file):\(early.number): expected start before \"\(early.text)\"")
        }
        self.lines = starts.isEmpty ? [Line(number: 0, text: "start", step: .start)] + lines : lines
    }
}
