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

    /// The errors of a scenario.
    struct Invalid: Error, CustomStringConvertible {
        let errors: [String]

        var description: String { errors.joined(separator: "; ") }
    }

    let file: String
    /// The steps in order, of which exactly one is `start`.
    let lines: [Line]
    /// The first comment, which describes the scenario; otherwise the file name.
    let title: String

    /// The maximum size in bytes, far above any scenario written by hand.
    private static let limit = 1 << 20
    /// The most errors that are named, as many as a terminal shows; the others are counted.
    private static let mostErrors = 20

    /// Reads a file; prints its errors to stderr, except the last one, which it throws.
    init(file: String) throws(Failure) {
        let bytes = try Self.read(file)
        do throws(Invalid) {
            try self.init(bytes, file: file)
        } catch {
            for line in error.errors.dropLast() { Console.error("reveille: \(line)") }
            throw Failure(.configuration, error.errors.last ?? "")
        }
    }

    private static func read(_ file: String) throws(Failure) -> [UInt8] {
        guard file != StandardInput.name else {
            return try StandardInput.read(limit: limit, orFailWith: .configuration)
        }
        // The usual name of an empty file: a phone on which nothing happens.
        if file == "/dev/null" { return [] }
        switch FileContents.read(file, limit: limit) {
        case .bytes(let bytes): return bytes
        case .missing: throw Failure(.configuration, "open \(file): No such file or directory (ENOENT)")
        case .notAFile: throw Failure(.configuration, "\(file) is not a regular file; - reads the scenario from stdin")
        case .tooLarge(let limit, _): throw Failure(.configuration, "\(file): exceeds \(limit) bytes")
        case .unreadable(let error): throw Failure(.configuration, "\(error)")
        }
    }

    /// Returns an error with its line, unless that is an implicit start.
    func failure(_ error: any Error, at line: Line) -> Failure {
        let place = line.number > 0 ? "\(file):\(line.number): \(line.text): " : ""
        return Failure((error as? Failure)?.code ?? .failure, "\(place)\(error)")
    }

    init(_ bytes: [UInt8], file: String) throws(Invalid) {
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw Invalid(errors: ["\(file): not valid UTF-8"])
        }
        self.file = file
        var lines: [Line] = []
        var title: String?
        var remark = ""
        var errors: [String] = []
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
                errors.append("\(file):\(index + 1): \"\(text)\" is invalid; \(error.advice)")
            }
        }
        let starts = lines.indices.filter { if case .start = lines[$0].step { true } else { false } }
        for second in starts.dropFirst() { errors.append("\(file):\(lines[second].number): start may occur only once") }
        if let start = starts.first, let early = lines[..<start].first(where: \.step.needsProgram) {
            errors.append("\(file):\(early.number): \"\(early.text)\" must come after start")
        }
        guard errors.isEmpty else {
            let more = errors.count - Self.mostErrors
            throw Invalid(
                errors: errors.prefix(Self.mostErrors)
                    + (more > 0 ? ["\(file): and \(Count.text(more, "other error"))"] : []))
        }
        self.title = title ?? file
        self.lines = starts.isEmpty ? [Line(number: 0, text: "start", step: .start)] + lines : lines
    }

    var recordedAspects: [Aspect] { lines.compactMap(\.step.aspect) }
}
