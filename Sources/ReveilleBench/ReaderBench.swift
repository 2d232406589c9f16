// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Glibc
import ReveilleCosts

/// Gives each reader the longest input that it takes, in the shapes that cost most.
struct ReaderBench {
    /// What one pass may take: nobody notices a tenth of a second.
    private static let limit = 100

    /// What this thread has used, in nanoseconds: what others do at the same time does not count.
    private static var processorTime: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }

    func run() {
        for reader in CostlyReader.all {
            var slowest = (time: Int64(0), input: "")
            for input in CostlyInput.all {
                let bytes = input.bytes(upTo: reader.limit)
                let start = Self.processorTime
                reader.read(bytes)
                let time = Self.processorTime - start
                if time > slowest.time { slowest = (time, "\(input)") }
            }
            let milliseconds = slowest.time / 1_000_000
            let remark = milliseconds < Self.limit ? "" : ", more than \(Self.limit)"
            print("\(reader), \(reader.limit) bytes: \(milliseconds) ms at most, \(slowest.input)\(remark)")
        }
    }
}
