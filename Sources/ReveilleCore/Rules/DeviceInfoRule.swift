// SPDX-License-Identifier: Apache-2.0

extension DeviceInfo {
    /// Creates the description of a device from the raw facts; the identifier depends on the user that asks.
    package init(_ facts: DeviceFacts, forUser user: UInt32) {
        func firmware(_ file: DeviceFile) -> String? { facts.files[file].flatMap(LabelText.firmware) }
        let release = facts.release
        self.init(
            name: LabelText.text(facts.host.utf8) ?? "localhost",
            model: firmware(.productName) ?? firmware(.treeModel), vendor: firmware(.vendor),
            chassis: Self.chassis(of: facts),
            // The default of os-release(5).
            system: LabelText.text((release["NAME"] ?? "").utf8) ?? "Linux",
            systemVersion: LabelText.text((release["VERSION_ID"] ?? "").utf8) ?? "",
            kernel: LabelText.text(facts.kernel.utf8) ?? "",
            identifier: facts.files[.machineID].flatMap(MachineID.init)?.identifier(forUser: user),
            processors: max(1, facts.processors.count),
            frequency: facts.frequency.flatMap { $0 > 0 ? $0.multipliedIfPossible(by: 1_000) : nil },
            memory: Self.memory(in: facts.files[.memory] ?? []))
    }

    /// The administrator's word first, since firmware is often wrong.
    private static func chassis(of facts: DeviceFacts) -> Chassis? {
        facts.variables(.machineInfo)["CHASSIS"].flatMap { Chassis(rawValue: $0) }
            ?? Int(facts.text(.chassisType)).flatMap { Chassis(firmwareType: $0) }
            ?? Chassis(rawValue: facts.text(.treeChassis))
    }

    /// Returns the memory in bytes that a file `meminfo` states in kB; 0 if it does not.
    private static func memory(in file: [UInt8]) -> Int {
        let name = "MemTotal:"
        for line in TextLines(of: file) where line.starts(with: name.utf8) {
            let words = SysfsText.words(line.dropFirst(name.utf8.count).text)
            guard words.count == 2, words[1] == "kB", let size = Int(words[0]), size > 0 else { return 0 }
            return size.multipliedIfPossible(by: 1_024) ?? 0
        }
        return 0
    }
}

extension Int {
    /// Returns a product; `nil` if it overflows.
    fileprivate func multipliedIfPossible(by factor: Int) -> Int? {
        let (product, overflows) = multipliedReportingOverflow(by: factor)
        return overflows ? nil : product
    }
}
