// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Glibc
import ReveilleSystem
import ReveilleTesting
import ReveilleWatchers
import Testing

/// Samples on a separate thread.
@Suite(.timeLimit(.minutes(10))) struct SamplerTests {
    private let directory: TemporaryDirectory
    private var reader: IIOReader { IIOReader(IIOChannels(device: directory.path, names: ["in_a", "in_b"])) }

    init() throws {
        directory = try TemporaryDirectory()
    }

    @Test func samplesAreReturnedInOrderOnTheLoop() throws {
        let loop = try EventLoop()
        let sampler = try Sampler(loop: loop)
        try directory.write("1\n", to: "in_a_raw")
        try directory.write("-3.5\n", to: "in_b_raw")
        var results: [IIOSample] = []
        let absent = IIOReader(IIOChannels(device: directory.path, names: ["in_c"]))
        for reader in [reader, absent, reader] {
            sampler.sample(reader, isLive: true) { sample in
                results.append(sample)
                if results.count == 3 { loop.exit() }
            }
        }
        #expect(results.isEmpty, "no sample is returned before the call returns")
        try loop.run()
        #expect(results == [.values([1, -3.5]), .missing, .values([1, -3.5])])
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
}
