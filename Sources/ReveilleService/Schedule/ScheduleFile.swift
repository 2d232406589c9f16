// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleCore
package import ReveilleSystem
import Varlink

/// The file that keeps the schedule over restarts and reboots.
///
/// The file is a list of records. Each change appends to the list. When the list has grown to several times the
/// schedule, the file is rewritten. Only an append changes the schedule: a rewrite keeps the meaning, so a failed
/// rewrite does no harm. There is no file while there are no entries.
package final class ScheduleFile {
    /// Incremented when the format changes; other versions are not read.
    static let version = 1
    /// The maximum size of the file: thousands of entries with the longest values.
    static let limit = 96 << 20
    /// The number of bytes, beyond the size of the schedule, that may be appended before the file is rewritten.
    static let slack = 64 << 10
    /// The number of bytes that only firings may use: twice as many as the firings of one turn with the longest values.
    static let reserve = 34 << 20
    /// The largest number of unusable files that are kept for inspection.
    private static let keptLimit = 16

    private static let header = Array("reveille schedule \(version)\n".utf8)

    private let path: String
    private let disk: Disk
    private var file: AppendedFile?
    /// The size of the file when it was last written anew.
    private var baseSize = 0
    /// Whether the file on the disk is unusable and could not be moved aside.
    private var isBlocked = false

    /// Neither the file nor its directory need exist.
    package init(path: String, on disk: Disk = Disk()) {
        self.path = path
        self.disk = disk
    }

    /// Whether records can be appended: the file exists and is intact.
    package var isOpen: Bool { file != nil }

    /// Whether firings can be appended: the file is open and has room for them.
    package var takesFirings: Bool { file.map { $0.size <= Self.limit - Self.reserve } ?? false }

    /// Whether the file is much longer than necessary.
    package var isLong: Bool { (file?.size ?? 0) > 2 * baseSize + Self.slack }

    /// Reads the file; `nil` if there is none.
    ///
    /// An incomplete last record is left by a loss of power. Nobody was promised this record, so it is left out.
    ///
    /// - Throws: `StateError` if the file is unusable. It is then moved aside, and the schedule begins without entries.
    package func load() throws(StateError) -> SavedSchedule? {
        let reason: String
        do throws(SystemError) {
            guard let bytes = try PrivateFile.read(path, limit: Self.limit) else { return nil }
            do throws(StateError) {
                return try Self.decode(bytes)
            } catch {
                reason = error.reason
            }
        } catch {
            isBlocked = true
            throw StateError(reason: "\(error)")
        }
        throw StateError(reason: "\(path): \(reason); \(moveAside())")
    }

    /// Appends records; a durable append waits until a loss of power could not undo it.
    ///
    /// - Throws: `SystemError`; the file is then as before, or not open any more if the records could not be removed.
    package func append(_ records: [ScheduleRecord], isDurable: Bool) throws(SystemError) {
        guard let file else { throw SystemError("write", on: path, code: EBADF) }
        let size = file.size
        let bytes = records.flatMap(\.line)
        let limit = isDurable ? Self.limit - Self.reserve : Self.limit
        guard size + bytes.count <= limit else { throw SystemError("write", on: path, code: EFBIG) }
        do throws(SystemError) {
            try file.append(bytes)
            if isDurable { try file.sync() }
        } catch {
            // A record that counts as unsaved must not come back at the next start, or precede the next record.
            do throws(SystemError) { try file.truncate(to: size) } catch { self.file = nil }
            throw error
        }
    }

    /// Waits until a loss of power could not undo the appended records.
    package func sync() throws(SystemError) {
        try file?.sync()
    }

    /// Writes the file anew.
    ///
    /// - Throws: `SystemError`; the file is then as before or new, and not open.
    package func replace(with records: [ScheduleRecord]) throws(SystemError) {
        guard !isBlocked else { throw SystemError("open", on: path, code: EEXIST) }
        try makeDirectory()
        let bytes = Self.header + records.flatMap(\.line)
        file = nil
        try PrivateFile.replace(path, with: bytes, limit: Self.limit, isDurable: true, on: disk)
        file = try AppendedFile(path: path, on: disk)
        baseSize = bytes.count
    }

    package func remove() throws(SystemError) {
        file = nil
        guard !isBlocked else { return }
        guard access(path, F_OK) == 0 else { return }
        try disk.remove(path)
        try disk.syncDirectory(of: path)
    }

    private static func decode(_ bytes: [UInt8]) throws(StateError) -> SavedSchedule {
        guard bytes.starts(with: header) else {
            throw StateError(reason: "not a schedule of version \(version)")
        }
        var schedule = SavedSchedule()
        var isTorn = false
        // Text after the last line end is an incomplete record.
        let end = bytes.lastIndex(of: UInt8(ascii: "\n")) ?? bytes.endIndex
        for line in bytes[..<end].dropFirst(header.count).split(separator: UInt8(ascii: "\n")) {
            guard !isTorn else { throw StateError(reason: "a record before the last one is damaged") }
            guard let record = try ScheduleRecord(line: line, values: schedule.value) else {
                isTorn = true
                continue
            }
            schedule.apply(record)
        }
        return schedule
    }

    /// Keeps an unusable file under another name, and returns a description of the outcome.
    private func moveAside() -> String {
        for number in 1...Self.keptLimit {
            let other = path + ".unusable" + (number == 1 ? "" : ".\(number)")
            if access(other, F_OK) != 0, rename(path, other) == 0 { return "it was moved to \(other)" }
        }
        isBlocked = true
        return "it could not be moved aside, so entries are refused"
    }

    private func makeDirectory() throws(SystemError) {
        guard let end = path.utf8.lastIndex(of: UInt8(ascii: "/")), end != path.startIndex else { return }
        var missing: [String] = []
        var directory = String(path[..<end])
        while !directory.isEmpty, access(directory, F_OK) != 0 {
            missing.append(directory)
            guard let end = directory.utf8.lastIndex(of: UInt8(ascii: "/")) else { break }
            directory = String(directory[..<end])
        }
        for directory in missing.reversed() {
            guard mkdir(directory, 0o700) == 0 || errno == EEXIST else { throw SystemError("mkdir", on: directory) }
        }
    }
}
