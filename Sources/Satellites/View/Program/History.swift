// SPDX-License-Identifier: Apache-2.0

import ReveilleConsole
import ReveilleCore
import ReveilleSystem
import ReveilleViewCore
import Varlink

/// The history of the battery in a file, bounded in time, rows and bytes.
///
/// An unusable file is reported, on the page too, and tried again with each record and each chart. Records wait until
/// the file takes them. Nothing else depends on the file. Loop thread only.
final class History {
    /// The age in seconds after which a record is deleted: 90 days.
    static let longest: Int64 = 90 * 86_400
    /// The most records: 90 days have 129,600 minutes, and an import adds some thousand records.
    private static let rowLimit: Int64 = 150_000
    /// The largest file in pages of 4 KiB: 16 MiB, three times the size of the most records.
    private static let pageLimit = 4_096
    /// The largest log of SQLite in bytes, after it has been merged into the file.
    private static let logLimit = 1 << 20
    /// The number of records between two deletions of old records.
    private static let sweepInterval = 100
    /// The most old records that a sweep deletes: several times the number added between two sweeps.
    private static let sweepLimit: Int64 = 500
    /// A file of the largest size loses one record in this many.
    private static let shedFraction: Int64 = 10
    /// The most records that wait for an unwritable file: one day.
    private static let waitingLimit = 1_440

    /// How long an import waits for another writer, in milliseconds; the page, which would stand still, does not wait.
    private static let importPatience: Int32 = 2_000

    let path: String
    private let log: ViewLog
    private var database: Database?
    private var recordsUntilSweep = 0
    private var waiting: [BatterySample] = []
    private var waitingPosition: Positions?
    private(set) var problem: String?

    /// Creates the history in a file; the first use opens it.
    init(path: String, log: ViewLog) {
        self.path = path
        self.log = log
    }

    /// Records a sample; a failure is noted, and the sample waits.
    func record(_ sample: BatterySample, at position: Positions) {
        waiting.append(sample)
        waitingPosition = position
        if waiting.count > Self.waitingLimit {
            waiting.removeFirst()
            waiting[0].isStart = true
        }
        attempt { _ in }
    }

    var position: Positions? {
        var text: String?
        attempt { database throws(Database.Failure) in
            try database.run("SELECT value FROM facts WHERE name = 'position'") { text = $0.text(0) }
        }
        return text.flatMap { Positions($0) }
    }

    /// Adds samples of other programs, except at times that have a record, and returns the number of added samples.
    func add(_ samples: [BatterySample], at now: Int64) throws(Database.Failure) -> Int {
        let database = try opened(patience: Self.importPatience)
        var added = 0
        try database.transaction { () throws(Database.Failure) in
            let recent = samples.filter { $0.time > now - Self.longest }
            added = try insert(recent, into: database, isImport: true)
            try sweep(database, at: now)
        }
        return added
    }

    /// Returns the chart of the last day, week or month, and the problem of the history if there is one.
    func chart(of span: BatterySpan, at now: Int64) -> JSONObject {
        var samples: [BatterySample] = []
        let start = now - span.seconds
        attempt { database throws(Database.Failure) in
            try database.run(
                """
                SELECT time, level, state, changes, isStart FROM battery
                WHERE time >= coalesce((SELECT max(time) FROM battery WHERE time <= ?1), ?1) AND time <= ?2
                ORDER BY time
                """, [.integer(start), .integer(now)]
            ) { row in
                samples.append(
                    BatterySample(
                        time: row.integer(0), level: row.number(1), state: row.text(2) ?? "unknown",
                        changes: Int(clamping: row.integer(3)), isStart: row.integer(4) != 0))
            }
        }
        let first = span.start(at: now, first: samples.first?.time)
        var chart = BatteryChart(samples, from: first, length: now - first).json
        chart["from"] = .integer(first)
        chart["to"] = .integer(now)
        chart["problem"] = problem.map { .string($0) } ?? .null
        return chart
    }

