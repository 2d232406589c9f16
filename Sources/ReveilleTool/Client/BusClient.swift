// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Glibc
import ReveilleSystem
import ReveilleWire
import Varlink

/// A connection to the bus that waits for its answers.
final class BusClient {
    /// How long an answer may take; the bus itself waits a second for a sensor.
    static let patience: Duration = .seconds(10)

    private let stream: UnixStream
    private var session: ClientSession

    /// Connects.
    init(_ address: UnixAddress) throws(Failure) {
        do throws(SystemError) {
            stream = try UnixStream(connectingTo: address)
        } catch {
            throw Failure(reaching: error)
        }
        // Replies are as long as the user's settings are many; the limit of calls is not theirs.
        session = ClientSession(maximumFrame: 64 << 20)
    }

    /// The descriptor, to wait on.
    var descriptor: Int32 { stream.number }

    /// The process that listens, as far as it is seen from here.
    var servingProcess: ServingProcess? {
        (try? stream.peer()).flatMap { ServingProcess($0.pid) }
    }

    /// Sends a call.
    ///
    /// - Parameters:
    ///   - method: With its interface, or a method of the bus.
    ///   - parameters: What goes in.
    ///   - mode: Whether one, several or no replies are wanted.
    /// - Throws: `Failure` when the bus is gone.
    func send(_ method: String, _ parameters: JSONObject, mode: Call.Mode = .plain) throws(Failure) {
        let name = method.contains(".") ? method : BusInterface.name + "." + method
        var rest = session.call(Call(method: name, parameters: parameters, mode: mode))[...]
        while !rest.isEmpty {
            do throws(SystemError) {
                switch try stream.write(rest) {
                case .bytes(let count): rest = rest.dropFirst(count)
                case .wouldBlock: try Readiness.wait(stream.number, for: .writable, atMost: BusClient.patience)
                case .ended: throw SystemError("send", code: EPIPE)
                }
            } catch {
                throw Failure(reaching: error)
            }
        }
    }

    /// Calls and waits for the one reply.
    func call(_ method: String, _ parameters: JSONObject = [:]) throws(Failure) -> JSONObject {
        try send(method, parameters)
        return try receive(atMost: BusClient.patience).parameters
    }

    /// Waits for the next reply.
    ///
    /// - Throws: `Failure`; of an error reply as well.
    func receive(atMost patience: Duration) throws(Failure) -> Reply {
        let deadline = Clocks.boot() + Int64(patience / .microseconds(1))
        while true {
            if let reply = try next() { return reply }
            let left = Duration.microseconds(deadline - Clocks.boot())
            guard left > .zero, try wait(atMost: left) else {
                throw Failure(.timeout, "the bus did not answer in time")
            }
        }
    }

    /// The next reply, if it is there already.
    func next() throws(Failure) -> Reply? {
        while true {
            if let reply = try buffered() {
                if let error = CallError(reply) { throw Failure(error) }
                return reply
            }
            guard try read() else { return nil }
        }
    }

    private func buffered() throws(Failure) -> Reply? {
        do throws(VarlinkError) {
            return try session.nextReply()
        } catch {
            throw Failure(.protocol, "\(error)")
        }
    }

    private func wait(atMost patience: Duration) throws(Failure) -> Bool {
        do throws(SystemError) {
            return try Readiness.wait(stream.number, for: .readable, atMost: patience)
        } catch {
            throw Failure(reaching: error)
        }
    }

    private func read() throws(Failure) -> Bool {
        let outcome: UnixStream.Outcome
        do throws(SystemError) {
            outcome = try withUnsafeTemporaryAllocation(byteCount: 65_536, alignment: 1) {
                buffer throws(SystemError) in
                let outcome = try stream.read(into: buffer)
                if case .bytes(let count) = outcome {
                    session.receive(UnsafeBufferPointer(rebasing: buffer.bindMemory(to: UInt8.self)[..<count]).span)
                }
                return outcome
            }
        } catch {
            throw Failure(reaching: error)
        }
        switch outcome {
        case .bytes: return true
        case .wouldBlock: return false
        case .ended: throw Failure(.noBus, "the bus closed the connection")
        }
    }
}
