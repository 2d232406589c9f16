// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Glibc

/// The way from the root directory to what a path leads to, link by link.
///
/// Each step is a name that is looked up in a directory; whatever changes where the path leads to, it
/// happens to the name of a step, or to the directory of one.
package struct PathChain: Sendable, Hashable {
    /// What a name turned out to be.
    package enum Kind: Sendable, Hashable {
        case directory, link, file, missing
    }

    /// Which file of all a name stands for; 0 for none.
    package struct Identity: Sendable, Hashable {
        var device: UInt = 0
        var number: UInt = 0
    }

    /// A name looked up in a directory.
    package struct Step: Sendable, Hashable {
        /// The directory, without links.
        package let directory: String
        /// A name in it.
        package let name: String
        /// What the name stands for.
        package let kind: Kind
        /// Which file that is; another one when something is mounted over it.
        package let identity: Identity

        /// The path of the name, without links but, perhaps, the last.
        package var path: String { directory == "/" ? "/" + name : directory + "/" + name }
    }

    /// Where the way ends.
    package enum End: Sendable, Hashable {
        /// At a file of any kind that is not a directory, by a path without links.
        case file(String)
        /// At a directory, by a path without links.
        case directory(String)
        /// The last step's name is not there.
        case missing
        /// A name could not be looked up, or there are too many links (ELOOP).
        case refused(SystemError)
    }

    /// How many links a path may lead through, as in Linux (path_resolution(7)).
    package static let linkLimit = 40

    /// The names on the way, in order.
    package private(set) var steps: [Step] = []
    /// Where it ends.
    package private(set) var end: End = .directory("/")

    /// Follows a path as it leads now.
    ///
    /// - Parameters:
    ///   - path: Taken from the root directory.
    ///   - root: The root directory: absolute links are taken from it, and `..` does not leave it.
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
            let here = directory == "/" ? "/\(name)" : "\(directory)/\(name)"
            let (kind, identity, failure) = Self.look(here)
            steps.append(Step(directory: directory, name: name, kind: kind, identity: identity))
            if let failure { return end = .refused(failure) }
            switch kind {
            case .directory:
                directory = here
            case .file:
                // A file where a directory should be: what is looked for in it is not there.
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

    /// Where a link leads; EILSEQ for one whose target is not UTF-8, and stands for no path that has a name here.
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

    private static func parent(of directory: String) -> String {
        let parent = directory[..<(directory.utf8.lastIndex(of: UInt8(ascii: "/")) ?? directory.startIndex)]
        return parent.isEmpty ? "/" : String(parent)
    }

    /// The names that a path leads through: bytes, whatever character they make with the `/` before them.
    package static func names(of path: String) -> [String] {
        path.utf8.split(separator: UInt8(ascii: "/")).map { String(Substring($0)) }
    }
}
