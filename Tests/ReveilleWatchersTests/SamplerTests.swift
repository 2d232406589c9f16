// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleSystem
import ReveilleTesting
import Testing

@testable import ReveilleWatchers

/// Samples on a separate thread.
@Suite(.timeLimit(.minutes(10))) struct SamplerTests {
    private let directory: TemporaryDirectory
    private var reader: IIOReader { IIOReader(IIOChannels(device: directory.path, names: ["in_a", "in_b"])) }

    init() throws {
        directory = try TemporaryDirectory()
    }

    /// Creates a sensor with one channel of two bytes, which is read from a pipe.
    private func bufferedReader() throws -> (reader: IIOReader, scans: Int32) {
        let node = directory.path + "/node"
        mkfifo(node, 0o600)
        for attribute in ["enable", "length"] { try directory.write("0\n", to: "buffer/\(attribute)") }
        for (attribute, text) in ["en": "0", "index": "0", "type": "le:s16/16>>0"] {
            try directory.write(text + "\n", to: "scan_elements/in_a_\(attribute)")
        }
        let reader = IIOReader(IIOChannels(device: directory.path, names: ["in_a"], hasAttributes: false, node: node))
        return (reader, open(node, O_RDWR | O_NONBLOCK | O_CLOEXEC))
    }

    @Test func samplesAreReturnedInOrderOnTheLoop() throws {
        let loop = try EventLoop()
        let sampler = try Sampler(loop: loop)
        try directory.write("1\n", to: "in_a_raw")
        try directory.write("-3.5\n", to: "in_b_raw")
        var results: [IIOSample] = []
        let absent = IIOReader(IIOChannels(device: directory.path, names: ["in_c"]))
        for reader in [reader, absent, reader] {
            sampler.sample(reader, isLive: true) { sample, _ in
                results.append(sample)
                if results.count == 3 { loop.exit() }
            }
        }
        #expect(results.isEmpty, "no sample is returned before the call returns")
        try loop.run()
        #expect(results == [.values([1, -3.5]), .missing, .values([1, -3.5])])
    }

    @Test func bufferIsNotWaitedForAtOnce() throws {
        let (reader, scans) = try bufferedReader()
        #expect(reader.sampleAtOnce(isLive: true) == nil, "the sensor is unknown")
        write(scans, [5, 0] as [UInt8], 2)
        #expect(reader.sample(isLive: true) == .values([5]))
        #expect(reader.sampleAtOnce(isLive: true) == nil, "the buffer is empty")
        write(scans, [6, 0, 7, 0] as [UInt8], 4)
        #expect(reader.sampleAtOnce(isLive: true) == .values([7]))
        write(scans, [UInt8](repeating: 1, count: 256), 256)
        #expect(reader.sampleAtOnce(isLive: true) == nil, "a full buffer has dropped the newest scans")
        close(scans)
        let end = SystemError("read past the end of", on: directory.path + "/node", code: ENODEV)
        #expect(reader.takeWaiting() == .failed(end), "the node would always be ready")
    }

    @Test("a buffer that is never empty is read a limited number of times") func fullBufferIsReadInParts() throws {
        for attribute in ["enable", "length"] { try directory.write("0\n", to: "buffer/\(attribute)") }
        for (attribute, text) in ["en": "0", "index": "0", "type": "le:s16/16>>0"] {
            try directory.write(text + "\n", to: "scan_elements/in_a_\(attribute)")
        }
        let reader = IIOReader(
            IIOChannels(device: directory.path, names: ["in_a"], hasAttributes: false, node: "/dev/zero"))
        #expect(reader.sample(isLive: true) == .values([0]))
        #expect(reader.takeWaiting() == nil)
    }

    @Test("the attributes that were set for a stream are restored by the thread") func streamRests() throws {
        let loop = try EventLoop()
        let sampler = try Sampler(loop: loop)
        for name in ["in_a_raw", "in_b_raw"] { try directory.write("1\n", to: name) }
        try directory.write("10\n", to: "sampling_frequency")
        let frequency = { SysfsAttribute.read(directory.path + "/sampling_frequency").text }
        let reader = reader
        let other = self.reader
        reader.want(50)
        sampler.sample(reader, isLive: true) { _, _ in
            #expect(frequency() == "50")
            sampler.rest(reader)
            sampler.sample(other, isLive: false) { _, _ in loop.exit() }
        }
        try loop.run()
        #expect(frequency() == "10")
        withExtendedLifetime(reader) {}
    }

    @Test func timeOfASleepCountsAsBlocked() throws {
        let loop = try EventLoop()
        let sampler = try Sampler(loop: loop)
        // The sensor never measures.
        let (reader, scans) = try bufferedReader()
        defer { close(scans) }
        var blocked: Int64 = 0
        sampler.sample(reader, isLive: true) { _, microseconds in
            blocked = microseconds
            loop.exit()
        }
        try loop.run()
        #expect(!SensorSpeed.isQuick(blocked))
    }

    @Test func errorShowsAnInvalidNumber() throws {
        try directory.write("1\n", to: "in_a_raw")
        try directory.write("nan\n", to: "in_b_raw")
        guard case .failed(let error) = reader.sample(isLive: true) else {
            Issue.record("no error")
            return
        }
        #expect("\(error)".hasPrefix("find a number in \"nan\" of \(directory.path)/in_b_raw: "))
    }

    @Test func directoryInPlaceOfAnAttributeIsAnError() {
        guard case .failed(let error) = SysfsAttribute.read(directory.path) else {
            Issue.record("a directory was read")
            return
        }
        #expect(error.code == EISDIR)
    }

    @Test func slowSensorIsSetToASufficientFrequency() throws {
        try directory.write("1\n", to: "in_a_raw")
        try directory.write("2\n", to: "in_b_raw")
        try directory.write("1.0\n", to: "in_a_sampling_frequency")
        try directory.write("1.0 10.0 50.0\n", to: "in_a_sampling_frequency_available")
        let reader = IIOReader(IIOChannels(device: directory.path, names: ["in_a_x"], hasAttributes: false))
        _ = reader.sample(isLive: true)
        #expect(SysfsAttribute.read(directory.path + "/in_a_sampling_frequency").text == "10.0")
    }

    /// udev grants the access to a sensor's node a moment after the sensor has appeared.
    @Test(arguments: [(EACCES, true), (EPERM, true), (EINVAL, false)])
    func bufferIsTriedAgainAfterAnEventIfAccessWasDenied(_ code: Int32, _ isTriedAgain: Bool) {
        let reader = IIOReader(IIOChannels(device: "/sys/missing", names: ["in_accel_x"], node: "/dev/missing"))
        reader.refusal.withLock { $0 = SystemError("open", on: "/dev/missing", code: code) }
        #expect(reader.manner.hasPrefix("polled, buffer unavailable: open /dev/missing"))
        reader.reconsiderAccess()
        #expect((reader.manner == "by its buffer") == isTriedAgain)
    }
}
