// SPDX-License-Identifier: Apache-2.0

import ReveilleConsole
import ReveilleCore
import ReveilleSystem

/// The steps that change a synthetic phone while a program runs, one on each line.
struct Scenario {
    struct Line {
        /// The line number from 1; 0 for an implicit start.
        let number: Int
        let text: String
        let step: ScenarioStep
        /// The last comment before the line, since the step before; empty if there is none.
        var remark = ""
    }

    let file: String
    /// The steps in order, of which exactly one is `start`.
    let lines: [Line]
    /// The first comment, which describes the scenario; otherwise the file name.
    let title: String

    /// The maximum size in bytes, far above any scenario written by hand.
    private static let limit = 1 << 20

    init(file: String) throws(Failure) {
        guard file != StandardInput.name else {
            try self.init(StandardInput.read(limit: Self.limit, orFailWith: .configuration), file: file)
            return
        }
        switch FileContents.read(file, limit: Self.limit) {
        case .bytes(let bytes):
            try self.init(bytes, file: file)
        case .missing: throw Failure(.configuration, "open \(file): No such file or directory (ENOENT)")
        case .notAFile: throw Failure(.configuration, "\(file) is not a regular file")
        case .tooLarge(let limit, _): throw Failure(.configuration, "\(file): exceeds \(limit) bytes")
        case .unreadable(let error): throw Failure(.configuration, "\(error)")
        }
    }

    /// Returns an error with its line, unless that is an implicit start.
    func failure(_ error: any Error, at line: Line) -> Failure {
        let place = line.number > 0 ? "\(file):\(line.number): \(line.text): " : ""
        return Failure((error as? Failure)?.code ?? .failure, "\(place)\(error)")
    }

    init(_ bytes: [UInt8], file: String) throws(Failure) {
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw Failure(.configuration, "\(file): not valid UTF-8")
        }
        self.file = file
        var lines: [Line] = []
        var title: String?
        var remark = ""
        // By bytes: the line end of Windows is one character.
        let split = text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        for (index, line) in split.enumerated() {
            guard var words = ScenarioWords(Substring(line)) else { continue }
            guard !words.isComment else {
                remark = words.comment ?? ""
                title = title ?? words.comment
                continue
            }
            defer { remark = "" }
            let text = words.text
            do throws(ScenarioError) {
                lines.append(Line(number: index + 1, text: text, step: try words.step(), remark: remark))
            } catch {
                throw Failure(.configuration, "\(file):\(index + 1): \"\(text)\" is invalid; \(error.advice)")
            }
        }
        let starts = lines.indices.filter { if case .start = lines[$0].step { true } else { false } }
        if let second = starts.dropFirst().first {
            throw Failure(.configuration, "\(file):\(lines[second].number): start may occur only once")
        }
        if let start = starts.first, let early = lines[..<start].first(where: \.step.needsProgram) {
            throw Failure(.configuration, "\(file):\(early.number): \"\(early.text)\" must come after start")
        }
        self.title = title ?? file
        self.lines = starts.isEmpty ? [Line(number: 0, text: "start", step: .start)] + lines : lines
    }

    var recordedAspects: [Aspect] { lines.compactMap(\.step.aspect) }
}
