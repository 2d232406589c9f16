// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import BusPosition
import Glibc
import ReveilleSystem
import ReveilleViewCore
import Varlink

/// The history of the battery in a file, which is bounded in time, rows and bytes.
///
/// A file that cannot be used is reported, on the page too, and tried again with each record. Nothing else depends on
/// it. Loop thread only.
final class History {
    /// The age in seconds after which a record is deleted: 90 days.
    static let longest: Int64 = 90 * 86_400
    /// The most records: a minute apart, those of 90 days are 129,600, and an import adds some thousand.
    private static let rowLimit: Int64 = 150_000
    /// The largest file in pages of 4 KiB: 16 MiB, three times the size of the most records.
    private static let pageLimit = 4_096
    /// The largest log of SQLite in bytes, after it has been merged into the file.
    private static let logLimit = 1 << 20
    /// The number of records between deletions of old ones.
    private static let sweepInterval = 100
    /// The most old records that a sweep deletes: several times as many as are added between two sweeps.
    private static let sweepLimit: Int64 = 500
    /// The fraction of the records that are deleted if the file has its largest size.
    private static let shedFraction: Int64 = 10

    /// The path of the file.
    let path: String
    private let notes: Notes
    private var database: Database?
    private var recordsUntilSweep = 0
    /// Why the history cannot be used now.
    private(set) var problem: String?

    /// Creates the history in a file, which is opened at the first use.
    init(path: String, notes: Notes) {
        self.path = path
        self.notes = notes
    }

    /// Records a sample; a failure is noted.
    func record(_ sample: BatterySample, at position: StreamPosition) {
        attempt { database throws(Database.Failure) in
            do throws(Database.Failure) {
                try insert([sample], into: database, isImport: false)
            } catch {
                guard error.isFull else { throw error }
                // The disk may be full, or the file has its largest size.
                try shed(database)
                try insert([sample], into: database, isImport: false)
            }
            try database.run(
                "INSERT OR REPLACE INTO facts VALUES ('position', ?)", [.text(position.text)])
            recordsUntilSweep -= 1
            if recordsUntilSweep < 0 { try sweep(database, at: sample.time) }
        }
    }

    /// The position of the last record.
    var position: StreamPosition? {
        var text: String?
        attempt { database throws(Database.Failure) in
            try database.run("SELECT value FROM facts WHERE name = 'position'") { text = $0.text(0) }
        }
        return text.flatMap { StreamPosition($0) }
    }

    /// Adds samples of other programs, except those of times that have a record.
    ///
    /// - Returns: The number of samples that were added.
    func add(_ samples: [BatterySample], at now: Int64) throws(Database.Failure) -> Int {
        let database = try opened()
        let added = try insert(samples.filter { $0.time > now - Self.longest }, into: database, isImport: true)
        try sweep(database, at: now)
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
        var chart = BatteryChart(samples, from: start, length: span.seconds).json
        chart["from"] = .integer(start)
        chart["to"] = .integer(now)
        chart["problem"] = problem.map { .string($0) } ?? .null
        return chart
    }

    private func attempt(_ body: (Database) throws(Database.Failure) -> Void) {
        do throws(Database.Failure) {
            try body(try opened())
            if problem != nil { notes.write(.info, "the history \(path) can be used again", about: .history) }
            problem = nil
        } catch {
            // A file that another one has replaced is found when it is opened again.
            database = nil
            problem = error.description
            notes.write(.warning, error.description, about: .history)
        }
    }

    private func opened() throws(Database.Failure) -> Database {
        if let database { return database }
        PrivateDirectory.create(parentOf: path)
        let database = try Database(path)
        for statement in [
            // Before the first table, since a database cannot change it later.
            "PRAGMA page_size = 4096",
            "PRAGMA journal_mode = WAL",
            // A power failure costs the last minutes at most, and never the file.
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
        // The last state of a second counts, and all of its changes.
        let update = """
            UPDATE SET level = excluded.level, state = excluded.state, changes = changes + excluded.changes,
                isStart = max(isStart, excluded.isStart)
            """
        let conflict = isImport ? "NOTHING" : update
        try database.run("BEGIN IMMEDIATE")
        do throws(Database.Failure) {
            for sample in samples {
                try database.run(
                    "INSERT INTO battery VALUES (?, ?, ?, ?, ?) ON CONFLICT (time) DO \(conflict)",
                    [
                        .integer(sample.time), sample.level.map { .number($0) } ?? .null, .text(sample.state),
                        .integer(Int64(sample.changes)), .integer(sample.isStart ? 1 : 0),
                    ])
                count += database.changedRows
            }
            try database.run("COMMIT")
        } catch {
            try? database.run("ROLLBACK")
            throw error
        }
        return count
    }

    /// Deletes records that are too old or too many.
    private func sweep(_ database: Database, at now: Int64) throws(Database.Failure) {
        recordsUntilSweep = Self.sweepInterval
        // A clock that is years ahead for a moment must not erase the history.
        try database.run(
            "DELETE FROM battery WHERE time IN (SELECT time FROM battery WHERE time < ? ORDER BY time LIMIT ?)",
            [.integer(now - Self.longest), .integer(Self.sweepLimit)])
        try database.run(
            "DELETE FROM battery WHERE time <= (SELECT time FROM battery ORDER BY time DESC LIMIT 1 OFFSET ?)",
            [.integer(Self.rowLimit)])
    }

    /// Deletes the oldest records, whose pages new ones use.
    private func shed(_ database: Database) throws(Database.Failure) {
        try database.run(
            """
            DELETE FROM battery WHERE time <= (
                SELECT time FROM battery ORDER BY time
                LIMIT 1 OFFSET (SELECT count(*) / \(Self.shedFraction) FROM battery))
            """)
    }
}
