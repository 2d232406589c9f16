// SPDX-License-Identifier: Apache-2.0

package import ReveilleFleetCore
package import ReveilleSystem

/// What keeps the messages of a fleet for its readers: a broker, or the memory of a test.
package protocol KeptMessages: CustomStringConvertible {
    typealias Handler = (BrokerConnection.Event) -> Void

    /// Starts to read, as ``BrokerConnection/init(_:stages:on:onEvent:)`` does.
    func read(
        _ stages: [[String]], on loop: EventLoop, handler: @escaping Handler
    ) throws(FleetError) -> any FleetReading
}

/// A connection to ``KeptMessages``, such as ``BrokerConnection``; loop thread only.
package protocol FleetReading: AnyObject {
    func ask(for topics: [String])
    func close()
}

extension BrokerConnection: FleetReading {}

extension FleetBroker: KeptMessages {
    package func read(
        _ stages: [[String]], on loop: EventLoop, handler: @escaping Handler
    ) throws(FleetError) -> any FleetReading {
        try BrokerConnection(self, stages: stages, on: loop, onEvent: handler)
    }
}
