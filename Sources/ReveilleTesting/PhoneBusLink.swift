// SPDX-License-Identifier: Apache-2.0

import ReveilleSystem

/// The phone's end of the socket to its bus's process; the link makes each step of the phone one reading.
///
/// The bus answers each request with one byte.
final class PhoneBusLink {
    enum Request: UInt8 {
        /// Read nothing until the next request.
        case hold = 1
        /// Read every source, and answer once all changes are posted.
        case read = 2
        /// Sleep for a number of microseconds, which follows in eight bytes, and answer after the sleep.
        case sleep = 3
    }

    /// The timeout of a reading; a sensor that does not respond takes a second.
    private static let patience: Duration = .seconds(10)
    /// The timeout of a start, even on a busy machine.
    private static let startPatience: Duration = .seconds(60)
    /// The interval at which a process that does not answer is checked.
    private static let pause: Duration = .milliseconds(50)

    private let stream: UnixStream
    private let process: ChildProcess
    private var unanswered = 0

    init(_ stream: UnixStream, to process: ChildProcess) {
        self.stream = stream
        self.process = process
    }

    /// Waits until the bus accepts connections, or throws the reason that it reports.
    func waitForStart() throws(TestbedError) {
        var answer: [UInt8] = []
        let deadline = ContinuousClock.now + Self.startPatience
        while answer.last != UInt8(ascii: "\n") {
            guard let bytes = try receive(until: deadline) else { break }
            answer += bytes
        }
        let line = String(decoding: answer.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
        guard line != "ok" else { return }
        let reason = !line.isEmpty ? line : ContinuousClock.now < deadline ? "it ended" : "timeout"
        throw TestbedError("the phone's bus did not start: \(reason)")
    }

    /// Changes the phone, and returns once the bus has read everything as one change.
    ///
    /// Does not wait for a bus that has ended or that is stopped by a signal.
    ///
    /// - Throws: `TestbedError` of the change, or if the bus hangs.
    func step<Value>(_ change: () throws(TestbedError) -> Value) throws(TestbedError) -> Value {
        guard !process.isStopped else { return try change() }
        try ask(.hold)
        let result: Result<Value, TestbedError>
        do throws(TestbedError) { result = .success(try change()) } catch { result = .failure(error) }
        try ask(.read)
        return try result.get()
    }

    /// Returns after the sleep; calls `meanwhile` again and again before.
    ///
    /// Does not wait for a bus that has ended or that is stopped by a signal.
    func sleep(for microseconds: UInt64, meanwhile: () -> Void) throws(TestbedError) {
        guard !process.isStopped else { return }
        try ask(.sleep, withUnsafeBytes(of: microseconds) { [UInt8]($0) }, meanwhile: meanwhile)
    }

    private func ask(
        _ request: Request, _ argument: [UInt8] = [], meanwhile: () -> Void = {}
    ) throws(TestbedError) {
        do throws(SystemError) {
            guard case .bytes = try stream.write(([request.rawValue] + argument).span) else { return }
        } catch {
            throw TestbedError("request to the phone's bus: \(error)")
        }
        unanswered += 1
        let deadline = ContinuousClock.now + Self.patience
        while unanswered > 0, !process.isStopped {
            guard let answers = try receive(until: min(deadline, .now + Self.pause)) else { return }
            unanswered -= answers.count
            meanwhile()
            guard unanswered == 0 || ContinuousClock.now < deadline else {
                throw TestbedError(
                    "the phone's bus, process \(process.pid), did not read the phone within \(Self.patience)")
            }
        }
    }

    /// Returns the next bytes, none after the deadline; `nil` if the process has ended.
    private func receive(until deadline: ContinuousClock.Instant) throws(TestbedError) -> [UInt8]? {
        do throws(SystemError) {
            while true {
                if let bytes = try stream.received(atMost: 1_024) { return bytes.isEmpty ? nil : bytes }
                let left = deadline - .now
                guard left > .zero, try Readiness.wait(stream.number, for: .readable, atMost: left) else { return [] }
            }
        } catch {
            throw TestbedError("answer of the phone's bus: \(error)")
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
