// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Glibc
import ReveilleTesting

/// A real gpsd whose receiver is played by gpsd's `gpsfake`, one fix at a time.
///
/// `gpsfake` waits for a line on its stdin before each sentence. It stops its gpsd and exits at the end of stdin, so
/// neither outlives this process.
final class FakeReceiver {
    private static let packages = Package.root + "/.build-gpsd/usr"
    private static let program = packages + "/bin/gpsfake"
    static var isThere: Bool { access(program, X_OK) == 0 }
    /// Whether a missing gpsd is a failure, as in continuous integration.
    static var isRequired: Bool { getenv("CI") != nil }

    private let run: RunningProgram
    private var input: Int32
    let port: UInt16

    /// Starts a gpsd whose receiver has not sent anything.
    init(_ log: ReceiverLog, in directory: TemporaryDirectory, port: UInt16? = nil) throws {
        let port = try port ?? Loopback.freePort()
        self.port = port
        try directory.write(log.text, to: "receiver.nmea")
        var ends: [Int32] = [0, 0]
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, type, 0, &ends) == 0 else { throw Trouble("socketpair: \(errno)") }
        defer { close(ends[0]) }
        input = ends[1]
        run = try RunningProgram(
            [Self.program, "--quiet", "--tcp", "--promptme", "--port", "\(port)", directory.path + "/receiver.nmea"],
            program: "/usr/bin/python3", in: directory,
            environment: ["GPSD_HOME": Self.packages + "/sbin", "TMPDIR": directory.path], descriptors: [0: ends[0]])
    }

    deinit {
        stop()
    }

    /// Sends the first sentence once gpsd has opened the receiver, which it does for its first client.
    func begin() throws {
        try wait(for: "gpsfake to ask: \(run.errors)") { run.output.contains("? ") }
        // gpsfake sends to nobody, and does not repeat it, if gpsd is late.
        var answer = ""
        try wait(for: "gpsd to open the receiver: \(answer)\(run.errors)") {
            answer = devices()
            return answer.contains(#""activated""#)
        }
        step(1)
    }

    /// Asks gpsd for its devices.
    private func devices() -> String {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        defer { close(descriptor) }
        guard Loopback.withAddress(port: port, { connect(descriptor, $0, $1) }) == 0 else { return "" }
        let question = Array("?DEVICES;\n".utf8)
        _ = Glibc.send(descriptor, question, question.count, Int32(MSG_NOSIGNAL))
        var (answer, chunk) = ("", [UInt8](repeating: 0, count: 4_096))
        // After the version.
        while !answer.contains("DEVICES") || answer.utf8.last != UInt8(ascii: "\n") {
            let count = recv(descriptor, &chunk, chunk.count, 0)
            guard count > 0 else { return "" }
            answer += String(decoding: chunk[..<count], as: UTF8.self)
        }
        return answer
    }

    /// Sends the next fixes.
    func send(fixes count: Int) {
        step(count * ReceiverLog.sentences)
    }

    private func step(_ count: Int) {
        let lines = [UInt8](repeating: UInt8(ascii: "\n"), count: count)
        _ = Glibc.send(input, lines, lines.count, Int32(MSG_NOSIGNAL))
    }

    /// Stops gpsd and waits until both have ended.
    func stop() {
        guard input >= 0 else { return }
        close(input)
        input = -1
        run.process.wait()
    }
}

/// The sentences of a receiver that moves north by 1.855 m a second (0.001 minutes of latitude).
struct ReceiverLog {
    /// The number of sentences for each fix.
    static let sentences = 3
    /// The length of the path between two fixes in meters.
    static let step = 1.8532

    private let count: Int
    private let flat: Set<Int>

    /// Creates a log.
    ///
    /// - Parameters:
    ///   - count: The number of fixes.
    ///   - flat: The indices of fixes without an altitude.
    init(fixes count: Int, flat: Set<Int> = []) {
        self.count = count
        self.flat = flat
    }

    /// Returns the time of a fix in microseconds since 1970: seconds after noon of June 1, 2026.
    static func time(_ index: Int) -> Int64 { (1_780_315_200 + Int64(index)) * 1_000_000 }

    static func latitude(_ index: Int) -> Double { 52 + (31.2 + Double(index) / 1_000) / 60 }

    /// NMEA 0183, after a sentence without a fix.
    var text: String {
        (["# Date: 2026-06-01\n", Self.sentence("GPTXT,01,01,02,begin")] + (0..<count).flatMap(fix)).joined()
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
