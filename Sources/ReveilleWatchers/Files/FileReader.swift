// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleSystem

/// The contents of a watcher's files, and the names of its files in a directory.
struct FileFormat<Value: Equatable> {
    /// Whether a file in a directory is the watcher's, by its name.
    enum Membership {
        case no
        /// The contents decide. Invalid contents are not a problem.
        case perhaps
        case yes
    }

    /// Returns the size in bytes of the largest file that is read.
    let sizeLimit: (_ path: String) -> Int
    /// Returns the membership of a path; `nil` for a watcher that does not read directories.
    let membership: ((_ path: String) -> Membership)?
    /// Parses a file, after its last value; `nil` for a file that was found in a directory and is not the watcher's.
    let parse: (_ path: String, _ isFound: Bool, _ bytes: [UInt8], _ last: Value?) throws(FormatError) -> Value?
    /// Returns the value of a file that cannot be parsed, after its last one; `nil` to keep that.
    var standIn: (_ last: Value?, _ contents: Digest, _ error: FormatError) -> Value? = { _, _, _ in nil }
}

/// Reads files of a format, below a root directory.
struct FileReader<Value: Equatable> {
    enum Look {
        /// The digest of the bytes is the given one.
        case same
        /// Valid contents, with their digest; `nil` for a file that is not the watcher's.
        case contents(Value?, Digest)
        /// Contents that cannot be parsed, with the value and the digest that stand for them.
        case unparsed(Value, Digest, problem: String)
        /// The names of the watcher's files in a directory, those of its subdirectories and links, the number of other
        /// files, and the problem with the other names.
        case directory([String], folders: [String], others: Int, problem: String?)
        case missing
        /// The path cannot be read or understood.
        case failed(String)
    }

    /// The directory that all paths are relative to; empty for the root directory.
    let root: String
    let format: FileFormat<Value>

    /// Returns whether a file in a directory is the watcher's, by its path.
    func membership(of path: String) -> FileFormat<Value>.Membership {
        format.membership?(path) ?? .no
    }

    /// Reads a path by its way; contents with a known digest are not parsed again.
    func look(at path: String, by way: PathChain, isFound: Bool, unlike digest: Digest?, after last: Value?) -> Look {
        switch way.end {
        case .missing: return .missing
        case .refused(let error): return .failed("\(error)")
        case .file(let file):
            switch FileContents.read(file, limit: format.sizeLimit(path)) {
            case .bytes(let bytes): return look(at: path, isFound, bytes, unlike: digest, after: last)
            case .missing: return .missing
            case .tooLarge(let limit, let version):
                var new = Digest()
                new.combine(UInt64(version.size))
                new.combine(UInt64(bitPattern: version.modified))
                let error = FormatError("longer than the limit of \(limit) bytes", isLimit: true)
                return new == digest ? .same : standIn(at: path, isFound, new, error, after: last)
            case .notAFile: return .failed("not a regular file")
            case .unreadable(let error): return .failed("\(error)")
            }
        case .directory(let directory):
            guard format.membership != nil else { return .failed("is a directory") }
            do throws(SystemError) {
                let listing = try DirectoryListing(of: directory)
                let readable = listing.names.filter { !CombiningMarks.areTooMany(in: $0) }
                let names = readable.filter { membership(of: PathChain.path(of: $0, in: path)) != .no }
                return .directory(
                    names, folders: listing.folders, others: readable.count - names.count,
                    problem: listing.problem(ofOthers: listing.names.count - readable.count))
            } catch {
                return .failed("\(error)")
            }
        }
    }

    private func look(
        at path: String, _ isFound: Bool, _ bytes: [UInt8], unlike digest: Digest?, after last: Value?
    ) -> Look {
        let new = Digest(of: bytes)
        guard new != digest else { return .same }
        do throws(FormatError) {
            return .contents(try format.parse(path, isFound, bytes, last), new)
        } catch {
            return standIn(at: path, isFound, new, error, after: last)
        }
    }

    private func standIn(
        at path: String, _ isFound: Bool, _ contents: Digest, _ error: FormatError, after last: Value?
    ) -> Look {
        // A file that was found and is perhaps not the watcher's may be a log that changes all the time.
        guard !isFound || membership(of: path) == .yes, let value = format.standIn(last, contents, error) else {
            return .failed("\(error)")
        }
        return .unparsed(value, contents, problem: "\(error)")
    }
}

extension FileReader.Look {
    var isSame: Bool {
        if case .same = self { true } else { false }
    }

    var isDirectory: Bool {
        if case .directory = self { true } else { false }
    }

    var problem: String? {
        switch self {
        case .failed(let problem), .directory(_, _, _, let problem?), .unparsed(_, _, let problem): problem
        case .directory(_, _, _, nil), .same, .contents, .missing: nil
        }
    }

    func outcome(after value: Value?) -> FileSettling.Outcome {
        switch self {
        case .directory where value == nil: .good
        case .same: .good
        // The digest of no bytes.
        case .contents(_, let new): new == Digest() ? .empty : .good
        // For values, a directory is a missing file.
        case .directory, .missing: .missing
        case .failed, .unparsed: .failed
        }
    }
}

extension DirectoryListing {
    static func cutProblem(_ limit: Int = limit) -> String { "has more than \(limit) files; the others are ignored" }

    /// The problem of the names that are ignored, if any.
    fileprivate func problem(ofOthers unsendable: Int) -> String? {
        if isCut { return Self.cutProblem() }
        let reasons = [
            (unreadableNames, "are not UTF-8"),
            (unsendable, "have more than \(CombiningMarks.limit) combining marks in a row"),
        ].filter { $0.0 > 0 }.map { "\($1) (\($0))" }
        return reasons.isEmpty ? nil : "has files whose names \(reasons.joined(separator: " or ")); they are ignored"
    }
}