    /// The file is usable if this and saving succeed: a readable file may be full, or locked by another program.
    private func attempt(_ body: (Database) throws(Database.Failure) -> Void) {
        do throws(Database.Failure) {
            let database = try opened()
            try body(database)
            try save(in: database)
            if problem != nil { log.write(.info, "the history \(path) can be used again", about: .history) }
            problem = nil
        } catch {
            // Opening the file again finds a replaced file.
            database = nil
            problem = error.description
            log.write(.warning, error.description, about: .history)
        }
    }

    private func save(in database: Database) throws(Database.Failure) {
        guard let last = waiting.last, let position = waitingPosition else { return }
        let write = { () throws(Database.Failure) in
            try self.insert(self.waiting, into: database, isImport: false)
            // In one transaction: with an older position, the bus would report the changes of these records again.
            try database.run(
                "INSERT OR REPLACE INTO facts VALUES ('position', ?)", [.text(position.text)])
            if self.recordsUntilSweep <= 0 { try self.sweep(database, at: last.time) }
        }
        do throws(Database.Failure) {
            try database.transaction(write)
        } catch {
            guard error.isFull else { throw error }
            // The file may have its largest size. If the disk is full, the oldest records remain.
            try database.transaction { () throws(Database.Failure) in
                try shed(database)
                try write()
            }
        }
        recordsUntilSweep = (recordsUntilSweep <= 0 ? Self.sweepInterval : recordsUntilSweep) - waiting.count
        waiting = []
    }

    private func opened(patience: Int32 = 0) throws(Database.Failure) -> Database {
        if let database { return database }
        StatePath.createDirectories(of: path)
        let database = try Database(path, patience: patience)
        for statement in [
            // Before the first table: the page size cannot change later.
            "PRAGMA page_size = 4096",
            "PRAGMA journal_mode = WAL",
            // A power failure costs the last minutes at most, never the file.
            "PRAGMA synchronous = NORMAL",
            "PRAGMA journal_size_limit = \(Self.logLimit)",
            "PRAGMA max_page_count = \(Self.pageLimit)",
            """
            CREATE TABLE IF NOT EXISTS battery (
                time INTEGER PRIMARY KEY, level REAL, state TEXT NOT NULL, changes INTEGER NOT NULL,
                isStart INTEGER NOT NULL) STRICT
            """,
            "CREATE TABLE IF NOT EXISTS facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT",
        ] { try database.run(statement) }
        self.database = database
        return database
    }

    @discardableResult
    private func insert(
        _ samples: [BatterySample], into database: Database, isImport: Bool
    ) throws(Database.Failure) -> Int {
        var count = 0
        // The last state of a second counts, with all changes of that second.
        let update = """
            UPDATE SET level = excluded.level, state = excluded.state, changes = changes + excluded.changes,
                isStart = max(isStart, excluded.isStart)
            """
        let conflict = isImport ? "NOTHING" : update
        for sample in samples {
            try database.run(
                "INSERT INTO battery VALUES (?, ?, ?, ?, ?) ON CONFLICT (time) DO \(conflict)",
                [
                    .integer(sample.time), sample.level.map { .number($0) } ?? .null, .text(sample.state),
                    .integer(Int64(sample.changes)), .integer(sample.isStart ? 1 : 0),
                ])
            count += database.changedRows
        }
        return count
    }

    private func sweep(_ database: Database, at now: Int64) throws(Database.Failure) {
        // A clock that is years ahead for a moment must not erase the history.
        try database.run(
            "DELETE FROM battery WHERE time IN (SELECT time FROM battery WHERE time < ? ORDER BY time LIMIT ?)",
            [.integer(now - Self.longest), .integer(Self.sweepLimit)])
        try database.run(
            "DELETE FROM battery WHERE time <= (SELECT time FROM battery ORDER BY time DESC LIMIT 1 OFFSET ?)",
            [.integer(Self.rowLimit)])
    }

    /// Deletes the oldest records, so that new ones use their pages.
    private func shed(_ database: Database) throws(Database.Failure) {
        try database.run(
            """
            DELETE FROM battery WHERE time <= (
                SELECT time FROM battery ORDER BY time
                LIMIT 1 OFFSET (SELECT count(*) / \(Self.shedFraction) FROM battery))
            """)
    }
}
