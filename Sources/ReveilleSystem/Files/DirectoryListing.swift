// SPDX-License-Identifier: Apache-2.0

import CReveilleLinux
import Glibc

package struct DirectoryListing: Sendable, Hashable {
    /// The most names: a settings directory has at most hundreds of files; a path given by mistake may have millions.
    package static let limit = 10_000

    /// The sorted names of regular files, links, and entries of unknown type.
    package private(set) var names: [String] = []
    /// The names of directories, links, and entries of unknown type, in any order.
    package private(set) var folders: [String] = []
    /// The number of omitted names that are not valid UTF-8 and therefore cannot be represented as strings.
    package private(set) var unreadableNames = 0
    /// Whether the directory has more than ``limit`` names; then an arbitrary subset was read.
    package private(set) var isCut = false

    package init(of path: String) throws(SystemError) {
        guard let directory = opendir(path) else { throw SystemError("opendir", on: path) }
        defer { closedir(directory) }
        while let entry = readdir(directory) {
            let kind = Int(entry.pointee.d_type)
            // Some file systems do not report the type of an entry.
            guard [Int(DT_REG), Int(DT_LNK), Int(DT_UNKNOWN), Int(DT_DIR)].contains(kind) else { continue }
            let name = withName(of: entry, String.init(validatingCString:))
            if kind != Int(DT_REG), let name, name != ".", name != "..", folders.count < Self.limit {
                folders.append(name)
            }
            guard kind != Int(DT_DIR) else { continue }
            guard names.count + unreadableNames < Self.limit else {
                isCut = true
                break
            }
            if let name { names.append(name) } else { unreadableNames += 1 }
        }
        names.sort()
    }

    /// Returns the valid names in a directory; see ``init(of:)``.
    package static func files(in path: String) throws(SystemError) -> [String] {
        try DirectoryListing(of: path).names
    }
}

/// The name of an entry that readdir(3) returned, as a C string.
func withName<Result>(
    of entry: UnsafeMutablePointer<dirent>, _ body: (UnsafePointer<CChar>) throws -> Result
) rethrows -> Result {
    try withUnsafePointer(to: &entry.pointee.d_name) { field in
        try field.withMemoryRebound(to: CChar.self, capacity: Int(NAME_MAX) + 1) { try body($0) }
    }
}

/// The entries of a directory, read one after the other through one descriptor.
package final class DirectoryScan {
    package struct Status: Sendable, Hashable {
        package let identity: Identity
        /// The time of creation in nanoseconds since 1970; 0 if it is not recorded.
        package let born: Int64
        /// The type of the file, as in the mode of stat(2).
        package let type: UInt32
        package let size: UInt64
        /// The time of the last modification in nanoseconds since 1970.
        package let modified: Int64

        fileprivate init?(of name: UnsafePointer<CChar>, in directory: Int32) {
            var entry = c_reveille_entry()
            guard c_reveille_entry(directory, name, &entry) == 0 else { return nil }
            identity = Identity(device: entry.device, inode: entry.inode)
            born = entry.born
            type = entry.mode & UInt32(S_IFMT)
            size = entry.size
            modified = entry.modified
        }
    }

    /// The device and inode of a file.
    package struct Identity: Sendable, Hashable {
        package let device: UInt64
        package let inode: UInt64
    }

    /// The status of the directory at the start.
    package let status: Status
    private let path: String
    private let directory: OpaquePointer

    package init(of path: String) throws(SystemError) {
        self.path = path
        let number = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NONBLOCK)
        guard number >= 0 else { throw SystemError("open", on: path) }
        guard let status = Status(of: "", in: number) else {
            let error = SystemError("statx", on: path)
            close(number)
            throw error
        }
        guard let directory = fdopendir(number) else {
            let error = SystemError("fdopendir", on: path)
            close(number)
            throw error
        }
        self.status = status
        self.directory = directory
    }

    deinit {
        closedir(directory)
    }

    /// Reads the next entry, if there is one.
    ///
    /// `body` takes the bytes of the name, and a function that returns the status; `nil` for an entry that has gone.
    package func next(
        _ body: (_ name: Span<UInt8>, _ status: () -> Status?) -> Void
    ) throws(SystemError) -> Bool {
        while true {
            errno = 0
            guard let entry = readdir(directory) else {
                guard errno == 0 else { throw SystemError("readdir", on: path) }
                return false
            }
            let isSelfOrParent = withName(of: entry) { name in
                let length = strlen(name)
                if length <= 2, strcmp(name, ".") == 0 || strcmp(name, "..") == 0 { return true }
                let bytes = UnsafeRawBufferPointer(start: name, count: length)
                body(bytes.assumingMemoryBound(to: UInt8.self).span) { Status(of: name, in: dirfd(directory)) }
                return false
            }
            if !isSelfOrParent { return true }
        }
    }
}
