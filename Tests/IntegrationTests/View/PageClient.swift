// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleTesting
import Varlink

/// A connection to the page that sends any bytes.
final class PageClient {
    struct Message {
        var id = ""
        var name = ""
        var data: JSONObject = [:]

        func events(of aspect: String) -> [JSONObject] {
            (data["events"]?.arrayValue ?? []).compactMap(\.objectValue).filter { $0["aspect"]?.stringValue == aspect }
        }
    }

    let descriptor: Int32
    private let port: UInt16
    private var buffer: [UInt8] = []

    init(port: UInt16, receiveBuffer: Int32? = nil) throws {
        self.port = port
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | O_CLOEXEC, 0)
        if var size = receiveBuffer {
            setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
        }
        guard Loopback.withAddress(port: port, { Glibc.connect(descriptor, $0, $1) }) == 0 else {
            close(descriptor)
            throw Trouble("connect to port \(port): \(String(cString: strerror(errno)))")
        }
    }

    deinit {
        close(descriptor)
    }

    /// Sends bytes; returns whether the page took all of them.
    @discardableResult
    func send(_ bytes: [UInt8]) -> Bool {
        Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count
    }

    func request(_ path: String, method: String = "GET", headers: [String] = [], host: String? = nil) throws {
        let lines = ["\(method) \(path) HTTP/1.1", "Host: \(host ?? "127.0.0.1:\(port)")"] + headers + ["", ""]
        guard send(Array(lines.joined(separator: "\r\n").utf8)) else { throw Trouble("the request was not taken") }
    }

    /// Receives until the page closes the connection.
    func receiveAll(seconds: Int = 30) throws -> String {
        let deadline = Deadline(seconds: seconds)
        while try receive(deadline) {}
        return String(decoding: buffer, as: UTF8.self)
    }

    func message(_ name: String? = nil, seconds: Int = 30) throws -> Message {
        let deadline = Deadline(seconds: seconds)
        while true {
            while let end = buffer.firstRange(of: [10, 10]) {
                let text = String(decoding: buffer[..<end.lowerBound], as: UTF8.self)
                buffer.removeSubrange(..<end.upperBound)
                let message = Self.parse(text)
                if !message.name.isEmpty, name == nil || message.name == name { return message }
            }
            guard try receive(deadline) else {
                throw Trouble("the stream has ended: \(String(decoding: buffer, as: UTF8.self))")
            }
        }
    }

    private static func parse(_ text: String) -> Message {
        var message = Message()
        for line in text.utf8.split(separator: 10).map({ String(Substring($0)) }) {
            if line.hasPrefix("id: ") { message.id = String(line.dropFirst(4)) }
            if line.hasPrefix("event: ") { message.name = String(line.dropFirst(7)) }
            if line.hasPrefix("data: ") {
                message.data = (try? JSON.parse(Array(line.utf8.dropFirst(6))))?.objectValue ?? [:]
            }
        }
        return message
    }

    private func receive(_ deadline: Deadline) throws -> Bool {
        var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard poll(&request, 1, deadline.millisecondsLeft) > 0 else {
            throw Trouble("nothing received in time after \(String(decoding: buffer.suffix(200), as: UTF8.self))")
        }
        var bytes = [UInt8](repeating: 0, count: 65_536)
        let count = recv(descriptor, &bytes, bytes.count, 0)
        // A connection that is closed with unread data is reset.
        guard count > 0 else { return false }
        buffer += bytes[..<count]
        return true
    }
}
