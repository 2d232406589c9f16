// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Glibc
import ReveilleSystem

/// Runs a loop that answers each line on stdin with a line on stdout, and ends with stdin.
final class CommandLoop {
    let loop: EventLoop
    private var source: EventSource?
    private var buffer: [UInt8] = []

    init() throws(SystemError) { loop = try EventLoop() }

    /// Runs until stdin ends.
    ///
    /// - Parameter handler: Returns the answer to the words of a line.
    /// - Throws: `SystemError` if the loop fails.
    func run(_ handler: @escaping ([String]) -> String) throws(SystemError) {
        source = try loop.watch(STDIN_FILENO, for: .readable, priority: .normal) { [unowned self] _ in
            var bytes = [UInt8](repeating: 0, count: 4_096)
            let count = read(STDIN_FILENO, &bytes, bytes.count)
            guard count > 0 else { return loop.exit() }
            buffer += bytes.prefix(count)
            while let end = buffer.firstIndex(of: UInt8(ascii: "\n")) {
                let words = String(decoding: buffer[..<end], as: UTF8.self).split(separator: " ").map { String($0) }
                buffer.removeSubrange(...end)
                let answer = Array((handler(words) + "\n").utf8)
                _ = write(STDOUT_FILENO, answer, answer.count)
            }
        }
        try loop.run()
    }
}
