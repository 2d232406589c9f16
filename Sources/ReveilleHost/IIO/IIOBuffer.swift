// SPDX-License-Identifier: Apache-2.0

import Glibc
package import ReveilleSystem

/// The buffer of an IIO device, whose node in `/dev` provides scans of all channels at one moment.
///
/// Only one process at a time can open the node. While it is open, the sensor measures continuously until the
/// buffer is released. See the kernel documents iio/iio_devbuf and ABI sysfs-bus-iio.
package struct IIOBuffer: ~Copyable {
    /// A channel that is part of every scan.
    package struct Channel: Sendable, Hashable {
        /// The name, such as `in_accel_x`.
        package var name: String
        /// The format in a scan, such as `le:s16/32>>0`.
        package var type: String
        var index: Int
    }

    /// The number of scans that the kernel buffers; it drops scans while the buffer is full.
    package static let length = 128
    /// The timeout for a scan; even the slowest accepted sensor produces five scans in this time.
    package static let patience: Duration = .milliseconds(500)
    /// The size of one read in bytes, and the most reads at a time.
    ///
    /// Together, they hold twice as much as a full buffer of scans of 256 bytes. A sensor that fills its buffer faster
    /// than it can be read would otherwise block the reader forever.
    private static let reads = (size: 16_384, count: 4)

    /// The channels of a scan, in their order.
    package let channels: [Channel]
    private let device: String
    private let node: OwnedDescriptor
    private let nodePath: String
    /// The channels to disable again on release.
    private let added: [String]

    /// Opens and enables the buffer of a device, with the wanted channels in every scan.
    ///
    /// A buffer that is enabled although no process has the node open was left by a process that died, and is
    /// taken over.
    ///
    /// - Throws: `SystemError`: EACCES without permission, EBUSY while another process has the buffer open.
    package init(of device: String, node path: String, wanted: [String]) throws(SystemError) {
        let node = try OwnedDescriptor(opening: path, O_RDONLY | O_NONBLOCK)
        let enable = device + "/buffer/enable"
        try SysfsAttribute.write("0", to: enable)
        let added = try Self.add(wanted, to: device + "/scan_elements/")
        let channels: [Channel]
        do throws(SystemError) {
            try Self.chooseTrigger(of: device)
            channels = try Self.channels(of: device)
            // Some hardware has a fixed length.
            try? SysfsAttribute.write("\(Self.length)", to: device + "/buffer/length")
            try SysfsAttribute.write("1", to: enable)
        } catch {
            Self.remove(added, from: device)
            throw error
        }
        self.node = node
        self.added = added
        self.channels = channels
        self.device = device
        nodePath = path
    }

    deinit {
        try? SysfsAttribute.write("0", to: device + "/buffer/enable")
        Self.remove(added, from: device)
    }

    private static func add(_ wanted: [String], to directory: String) throws(SystemError) -> [String] {
        var added: [String] = []
        for name in wanted {
            let path = directory + name + "_en"
            guard SysfsAttribute.read(path).text?.hasPrefix("1") != true else { continue }
            try SysfsAttribute.write("1", to: path)
            added.append(name)
        }
        return added
    }

    private static func remove(_ added: [String], from device: String) {
        for name in added { try? SysfsAttribute.write("0", to: device + "/scan_elements/" + name + "_en") }
    }

    /// Sets the trigger of a sensor without a clock of its own; the driver provides the trigger.
    private static func chooseTrigger(of device: String) throws(SystemError) {
        let path = device + "/trigger/current_trigger"
        guard let current = SysfsAttribute.read(path).text, current.allSatisfy(\.isWhitespace) else { return }
        let name = line(SysfsAttribute.read(device + "/name"))
        let number = device.reversed().prefix { $0.isNumber }.reversed()
        let own = ["\(name)-dev\(String(number))", "\(name)-trigger"]
        let triggers = try UdevDevice.all(of: "iio").map { line($0.attribute("name")) }
        guard let trigger = own.first(where: triggers.contains) else {
            throw SystemError("find trigger \(own[0]) of", on: device, code: ENODEV)
        }
        try SysfsAttribute.write(trigger, to: path)
    }

    private static func channels(of device: String) throws(SystemError) -> [Channel] {
        let directory = device + "/scan_elements/"
        var channels: [Channel] = []
        for entry in try DirectoryListing.files(in: directory) where entry.hasSuffix("_en") {
            let name = String(entry.dropLast("_en".count))
            guard SysfsAttribute.read(directory + entry).text?.hasPrefix("1") == true else { continue }
            guard let index = Int(line(SysfsAttribute.read(directory + name + "_index"))) else {
                throw SystemError("read scan index of", on: directory + name, code: EINVAL)
            }
            channels.append(
                Channel(name: name, type: line(SysfsAttribute.read(directory + name + "_type")), index: index))
        }
        return channels.sorted { $0.index < $1.index }
    }

    private static func line(_ attribute: SysfsAttribute) -> String {
        String((attribute.text ?? "").prefix { !$0.isNewline })
    }

    /// The descriptor of the node, which is readable while scans wait; borrowed.
    package var descriptor: Int32 { node.number }

    /// Returns the buffered scans up to the newest, or waits for one if there are none.
    ///
    /// The last scan may be truncated. Without waiting, there may be none.
    ///
    /// - Throws: `SystemError`: ETIMEDOUT if the sensor produces no scans, ENODEV if it was removed.
    package func newest(scanBytes: Int, mayWait: Bool) throws(SystemError) -> [UInt8] {
        let waiting = try drain(scanBytes)
        // A full buffer has dropped the newest scans.
        if !waiting.isEmpty, waiting.count < Self.length * scanBytes { return waiting }
        guard mayWait else { return [] }
        try Readiness.wait(node.number, for: .readable, atMost: Self.patience)
        let scans = try drain(scanBytes)
        guard !scans.isEmpty else { throw SystemError("wait for a scan of", on: nodePath, code: ETIMEDOUT) }
        return scans
    }

    /// Returns the scans that wait; scans that a fast sensor adds meanwhile may be left for the next call.
    private func drain(_ scanBytes: Int) throws(SystemError) -> [UInt8] {
        var bytes: [UInt8] = []
        let size = max(1, Self.reads.size / max(1, scanBytes)) * max(1, scanBytes)
        for _ in 0..<Self.reads.count {
            let outcome = withUnsafeTemporaryAllocation(byteCount: size, alignment: 8) { buffer in
                let count = retryingOnInterrupt { read(node.number, buffer.baseAddress, buffer.count) }
                if count > 0 { bytes += buffer[..<count] }
                return count
            }
            // A short read has emptied the buffer.
            if outcome == size { continue }
            // The node would always be ready.
            if outcome == 0, bytes.isEmpty { throw SystemError("read past the end of", on: nodePath, code: ENODEV) }
            guard outcome >= 0 || errno == EAGAIN else { throw SystemError("read", on: nodePath) }
            break
        }
        return bytes
    }
}
