// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleHost
import ReveilleLocationCore
import ReveilleService
import ReveilleSystem
import ReveilleWatchers
import ReveilleWire
import Varlink

/// A reader of external bytes, and the maximum length of its input.
///
/// All readers except the satellites' run on the bus's only thread, which serves no client in the meantime.
package struct CostlyReader: CustomStringConvertible {
    /// The kind of input.
    package let description: String
    /// The maximum length of an input in bytes.
    package let limit: Int
    /// Reads an input and discards the result.
    package let read: ([UInt8]) -> Void

    private init(_ description: String, _ limit: Int, _ read: @escaping ([UInt8]) -> Void) {
        self.description = description
        self.limit = limit
        self.read = read
    }
    package static var all: [CostlyReader] { messages + files + devices + satellites }

    // MARK: - Peers

    private static var messages: [CostlyReader] {
        let description = ServiceDescription.bus()
        let methods = description.busMethods
        return [
            CostlyReader("frames", Limits.frame) { readFrames($0) },
            CostlyReader("JSON", Limits.frame) { _ = (try? JSON.parse($0))?.bytes },
            CostlyReader("a canonical form", Limits.frame) { _ = (try? JSON.parse($0))?.canonical },
            CostlyReader("a decoded value", Limits.frame) { bytes in
                guard let value = try? JSON.parse(bytes).decode([String: JSON].self) else { return }
                _ = try? JSON(encoding: value)
            },
            CostlyReader("a call", Limits.frame) { bytes in
                guard let call = try? Call(parsing: bytes) else { return }
                guard case .method(let position)? = try? description.resolve(call) else { return }
                _ = try? methods[position].decode(call, at: position, of: description, history: 256)
            },
            CostlyReader("a reply", Limits.frame) { bytes in
                guard let reply = try? Reply(parsing: bytes) else { return }
                for event in reply.parameters["events"]?.arrayValue ?? [] { _ = try? Event(structure: event) }
            },
            CostlyReader("an interface", Limits.frame) { _ = try? Interface(parsing: text($0)) },
        ]
    }

    /// Reads frames from small pieces, as from a socket.
    private static func readFrames(_ bytes: [UInt8]) {
        var decoder = FrameDecoder()
        var rest = bytes[...]
        while !rest.isEmpty {
            let piece = rest.prefix(61)
            decoder.feed(piece.span)
            rest = rest.dropFirst(61)
            while let frame = try? decoder.nextFrame() { _ = frame.count }
        }
    }

    // MARK: - Files

    private static var files: [CostlyReader] {
        let settings = ["plist", "json", "ini", "conf", "txt"].map { end in
            CostlyReader("settings in *.\(end)", DefaultsWatcher.sizeLimit) { bytes in
                _ = try? SettingsFile.read("/a.\(end)", isFound: false, bytes)
            }
        }
        let locale = ["locale.conf", ".pam_environment", "plasma-localerc"].map { name in
            CostlyReader(name, LocaleWatcher.sizeLimit) { bytes in
                guard let variables = try? LocaleFiles.variables(of: "/\(name)", bytes) else { return }
                _ = LocaleRule.reading(of: variables)
            }
        }
        return settings + locale + [
            CostlyReader("items in dconf's database", DefaultsWatcher.sizeLimit) { items in
                let bytes = CostlyInput.database(of: items)
                _ = try? SettingsFile.read("/dconf/user", isFound: true, bytes)
                _ = try? LocaleFiles.variables(of: "/dconf/user", bytes)
            },
            CostlyReader("the configuration", Configuration.sizeLimit) { _ = try? Configuration(parsing: $0) },
            CostlyReader("the saved state", PrivateFile.limit) { bytes in
                guard let json = try? JSON.parse(bytes), let state = try? StateCoding.decode(json) else { return }
                _ = StateCoding.encode(state)
            },
            CostlyReader("the description of the device", DeviceFile.sizeLimit) { bytes in
                let files = Dictionary(uniqueKeysWithValues: DeviceFile.allCases.map { ($0, bytes) })
                _ = DeviceInfo(DeviceFacts(host: "", kernel: "", files: files), forUser: 0)
            },
            CostlyReader("a time zone", TimeZoneRules.sizeLimit) { bytes in
                guard let zone = try? TimeZoneRules(tzif: bytes) else { return }
                _ = CalendarRule(minute: 0).next(after: Timestamp(microseconds: 0), in: zone)
            },
            CostlyReader("a way through links", 4_096) { bytes in
                _ = PathChain(following: "/nothing/" + text(bytes), root: "")
            },
        ]
    }

    // MARK: - The kernel

    /// The maximum size of a sysfs attribute: a page.
    private static let page = 4_096

    private static var devices: [CostlyReader] {
        [
            CostlyReader("a mount matrix", page) { _ = MountMatrix(text($0)) },
            CostlyReader("a supply", page) { bytes in
                let names = PowerSupply.detailNames
                let attributes = Dictionary(uniqueKeysWithValues: names.map { ($0, text(bytes)) })
                let supply = PowerSupply(name: "a", attributes: attributes.merging(["type": "Battery"]) { $1 })
                _ = BatteryRule.reading(of: [supply], isMacBook: true)
                _ = PowerRule.reading(of: [supply])
            },
            CostlyReader("input bits", page) { _ = InputBits(text($0)).contains(11) },
            CostlyReader("frequencies", page) { _ = SamplingFrequency.raised(from: "1", available: text($0)) },
            CostlyReader("the type of a channel", page) { _ = ScanElement(text($0)) },
            CostlyReader("scans", 16_384) { bytes in
                let elements = ["le:s12/16>>4", "be:u64/64"].compactMap(ScanElement.init)
                _ = ScanLayout(elements, wanted: [1, 0]).last(of: bytes)
            },
            CostlyReader("inotify", 16_384) { bytes in
                _ = bytes.withUnsafeBytes { InotifyEvent.events(in: $0) }
            },
            CostlyReader("mounts", 4 << 20) { _ = CgroupHierarchy(inMountInfo: text($0)) },
            CostlyReader("a process's cgroup", page) { _ = CgroupHierarchy.path(inProcessFile: text($0)) },
            CostlyReader("a cgroup's events", page) { _ = CgroupFreezer.isFrozen(inEvents: text($0)) },
        ]
    }

    // MARK: - Satellites

    private static var satellites: [CostlyReader] {
        [
            CostlyReader("a report of gpsd", LineSplitter.limit) { bytes in
                var session = Session()
                _ = try? session.receive(bytes + [UInt8(ascii: "\n")])
            }
        ]
    }

    private static func text(_ bytes: [UInt8]) -> String {
        String(decoding: bytes, as: UTF8.self)
    }
}
