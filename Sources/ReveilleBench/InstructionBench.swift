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
    /// The ratio of the posts of two runs, whose difference excludes the start and the end.
    private static let factor = 4
    /// The growth that is a failure.
    private static let tolerance = 1.1
    /// The number of counts of which the smallest is the result.
    ///
    /// The bus saves its state and checks cgroups at intervals, which adds to the count on a slow or busy machine.
    private static let attempts = 3

    /// Compares the counts with recorded ones, or records them.
    ///
    /// - Parameters:
    ///   - path: The file with the recorded counts, one number for each case.
    ///   - isRecording: Whether to replace the recorded counts.
    /// - Throws: `BenchError` if a count has grown by more than 10%.
    func run(record path: String, isRecording: Bool) throws {
        let limits = isRecording ? Self.cases.map { _ in 0 } : try Self.recorded(in: path).map { Self.limit($0) }
        let counts = try zip(Self.cases, limits).map { entry, limit in
            var least = Int.max
            for _ in 0..<Self.attempts where least > limit { least = min(least, try count(entry)) }
            return least
        }
        print("a post with one delivery: \(counts[0]) instructions")
        print("each of 100 deliveries:   \(counts[1]) instructions")
        if isRecording {
            guard let file = fopen(path, "w") else { throw BenchError("cannot write \(path)") }
            for count in counts { fputs("\(count)\n", file) }
            fclose(file)
        }
        for (count, limit) in zip(counts, limits) where !isRecording && count > limit {
            throw BenchError("\(count) instructions are more than 10% above the number in \(path)")
        }
    }

    private static func limit(_ count: Int) -> Int { Int(Double(count) * tolerance) }

    private static func recorded(in path: String) throws -> [Int] {
        guard case .bytes(let bytes) = FileContents.read(path, limit: 4_096) else {
            throw BenchError("\(path) cannot be read")
        }
        let counts = String(decoding: bytes, as: UTF8.self).split(separator: "\n").compactMap { Int($0) }
        guard counts.count == cases.count else { throw BenchError("\(path) must contain \(cases.count) numbers") }
        return counts
    }

    /// Returns the instructions for each delivery.
    private func count(_ entry: (subscribers: Int, posts: Int)) throws -> Int {
        let few = try count(entry.subscribers, posts: entry.posts)
        let many = try count(entry.subscribers, posts: entry.posts * Self.factor)
        return (many - few) / (entry.posts * (Self.factor - 1) * entry.subscribers)
    }

    /// Returns the instructions of a bus from its start to its end.
    private func count(_ subscribers: Int, posts: Int) throws -> Int {
        let output = try Pipe()
        let tool = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"]
        // Debian's valgrind cannot read the compiler's debugging information (DWARF 5).
        let directory = try TemporaryDirectory()
        let program = directory.path + "/reveille"
        guard try ChildProcess(["strip", "--strip-debug", "-o", program, ChildProcess.sibling("reveille")]).wait() == 0
        else { throw BenchError("strip failed") }
        let broker = try PeerBroker(ReveillePeer(program: program), under: tool, output: output.writable)
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
