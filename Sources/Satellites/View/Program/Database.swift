// SPDX-License-Identifier: Apache-2.0

import CSQLite

final class Database {
    struct Failure: Error, CustomStringConvertible {
        let code: Int32
        let description: String

        var isFull: Bool { code & 0xFF == SQLITE_FULL }
    }

    enum Value {
        case null
        case integer(Int64)
        case number(Double)
        case text(String)
    }

    private var handle: OpaquePointer?
    private let path: String

    /// Opens a database, or creates a missing one; `patience` is how many milliseconds to wait for other writers.
    init(_ path: String, patience: Int32 = 0) throws(Failure) {
        self.path = path
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
        let result = sqlite3_open_v2(path, &handle, flags, nil)
        guard result == SQLITE_OK else {
            let failure = failure("cannot be opened", result)
            sqlite3_close_v2(handle)
            handle = nil
            throw failure
        }
        sqlite3_busy_timeout(handle, patience)
    }

    deinit {
        sqlite3_close_v2(handle)
    }

    func run(_ text: String, _ values: [Value] = [], row: (Row) -> Void = { _ in }) throws(Failure) {
        var statement: OpaquePointer?
        let prepared = sqlite3_prepare_v2(handle, text, -1, &statement, nil)
        guard prepared == SQLITE_OK, let statement else { throw failure("cannot be read", prepared) }
        defer { sqlite3_finalize(statement) }
        for (index, value) in values.enumerated() { bind(value, to: statement, at: Int32(index + 1)) }
        let isWriting = sqlite3_stmt_readonly(statement) == 0 || sqlite3_get_autocommit(handle) == 0
        while true {
            let result = sqlite3_step(statement)
            if result == SQLITE_DONE { return }
            guard result == SQLITE_ROW else {
                throw failure(isWriting ? "cannot be written" : "cannot be read", result)
            }
            row(Row(statement: statement))
        }
    }

    /// Executes statements that write, all or none of them.
    func transaction(_ body: () throws(Failure) -> Void) throws(Failure) {
        try run("BEGIN IMMEDIATE")
        do throws(Failure) {
            try body()
            try run("COMMIT")
        } catch {
            try? run("ROLLBACK")
            throw error
        }
    }

    var changedRows: Int { Int(sqlite3_changes(handle)) }

    struct Row {
        fileprivate let statement: OpaquePointer

        func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(statement, column) }

        func number(_ column: Int32) -> Double? {
            sqlite3_column_type(statement, column) == SQLITE_NULL ? nil : sqlite3_column_double(statement, column)
        }

        func text(_ column: Int32) -> String? {
            sqlite3_column_text(statement, column).map { String(cString: $0) }
        }
    }

    private func bind(_ value: Value, to statement: OpaquePointer, at index: Int32) {
        switch value {
        case .null: sqlite3_bind_null(statement, index)
        case .integer(let value): sqlite3_bind_int64(statement, index, value)
        case .number(let value): sqlite3_bind_double(statement, index, value)
        case .text(let value):
            // SQLITE_TRANSIENT: SQLite copies the text.
            sqlite3_bind_text(statement, index, value, -1, unsafeBitCast(-1, to: sqlite3_destructor_type.self))
        }
    }

    private func failure(_ problem: String, _ code: Int32) -> Failure {
        let reason = handle.map { String(cString: sqlite3_errmsg($0)) } ?? String(cString: sqlite3_errstr(code))
        return Failure(code: code, description: "the history \(path) \(problem): \(reason)")
    }
}
