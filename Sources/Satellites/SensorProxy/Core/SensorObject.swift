// SPDX-License-Identifier: Apache-2.0

package enum SensorObject: Sendable, Hashable, CaseIterable {
    case sensors
    /// The compass, which no device of the bus has; monitor-sensor 3.9 ends if it cannot be claimed.
    case compass

    package static let busName = "net.hadess.SensorProxy"

    package var path: String {
        switch self {
        case .sensors: "/net/hadess/SensorProxy"
        case .compass: "/net/hadess/SensorProxy/Compass"
        }
    }

    package var interface: String {
        switch self {
        case .sensors: Self.busName
        case .compass: Self.busName + ".Compass"
        }
    }

    /// The properties of a device without a compass; -1 is an unknown heading.
    static let noCompass = [
        PropertyEntry("HasCompass", .boolean(false)), PropertyEntry("CompassHeading", .number(-1)),
    ]

    var methods: [String] {
        switch self {
        case .sensors: Sensor.allCases.flatMap { ["Claim" + $0.rawValue, "Release" + $0.rawValue] }
        case .compass: ["ClaimCompass", "ReleaseCompass"]
        }
    }

    private var properties: [(name: String, signature: String)] {
        switch self {
        case .sensors: SensorProperty.allCases.map { ($0.rawValue, $0.signature) }
        case .compass: [("HasCompass", "b"), ("CompassHeading", "d")]
        }
    }

    /// Checks the interface of properties; an empty text stands for every interface.
    func checkHas(interface: String) throws(SensorRefusal) {
        guard interface.isEmpty || interface == self.interface else {
            throw SensorRefusal("UnknownInterface", "\(path) has no properties of the interface '\(interface)'")
        }
    }

    var introspection: String {
        let methods = methods.map { "    <method name=\"\($0)\"/>\n" }.joined()
        let properties = properties.map { property in
            "    <property name=\"\(property.name)\" type=\"\(property.signature)\" access=\"read\"/>\n"
        }.joined()
        return """
            <!DOCTYPE node PUBLIC "-//freedesktop//DTD D-BUS Object Introspection 1.0//EN"
             "http://www.freedesktop.org/standards/dbus/1.0/introspect.dtd">
            <node>
              <interface name="\(interface)">
            \(methods)\(properties)  </interface>
              <interface name="org.freedesktop.DBus.Properties">
                <method name="Get">
                  <arg name="interface" type="s" direction="in"/>
                  <arg name="property" type="s" direction="in"/>
                  <arg name="value" type="v" direction="out"/>
                </method>
                <method name="GetAll">
                  <arg name="interface" type="s" direction="in"/>
                  <arg name="values" type="a{sv}" direction="out"/>
                </method>
                <method name="Set">
                  <arg name="interface" type="s" direction="in"/>
                  <arg name="property" type="s" direction="in"/>
                  <arg name="value" type="v" direction="in"/>
                </method>
                <signal name="PropertiesChanged">
                  <arg name="interface" type="s"/>
                  <arg name="changed" type="a{sv}"/>
                  <arg name="invalidated" type="as"/>
                </signal>
              </interface>
              <interface name="org.freedesktop.DBus.Introspectable">
                <method name="Introspect">
                  <arg name="description" type="s" direction="out"/>
                </method>
              </interface>
              <interface name="org.freedesktop.DBus.Peer">
                <method name="Ping"/>
                <method name="GetMachineId">
                  <arg name="identifier" type="s" direction="out"/>
                </method>
              </interface>
            \(self == .sensors ? "  <node name=\"Compass\"/>\n" : "")</node>
            """
    }
}
