// SPDX-License-Identifier: Apache-2.0

package import ReveilleCore
import ReveilleHost
import ReveilleSystem

/// Reads the files that describe the device whenever asked; only the frequency, from hundreds of files, is kept.
package final class DeviceInfoReader {
    private let root: String
    private var frequency: Int?

    /// Creates a reader; `root` is a prefix of every path, or empty for the real files.
    package init(root: String) {
        self.root = root
    }

    /// Returns the description of the device; files that are missing, unreadable or too long count as empty.
    package func info(forUser user: UInt32) -> DeviceInfo {
        let name = SystemName()
        var facts = DeviceFacts(host: name.host, kernel: name.release, files: [:])
        for file in DeviceFile.allCases {
            if case .bytes(let bytes) = read(file.rawValue) { facts.files[file] = bytes }
        }
        if frequency == nil { frequency = highestFrequency(of: facts.processors) }
        facts.frequency = frequency
        return DeviceInfo(facts, forUser: user)
    }

    /// Reads every file once, to explain the description to a person.
    package func examine() -> Examination {
        var examination = Examination()
        for file in DeviceFile.allCases {
            let finding =
                switch read(file.rawValue) {
                case .bytes(let bytes): file.meaning(of: bytes)
                case .missing: "does not exist"
                case .tooLarge(let limit, _): "longer than the limit of \(limit) bytes"
                case .notAFile: "not a regular file"
                case .unreadable(let error): "\(error)"
                }
            examination.add(file.rawValue, finding)
        }
        let info = info(forUser: 0)
        if info.chassis == nil { examination.advice.append("state the kind of the device: hostnamectl chassis …") }
        if info.identifier == nil {
            examination.advice.append("create an ID of the machine: systemd-machine-id-setup")
        }
        return examination
    }

    private func highestFrequency(of processors: [Int]) -> Int? {
        var highest: Int?
        for number in processors {
            // Either all processors have the file, or none, as in most virtual machines.
            guard let text = read(DeviceFile.frequency(ofProcessor: number)).text else { break }
            guard let frequency = Int(SysfsText.trimmed(text)) else { continue }
            highest = max(frequency, highest ?? 0)
        }
        return highest
    }

    private func read(_ path: String) -> FileContents {
        // The kernel follows links of the real files itself. Links below a root must not lead out of it.
        guard !root.isEmpty else { return FileContents.read(path, limit: DeviceFile.sizeLimit) }
        switch PathChain(following: path, root: root).end {
        case .file(let file): return FileContents.read(file, limit: DeviceFile.sizeLimit)
        case .directory: return .notAFile
        case .missing: return .missing
        case .refused(let error): return .unreadable(error)
        }
    }
}
