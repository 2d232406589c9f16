// SPDX-License-Identifier: Apache-2.0

/// A file that describes the device; the raw value is its path.
package enum DeviceFile: String, Sendable, CaseIterable {
    case productName = "/sys/class/dmi/id/product_name"
    case vendor = "/sys/class/dmi/id/sys_vendor"
    case chassisType = "/sys/class/dmi/id/chassis_type"
    case treeModel = "/proc/device-tree/model"
    case treeChassis = "/proc/device-tree/chassis-type"
    case machineInfo = "/etc/machine-info"
    case release = "/etc/os-release"
    case vendorRelease = "/usr/lib/os-release"
    case memory = "/proc/meminfo"
    case processors = "/sys/devices/system/cpu/online"
    case machineID = "/etc/machine-id"

    /// The maximum size in bytes, ten times the size of the longest known files: os-release and meminfo.
    package static let sizeLimit = 64 << 10

    /// The path of the maximum frequency of a processor.
    package static func frequency(ofProcessor number: Int) -> String {
        "/sys/devices/system/cpu/cpu\(number)/cpufreq/cpuinfo_max_freq"
    }

    /// Returns the meaning of the file's contents for a person, without the machine ID.
    package func meaning(of contents: [UInt8]) -> String {
        let facts = DeviceFacts(host: "", kernel: "", files: [self: contents])
        let info = DeviceInfo(facts, forUser: 0)
        let result: String? =
            switch self {
            case .productName, .treeModel: info.model
            case .vendor: info.vendor
            case .chassisType, .treeChassis, .machineInfo: info.chassis?.rawValue
            case .release, .vendorRelease: facts.release.isEmpty ? nil : "\(info.system) \(info.systemVersion)"
            case .memory: info.memory > 0 ? "\(info.memory) bytes" : nil
            case .processors: facts.processors.isEmpty ? nil : "\(facts.processors.count) online"
            case .machineID: info.identifier.map { _ in "valid" }
            }
        if let result { return SysfsText.trimmed(result) }
        guard self != .machineID, let text = LabelText.text(contents) else { return "contains nothing of use" }
        return "contains nothing of use: \(text.debugDescription)"
    }
}
