// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleTesting

/// A counter of the times that a file is read; reads in quick succession may count as one.
final class ReadCounter {
    private let descriptor: Int32
    private var reads = 0

    /// Counts the readings of the only attribute with this name on the phone.
    convenience init(of attribute: String, on phone: SyntheticPhone) throws {
        try self.init(phone.file(of: attribute))
    }

    init(_ path: String) throws {
        descriptor = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
        guard inotify_add_watch(descriptor, path, UInt32(IN_ACCESS)) >= 0 else {
            throw Trouble("inotify_add_watch \(path): error \(errno)")
        }
    }

    deinit {
        close(descriptor)
    }

    var count: Int {
        withUnsafeTemporaryAllocation(byteCount: 65_536, alignment: 8) { buffer in
            while case let size = read(descriptor, buffer.baseAddress, buffer.count), size > 0 {
                var offset = 0
                while offset < size {
                    let event = buffer.load(fromByteOffset: offset, as: inotify_event.self)
                    if event.mask & UInt32(IN_ACCESS) != 0 { reads += 1 }
                    offset += MemoryLayout<inotify_event>.size + Int(event.len)
                }
            }
        }
        return reads
    }

    func wait(for count: Int) throws {
        try IntegrationTests.wait(for: "\(count) readings") { self.count >= count }
    }
}

extension SyntheticPhone {
    func file(of attribute: String) throws -> String {
        let directory = testbed.root + "/sys/devices/"
        var found = glob_t()
        defer { globfree(&found) }
        guard glob(directory + "*/" + attribute, 0, nil, &found) == 0, let path = found.gl_pathv[0] else {
            throw Trouble("no \(attribute) below \(directory)")
        }
        return String(cString: path)
    }
}
