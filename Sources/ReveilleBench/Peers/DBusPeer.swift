// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Glibc
import ReveilleTesting

/// dbus-daemon: a signal with an array of bytes, and a match rule for each subscriber.
struct DBusPeer: Peer {
    let name = "dbus-daemon"

    func command(in directory: TemporaryDirectory) throws -> [String] {
        let limits = ["connections_per_user", "completed_connections", "incomplete_connections"]
        try directory.write(
            """
            <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
              "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
            <busconfig>
              <type>session</type>
              <listen>unix:path=\(directory.path)/socket</listen>
              <auth>EXTERNAL</auth>
              <policy context="default">
                <allow send_destination="*"/><allow receive_sender="*"/><allow own="*"/>
              </policy>
              \(limits.map { "<limit name=\"max_\($0)\">20000</limit>" }.joined())
            </busconfig>
            """, to: "bus.conf")
        return ["dbus-daemon", "--nofork", "--config-file=\(directory.path)/bus.conf"]
    }

    func prepareToPublish(on connection: PeerConnection) throws {
        let user = "\(geteuid())".utf8.map { String($0, radix: 16) }.joined()
        try connection.send("\0AUTH EXTERNAL \(user)\r\n")
        try connection.receive(through: "\r\n")
        try connection.send("BEGIN\r\n")
        try call("Hello", nil, on: connection)
    }

    func subscribe(on connection: PeerConnection) throws {
        try prepareToPublish(on: connection)
        try call("AddMatch", "type='signal',interface='org.example.Bench'", on: connection)
    }

    private func call(_ member: String, _ argument: String?, on connection: PeerConnection) throws {
        let bus = "org.freedesktop.DBus"
        var fields: [(DBusMessage.Field, String)] = [
            (.path, "/org/freedesktop/DBus"), (.destination, bus), (.interface, bus), (.member, member),
        ]
        if argument != nil { fields.append((.signature, "s")) }
        let body = argument.map { DBusMessage.string($0) } ?? []
        try connection.send(DBusMessage.encoded(.call, fields, body: body))
        // The signal NameAcquired may precede the reply.
        while true {
            switch try DBusMessage.receiveKind(from: connection) {
            case .reply: return
            case .error: throw BenchError("dbus-daemon answered \(member) with an error")
            case .call, .signal: continue
            }
        }
    }

    private static let publication = DBusMessage.encoded(
        .signal,
        [(.path, "/org/example"), (.interface, "org.example.Bench"), (.member, "Changed"), (.signature, "ay")],
        body: DBusMessage.integer(PeerPayload.size) + PeerPayload.bytes)

    func message(_ number: Int) -> [UInt8] { Self.publication }
}
