// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The chain of lookups, link by link, from the root directory to the file that a path leads to.
///
/// Each step looks up a name in a directory. Any change of the path's destination is a change of a step's name
/// or directory.
package struct PathChain: Sendable, Hashable {
    package enum Kind: Sendable, Hashable {
        case directory, link, file, missing
    }

    /// The device and inode of a file; 0 if there is none.
    package struct Identity: Sendable, Hashable {
        var device: UInt = 0
        var number: UInt = 0
    }

    package struct Step: Sendable, Hashable {
        /// The directory, without links.
        package let directory: String
        package let name: String
        package let kind: Kind
        /// The identity of the file; a mount over the file changes the identity.
        package let identity: Identity

        /// The path of the name, without links except possibly the last component.
        package var path: String { PathChain.path(of: name, in: directory) }
    }

    package enum End: Sendable, Hashable {
        /// A file of any type except directory, by a path without links.
        case file(String)
        /// A directory, by a path without links.
        case directory(String)
        case missing
        /// A name could not be looked up, or there are too many links (ELOOP).
        case refused(SystemError)
    }

    /// The maximum number of links in a path, as in Linux (path_resolution(7)).
    package static let linkLimit = 40

    package private(set) var steps: [Step] = []
    package private(set) var end: End = .directory("/")

    /// Follows a path below a root directory, where absolute links start and beyond which `..` does not lead.
    package init(following path: String, root: String) {
        var base = "/"
        if root.utf8.contains(where: { $0 != UInt8(ascii: "/") }) {
            follow(root, from: "/")
            guard case .directory(let directory) = end else { return }
            base = directory
        }
        follow(path, from: base)
    }

    private mutating func follow(_ path: String, from base: String) {
        var directory = base
        var rest = Array(Self.names(of: path).reversed())
        var links = 0
        while let name = rest.popLast() {
            if name == "." { continue }
            if name == ".." {
                if directory != base { directory = Self.parent(of: directory) }
                continue
            }
            let here = Self.path(of: name, in: directory)
            let (kind, identity, failure) = Self.look(here)
            steps.append(Step(directory: directory, name: name, kind: kind, identity: identity))
            if let failure { return end = .refused(failure) }
            switch kind {
            case .directory:
                directory = here
            case .file:
                // A file in the place of a directory contains nothing.
                return end = rest.isEmpty ? .file(here) : .missing
            case .missing:
                return end = .missing
            case .link:
                links += 1
                guard links <= Self.linkLimit else { return end = .refused(SystemError("stat", on: path, code: ELOOP)) }
                let target: String
                do throws(SystemError) {
                    target = try Self.target(of: here)
                } catch {
                    return end = .refused(error)
                }
                if target.utf8.first == UInt8(ascii: "/") { directory = base }
                rest += Self.names(of: target).reversed()
            }
        }
        end = .directory(directory)
    }

    private static func look(_ path: String) -> (Kind, Identity, SystemError?) {
        var status = stat()
        guard lstat(path, &status) == 0 else {
            let error = SystemError("lstat", on: path)
            return (.missing, Identity(), error.isAbsence ? nil : error)
        }
        let identity = Identity(device: UInt(status.st_dev), number: UInt(status.st_ino))
        switch status.st_mode & S_IFMT {
        case S_IFDIR: return (.directory, identity, nil)
        case S_IFLNK: return (.link, identity, nil)
        default: return (.file, identity, nil)
        }
    }

    /// Returns the target of a link; EILSEQ if the target is not valid UTF-8 and so cannot be represented.
    private static func target(of link: String) throws(SystemError) -> String {
        let target: [UInt8]? = withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(PATH_MAX)) { buffer in
            guard let start = buffer.baseAddress else { return nil }
            let count = readlink(link, start, buffer.count)
            return count >= 0 ? Array(UnsafeRawBufferPointer(start: start, count: count)) : nil
        }
        guard let target else { throw SystemError("readlink", on: link) }
        guard let text = String(validating: target, as: UTF8.self) else {
            throw SystemError("readlink", on: link, code: EILSEQ)
        }
        return text
    }

    package static func path(of name: String, in directory: String) -> String {
        directory == "/" ? "/" + name : directory + "/" + name
    }

    package static func parent(of path: String) -> String {
        let parent = path[..<(path.utf8.lastIndex(of: UInt8(ascii: "/")) ?? path.startIndex)]
        return parent.isEmpty ? "/" : String(parent)
    }

    /// Returns the components of a path, split by bytes: a `/` may form a character with the bytes after it.
    package static func names(of path: String) -> [String] {
        path.utf8.split(separator: UInt8(ascii: "/")).map { String(Substring($0)) }
    }
}
