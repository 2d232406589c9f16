// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Glibc
import ReveilleSystem
import ReveilleTesting

/// A process of this program that answers commands.
final class CommandedProcess {
    /// The time in milliseconds in which a command is answered, also by a process that is busy with a storm.
    private static let patience: Int32 = 120_000

    let process: ChildProcess
    private let answers: Pipe
    private let commands: Pipe
    private var buffer: [UInt8] = []

    init(_ arguments: [String]) throws {
        answers = try Pipe()
        commands = try Pipe()
        process = try ChildProcess(
            ["/proc/self/exe"] + arguments, descriptors: [0: commands.readingEnd, 1: answers.writable])
        answers.closeWritingEnd()
    }

    /// Sends a command, and returns the numbers of the answer.
    func ask(_ command: String) throws(Broken) -> [Int] {
        let line = Array((command + "\n").utf8)
        guard write(commands.writable, line, line.count) == line.count else {
            throw Broken("'\(command)' was not sent")
        }
        while true {
            if let end = buffer.firstIndex(of: UInt8(ascii: "\n")) {
                let words = String(decoding: buffer[..<end], as: UTF8.self).split(separator: " ")
                buffer.removeSubrange(...end)
                return words.compactMap { Int($0) }
            }
            var ready = pollfd(fd: answers.readingEnd, events: Int16(POLLIN), revents: 0)
            guard poll(&ready, 1, Self.patience) > 0 else { throw Broken("'\(command)' was not answered in time") }
            var bytes = [UInt8](repeating: 0, count: 65_536)
            let count = read(answers.readingEnd, &bytes, bytes.count)
            guard count > 0 else { throw Broken("the process ended during '\(command)'") }
            buffer += bytes.prefix(count)
        }
    }

    /// Kills the process with SIGKILL.
    func kill() {
        process.signal(SIGKILL)
        process.wait()
    }
}
