// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Glibc
import ReveilleTesting

/// ZeroMQ: its own forwarder between an XSUB and an XPUB socket, since the library itself has no broker.
///
/// The clients speak ZMTP 3.0. The library is loaded at run time, so that nothing of the package depends on it.
struct ZeroMQPeer: Peer {
    static let argument = "zeromq-forwarder"
    let name = "ZeroMQ"

    func command(in directory: TemporaryDirectory) -> [String] {
        [
            ChildProcess.sibling("ReveilleBench"), Self.argument, directory.path + "/publishers",
            directory.path + "/socket",
        ]
    }

    func publisherAddress(in directory: TemporaryDirectory) -> PeerAddress { .unix(directory.path + "/publishers") }

    func subscribe(on connection: PeerConnection) throws {
        try greet(connection, as: "SUB")
        // A message of one byte subscribes to all messages.
        try connection.send([0, 1, 1])
    }

    func prepareToPublish(on connection: PeerConnection) throws {
        try greet(connection, as: "PUB")
    }

    private func greet(_ connection: PeerConnection, as socket: String) throws {
        let signature: [UInt8] = [0xFF] + Array(repeating: 0, count: 8) + [0x7F]
        let greeting = signature + [3, 0] + Array("NULL".utf8)
        try connection.send(greeting + Array(repeating: 0, count: 64 - greeting.count))
        _ = try connection.receive(exactly: 64)
        let property = Array("\u{B}Socket-Type".utf8) + [0, 0, 0, UInt8(socket.utf8.count)] + Array(socket.utf8)
        let ready = Array("\u{5}READY".utf8) + property
        try connection.send([4, UInt8(ready.count)] + ready)
        let header = try connection.receive(exactly: 2)
        _ = try connection.receive(exactly: Int(header[1]))
    }

    private static let publication = [0, UInt8(PeerPayload.size)] + PeerPayload.bytes

    func message(_ number: Int) -> [UInt8] { Self.publication }

    // MARK: - In the forwarder's process

    private typealias Create = @convention(c) () -> UnsafeMutableRawPointer?
    private typealias Socket = @convention(c) (UnsafeMutableRawPointer?, Int32) -> UnsafeMutableRawPointer?
    private typealias Bind = @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<CChar>) -> Int32
    private typealias Proxy =
        @convention(c) (
            UnsafeMutableRawPointer?, UnsafeMutableRawPointer?, UnsafeMutableRawPointer?
        ) -> Int32
    private typealias Set = @convention(c) (UnsafeMutableRawPointer?, Int32, Int32) -> Int32
    private static let xpub: Int32 = 9
    private static let xsub: Int32 = 10
    /// The context option for the maximum number of sockets, and a number that suffices.
    private static let maximumSockets: (option: Int32, value: Int32) = (2, 20_000)

    /// Forwards messages from one socket to another until the process is killed.
    static func run(_ arguments: [String]) throws {
        guard arguments.count == 2, let library = dlopen("libzmq.so.5", RTLD_NOW) else {
            throw BenchError("libzmq.so.5 is not installed")
        }
        func function<Function>(_ name: String, as type: Function.Type) throws -> Function {
            guard let symbol = dlsym(library, name) else { throw BenchError("libzmq.so.5 has no \(name)") }
            return unsafeBitCast(symbol, to: type)
        }
        let context = try function("zmq_ctx_new", as: Create.self)()
        _ = try function("zmq_ctx_set", as: Set.self)(context, maximumSockets.option, maximumSockets.value)
        let socket = try function("zmq_socket", as: Socket.self)
        let bind = try function("zmq_bind", as: Bind.self)
        let publishers = socket(context, xsub)
        let subscribers = socket(context, xpub)
        for (end, path) in [(publishers, arguments[0]), (subscribers, arguments[1])] {
            guard bind(end, "ipc://" + path) == 0 else { throw BenchError("zmq_bind failed on \(path)") }
        }
        _ = try function("zmq_proxy", as: Proxy.self)(publishers, subscribers, nil)
        throw BenchError("the forwarder of ZeroMQ ended")
    }
}
