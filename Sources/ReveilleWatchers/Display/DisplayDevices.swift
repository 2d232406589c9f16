// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleHost
import ReveilleSystem

/// The connectors and backlights that are present, with their values.
struct DisplayDevices: Sendable {
    /// The longest description of a display: 256 blocks.
    private static let descriptionLimit = 256 * 128

    private typealias Connector = (connector: DisplayConnector, status: String, path: String)

    private let connectors: [Connector]
    private let backlights: [UdevDevice]
    private let backlight: UdevDevice?
    private let brightness: Double?
    /// The chosen backlight, if it is not there.
    private let missing: String?

    /// The property by which udev's rules choose a backlight.
    private static let property = "REVEILLE_BACKLIGHT"

    /// Reads all of them; the backlight that has the name, or else the property, is used.
    init(backlight name: String?) throws(SystemError) {
        connectors = try UdevDevice.all(of: "drm", isBare: true).compactMap(Self.connector)
        let panels = connectors
        backlights = try UdevDevice.all(of: "backlight")
        backlight =
            backlights.first { name.map($0.isCalled) ?? false }
            ?? backlights.first { $0.properties[Self.property] == "1" }
            ?? backlights.min { Self.rank(of: $0, among: panels) < Self.rank(of: $1, among: panels) }
        missing = backlights.contains { name.map($0.isCalled) ?? true } ? nil : name
        brightness = backlight.flatMap { device in
            DisplayRule.brightness(
                requested: device.attribute("brightness").text, maximum: device.attribute("max_brightness").text)
        }
    }

    private static func connector(_ device: UdevDevice) -> Connector? {
        guard let name = DisplayConnector.name(ofDevice: device.name), let status = device.text("status") else {
            return nil
        }
        var connector = DisplayConnector(name: name, isConnected: status == "connected", mode: nil, description: nil)
        if connector.isConnected {
            connector.mode = device.attribute("modes").text.flatMap { DisplayMode(firstOf: $0) }
            if case .bytes(let bytes) = FileContents.read(device.path + "/edid", limit: descriptionLimit) {
                connector.description = EDID(bytes)
            }
        }
        return (connector, status, device.path)
    }

    private static func rank(of backlight: UdevDevice, among connectors: [Connector]) -> (Int, Int) {
        let parent = connectors.first { backlight.ancestors.contains($0.path) }
        return DisplayRule.rank(ofType: backlight.text("type"), below: parent?.connector)
    }

    /// Whether a display is connected whose modes are unknown.
    var lackModes: Bool { connectors.contains { $0.connector.isConnected && $0.connector.preferredMode == nil } }

    func reading(scale: Double?) -> Display {
        DisplayRule.reading(of: connectors.map(\.connector), brightness: brightness, scale: scale)
    }

    var source: SourceDescription {
        let connected = connectors.map(\.connector).filter(\.isConnected)
        let names = connected.map(\.name) + [backlight?.name].compactMap { $0 }
        guard !names.isEmpty else { return .unavailable("no display in /sys/class/drm, and no backlight") }
        return SourceDescription.available(names.joined(separator: ", ")).noting(missing: missing)
    }

    func examine(scale: Double?) -> Examination {
        var examination = Examination()
        for (connector, status, _) in connectors {
            examination.add(connector.name, connector.isConnected ? Self.text(of: connector) : status)
        }
        if let missing { examination.add(missing, UdevDevice.missingChoice) }
        if let backlight {
            let values = ["brightness", "max_brightness"].map { name in
                name + "=" + (backlight.text(name) ?? "?")
            }
            examination.add(backlight.name, values.joined(separator: ", "))
        }
        for other in backlights where other != backlight {
            examination.add(other.name, "not used")
            examination.advice.append(
                "to use \(other.name), set display.backlight to \"\(other.name)\", or \(Self.property)=1 by udev")
        }
        examination.add("reading", "\(reading(scale: scale))")
        if lackModes {
            examination.advice.append("a display without a mode is listed once the compositor has queried its modes")
        }
        if scale == nil, connectors.contains(where: \.connector.isConnected) {
            examination.advice.append("set display.scale in the configuration if programs need the scale")
        }
        return examination
    }

    private static func text(of connector: DisplayConnector) -> String {
        let mode = connector.preferredMode.map { "\($0.width)x\($0.height)" } ?? "no mode"
        guard let description = connector.description else { return mode + ", no valid EDID" }
        return mode + (description.size.map { ", \($0.width) by \($0.height) mm" } ?? ", size unknown")
    }
}
