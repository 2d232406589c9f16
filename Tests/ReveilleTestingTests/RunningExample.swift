// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleSystem
import ReveilleTesting

final class RunningExample {
    private let process: ChildProcess
    private let output: UnsafeMutablePointer<FILE>

    init(_ name: String, _ arguments: [String] = [], on phone: SyntheticPhone) throws {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw TestbedError("pipe") }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        process = try ChildProcess(
            [ChildProcess.sibling(name)] + arguments, environment: phone.environment, descriptors: [1: ends[1]])
        close(ends[1])
        guard let output = fdopen(ends[0], "r") else { throw TestbedError("fdopen") }
        self.output = output
    }

    deinit {
        process.signal(SIGTERM)
        process.wait()
        fclose(output)
    }

    func stop() {
        process.signal(SIGSTOP)
        while !process.isStopped { poll(nil, 0, 2) }
    }

    func resume() {
        process.signal(SIGCONT)
    }

    /// Waits for the next line, or returns `nil` if the program has ended.
    func nextLine() -> String? {
        var line: UnsafeMutablePointer<CChar>?
        var size = 0
        defer { free(line) }
        guard getline(&line, &size, output) > 0, let line else { return nil }
        return String(cString: line).filter { $0 != "\n" }
    }
}
