// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleSystem

/// An attribute whose driver does not answer: every read of its file blocks until this is released.
///
/// The kernel asks a program before each access to the file (fanotify(7)), and gets no reply. It only asks about files
/// that are opened after that, so the attribute becomes a new file.
final class BlockedAttribute {
    private typealias Start = @convention(c) (UInt32, UInt32) -> Int32
    private typealias Mark = @convention(c) (Int32, UInt32, UInt64, Int32, UnsafePointer<CChar>) -> Int32

    /// Values of linux/fanotify.h.
    private enum Flag {
        static let closesOnExec: UInt32 = 0x1
        static let decidesOnAccess: UInt32 = 0x4
        static let add: UInt32 = 0x1
        static let accessPermission: UInt64 = 0x20000
    }

    private let descriptor: Int32

    /// Whether this user may block files: only root may.
    static var isPossible: Bool { (try? BlockedAttribute(marking: "/proc/self/exe")) != nil }

    /// Blocks the reads of an attribute that begin from now on.
    convenience init(_ path: String) throws {
        let next = path + ".next"
        let file = OwnedDescriptor(open(next, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644))
        let text = Array(try String(contentsOfFile: path).utf8)
        guard write(file.number, text, text.count) == text.count else { throw Trouble("write \(next): error \(errno)") }
        try self.init(marking: next)
        rename(next, path)
    }

    private init(marking path: String) throws {
        guard let start = dlsym(nil, "fanotify_init"), let mark = dlsym(nil, "fanotify_mark") else {
            throw Trouble("no fanotify_init in the C library")
        }
        descriptor = unsafeBitCast(start, to: Start.self)(
            Flag.closesOnExec | Flag.decidesOnAccess, UInt32(O_RDONLY))
        guard descriptor >= 0 else { throw Trouble("fanotify_init: error \(errno)") }
        let result = unsafeBitCast(mark, to: Mark.self)(
            descriptor, Flag.add, Flag.accessPermission, AT_FDCWD, path)
        guard result == 0 else {
            close(descriptor)
            throw Trouble("fanotify_mark \(path): error \(errno)")
        }
    }

    deinit {
        // Lets all blocked reads continue.
        close(descriptor)
    }

    func waitForRead() throws {
        var poll = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard Glibc.poll(&poll, 1, 60_000) == 1 else { throw Trouble("waited for a read that blocks") }
    }
}
