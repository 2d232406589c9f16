// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleSystem
import ReveilleTesting
import Testing

/// Repeated reads of one attribute.
@Suite(.timeLimit(.minutes(10))) struct SysfsReaderTests {
    private let directory: TemporaryDirectory
    private let reader: SysfsReader
    private var path: String { directory.path + "/capacity" }

    init() throws {
        directory = try TemporaryDirectory()
        reader = SysfsReader(directory.path + "/capacity")
    }

    @Test func eachReadReturnsTheCurrentText() throws {
        #expect(reader.read() == .missing)
        try directory.write("80\n", to: "capacity")
        #expect(reader.read().text == "80\n")
        try SysfsAttribute.write("9\n", to: path)
        #expect(reader.read().text == "9\n")
    }

    @Test func fileThatWasReplacedIsReadAnew() throws {
        try directory.write("80\n", to: "capacity")
        #expect(reader.read().text == "80\n")
        try directory.write("7\n", to: "new")
        #expect(rename(directory.path + "/new", path) == 0)
        #expect(reader.read().text == "7\n")
        #expect(unlink(path) == 0)
        #expect(reader.read() == .missing)
    }

    @Test(arguments: [1, 1_023, 1_024, 1_025, 4_096, 5_000])
    func textIsReadUpToAPage(length: Int) throws {
        let text = String(repeating: "x", count: length)
        try directory.write(text, to: "capacity")
        #expect(reader.read().text == String(text.prefix(4_096)))
        #expect(SysfsAttribute.read(path).text == String(text.prefix(4_096)))
    }
}
