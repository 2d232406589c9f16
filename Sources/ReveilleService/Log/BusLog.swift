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
        /// Counts all lines, also those that were cut.
        let number: Int
    }

    /// The size in bytes at which the log is cut to half: 1,500 changes of a battery.
    package static let limit = 512 << 10
    /// The longest line in bytes, with any value of a name; the state of a longer one is left out.
    package static let lineLimit = 96 << 10
    /// The deepest line: the message, its parameters and a list are around it in a reply.
    private static let depthLimit = Limits.jsonDepth - 3

    package private(set) var lines: [Line] = []
    private var size = 0
    /// The number of the next line.
    private var next = 0
    /// The number of the first line that the file lacks.
    private var nextSaved = 0
    /// Whether the file has other content, and must be rewritten.
    private(set) var isFileOutdated = false

    package init() {}

    /// Adds the lines of a file, and returns the number of those that this version cannot read.
    package mutating func load(_ bytes: [UInt8]) -> Int {
        let texts = bytes.split(separator: UInt8(ascii: "\n"))
        for text in texts where text.count <= Self.lineLimit {
            let json = try? JSON.parse(Array(text), maximumDepth: Self.depthLimit)
            guard let object = json?.objectValue else { continue }
            var fields = Fields(object)
            if let line = try? LogLine(&fields) { append(line) }
        }
        nextSaved = next
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
        if text.count > Self.lineLimit, case .change(var event) = line {
            (event.reading, event.settings) = (.unknown(event.aspect), [])
            text = LogLine.change(event).text
        }
        lines.append(Line(aspect: line.aspect, text: text, isTied: isTied, number: next))
        next += 1
        size += text.count
    }

    /// The numbers of all lines, and of some that were cut.
    var numbers: Range<Int> { (lines.first?.number ?? next)..<next }

    /// Returns the first line from a number on.
    func line(from number: Int) -> Line? {
        let index = index(from: number)
        return index < lines.count ? lines[index] : nil
    }

    private func index(from number: Int) -> Int {
        var range = lines.indices
        while !range.isEmpty {
            let middle = (range.lowerBound + range.upperBound) / 2
            range = lines[middle].number < number ? middle + 1..<range.upperBound : range.lowerBound..<middle
        }
        return range.lowerBound
    }

    /// The text of a whole file, or of the lines that the file lacks.
    func text(isWhole: Bool) -> [UInt8] {
        lines[(isWhole ? 0 : index(from: nextSaved))...].flatMap { $0.isTied ? [] : $0.text + [UInt8(ascii: "\n")] }
    }

    /// Whether the file has all lines.
    var isSaved: Bool { nextSaved == next && !isFileOutdated }

    mutating func noteSaved() { (nextSaved, isFileOutdated) = (next, false) }

    /// Keeps the latest lines; half of the room is for the device, so that no publisher displaces its changes.
    private mutating func cut() {
        let kept = Set(
            [true, false].flatMap { isName in
                latest(of: lines.indices.filter { (lines[$0].aspect?.isPublished == true) == isName })
            })
        lines = lines.indices.filter(kept.contains).map { lines[$0] }
        size = lines.reduce(0) { $0 + $1.text.count }
        isFileOutdated = true
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
