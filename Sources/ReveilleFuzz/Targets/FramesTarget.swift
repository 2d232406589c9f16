// SPDX-License-Identifier: Apache-2.0

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

    static func check(_ bytes: [UInt8]) throws(Falsified) {
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
