// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import ReveilleCore

@Suite struct DeviceFactsTests {
    private func info(_ files: [DeviceFile: String], host: String = "pine", frequency: Int? = nil) -> DeviceInfo {
        let facts = DeviceFacts(
            host: host, kernel: "6.1.0", files: files.mapValues { Array($0.utf8) }, frequency: frequency)
        return DeviceInfo(facts, forUser: 1_000)
    }

    @Test func laptopIsDescribedByItsFirmware() {
        let info = info(
            [
                .productName: "ThinkPad X1\n", .vendor: "LENOVO\n", .chassisType: "10\n",
                .release: "NAME=\"Debian GNU/Linux\"\nVERSION_ID=\"12\"\n", .memory: "MemTotal:       16316412 kB\n",
                .processors: "0-3,6\n",
            ], frequency: 4_800_000)
        #expect(info.model == "ThinkPad X1")
        #expect(info.vendor == "LENOVO")
        #expect(info.chassis == .laptop)
        #expect(info.system == "Debian GNU/Linux")
        #expect(info.systemVersion == "12")
        #expect(info.kernel == "6.1.0")
        #expect(info.name == "pine")
        #expect(info.processors == 5)
        #expect(info.frequency == 4_800_000_000)
        #expect(info.memory == 16_316_412 * 1_024)
    }

    @Test("a phone is described by its device tree, whose texts end in NUL") func phoneIsDescribedByItsDeviceTree() {
        let info = info([.treeModel: "Pine64 PinePhone Pro\0", .treeChassis: "handset\0"])
        #expect(info.model == "Pine64 PinePhone Pro")
        #expect(info.vendor == nil)
        #expect(info.chassis == .handset)
    }

    @Test("B166: without firmware the model and the vendor are null, not empty") func missingModelIsNull() {
        for files in [[:], [.productName: "\n", .vendor: "", .treeModel: "\0"]] as [[DeviceFile: String]] {
            #expect(info(files).model == nil)
            #expect(info(files).vendor == nil)
        }
    }

    @Test(
        "B166: fillers of vendors are null",
        arguments: [
            "To Be Filled By O.E.M.", "To be filled by O.E.M.", "Default string", "Default String",
            "System Product Name",
            "System manufacturer", "Not Specified", "Not Applicable", "N/A", "O.E.M.", "OEM", "None", "unknown",
            "INVALID", "Undefined", "Type1ProductConfigId", "0123456789", "0", "00000000", "xxxxxxxx", "...", "-", " ",
            "$(DEFAULT_STRING)", "\u{1}", "a\nb", "(null)",
            "\u{FEFF}", "\u{200B}", "\u{A0}", "\u{200D}\u{202E}",
        ])
    func fillerIsNull(text: String) {
        #expect(info([.productName: text + "\n", .vendor: text + "\n"]).model == nil)
        #expect(info([.productName: text, .vendor: text]).vendor == nil)
        #expect(info([.productName: text, .treeModel: "Librem 5\0"]).model == "Librem 5")
    }

    @Test(arguments: [
        "Standard PC (Q35 + ICH9, 2009)", "X1", "20XW0026US", "联想", "MS-7C37", "Default string X570", "Nonesuch",
        "Raspberry Pi 4 Model B Rev 1.4", "é",
    ])
    func usefulNameIsKept(text: String) {
        #expect(info([.productName: "  " + text + " \n"]).model == text)
    }

    @Test(
        arguments: [
            ("1", nil), ("2", nil), ("3", .desktop), ("8", .laptop), ("9", .laptop), ("10", .laptop), ("14", .laptop),
            ("11", .handset), ("17", .server), ("30", .tablet), ("31", .convertible), ("32", .convertible),
            ("34", .embedded), ("35", .desktop), ("255", nil), ("-3", nil), ("3 3", nil), ("", nil), ("0x3", nil),
            ("99999999999999999999", nil),
        ] as [(String, Chassis?)])
    func chassisTypeOfTheFirmwareIsAWord(type: String, chassis: Chassis?) {
        #expect(info([.chassisType: type + "\n"]).chassis == chassis)
    }

    @Test func wordOfTheAdministratorIsPreferred() {
        let firmware: [DeviceFile: String] = [.chassisType: "10\n", .treeChassis: "tablet\0"]
        let files = { (text: String) in firmware.merging([.machineInfo: text]) { $1 } }
        #expect(info(files("PRETTY_HOSTNAME=\"x\"\nCHASSIS=\"convertible\"\n")).chassis == .convertible)
        // The words of machine-info(5) are the only ones.
        #expect(info(files("CHASSIS=toaster\n")).chassis == .laptop)
        #expect(info(files("CHASSIS=\n")).chassis == .laptop)
    }

    @Test func secondReleaseFileCountsIfTheFirstIsUnusable() {
        let second = "NAME=Fedora\nVERSION_ID=41\n"
        for first in ["", "\n# nothing\n", "garbage"] {
            #expect(info([.release: first, .vendorRelease: second]).system == "Fedora")
        }
        let facts = DeviceFacts(
            host: "", kernel: "",
            files: [.release: Array("NAME=\u{FF}".utf8) + [0xFF], .vendorRelease: Array(second.utf8)])
        #expect(DeviceInfo(facts, forUser: 0).systemVersion == "41")
        #expect(info([.release: "NAME=Arch\n", .vendorRelease: second]).systemVersion.isEmpty)
        #expect(info([:]).system == "Linux")
    }

    @Test("texts with control characters, or longer than a person reads, count as missing")
    func unreadableTextsAreMissing() {
        let long = String(repeating: "x", count: 250) + "y"
        #expect(info([.release: "NAME=\(long)\n"]).system == long)
        #expect(info([.release: "NAME=\(long)123456\n"]).system == "Linux")
        #expect(info([.release: "NAME=\"a\u{1B}[2J\"\n"]).system == "Linux")
        #expect(info([.release: "NAME=\"a\nb\"\n"]).system == "Linux")
        #expect(info([.release: "NAME=a" + String(repeating: "\u{301}", count: 31)]).system == "Linux")
        #expect(info([:], host: "a\u{7}").name == "localhost")
        #expect(info([:], host: "").name == "localhost")
    }

    @Test(arguments: [
        ("0", 1), ("0-7", 8), ("0-3,6", 5), ("1,3,5-6", 4), ("0-0", 1), ("", 1), ("7-3", 1), ("-1", 1), ("0-", 1),
        ("a", 1), ("0--3", 1), ("0-99999999", 1), ("0-99999999999999999999", 1), ("0,,1", 2), ("0-3,2-5", 6),
    ])
    func processorsAreCounted(list: String, count: Int) {
        #expect(info([.processors: list + "\n"]).processors == count)
    }

    @Test(arguments: [
        ("MemTotal: 4 kB", 4_096), ("MemFree: 1 kB\nMemTotal:\t8 kB\n", 8_192), ("", 0), ("MemTotal: x kB", 0),
        ("MemTotal: -4 kB", 0), ("MemTotal: 4 MB", 0), ("MemTotal: 9223372036854775807 kB", 0), ("MemTotal:", 0),
        ("MemTotalX: 4 kB", 0),
    ])
    func memoryIsReadInBytes(text: String, memory: Int) {
        #expect(info([.memory: text]).memory == memory)
    }

    @Test func impossibleFrequencyIsNull() {
        for frequency in [nil, 0, -1, Int.max] { #expect(info([:], frequency: frequency).frequency == nil) }
    }
}
