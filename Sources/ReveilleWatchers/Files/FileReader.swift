// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleCore
import ReveilleSystem

/// Reads files of a format, below a root directory.
struct FileReader<Value: Equatable> {
    /// The result of reading one path.
    enum Look {
        /// The digest of the bytes is the given one.
        case same
        /// Valid contents, with their digest; `nil` for a file that is not the watcher's.
        case contents(Value?, Digest)
        /// The names of the watcher's files in a directory, and the problem with the other names.
        case directory([String], FileProblem?)
        /// The path does not exist.
        case missing
        /// The path cannot be read or understood.
        case failed(FileProblem)
    }

    /// The directory that all paths are relative to; empty for the root directory.
    let root: String
    /// The format of the files.
    let format: FileFormat<Value>

    /// The digest of an empty file.
    static var emptiness: Digest { Digest() }

    /// Returns whether a file in a directory is the watcher's, by its name or path.
    func membership(of path: String) -> FileFormat<Value>.Membership {
        format.membership?(ConfiguredPath.name(of: path)) ?? .no
    }

    /// Follows a path.
    func way(to path: String) -> PathChain {
        PathChain(following: path, root: root)
    }

    /// Reads a path.
    ///
    /// - Parameters:
    ///   - path: The path, without the root.
    ///   - way: The result of ``way(to:)``.
    ///   - isFound: Whether it was found in a directory rather than configured.
    ///   - digest: The digest of the known contents, which are not parsed again.
    /// - Returns: The result.
    func look(at path: String, by way: PathChain, isFound: Bool, unlike digest: Digest?) -> Look {
        do throws(FileProblem) {
            switch way.end {
            case .missing: return .missing
            case .refused(let error): throw FileProblem(reason: "\(error)")
            case .file(let file):
                guard let bytes = try bytes(of: file) else { return .missing }
                let new = Digest(of: bytes)
                return new == digest ? .same : .contents(try contents(path, isFound, bytes), new)
            case .directory(let directory):
                guard format.membership != nil else { throw FileProblem(reason: "is a directory") }
                let listing = try listing(of: directory)
                return .directory(listing.names.filter { membership(of: $0) != .no }, listing.problem)
            }
        } catch {
            return .failed(error)
        }
    }

    private func contents(_ path: String, _ isFound: Bool, _ bytes: [UInt8]) throws(FileProblem) -> Value? {
        do {
            return try format.parse(path, isFound, bytes)
        } catch {
            throw FileProblem(reason: "\(error)")
        }
    }

    private func bytes(of file: String) throws(FileProblem) -> [UInt8]? {
        switch FileContents.read(file, limit: format.sizeLimit) {
        case .bytes(let bytes): return bytes
        case .missing: return nil
        case .tooLarge(let limit): throw FileProblem(reason: "longer than the limit of \(limit) bytes")
        case .notAFile: throw FileProblem(reason: "not a regular file")
        case .unreadable(let error): throw FileProblem(reason: "\(error)")
        }
    }

    private func listing(of directory: String) throws(FileProblem) -> DirectoryListing {
        do {
            return try DirectoryListing(of: directory)
        } catch {
            throw FileProblem(reason: "\(error)")
        }
    }
}

extension DirectoryListing {
    /// The problem of a directory with too many files.
    static var cutProblem: FileProblem { FileProblem(reason: "has more than \(limit) files; the others are ignored") }

    /// The problem of the names that are ignored, if any.
    fileprivate var problem: FileProblem? {
        if isCut { return Self.cutProblem }
        guard unreadableNames > 0 else { return nil }
        return FileProblem(reason: "has \(unreadableNames) files whose names are not UTF-8; they are ignored")
    }
}
