// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleSystem
import ReveilleTesting
import Varlink

/// A bus whose replies are written by the test.
final class ScriptedBus {
    let directory: TemporaryDirectory
    private let listener: Int32
    var address: String { "unix:\(directory.path)/bus" }

    init() throws {
        directory = try TemporaryDirectory()
        listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | O_CLOEXEC, 0)
        let bound = try UnixAddress(address).withSocketAddress { bind(listener, $0, $1) }
        guard bound == 0, listen(listener, 8) == 0 else { throw Trouble("listen \(address)") }
    }

    deinit {
        close(listener)
    }

    func accept() throws -> RawClient {
        var poll = pollfd(fd: listener, events: Int16(POLLIN), revents: 0)
        guard Glibc.poll(&poll, 1, 30_000) > 0 else { throw Trouble("no connection in time") }
        let connection = Glibc.accept(listener, nil, nil)
        // A program that another test starts in between would keep it open.
        _ = fcntl(connection, F_SETFD, FD_CLOEXEC)
        return RawClient(descriptor: connection)
    }

    /// Waits for a connection, and returns it with the parameters of its first call, which must be Subscribe.
    func acceptStream() throws -> (stream: RawClient, request: JSONObject) {
        let stream = try accept()
        let call = try JSON.parse(Array(try stream.receiveText(seconds: 30)?.utf8 ?? "".utf8)).objectValue ?? [:]
        guard call["method"] == "org.reveille.Bus.Subscribe", call["more"] == true else { throw Trouble("\(call)") }
        return (stream, call["parameters"]?.objectValue ?? [:])
    }

    func client(_ language: ClientLanguage) throws -> (ClientProgram, calls: RawClient) {
        let client = try ClientProgram(language, in: directory)
        let connecting = try client.begin("connect", ["address": .string(address)])
        let calls = try accept()
        _ = try calls.receiveText(seconds: 30)
        try calls.send("{}")
        _ = try client.result(of: connecting)
        return (client, calls)
    }

    func subscriber(
        _ language: ClientLanguage, to aspects: [String] = ["battery"], _ events: [String] = []
    ) throws -> (ClientProgram, calls: RawClient, stream: RawClient) {
        let (client, calls) = try client(language)
        let names = JSON.array(aspects.map(JSON.string))
        let subscribing = try client.begin("subscribe", ["of": "s", "aspects": names, "options": [:]])
        let (stream, _) = try acceptStream()
        try stream.send(Self.first(events))
        _ = try client.result(of: subscribing)
        return (client, calls, stream)
    }

    static func first(_ events: [String] = [], instance: String = "i", resumed: Bool? = nil) -> String {
        let resumed = resumed.map { #""resumed":\#($0),"# } ?? ""
        return """
            {"parameters":{"subscription":"0000000000000001","instance":"\(instance)",\(resumed)"events":[\
            \(events.joined(separator: ","))]},"continues":true}
            """
    }

    static func reply(_ events: String...) -> String {
        #"{"parameters":{"events":[\#(events.joined(separator: ","))]},"continues":true}"#
    }

    /// Returns an event, whose state is a member.
    static func event(_ aspect: String, _ generation: Int, changes: Int = 1, _ state: String) -> String {
        """
        {"aspect":"\(aspect)","generation":\(generation),"sequence":\(generation),"changes":\(changes),"netChange":true,\
        "firstChangedAt":1,"changedAt":2,"dropped":0,\(state)}
        """
    }

    static func battery(_ generation: Int, _ level: Double, changes: Int = 1) -> String {
        event("battery", generation, changes: changes, #""battery":{"level":\#(level)}"#)
    }
}
