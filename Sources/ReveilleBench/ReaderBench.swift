// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleCosts

/// Runs each reader on inputs of its maximum length in the most expensive shapes.
struct ReaderBench {
    /// The limit for one pass in milliseconds: a tenth of a second is not noticeable.
    private static let limit = 100

    /// The processor time of this thread in nanoseconds, which excludes other programs.
    static var processorTime: Int64 {
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
            report("\(reader), \(reader.limit) bytes", "\(milliseconds) ms at most, \(slowest.input)\(remark)")
        }
    }
}
