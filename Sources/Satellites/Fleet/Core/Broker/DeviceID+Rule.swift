// SPDX-License-Identifier: Apache-2.0

extension DeviceID {
    /// Returns the rule that lets a device use a topic or filter, in mosquitto's syntax, as in the example of the rules.
    ///
    /// The name of the device is its user on the broker.
    package func rule(for topic: String) -> String {
        let own = "\(FleetTopic.root)/\(self)/"
        let announcement = "/device/reveille_\(self)/config"
        let user = "\(FleetTopic.root)/%u/"
        return if topic.hasPrefix(own + "state/") {
            "pattern write \(user)state/+"
        } else if topic == own + "status" {
            "pattern readwrite \(user)status"
        } else if topic.hasPrefix(own + "desired/") {
            "pattern read \(user)desired/+"
        } else if topic.hasPrefix("\(FleetTopic.root)/group/") {
            "pattern read \(FleetTopic.root)/group/+/desired/+"
        } else if topic.hasSuffix("/status") {
            // Home Assistant announces its start.
            "pattern read \(topic)"
        } else if topic.hasSuffix(announcement) {
            "pattern write \(topic.dropLast(announcement.count))/device/reveille_%u/config"
        } else {
            // Home Assistant's identifiers cannot contain such a name unescaped.
            "user \(self)' and 'topic write \(topic)"
        }
    }
}
