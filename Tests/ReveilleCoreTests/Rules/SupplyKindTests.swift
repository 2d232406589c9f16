// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import Testing

@Suite struct SupplyKindTests {
    static let kinds: [(types: [String], supply: Battery.Supply?)] = [
        (["Mains\n"], .mains), (["USB\n"], .usb), (["Wireless\n"], .wireless), (["usb"], .usb), (["USB_DCP"], .usb),
        (["USB_C"], .usb), (["USB_PD_DRP"], .usb), (["BrickID"], .usb), (["Unknown"], nil), (["BMS"], nil),
        (["USBX"], nil), (["UPS"], nil), (["Mains", "USB_PD"], .usb), (["Wireless", "Mains"], .wireless),
        (["Mains", "Wireless", "USB"], .usb), (["Unknown", "Mains"], .mains),
    ]

    @Test(
        "the supply that is online says whether it is the mains, USB or a pad; one that is offline says nothing",
        arguments: kinds)
    func kindOfTheSupply(types: [String], supply kind: Battery.Supply?) {
        let attributes = ["type": "Battery", "status": "Charging", "capacity": "40"]
        let pack = PowerSupply(name: "BAT0", attributes: attributes)
        func supplies(_ online: String) -> [PowerSupply] {
            types.map { PowerSupply(name: $0, attributes: ["type": $0, "online": online]) }
        }
        #expect(BatteryRule.reading(of: supplies("1") + [pack], isMacBook: false).supply == kind)
        #expect(BatteryRule.reading(of: supplies("2") + [pack], isMacBook: false).supply == kind)
        #expect(BatteryRule.reading(of: supplies("0") + [pack], isMacBook: false).supply == nil)
        #expect(BatteryRule.reading(of: supplies("1"), isMacBook: false).supply == nil)
    }
}
