// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleSystem
import Testing
import Varlink

/// A client that sends and receives raw bytes, which may be invalid.
final class RawClient {
    let descriptor: Int32
    private let terminator: UInt8
    private var buffer: [UInt8] = []

    /// Takes ownership of a connected socket, whose frames end with a byte.
    init(descriptor: Int32, terminator: UInt8 = 0) {
        self.descriptor = descriptor
        self.terminator = terminator
    }

    init(_ path: String) throws {
        terminator = 0
        descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | O_CLOEXEC, 0)
        let result = try UnixAddress("unix:" + path).withSocketAddress { connect(descriptor, $0, $1) }
        guard result == 0 else { throw Trouble("connect \(path): \(String(cString: strerror(errno)))") }
    }

    deinit {
        close(descriptor)
    }

    /// Sends text as a frame.
    func send(_ text: String) throws {
        try send(bytes: Array(text.utf8) + [terminator])
    }

    func send(bytes: [UInt8]) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard count > 0 else { throw Trouble("send: \(String(cString: strerror(errno)))") }
            rest = rest.dropFirst(count)
        }
    }

    /// Shuts down the sending half of the connection.
    func finishSending() {
        shutdown(descriptor, Int32(SHUT_WR))
    }

    /// Receives the text of the next frame; `nil` if the bus has closed the connection.
    func receiveText(seconds: Int = 60) throws -> String? {
        let deadline = Deadline(seconds: seconds)
        while true {
            if let end = buffer.firstIndex(of: terminator) {
                defer { buffer.removeSubrange(...end) }
                return String(decoding: buffer[..<end], as: UTF8.self)
            }
            var poll = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            guard Glibc.poll(&poll, 1, deadline.millisecondsLeft) > 0 else { throw Trouble("nothing received in time") }
            var chunk = [UInt8](repeating: 0, count: 65_536)
            let count = recv(descriptor, &chunk, chunk.count, 0)
            guard count > 0 else { return nil }
            buffer += chunk[..<count]
        }
    }

    /// Receives all complete frames that are available, and whether the bus has closed the connection.
    func receiveAll() -> (texts: [String], hasEnded: Bool) {
        var hasEnded = false
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = recv(descriptor, &chunk, chunk.count, Int32(MSG_DONTWAIT))
            guard count > 0 else {
                hasEnded = count == 0 || errno != EAGAIN
                break
            }
            buffer += chunk[..<count]
        }
        let frames = buffer.split(separator: terminator, omittingEmptySubsequences: false)
        buffer = Array(frames.last ?? [])
        return (frames.dropLast().map { String(decoding: $0, as: UTF8.self) }, hasEnded)
    }

    func receive(seconds: Int = 60) throws -> Reply {
        guard let text = try receiveText(seconds: seconds) else { throw Trouble("the bus closed the connection") }
        return try Reply(parsing: Array(text.utf8))
    }

    @discardableResult
    func call(_ method: String, _ parameters: String = "{}") throws -> Reply {
        let name = method.contains(".") ? method : "org.reveille.Bus." + method
        try send("{\"method\":\"\(name)\",\"parameters\":\(parameters)}")
        return try receive()
    }

    /// Whether there is nothing to read.
    var isSilent: Bool {
        var poll = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return buffer.isEmpty && Glibc.poll(&poll, 1, 0) == 0
    }

    func post(level: Double) throws {
        let reply = try call("Post", Self.battery(level))
        guard reply.error == nil else { throw Trouble("Post: \(reply)") }
    }

    /// Waits until the bus has executed all earlier calls of this connection.
    func fence() throws { try call("org.varlink.service.GetInfo") }

    func state(of aspect: String) throws -> JSONObject {
        try #require(try call("GetState", #"{"aspects":["\#(aspect)"]}"#).parameters.events.first)
    }

    func subscriptions() throws -> [JSONObject] {
        try call("ListSubscriptions").parameters.objects("subscriptions")
    }

    func instance() throws -> String {
        try #require(try call("GetState").parameters["instance"]?.stringValue)
    }

    static func battery(_ level: Double) -> String {
        """
        {"battery":{"state":"unplugged","level":\(level),"plugged":false,"chargeStatus":"discharging","packs":[]}}
        """
    }
}

final class Subscriber {
    let client: RawClient
    let first: JSONObject

    init(_ bus: BusProcess, _ parameters: String) throws {
        client = try bus.client()
        try client.send("{\"method\":\"org.reveille.Bus.Subscribe\",\"parameters\":\(parameters),\"more\":true}")
        let reply = try client.receive()
        guard reply.error == nil else { throw Trouble("Subscribe: \(reply)") }
        first = reply.parameters
    }

    var id: String { first["subscription"]?.stringValue ?? "" }

    var instance: String { first["instance"]?.stringValue ?? "" }

    var initialEvents: [JSONObject] { first.events }

    func next(seconds: Int = 60) throws -> [JSONObject] {
        let reply = try client.receive(seconds: seconds)
        guard reply.continues else { throw Trouble("the stream ended: \(reply)") }
        return reply.parameters.events
    }

    /// Reads events until one of an aspect has the wanted state.
    @discardableResult
    func wait(for aspect: String, until isWanted: (JSONObject) -> Bool) throws -> JSONObject {
        while true {
            for event in try next() where event.aspect == aspect {
                if let state = event[aspect]?.objectValue, isWanted(state) { return event }
            }
        }
    }

    func setState(_ state: String, on control: RawClient, more: String = "") throws {
        let reply = try control.call("SetState", "{\"subscription\":\"\(id)\",\"state\":\"\(state)\"\(more)}")
        guard reply.error == nil else { throw Trouble("SetState: \(reply)") }
    }
}

extension JSONObject {
    func objects(_ name: String) -> [JSONObject] { self[name]?.arrayValue?.compactMap(\.objectValue) ?? [] }
    var events: [JSONObject] { objects("events") }
    func integer(_ name: String) -> Int { self[name]?.integerValue.map { Int($0) } ?? -1 }
    var aspect: String { self["aspect"]?.stringValue ?? "" }
    var level: Double? { self["battery"]?.objectValue?["level"]?.numberValue }
}
