// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Glibc
import ReveilleTesting
import Testing

/// Synthetic devices and their files.
@Suite(.timeLimit(.minutes(5))) struct TestbedTests {
    @Test func attributesKeepTheirLineEnds() throws {
        let testbed = try Testbed()
        let device = try testbed.add(
            subsystem: "platform", name: "device", attributes: ["label": "one\r\ntwo\r", "location": "base"])
        let file = try #require(fopen(testbed.root + device.path + "/label", "r"))
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 100)
        let count = fread(&bytes, 1, bytes.count, file)
        #expect(bytes[..<count].elementsEqual("one\r\ntwo\r\n".utf8))
    }
}
