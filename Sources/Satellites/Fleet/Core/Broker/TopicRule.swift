// SPDX-License-Identifier: Apache-2.0

/// The rule that lets a device use a topic, in mosquitto's syntax, as in the example of the rules.
package struct TopicRule: Sendable, Hashable, CustomStringConvertible {
    /// The rule.
    package let description: String

    /// Finds the rule for a topic or filter of a device.
    ///
    /// - Parameters:
    ///   - topic: A topic that a bridge publishes, or a filter of its subscriptions.
    ///   - device: The device, whose name is its user on the broker.
    package init(for topic: String, of device: DeviceID) {
        let own = "\(FleetTopic.root)/\(device)/"
        let announcement = "/device/reveille_\(device)/config"
        let user = "\(FleetTopic.root)/%u/"
        description =
            if topic.hasPrefix(own + "state/") {
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
                "user \(device)' and 'topic write \(topic)"
            }
    }
}
