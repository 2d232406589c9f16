// SPDX-License-Identifier: Apache-2.0

import Glibc
package import ReveilleSystem

/// The file that keeps the schedule over restarts and reboots.
///
/// The file is a list of records. Each change appends to the list. When the list has grown to several times the
/// schedule, the file is rewritten. Only an append changes the schedule: a rewrite keeps the meaning, so a failed
/// rewrite does no harm. There is no file while there are no entries.
///
/// The loop writes, and another thread waits for the disk, for one step at a time. Loop thread only.
package final class ScheduleFile {
    /// The work that waits for the disk.
    private enum Step {
        case commit(size: Int, needed: Int)
        case create(Lock<AppendedFile?>, size: Int)
        case settle
        case sync
    }

    /// Incremented when the format changes; other versions are not read.
    static let version = 1
    /// The maximum size of the file: thousands of entries with the longest values.
    static let limit = 96 << 20
    /// The number of bytes, beyond the size of the schedule, that may be appended before the file is rewritten.
    static let slack = 64 << 10
    /// The number of bytes that only firings may use: twice as many as the firings of one turn with the longest values.
    static let reserve = 34 << 20
    /// The room that entries leave on the disk for firings: those of some turns, until the next rewrite.
    private static let firingRoom = 8 << 10
    /// The largest block of usual file systems, of which a new file takes whole ones.
    private static let blockSize = 4 << 10
    /// The largest number of unusable files that are kept for inspection.
    private static let keptLimit = 16

    static let header = Array("reveille schedule \(version)\n".utf8)

    private let path: String
    private let disk: Disk
    private var loop: (any Loop)?
    private var answered: (SystemError?) -> Void = { _ in }
    private var file: AppendedFile?
    /// The size of the file when it was last written anew.
    private var baseSize = 0
    /// The number of bytes of a file without firings, at most.
    private var neededSize = 0
    /// The step that waits for the disk.
    private var work: (any DetachedWork)?
    /// The records that were appended during a change, which does not contain them.
    private var later: [UInt8]?
    /// Whether the file on the disk is unusable and could not be moved aside.
    private var isBlocked = false

    /// Neither the file nor its directory need exist.
    package init(path: String, on disk: Disk = Disk()) {
        self.path = path
        self.disk = disk
    }

    /// Calls back on a loop each time that a step has ended, with the reason if it has failed.
    func attach(to loop: any Loop, answered: @escaping (SystemError?) -> Void) {
        self.loop = loop
        self.answered = answered
    }

    var facts: Scheduler.File {
        let size = file?.size ?? 0
        return Scheduler.File(
            isOpen: file != nil, takesFirings: file != nil && size <= Self.limit - Self.reserve,
            isLong: size > 2 * baseSize + Self.slack, canShrink: size > baseSize)
    }

    /// Reads the file; `nil` if there is none.
    ///
    /// A loss of power can leave an incomplete last record. No caller was promised this record, so it is left out.
    ///
    /// - Throws: `StateError` if the file is unusable. It is then moved aside, and the schedule begins without entries.
    package func load() throws(StateError) -> SavedSchedule? {
        let reason: String
        do throws(SystemError) {
            guard let bytes = try PrivateFile.read(path, limit: Self.limit) else { return nil }
            do throws(StateError) {
                return try SavedSchedule(decoding: bytes)
            } catch {
                reason = error.reason
            }
        } catch {
            isBlocked = true
            throw StateError(reason: "\(error)")
        }
        throw StateError(reason: "\(path): \(reason); \(moveAside())")
    }

    /// Appends records, and leaves room for firings if they are changes of entries.
    ///
    /// - Throws: `SystemError`; the file is then as before, or not open any more if the records could not be removed.
    func append(_ records: [ScheduleRecord], areChanges: Bool) throws(SystemError) {
        guard file != nil || later != nil else { throw SystemError("write", on: path, code: EBADF) }
        let bytes = records.flatMap(\.line)
        if let file {
            let size = file.size
            let limit = areChanges ? Self.limit - Self.reserve : Self.limit
            guard size + bytes.count <= limit else { throw SystemError("write", on: path, code: EFBIG) }
            let needed = neededSize + (areChanges ? bytes.count : 0)
            // Without the room for a rewrite, the records of past firings would occupy the rest of the disk forever.
            if later == nil, records.contains(where: \.needsRoom) {
                let room = bytes.count + Self.room(for: needed) + (areChanges ? Self.firingRoom : 0)
                guard file.reserve(room) else { throw SystemError("write", on: path, code: ENOSPC) }
            }
            do throws(SystemError) {
                try file.append(bytes)
            } catch {
                undo(to: size)
                throw error
            }
            neededSize = needed
        }
        later? += bytes
    }

    /// Removes the last records: unsaved changes must not come back at the next start, or precede the next record.
    private func undo(to size: Int) {
        do throws(SystemError) { try file?.truncate(to: size) } catch { file = nil }
    }

    /// Begins to append changes that a loss of power cannot undo.
    ///
    /// After an error, the file is as before, or not open any more if the records could not be removed.
    func commit(_ records: [ScheduleRecord]) {
        let step = Step.commit(size: file?.size ?? 0, needed: neededSize)
        do throws(SystemError) { try append(records, areChanges: true) } catch { return answered(error) }
        later = []
        begin(step) { [file] () throws(SystemError) in try file?.sync() }
    }

    /// Begins to sync the appended records to the disk.
    func sync() { begin(.sync) { [file] () throws(SystemError) in try file?.sync() } }

    /// Begins to write the file anew.
    ///
    /// After an error, the file is as before, or new and not open.
    func replace(with records: [ScheduleRecord]) {
        let bytes = Self.header + records.flatMap(\.line)
        do throws(SystemError) {
            guard !isBlocked else { throw SystemError("open", on: path, code: EEXIST) }
            guard bytes.count <= Self.limit else { throw SystemError("write", on: path, code: EFBIG) }
            try PrivateFile.makeDirectory(of: path)
        } catch {
            return answered(error)
        }
        file?.release()
        later = []
        let created = Lock<AppendedFile?>(nil)
        begin(.create(created, size: bytes.count)) { [path, disk] () throws(SystemError) in
            let new = try AppendedFile(path: path, contents: bytes, on: disk)
            created.withLock { $0 = new }
        }
    }

    /// Removes the file now, and begins to sync the removal to the disk.
    func remove() {
        file = nil
        guard !isBlocked, access(path, F_OK) == 0 else { return answered(nil) }
        do throws(SystemError) { try disk.remove(path) } catch { return answered(error) }
        settle()
    }

    /// Waits for the disk after the file has been replaced by another one, or removed.
    private func settle() {
        begin(.settle) { [file, path, disk] () throws(SystemError) in
            try file?.sync()
            try disk.syncDirectory(of: path)
        }
    }

    /// Waits for the disk until nothing else does.
    func finish() {
        while let work { work.finish() }
    }

    private func begin(_ step: Step, _ body: @escaping @Sendable () throws(SystemError) -> Void) {
        let failure = Lock<SystemError?>(nil)
        let work: @Sendable () -> Void = {
            do throws(SystemError) { try body() } catch { failure.withLock { [error] in $0 = error } }
        }
        let end = { [weak self] in self?.proceed(step, failure.withLock { $0 }) ?? () }
        self.work = try? loop?.detach(work, then: end)
        guard self.work == nil else { return }
        // Without a thread, the loop waits.
        work()
        end()
    }

    private func proceed(_ step: Step, _ failure: SystemError?) {
        work = nil
        switch step {
        case .commit(let size, let needed):
            let later = takeLater()
            guard failure != nil else { break }
            neededSize = needed
            undo(to: size)
            do throws(SystemError) { try file?.append(later) } catch { file = nil }
        case .create(let created, let size):
            let later = takeLater()
            guard let new = created.withLock({ $0 }) else { break }
            do throws(SystemError) { try new.moveIntoPlace(adding: later) } catch { return answered(error) }
            (file, baseSize, neededSize) = (new, size, size)
            // The room of the former file is free.
            _ = new.reserve(Self.room(for: size))
            return settle()
        case .settle: if failure != nil { file = nil }
        case .sync: break
        }
        answered(failure)
    }

    private func takeLater() -> [UInt8] {
        defer { later = nil }
        return later ?? []
    }

    /// The room that a rewrite needs: the numbers in the records grow, and file systems have blocks.
    private static func room(for size: Int) -> Int { size + size / 8 + blockSize }

    /// Keeps an unusable file under another name, and returns a description of the outcome.
    private func moveAside() -> String {
        for number in 1...Self.keptLimit {
            let other = path + ".unusable" + (number == 1 ? "" : ".\(number)")
            if access(other, F_OK) != 0, rename(path, other) == 0 { return "it was moved to \(other)" }
        }
        isBlocked = true
        return "it could not be moved aside, so entries are refused"
    }
}
