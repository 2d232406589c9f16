// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleFleetCore
import ReveilleMQTT

/// A peer on loopback in place of a broker, which sends what a test wants.
final class FalseBroker {
    /// The acceptance of a client, without properties.
    static let welcome: [UInt8] = [0x20, 3, 0, 0, 0]
    /// The type of a SUBSCRIBE with its flags.
    static let subscribe: UInt8 = 0x82

    private let listener: LoopbackListener
    private var descriptor: Int32 = -1

    init() throws {
        listener = try LoopbackListener()
    }

    deinit {
        end()
    }

    func options(_ tls: TLSFiles? = nil) -> MQTTConnection.Options {
        MQTTConnection.Options(broker: FleetBroker(port: listener.port, tls), clientID: "phone")
    }

    func accept() throws {
        end()
        descriptor = listener.acceptOne()
        guard descriptor >= 0 else { throw Trouble("accept: \(errno)") }
        // A test that waits for the client in vain fails.
        var patience = timeval(tv_sec: 30, tv_usec: 0)
        for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
            setsockopt(descriptor, SOL_SOCKET, option, &patience, socklen_t(MemoryLayout<timeval>.size))
        }
    }

    /// Waits for a connection, accepts its client, and returns the client's first packet of a type.
    @discardableResult
    func welcome(_ bytes: [UInt8] = welcome, until type: UInt8) throws -> [UInt8] {
        try accept()
        send(bytes)
        while true {
            let packet = try packet()
            if packet.type == type { return packet.body }
        }
    }

    /// Returns the next packet that is not a ping; pings, which a slow machine causes, are answered.
    func message() throws -> (type: UInt8, body: [UInt8]) {
        while true {
            let packet = try packet()
            guard packet.type == 0xC0 else { return packet }
            send([0xD0, 0])
        }
    }

    func packet() throws -> (type: UInt8, body: [UInt8]) {
        let type = try receive(1)[0]
        var length = 0
        var shift = 0
        while true {
            let byte = Int(try receive(1)[0])
            length |= (byte & 127) << shift
            shift += 7
            if byte < 128 { return (type, try receive(length)) }
        }
    }

    private func receive(_ count: Int) throws -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        guard recv(descriptor, &bytes, count, Int32(MSG_WAITALL)) == count else {
            throw Trouble("the client sent nothing: \(errno)")
        }
        return bytes
    }

    /// Sends bytes, and returns whether the client takes them.
    @discardableResult
    func send(_ bytes: some Collection<UInt8>) -> Bool {
        let bytes = Array(bytes)
        return Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count
    }

    func finish() {
        shutdown(descriptor, Int32(SHUT_WR))
    }

    /// Closes the connection, with a reset if the client is to lose what it has not read.
    func end(withReset isReset: Bool = false) {
        guard descriptor >= 0 else { return }
        if isReset {
            var option = linger(l_onoff: 1, l_linger: 0)
            setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
        }
        close(descriptor)
        descriptor = -1
    }

    /// Reads until the client has closed the connection, and returns whether it has.
    func isLeft() -> Bool {
        var buffer = [UInt8](repeating: 0, count: 4_096)
        var count = 1
        while count > 0 { count = recv(descriptor, &buffer, buffer.count, 0) }
        return count == 0 || errno == ECONNRESET
    }
}
