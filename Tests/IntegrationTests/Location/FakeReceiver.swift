// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleSystem
import ReveilleTesting

/// A real gpsd whose receiver is this process, which sends one fix at a time.
final class FakeReceiver {
    private static let program = Package.root + "/.build-gpsd/usr/sbin/gpsd"
    static var isThere: Bool { access(program, X_OK) == 0 }
    /// Whether a missing gpsd is a failure, as in continuous integration.
    static var isRequired: Bool { getenv("CI") != nil }

    private let run: RunningProgram
    private let listener: OwnedDescriptor
    private var gpsd: OwnedDescriptor?
    private var sentences: ArraySlice<String>
    let port: UInt16

    /// Starts a gpsd that has not opened its receiver.
    init(_ log: ReceiverLog, in directory: TemporaryDirectory, port: UInt16? = nil) throws {
        let port = try port ?? Loopback.freePort()
        self.port = port
        sentences = log.sentences[...]
        let receiver = try Loopback.freePort()
        let listener = OwnedDescriptor(socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0))
        guard Loopback.withAddress(port: receiver, { bind(listener.number, $0, $1) }) == 0,
            listen(listener.number, 1) == 0
        else { throw Trouble("listen on port \(receiver): \(errno)") }
        self.listener = listener
        // It neither configures the receiver nor becomes a daemon. Each gpsd needs its own segment of shared memory.
        run = try RunningProgram(
            ["-b", "-N", "-S", "\(port)", "tcp://127.0.0.1:\(receiver)"], program: Self.program, in: directory,
            environment: ["GPSD_SHM_KEY": "0x4770" + String(port, radix: 16)])
    }

    deinit {
        stop()
    }

    /// Sends the first sentences once gpsd has opened the receiver for its first client.
    func begin() throws {
        guard try Readiness.wait(listener.number, for: .readable, atMost: .seconds(60)) else {
            throw Trouble("waited for gpsd to open the receiver: \(run.errors)")
        }
        let connection = accept(listener.number, nil, nil)
        guard connection >= 0 else { throw Trouble("accept: \(errno)") }
        _ = fcntl(connection, F_SETFD, FD_CLOEXEC)
        gpsd = OwnedDescriptor(connection)
        send(ReceiverLog.preface)
    }

    func send(fixes count: Int) { send(count * ReceiverLog.sentencesPerFix) }

    private func send(_ count: Int) {
        let bytes = Array(sentences.prefix(count).joined().utf8)
        sentences = sentences.dropFirst(count)
        if let number = gpsd?.number { _ = Glibc.send(number, bytes, bytes.count, Int32(MSG_NOSIGNAL)) }
    }

    func stop() {
        guard !run.process.hasEnded else { return }
        run.stop()
        gpsd = nil
    }
}

/// The sentences of a receiver that moves north by 1.855 m a second (0.001 minutes of latitude).
struct ReceiverLog {
    static let sentencesPerFix = 3
    /// The number of sentences before the first fix.
    static let preface = 2
    /// The length of the path between two fixes in meters.
    static let step = 1.8532

    private let count: Int
    private let flat: Set<Int>

    /// Creates a log of fixes, of which some are flat: they have no altitude.
    init(fixes count: Int, flat: Set<Int> = []) {
        self.count = count
        self.flat = flat
    }

    /// Returns the time of a fix in microseconds since 1970: seconds after noon of June 1, 2026.
    static func time(_ index: Int) -> Int64 { (1_780_315_200 + Int64(index)) * 1_000_000 }

    static func latitude(_ index: Int) -> Double { 52 + (31.2 + Double(index) / 1_000) / 60 }

    /// NMEA 0183, after the date, which gpsd needs for the century, and a sentence without a fix.
    var sentences: [String] {
        ["# Date: 2026-06-01\n", Self.sentence("GPTXT,01,01,02,begin")] + (0..<count).flatMap(fix)
    }

    private func fix(_ index: Int) -> [String] {
        let seconds = 12 * 3_600 + index
        let time = [seconds / 3_600, seconds / 60 % 60, seconds % 60].map(Self.padded).joined() + ".00"
        let thousandths = 31_200 + index
        let latitude = "52\(thousandths / 1_000).\(String("\(1_000 + thousandths % 1_000)".dropFirst()))0,N"
        let isFlat = flat.contains(index)
        let altitude = isFlat ? ",M,,M" : "34.5,M,39.8,M"
        return [
            Self.sentence("GPRMC,\(time),A,\(latitude),01324.5000,E,003.6,000.0,010626,,,A"),
            Self.sentence("GPGGA,\(time),\(latitude),01324.5000,E,1,08,1.0,\(altitude),,"),
            Self.sentence("GPGSA,A,\(isFlat ? 2 : 3),04,05,09,12,24,25,29,31,,,,,1.8,1.0,1.5"),
        ]
    }

    private static func padded(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }

    private static func sentence(_ body: String) -> String {
        let sum = String(body.utf8.reduce(0, ^), radix: 16, uppercase: true)
        return "$\(body)*\(sum.count < 2 ? "0" + sum : sum)\r\n"
    }
}
