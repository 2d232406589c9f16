// SPDX-License-Identifier: Apache-2.0

import ReveilleSimulation
import Varlink

/// Checks that messages do not depend on how a stream is split into reads or when messages are taken.
///
/// The input is the maximum length, the number of splits and their distances, one byte each, followed by the stream.
enum FramesTarget {
    private static let mostCuts = 16

    private struct Outcome: Equatable {
        var messages: [[UInt8]] = []
        var isTooLong = false
        var left = 0
    }

    static func check(_ bytes: [UInt8]) throws(Broken) {
        var input = FuzzInput(bytes)
        let maximum = input.byte()
        let distances = (0..<input.byte() % mostCuts).map { _ in input.byte() }
        var stream = input.rest
        let expected = plain(stream, maximum)
        try requireEqual(taken(from: [stream], maximum, eagerly: true), expected, "one read and plain splitting")
        var parts: [ArraySlice<UInt8>] = []
        for distance in distances {
            parts.append(stream.prefix(distance))
            stream = stream.dropFirst(distance)
        }
        parts.append(stream)
        try requireEqual(taken(from: parts, maximum, eagerly: true), expected, "many reads and plain splitting")
        try requireEqual(taken(from: parts, maximum, eagerly: false), expected, "late reads and plain splitting")
    }

    private static func plain(_ stream: ArraySlice<UInt8>, _ maximum: Int) -> Outcome {
        var outcome = Outcome()
        var pieces = stream.split(separator: 0, omittingEmptySubsequences: false)
        if let long = pieces.firstIndex(where: { $0.count > maximum }) {
            outcome.messages = pieces[..<long].map(Array.init)
            outcome.isTooLong = true
            return outcome
        }
        outcome.left = pieces.popLast()?.count ?? 0
        outcome.messages = pieces.map(Array.init)
        return outcome
    }

    private static func taken(from parts: [ArraySlice<UInt8>], _ maximum: Int, eagerly: Bool) -> Outcome {
        var decoder = FrameDecoder(maximumLength: maximum)
        var outcome = Outcome()
        for (index, part) in parts.enumerated() {
            decoder.feed(part.span)
            guard eagerly || index == parts.count - 1 else { continue }
            do {
                while let message = try decoder.nextFrame() { outcome.messages.append(message) }
            } catch {
                outcome.isTooLong = true
            }
        }
        outcome.left = decoder.bufferedCount
        return outcome
    }
}

/// Checks that values survive being written, parsed and encoded, that deep nesting is rejected at the right position, and
/// that white space around a text makes no difference.
enum JSONTarget {
    private static let space = [UInt8](repeating: UInt8(ascii: " "), count: 16)

    static func check(_ bytes: [UInt8]) throws(Broken) {
        let value: JSON
        do {
            value = try JSON.parse(bytes)
        } catch {
            try require((0...bytes.count).contains(error.offset), "an error has an offset in the text: \(error)")
            try requireEqual(try? JSON.parse(bytes + space), nil, "an invalid text with white space behind it")
            guard case .tooDeep(let maximum) = error.reason else { return }
            try requireEqual(depth(of: bytes[...error.offset]), maximum + 1, "the depth at the error")
            return
        }
        let text = value.bytes
        // The parser reads whole words, and the last bytes of a text one by one.
        try requireEqual((try? JSON.parse(space.dropLast(5) + bytes + space))?.bytes, text, "a value in white space")
        try require(!text.contains(0), "written text has no NUL")
        let depth = depth(of: text[...])
        try require(depth <= Limits.jsonDepth, "the depth \(depth) is within the limit")
        try requireEqual(parsed(text, depth), value, "a value parsed again at its exact depth")
        try requireEqual(parsed(text, depth)?.bytes, text, "text written again")
        if depth > 0 { try requireEqual(parsed(text, depth - 1), nil, "a value deeper than the limit") }
        let form = value.canonical.bytes
        try requireEqual(parsed(form, depth)?.canonical.bytes, form, "the canonical form of a canonical form")
        try requireEqual(try? JSON(encoding: value).canonical.bytes, form, "the canonical form of an encoded value")
        _ = try? value.decode([String: [Double?]].self)
    }

    private static func parsed(_ text: [UInt8], _ depth: Int) -> JSON? {
        try? JSON.parse(text, maximumDepth: depth)
    }

    /// Returns the nesting depth of brackets outside strings.
    private static func depth(of text: ArraySlice<UInt8>) -> Int {
        var depth = 0
        var deepest = 0
        var isInString = false
        var isEscaped = false
        for byte in text {
            if isInString {
                isInString = isEscaped || byte != UInt8(ascii: "\"")
                isEscaped = !isEscaped && byte == UInt8(ascii: "\\")
                continue
            }
            switch byte {
            case UInt8(ascii: "\""): isInString = true
            case UInt8(ascii: "["), UInt8(ascii: "{"): depth += 1
            case UInt8(ascii: "]"), UInt8(ascii: "}"): depth -= 1
            default: break
            }
            deepest = max(deepest, depth)
        }
        return deepest
    }
}
