// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Glibc
import ReveilleSystem
import ReveilleTesting

/// Counts the instructions of `reveille serve` for a post and its deliveries with callgrind.
///
/// Unlike times, the counts hardly depend on the machine and its load. Instructions of the kernel are not counted.
struct InstructionBench {
    /// The numbers of subscribers, and the posts of the shorter of two runs.
    private static let cases = [(subscribers: 1, posts: 300), (subscribers: 100, posts: 20)]
    /// The longer run has this many times the posts. The difference excludes the start and the end.
    private static let factor = 4
    /// The growth that is a failure.
    private static let tolerance = 1.1

    /// - Parameters:
    ///   - record: The file with the recorded counts, one number for each case.
    ///   - isRecording: Whether to replace the recorded counts.
    func run(record: String, isRecording: Bool) throws {
        let counts = try Self.cases.map { entry in
            let few = try count(entry.subscribers, posts: entry.posts)
            let many = try count(entry.subscribers, posts: entry.posts * Self.factor)
            return (many - few) / (entry.posts * (Self.factor - 1) * entry.subscribers)
        }
        print("a post with one delivery: \(counts[0]) instructions")
        print("each of 100 deliveries:   \(counts[1]) instructions")
        if isRecording {
            guard let file = fopen(record, "w") else { throw BenchError("cannot write \(record)") }
            for count in counts { fputs("\(count)\n", file) }
            fclose(file)
            return
        }
        guard case .bytes(let bytes) = FileContents.read(record, limit: 4_096) else {
            throw BenchError("\(record) cannot be read")
        }
        let recorded = String(decoding: bytes, as: UTF8.self).split(separator: "\n").compactMap { Int($0) }
        guard recorded.count == counts.count else { throw BenchError("\(record) must contain \(counts.count) numbers") }
        for (count, old) in zip(counts, recorded) where Double(count) > Double(old) * Self.tolerance {
            throw BenchError("\(count) instructions are more than 10% above the \(old) of \(record)")
        }
    }

    /// Returns the instructions of a bus from its start to its end.
    private func count(_ subscribers: Int, posts: Int) throws -> Int {
        let output = try Pipe()
        let tool = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"]
        let broker = try PeerBroker(ReveillePeer(), under: tool, output: output.writable)
        output.closeWritingEnd()
        let clients = try PeerClients(broker, count: subscribers)
        try clients.publish(posts)
        broker.stop()
        var report: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4_096)
        while case let length = read(output.readingEnd, &buffer, buffer.count), length > 0 {
            report += buffer[..<length]
        }
        // ==PID== Collected : NUMBER
        let text = String(decoding: report, as: UTF8.self)
        guard let line = text.split(separator: "\n").last(where: { $0.contains("Collected :") }),
            let count = line.split(separator: " ").last.flatMap({ Int($0) })
        else { throw BenchError("callgrind reported no count:\n\(text)") }
        return count
    }
}
