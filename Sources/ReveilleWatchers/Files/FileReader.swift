// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleCore
import ReveilleSystem

/// Reads files of a format, below a root directory.
struct FileReader<Value: Equatable> {
    /// What reading one path came to.
    enum Look {
        /// The bytes are those of the digest that was given.
        case same
        /// It makes sense; `nil` when it is none of the watcher's.
        case contents(Value?, Digest)
        /// A directory whose files count, with the names that do, and what is left out of it.
        case directory([String], FileProblem?)
        /// Nothing is there.
        case missing
        /// It cannot be read or understood, and why.
        case failed(FileProblem)
    }

    /// The directory that all paths are below; empty for the root directory.
    let root: String
    /// What the files hold.
    let format: FileFormat<Value>

    /// The digest of an empty file.
    static var emptiness: Digest { Digest() }

    /// Whether a file of a name or path is the watcher's when it is found in a directory.
    func membership(of path: String) -> FileFormat<Value>.Membership {
        format.membership?(ConfiguredPath.name(of: path)) ?? .no
    }

    /// Where a path leads now.
    func way(to path: String) -> PathChain {
        PathChain(following: path, root: root)
    }

    /// Reads a path, links followed.
    ///
    /// - Parameters:
    ///   - path: The path, without the root.
    ///   - way: Where it leads; see ``way(to:)``.
    ///   - isFound: It was found in a directory, and not asked for.
    ///   - digest: That of the bytes which are known already, and need not be understood again.
    /// - Returns: What is there, or why it cannot be told.
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
        case .tooLarge(let limit): throw FileProblem(reason: "longer than \(limit) bytes, the most that is read")
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
    /// What is told of a directory of which not all files are read.
    static var cutProblem: FileProblem { FileProblem(reason: "has more than \(limit) files, and no more are read") }

    /// What of a directory is not read, if anything.
    fileprivate var problem: FileProblem? {
        if isCut { return Self.cutProblem }
        guard unreadableNames > 0 else { return nil }
        return FileProblem(reason: "has \(unreadableNames) files whose names are not UTF-8; they are not read")
    }
}
