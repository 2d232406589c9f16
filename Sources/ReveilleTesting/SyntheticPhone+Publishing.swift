// SPDX-License-Identifier: Apache-2.0

import Reveille
public import ReveilleCore
import ReveilleSystem

extension SyntheticPhone {
    /// Publishes a state on the phone's bus, as a program on the phone would.
    ///
    /// The state remains until it is published again or withdrawn. The call returns once the bus has the state.
    ///
    /// ```swift
    /// try phone.publish("org.example.volume", ["level": 0.5])
    /// ```
    ///
    /// - Parameters:
    ///   - name: The name: at least two words, joined by dots.
    ///   - value: A value that is encoded as a JSON object.
    /// - Throws: `TestbedError` if the phone has no bus, or the name or the value cannot be published.
    public func publish(_ name: Aspect, _ value: some Encodable) throws(TestbedError) {
        try onBus { bus throws(ReveilleError) in try bus.publish(PublishedValue(name, encoding: value)) }
    }

    /// Withdraws a published state from the phone's bus, whichever program published it.
    ///
    /// ```swift
    /// try phone.withdraw("org.example.volume")
    /// ```
    ///
    /// - Throws: `TestbedError` if the phone has no bus, or the name is invalid.
    public func withdraw(_ name: Aspect) throws(TestbedError) {
        try onBus { bus throws(ReveilleError) in try bus.publish(PublishedValue(withdrawing: name)) }
    }

    private func onBus(_ body: (BlockingClient) throws(ReveilleError) -> Void) throws(TestbedError) {
        guard testbed.bus != nil else { throw TestbedError("the phone has no bus; startBus() starts one") }
        do {
            try body(BlockingClient(UnixAddress(address)))
        } catch {
            throw TestbedError("\(error)")
        }
    }
}
