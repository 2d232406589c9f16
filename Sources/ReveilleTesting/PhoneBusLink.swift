// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Glibc
import ReveilleSystem

/// The phone's end of the socket to its bus's process, by which each step of the phone becomes one reading.
///
/// The bus answers each request by one byte.
final class PhoneBusLink {
    /// What the phone asks of its bus.
    enum Request: UInt8 {
        /// To read nothing until it is asked to.
        case hold = 1
        /// To read every source now, and to answer when what changed is told.
        case read = 2
    }

    /// How long a reading may take; one of a sensor that does not answer takes a second.
    private static let patience: Duration = .seconds(10)
    /// How long a start may take, on a machine that is busy.
    private static let startPatience: Duration = .seconds(60)
    /// Between two looks at a process that does not answer.
    private static let pause: Duration = .milliseconds(50)

    private let stream: UnixStream
    private let process: ChildProcess
    private var unanswered = 0

    init(_ stream: UnixStream, to process: ChildProcess) {
        self.stream = stream
        self.process = process
    }

    /// Waits until the bus accepts connections.
    ///
    /// - Throws: `TestbedError` with the reason that the bus gives.
    func waitForStart() throws(TestbedError) {
        var answer: [UInt8] = []
        let deadline = ContinuousClock.now + Self.startPatience
        while answer.last != UInt8(ascii: "\n") {
            guard let bytes = try receive(until: deadline) else { break }
            answer += bytes
        }
        let line = String(decoding: answer.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
        guard line != "ok" else { return }
        let reason = !line.isEmpty ? line : ContinuousClock.now < deadline ? "it ended" : "it said nothing in time"
        throw TestbedError("the phone's bus did not start: \(reason)")
    }

    /// Changes the phone, and returns once the bus has read the change, as one.
    ///
    /// A bus that has ended, or that a signal has stopped, is not waited for.
    ///
    /// - Throws: `TestbedError` of the change, or when the bus hangs.
    func step<Value>(_ change: () throws(TestbedError) -> Value) throws(TestbedError) -> Value {
        guard !process.isStopped else { return try change() }
        try ask(.hold)
        let result: Result<Value, TestbedError>
        do throws(TestbedError) { result = .success(try change()) } catch { result = .failure(error) }
        try ask(.read)
        return try result.get()
    }

    private func ask(_ request: Request) throws(TestbedError) {
        do throws(SystemError) {
            guard case .bytes = try stream.write([request.rawValue]) else { return }
        } catch {
            throw TestbedError("asking the phone's bus for a reading: \(error)")
        }
        unanswered += 1
        let deadline = ContinuousClock.now + Self.patience
        while unanswered > 0, !process.isStopped {
            guard let answers = try receive(until: min(deadline, .now + Self.pause)) else { return }
            unanswered -= answers.count
            guard unanswered == 0 || ContinuousClock.now < deadline else {
                throw TestbedError(
                    "the phone's bus, process \(process.pid), has not read the phone within \(Self.patience): it hangs")
            }
        }
    }

    /// The bytes that come next, none when time is up; `nil` when the process has ended.
    private func receive(until deadline: ContinuousClock.Instant) throws(TestbedError) -> [UInt8]? {
        do throws(SystemError) {
            while true {
                if let bytes = try stream.received(atMost: 1_024) { return bytes.isEmpty ? nil : bytes }
                let left = deadline - .now
                guard left > .zero, try Readiness.wait(stream.number, for: .readable, atMost: left) else { return [] }
            }
        } catch {
            throw TestbedError("the answer of the phone's bus: \(error)")
        }
    }
}

extension UnixStream {
    /// Returns the bytes that have arrived, none if the peer is gone; `nil` if there are none yet.
    func received(atMost limit: Int) throws(SystemError) -> [UInt8]? {
        var received: [UInt8] = []
        let outcome = try read(atMost: limit) { bytes in bytes.withUnsafeBufferPointer { received += $0 } }
        return outcome == .wouldBlock ? nil : received
    }
}
