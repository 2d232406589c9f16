// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleCore
import ReveilleSystem
import ReveilleWatchers
import Testing

/// The files that describe the device, of any kind and content.
@Suite struct DeviceInfoReaderTests {
    private static let secret = "0123456789abcdef0123456789abcdef"
    private let scene: Scene

    init() throws {
        scene = try Scene()
    }

    private var info: DeviceInfo { DeviceInfoReader(root: scene.at("")).info(forUser: 1_000) }

    private func write(_ file: DeviceFile, _ text: String) {
        scene.makeDirectory(PathChain.parent(of: file.rawValue))
        scene.write(file.rawValue, Array(text.utf8))
    }

    @Test("B165: every file is read below the root") func everyFileIsReadBelowTheRoot() throws {
        let empty = info
        #expect(empty.model == nil)
        #expect(empty.system == "Linux")
        #expect(empty.identifier == nil)
        #expect(empty.memory == 0)
        #expect(empty.processors == 1)
        #expect(empty.frequency == nil)
        write(.productName, "Librem 5\n")
        write(.vendor, "Purism\n")
        write(.machineInfo, "CHASSIS=handset\n")
        write(.vendorRelease, "NAME=PureOS\nVERSION_ID=10.3\n")
        write(.memory, "MemTotal: 3 kB\n")
        write(.processors, "0,2\n")
        write(.machineID, Self.secret + "\n")
        for (number, frequency) in [(0, "1500000\n"), (1, "9900000\n"), (2, "1700000\n")] {
            let path = DeviceFile.frequency(ofProcessor: number)
            scene.makeDirectory(PathChain.parent(of: path))
            scene.write(path, frequency)
        }
        #expect(info.model == "Librem 5")
        #expect(info.vendor == "Purism")
        #expect(info.chassis == .handset)
        #expect(info.system == "PureOS")
        #expect(info.systemVersion == "10.3")
        #expect(info.memory == 3_072)
        #expect(info.processors == 2)
        #expect(info.frequency == 1_700_000_000)
        #expect(info.identifier != nil)
    }

    @Test("B165: links of the root lead to files below it") func linksStayBelowTheRoot() {
        write(.vendorRelease, "NAME=Inside\n")
        scene.makeDirectory("/etc")
        scene.link("/etc/os-release", to: "/usr/lib/os-release")
        #expect(info.system == "Inside")
        scene.link("/etc/machine-id", to: "../../../../../../../../../../etc/machine-id")
        #expect(info.identifier == nil)
    }

    @Test("B167: files with serial numbers and UUIDs are not read") func serialNumbersAreNotRead() {
        let paths = DeviceFile.allCases.map(\.rawValue)
        #expect(paths.allSatisfy { !$0.contains("serial") && !$0.contains("uuid") })
    }

    @Test("a pipe, a directory or a device in the place of a file is like a missing file, and does not block")
    func otherFilesAreMissing() {
        for file in DeviceFile.allCases { scene.makeDirectory(PathChain.parent(of: file.rawValue)) }
        for file in DeviceFile.allCases { #expect(mkfifo(scene.at(file.rawValue), 0o600) == 0) }
        #expect(info.system == "Linux")
        let reader = DeviceInfoReader(root: scene.at(""))
        #expect(reader.examine().findings.allSatisfy { $0.value == "not a regular file" })
        for file in DeviceFile.allCases {
            unlink(scene.at(file.rawValue))
            scene.makeDirectory(file.rawValue)
        }
        #expect(info.processors == 1)
        #expect(reader.examine().findings.allSatisfy { $0.value == "not a regular file" })
    }

    @Test("a file of a megabyte, of NULs or of bytes that are not UTF-8 is like a missing file")
    func hostileFilesAreMissing() {
        let contents: [[UInt8]] = [
            Array("NAME=Large\n".utf8) + [UInt8](repeating: 10, count: 1 << 20), [UInt8](repeating: 0, count: 60_000),
            [UInt8](repeating: 0xFF, count: 60_000), Array("\u{FEFF}".utf8), [],
        ]
        for bytes in contents {
            for file in DeviceFile.allCases {
                scene.makeDirectory(PathChain.parent(of: file.rawValue))
                scene.write(file.rawValue, bytes)
            }
            #expect(info.model == nil)
            #expect(info.vendor == nil)
            #expect(info.chassis == nil)
            #expect(info.system == "Linux")
            #expect(info.identifier == nil)
            #expect(info.memory == 0)
            #expect(info.processors == 1)
        }
    }

    @Test func fileIsReadAgainAtEachCall() {
        let reader = DeviceInfoReader(root: scene.at(""))
        write(.release, "NAME=One\n")
        #expect(reader.info(forUser: 0).system == "One")
        write(.release, "NAME=Two\n")
        #expect(reader.info(forUser: 0).system == "Two")
    }

    @Test("an examination explains each file, and does not show the machine ID") func examinationExplainsEachFile() {
        write(.productName, "To Be Filled By O.E.M.\n")
        write(.machineID, Self.secret + "\n")
        write(.release, "NAME=PureOS\nVERSION_ID=10.3\n")
        let examination = DeviceInfoReader(root: scene.at("")).examine()
        let findings = Dictionary(uniqueKeysWithValues: examination.findings.map { ($0.name, $0.value) })
        #expect(findings["/sys/class/dmi/id/product_name"] == "contains nothing of use: \"To Be Filled By O.E.M.\"")
        #expect(findings["/etc/os-release"] == "PureOS 10.3")
        #expect(findings["/etc/machine-id"] == "valid")
        #expect(findings["/etc/machine-info"] == "does not exist")
        #expect(findings.values.allSatisfy { !$0.contains(Self.secret) })
        write(.machineID, Self.secret + "0\n")
        let invalid = DeviceInfoReader(root: scene.at("")).examine()
        #expect(invalid.findings.allSatisfy { !$0.value.contains(Self.secret) })
        #expect(invalid.advice.contains { $0.contains("systemd-machine-id-setup") })
    }
}
