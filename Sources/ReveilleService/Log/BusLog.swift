// SPDX-License-Identifier: Apache-2.0

package import ReveilleCore
package import ReveilleWire
import Varlink

/// The log of the bus: its changes, and the times when aspects were watched, with the lines of earlier buses.
///
/// It is history only: no position, count or generation depends on it.
package struct BusLog {
    package struct Line: Sendable {
        let aspect: Aspect?
        package let text: [UInt8]
        /// Whether the line ends with the bus.
        let isTied: Bool
    }

    /// The size in bytes at which the log is cut to half: 1,500 changes of a battery.
    package static let limit = 512 << 10
    /// The longest line in bytes, with any value of a name; the state of a longer one is left out.
    package static let lineLimit = 96 << 10
    /// The deepest line, since message, parameters and list are around it in a reply; a deeper state is left out.
    package static let depthLimit = Limits.jsonDepth - 3

    package private(set) var lines: [Line] = []
    private var size = 0
    /// The number of the first lines that the file has.
    private var savedCount = 0
    /// Whether the file has other content, and must be rewritten.
    private(set) var isFileOutdated = false

    package init() {}

    /// Adds the lines of a file, and returns the number of those that this version cannot read.
    package mutating func load(_ bytes: [UInt8]) -> Int {
        let texts = bytes.split(separator: UInt8(ascii: "\n"))
        for text in texts where text.count <= Self.lineLimit {
            guard let object = try? JSON.parse(Array(text)).objectValue else { continue }
            var fields = Fields(object)
            if let line = try? LogLine(&fields) { append(line) }
        }
        savedCount = lines.count
        // Without a line end, the next line would continue the last one.
        isFileOutdated = lines.count < texts.count || bytes.last.map { $0 != UInt8(ascii: "\n") } == true
        return texts.count - lines.count
    }

    /// Adds changes in their order, and among them the starts and ends of watching.
    package mutating func add(_ changes: some Sequence<UnloggedChange>, _ watching: [LogLine]) {
        var watching = watching[...]
        for change in changes {
            while let next = watching.first, next.time <= change.event.changedAt { append(watching.removeFirst()) }
            append(.change(change.event), isTied: change.isTied)
        }
        for line in watching { append(line) }
        if size > Self.limit { cut() }
    }

    private mutating func append(_ line: LogLine, isTied: Bool = false) {
        var text = line.text
        if text.count > Self.lineLimit || Self.depth(of: text) > Self.depthLimit, case .change(var event) = line {
            (event.reading, event.settings) = (.unknown(event.aspect), [])
            text = LogLine.change(event).text
        }
        lines.append(Line(aspect: line.aspect, text: text, isTied: isTied))
        size += text.count
    }

    private static func depth(of text: [UInt8]) -> Int {
        var (depth, deepest, isInString, isEscaped) = (0, 0, false, false)
        for byte in text {
            switch byte {
            case _ where isEscaped: isEscaped = false
            case UInt8(ascii: #"\"#): isEscaped = isInString
            case UInt8(ascii: "\""): isInString.toggle()
            case UInt8(ascii: "{") where !isInString, UInt8(ascii: "[") where !isInString:
                depth += 1
                deepest = max(deepest, depth)
            case UInt8(ascii: "}") where !isInString, UInt8(ascii: "]") where !isInString: depth -= 1
            default: break
            }
        }
        return deepest
    }

    /// The text of a whole file, or of the lines that the file lacks.
    func text(isWhole: Bool) -> [UInt8] {
        lines[(isWhole ? 0 : savedCount)...].flatMap { $0.isTied ? [] : $0.text + [UInt8(ascii: "\n")] }
    }

    mutating func noteSaved() { (savedCount, isFileOutdated) = (lines.count, false) }

    /// Keeps the latest lines; half of the room is for the device, so that no publisher displaces its changes.
    private mutating func cut() {
        let kept = Set(
            [true, false].flatMap { isName in
                latest(of: lines.indices.filter { (lines[$0].aspect?.isPublished == true) == isName })
            })
        lines = lines.indices.filter(kept.contains).map { lines[$0] }
        size = lines.reduce(0) { $0 + $1.text.count }
        (savedCount, isFileOutdated) = (0, true)
    }

    /// Returns the latest lines that fit; all aspects have the same maximum, so the longest histories lose most.
    private func latest(of indices: [Int]) -> some Sequence<Int> {
        var (kept, most) = (indices, indices.count)
        while most > 1, kept.reduce(0, { $0 + lines[$1].text.count }) > Self.limit / 4 {
            most /= 2
            var counts: [Aspect?: Int] = [:]
            kept = kept.reversed().filter { index in
                counts[lines[index].aspect, default: 0] += 1
                return counts[lines[index].aspect, default: 0] <= most
            }.reversed()
        }
        var room = Self.limit / 4
        return kept.reversed().prefix { index in
            room -= lines[index].text.count
            return room >= 0
        }
    }
}
