// SPDX-License-Identifier: Apache-2.0

/// The raw facts about a device, from which ``DeviceInfo`` is made.
package struct DeviceFacts: Sendable {
    /// The name of the host (uname(2)).
    package var host: String
    /// The release of the kernel (uname(2)).
    package var kernel: String
    /// The contents of the files that could be read.
    package var files: [DeviceFile: [UInt8]]
    /// The maximum frequency of the fastest processor in kHz.
    package var frequency: Int?

    /// The largest number of processors, as of the kernel (CONFIG_NR_CPUS).
    private static let processorLimit = 8_192
    /// The largest size of the processor list in bytes, as for any file of sysfs.
    private static let processorListLimit = 4_096

    package init(host: String, kernel: String, files: [DeviceFile: [UInt8]], frequency: Int? = nil) {
        self.host = host
        self.kernel = kernel
        self.files = files
        self.frequency = frequency
    }

    /// The numbers of the processors that are online, such as `0-3,6`; empty if the list is missing or invalid.
    package var processors: [Int] {
        var numbers: Set<Int> = []
        guard let bytes = files[.processors], bytes.count <= Self.processorListLimit else { return [] }
        for part in SysfsText.trimmed(String(decoding: bytes, as: UTF8.self)).split(separator: ",") {
            let ends = part.split(separator: "-", omittingEmptySubsequences: false).map { Int($0) }
            guard let first = ends[0], let last = ends.count > 1 ? ends[1] : first, ends.count <= 2, first >= 0,
                first <= last, last < Self.processorLimit
            else { return [] }
            numbers.formUnion(first...last)
        }
        return numbers.sorted()
    }

    /// The variables of the first os-release file that has any; there are two.
    var release: [String: String] {
        let variables = variables(.release)
        return variables.isEmpty ? self.variables(.vendorRelease) : variables
    }

    /// Returns the variables of a file; none if it is missing or not UTF-8.
    func variables(_ file: DeviceFile) -> [String: String] {
        guard let bytes = files[file], bytes.isUTF8 else { return [:] }
        return EnvironmentFile.variables(in: bytes)
    }

    /// Returns the text of a short file without the white space around it.
    func text(_ file: DeviceFile) -> String {
        LabelText.text(files[file] ?? []) ?? ""
    }
}
