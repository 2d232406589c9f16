// SPDX-License-Identifier: Apache-2.0

/// A connector of a graphics card, as sysfs describes it.
package struct DisplayConnector: Sendable, Hashable {
    /// The name without the card: `HDMI-A-1`.
    package var name: String
    package var isConnected: Bool
    /// The preferred mode in the list of the driver; `nil` while the list is empty.
    package var mode: DisplayMode?
    /// The description of the display; `nil` without a valid one.
    package var description: EDID?

    package init(name: String, isConnected: Bool, mode: DisplayMode?, description: EDID?) {
        self.name = name
        self.isConnected = isConnected
        self.mode = mode
        self.description = description
    }

    /// Returns the name of a connector's device; `nil` for a card itself and other devices.
    package static func name(ofDevice device: String) -> String? {
        guard device.hasPrefix("card"), let dash = device.utf8.firstIndex(of: UInt8(ascii: "-")) else { return nil }
        let name = String(device[device.utf8.index(after: dash)...])
        return name.isEmpty ? nil : name
    }

    /// Whether the display is part of the device, by the kernel's names of connectors.
    package var isInternal: Bool { ["eDP", "LVDS", "DSI"].contains { name.hasPrefix($0) } }

    /// The mode that the display prefers; `nil` if it is not known yet.
    package var preferredMode: DisplayMode? { mode ?? description?.mode }
}

/// Derives the reading from connectors and a backlight.
package enum DisplayRule {
    /// The types of backlights, preferred ones first (the kernel's document sysfs-class-backlight).
    private static let types = ["firmware", "platform", "raw"]

    /// Returns the brightness that was set, from 0 to 1; `nil` if the driver has no value.
    ///
    /// The actual brightness is not used: drivers measure it on a curve of their own, and a blank screen has none.
    package static func brightness(requested: String?, maximum: String?) -> Double? {
        guard let maximum = SysfsText.number(maximum), maximum > 0 else { return nil }
        return SysfsText.number(requested, in: 0...maximum).map { $0 / maximum }
    }

    /// Returns the rank of a backlight among several, of which the first is used.
    ///
    /// The type decides, and then whether it is below the connector of a panel that is connected.
    package static func rank(ofType type: String?, below connector: DisplayConnector?) -> (Int, Int) {
        (
            types.firstIndex(of: type ?? "") ?? types.count,
            connector.map { $0.isConnected && $0.isInternal } == true ? 0 : 1
        )
    }

    /// Returns the reading; a connected display whose mode is unknown is not a screen yet.
    package static func reading(
        of connectors: [DisplayConnector], brightness: Double?, scale: Double?
    ) -> Display {
        let screens = connectors.filter(\.isConnected).compactMap { connector in
            connector.preferredMode.map { mode in
                Display.Screen(
                    name: connector.name, width: mode.width, height: mode.height,
                    widthMM: connector.description?.size?.width, heightMM: connector.description?.size?.height,
                    scale: scale)
            }
        }
        return Display(
            screens: screens.sorted { ($0.name.utf8.count, $0.name) < ($1.name.utf8.count, $1.name) },
            brightness: brightness)
    }
}
