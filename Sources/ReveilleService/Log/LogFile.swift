// SPDX-License-Identifier: Apache-2.0

import Glibc
import Logging
import ReveilleSystem

/// The file of the bus's log: lines of JSON, the oldest first.
///
/// It is written when the state is saved, and never waits for the disk: a loss of power takes the lines that the kernel
/// has not written yet. Lines are appended only if the file has the size that the bus left. After a failure, or a
/// change by another program, the file is rewritten.
struct LogFile {
    /// The bytes a second that are written on average, so that no publisher wears out a disk: 90 MB a day.
    private static let rate = 1_024
    /// The period in microseconds whose bytes can be written at once: all changes of a busy minute.
    private static let burst: UInt64 = 60_000_000
    /// The pause after a failure in microseconds; a disk is full for longer than that.
    private static let pause: UInt64 = 10_000_000

    let path: String
    let disk: Disk
    let logger: Logger
    /// The size after the last write; `nil` if the file has to be rewritten.
    private var size: Int?
    /// The time, by the boot clock, at which the written bytes are within the rate.
    private var rested: UInt64 = 0
    private var hasFailed = false

    /// Opens a file; `nil` if it cannot be read, such as another user's, which is left untouched.
    init?(path: String, on disk: Disk, logger: Logger, into log: inout BusLog) {
        (self.path, self.disk, self.logger) = (path, disk, logger)
        do throws(SystemError) {
            let bytes = try PrivateFile.read(path, limit: 2 * BusLog.limit)
            size = bytes?.count
            let wrong = log.load(bytes ?? [])
            if wrong > 0 {
                // A later version, or another program that wrote them, may need them.
                let isKept = rename(path, path + ".old") == 0
                if isKept { size = nil }
                let place = isKept ? "; they are in \(path).old" : ""
                logger.warning("\(path): ignored lines that this version cannot read: \(wrong)\(place)")
            }
        } catch {
            logger.warning("the log of changes begins anew, and ends with the bus: \(error)")
            return nil
        }
    }

    /// Writes the lines that the file lacks, unless the disk has to rest; a bus that ends does not wait for that.
    mutating func save(_ log: inout BusLog, at now: UInt64, isLast: Bool) {
        guard isLast || rested <= now + Self.burst else { return }
        do throws(SystemError) {
            let count = try write(log)
            log.noteSaved()
            (hasFailed, rested) = (false, max(rested, now) + UInt64(count * 1_000_000 / Self.rate))
        } catch {
            if !hasFailed { logger.warning("the log of changes cannot be saved, and ends with the bus: \(error)") }
            (hasFailed, rested, size) = (true, now + Self.burst + Self.pause, nil)
        }
    }

    /// Returns the number of bytes that were written.
    private mutating func write(_ log: BusLog) throws(SystemError) -> Int {
        if let size, !log.isFileOutdated {
            let bytes = log.text(isWhole: false)
            if bytes.isEmpty { return 0 }
            if try PrivateFile.append(bytes, to: path, ofSize: size, on: disk) {
                self.size = size + bytes.count
                return bytes.count
            }
        }
        let bytes = log.text(isWhole: true)
        try PrivateFile.replace(path, with: bytes, on: disk)
        size = bytes.count
        return bytes.count
    }
}
