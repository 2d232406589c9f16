// SPDX-License-Identifier: Apache-2.0

package import ReveilleSystem

/// The file of the bus's log: lines of JSON, the oldest first.
///
/// It is written with the state, after a firing, and once the disk has rested. It never waits for the disk: a loss of power
/// takes the lines that the kernel has not written yet. Lines are appended only if the file has the size that the bus left. After a failure, or a
/// change by another program, the file is rewritten.
package final class LogFile {
    /// The bytes a second that are written on average, so that no publisher wears out a disk: 90 MB a day.
    private static let rate = 1_024
    /// The period in microseconds whose bytes can be written at once: all changes of a busy minute.
    private static let burst: UInt64 = 60_000_000
    /// The pause after a failure in microseconds; a disk is full for longer than that.
    private static let pause: UInt64 = 60_000_000

    private let path: String
    private let disk: Disk
    /// The size after the last write; `nil` if the file has to be rewritten.
    private var size: Int?
    /// The time, by the boot clock, at which the written bytes are within the rate.
    private var rested: UInt64 = 0
    private var hasFailed = false
    /// Whether the file could not be read, and is left untouched.
    private var isBlocked = false

    /// Neither the file nor its directory need exist.
    package init(path: String, on disk: Disk = Disk()) { (self.path, self.disk) = (path, disk) }

    /// Adds the lines of the file to a log, and returns a problem to report.
    ///
    /// A file that cannot be read, such as another user's, is left untouched.
    func load(into log: inout BusLog) -> String? {
        do throws(SystemError) {
            let bytes = try PrivateFile.read(path, limit: 2 * BusLog.limit)
            size = bytes?.count
            let wrong = log.load(bytes ?? [])
            guard wrong > 0 else { return nil }
            // A later version, or another program that wrote them, may need them.
            try disk.move(path, to: path + ".old")
            size = nil
            return "\(path): ignored lines that this version cannot read: \(wrong); they are in \(path).old"
        } catch {
            isBlocked = true
            return "the log of changes ends with the bus: \(error)"
        }
    }

    /// The time at which the file will be written; `nil` if it lacks nothing.
    func next(for log: BusLog) -> UInt64? { isBlocked || log.isSaved ? nil : rested - min(rested, Self.burst) }

    /// Writes the lines that the file lacks, unless the disk has to rest, and returns a problem to report.
    ///
    /// A bus that ends does not wait for that.
    func save(_ log: inout BusLog, at now: UInt64, isLast: Bool) -> String? {
        guard let next = next(for: log), isLast || next <= now else { return nil }
        do throws(SystemError) {
            let count = try write(log)
            log.noteSaved()
            (hasFailed, rested) = (false, max(rested, now) + UInt64(count * 1_000_000 / Self.rate))
            return nil
        } catch {
            defer { (hasFailed, rested, size) = (true, now + Self.burst + Self.pause, nil) }
            return hasFailed ? nil : "the log of changes cannot be saved, and ends with the bus: \(error)"
        }
    }

    /// Returns the number of bytes that were written.
    private func write(_ log: BusLog) throws(SystemError) -> Int {
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
