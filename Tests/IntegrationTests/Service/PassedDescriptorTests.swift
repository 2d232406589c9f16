// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleSystem
import ReveilleTesting
import Testing
import Varlink

/// Peers that send file descriptors (unix(7), SCM_RIGHTS) and out-of-band data (MSG_OOB), neither of which Varlink has.
@Suite(.blocking, .timeLimit(.minutes(10))) struct PassedDescriptorTests {
    private static let get =
        Array(#"{"method":"org.reveille.Bus.GetState","parameters":{"aspects":["locale"]}}"#.utf8) + [0]
    /// The most descriptors of a message (SCM_MAX_FD).
    private static let most = 253

    private let bus: BusProcess
    private let control: RawClient
    private let other: Subscriber
    private let descriptors: [String]

    init() throws {
        bus = try BusProcess()
        control = try bus.client()
        other = try bus.subscribe()
        try control.fence()
        descriptors = try bus.descriptors().sorted()
    }

    /// Checks that the bus has no other descriptors than at the beginning, sleeps, and serves the others.
    private func checkThatNothingIsLeft(level: Double = 0.5) throws {
        try wait(for: "all descriptors to be closed") { try bus.descriptors().sorted() == descriptors }
        try control.post(level: level)
        #expect(try other.next().map(\.level) == [level])
        try wait(for: "the bus to sleep") { try bus.state() == "S" }
    }

    @Test("file descriptors within and between calls are closed, and each call is answered")
    func descriptorsOfCallsAreClosed() throws {
        do {
            let client = try bus.client()
            for split in Self.get.indices {
                let pipe = try Pipe()
                try client.send(bytes: Array(Self.get[..<split]))
                try client.send(Array(Self.get[split...]), passing: [pipe.end])
                pipe.closeEnd()
                #expect(try client.receive().error == nil)
                try wait(for: "the pipe to be closed") { pipe.hasNoOtherEnd }
            }
            let pipe = try Pipe()
            for _ in 0..<20 {
                try client.send(Self.get + Self.get, passing: Array(repeating: pipe.end, count: Self.most))
                for _ in 0..<2 { #expect(try client.receive().error == nil) }
            }
            pipe.closeEnd()
            try wait(for: "the pipe to be closed") { pipe.hasNoOtherEnd }
        }
        try checkThatNothingIsLeft()
    }

    @Test("file descriptors that a subscriber sends are closed at the end of its connection")
    func descriptorsOfSubscribersAreClosed() throws {
        let pipe = try Pipe()
        do {
            let subscriber = try bus.subscribe()
            try subscriber.client.send(Self.get, passing: Array(repeating: pipe.end, count: Self.most))
            pipe.closeEnd()
            try control.post(level: 0.25)
            #expect(try subscriber.next().map(\.level) == [0.25])
            #expect(try other.next().map(\.level) == [0.25])
            // They wait in the socket with the call: a subscription delays it.
            #expect(try !bus.descriptors().contains { $0 == pipe.target })
        }
        try wait(for: "the pipe to be closed") { pipe.hasNoOtherEnd }
        try checkThatNothingIsLeft()
    }

    @Test("a file descriptor of an invalid call is closed with its connection")
    func descriptorsOfInvalidCallsAreClosed() throws {
        for frame in ["}{\0", "\0", String(repeating: "[", count: 40) + "\0", #"{"method":"a.b.C","x":1}"# + "\0"] {
            let pipe = try Pipe()
            let client = try bus.client()
            try client.send(Array(frame.utf8), passing: [pipe.end, pipe.end])
            pipe.closeEnd()
            #expect(try client.receiveText() == nil)
            try wait(for: "the pipe to be closed") { pipe.hasNoOtherEnd }
        }
        try checkThatNothingIsLeft()
    }

    @Test("connections that are passed to the bus are closed like other file descriptors")
    func connectionsArePassedToTheBus() throws {
        for isComplete in [true, false] {
            let call = isComplete ? Self.get : Array(Self.get.dropLast(9))
            let client = try bus.client()
            let second = try bus.client()
            // Each connection is in the queue of the other and of itself.
            try client.send(call, passing: [client.descriptor, second.descriptor])
            try second.send(call, passing: [client.descriptor, second.descriptor])
            try control.fence()
        }
        try checkThatNothingIsLeft()
    }

    @Test("out-of-band data ends only its own connection, and the reason is logged", arguments: [0, 12, 75])
    func outOfBandDataEndsItsConnection(split: Int) throws {
        for byte in [0x00, 0x22] as [UInt8] {
            let client = try bus.client()
            let pipe = try Pipe()
            // A byte that has been read already has no effect.
            try bus.whileStopped {
                try client.send(bytes: Array(Self.get[..<split]))
                try client.send([byte], passing: [pipe.end], flags: Int32(MSG_OOB))
                try client.send(bytes: Array(Self.get[split...]))
            }
            pipe.closeEnd()
            #expect(try client.receiveText(seconds: 5) == nil)
            try wait(for: "the pipe to be closed") { pipe.hasNoOtherEnd }
        }
        #expect(bus.log.contains("closing the connection of process \(getpid()): it sent out-of-band data"))
        try checkThatNothingIsLeft()
    }

    @Test("out-of-band data of a subscriber ends its stream") func outOfBandDataEndsAStream() throws {
        let subscriber = try bus.subscribe()
        try subscriber.client.send([0x20], flags: Int32(MSG_OOB))
        #expect(try subscriber.client.receiveText(seconds: 5) == nil)
        try checkThatNothingIsLeft()
    }
}

/// A pipe whose reader reports whether any process still has the other end.
private final class Pipe {
    private let reader: Int32
    let end: Int32
    private var isEndOpen = true

    init() throws {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw Trouble("pipe: error \(errno)") }
        (reader, end) = (ends[0], ends[1])
        _ = fcntl(reader, F_SETFL, O_NONBLOCK)
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    }

    deinit {
        closeEnd()
        close(reader)
    }

    func closeEnd() {
        if isEndOpen { close(end) }
        isEndOpen = false
    }

    /// Whether nobody has the other end; a child that another test starts has it for a moment.
    var hasNoOtherEnd: Bool {
        var byte: UInt8 = 0
        return read(reader, &byte, 1) == 0
    }

    /// The name of the pipe in `/proc/PID/fd`.
    var target: String {
        var status = stat()
        fstat(reader, &status)
        return "pipe:[\(status.st_ino)]"
    }
}

extension RawClient {
    fileprivate func send(_ bytes: [UInt8], passing descriptors: [Int32] = [], flags: Int32 = 0) throws {
        var bytes = bytes
        // The descriptors follow a header with the length, level and type, in whole words.
        let length = MemoryLayout<cmsghdr>.size + descriptors.count * MemoryLayout<Int32>.size
        var control = [UInt64](repeating: 0, count: (length + 7) / 8)
        var header = cmsghdr()
        header.cmsg_len = length
        header.cmsg_level = SOL_SOCKET
        header.cmsg_type = Int32(SCM_RIGHTS)
        control.withUnsafeMutableBytes { control in
            control.storeBytes(of: header, as: cmsghdr.self)
            for (index, descriptor) in descriptors.enumerated() {
                control.storeBytes(of: descriptor, toByteOffset: MemoryLayout<cmsghdr>.size + index * 4, as: Int32.self)
            }
        }
        let count = bytes.withUnsafeMutableBytes { bytes in
            control.withUnsafeMutableBytes { control in
                var part = iovec(iov_base: bytes.baseAddress, iov_len: bytes.count)
                return withUnsafeMutablePointer(to: &part) { part in
                    var message = msghdr()
                    message.msg_iov = part
                    message.msg_iovlen = 1
                    message.msg_control = descriptors.isEmpty ? nil : control.baseAddress
                    message.msg_controllen = descriptors.isEmpty ? 0 : control.count
                    return sendmsg(self.descriptor, &message, flags | Int32(MSG_NOSIGNAL))
                }
            }
        }
        guard count == bytes.count else { throw Trouble("sendmsg: \(String(cString: strerror(errno)))") }
    }
}

extension BusProcess {
    /// Stops the bus while a closure sends to it, so that everything arrives at once.
    fileprivate func whileStopped(_ body: () throws -> Void) throws {
        process.signal(SIGSTOP)
        defer { process.signal(SIGCONT) }
        try wait(for: "the bus to stop") { try state() == "T" }
        try body()
    }

    /// Returns the state of the process: `S` if it sleeps, as it does when nothing is to be done, or `T` if it is stopped.
    fileprivate func state() throws -> Character? {
        let status = try String(contentsOfFile: "/proc/\(process.pid)/stat")
        // The state follows the name of the program, which ends with the last parenthesis.
        return status[(status.lastIndex(of: ")") ?? status.startIndex)...].dropFirst(2).first
    }
}
