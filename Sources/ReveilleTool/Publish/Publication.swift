// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Reveille
import ReveilleSystem
import Varlink

/// A state that is published for as long as this object exists; safe to use from any thread.
final class Publication: Sendable {
    /// Becomes readable when the state has been published, or could not be.
    let done: Pipe

    private let name: Aspect
    private let value: JSONObject
    private let bus: BusOptions
    /// The device whose connection the state is tied to, or the reason why there is none.
    private let result = Lock<Result<Device, any Error>?>(nil)

    init(_ name: Aspect, _ value: JSONObject, bus: BusOptions) throws(SystemError) {
        self.name = name
        self.value = value
        self.bus = bus
        done = try Pipe()
    }

    /// Publishes the state.
    func publish() async {
        do {
            let device = try await bus.device()
            try await device.publish(name, value, whileConnected: true)
            result.withLock { $0 = .success(device) }
        } catch {
            result.withLock { $0 = .failure(error) }
        }
        done.wake()
    }

    /// Throws the reason why the state could not be published.
    func check() throws {
        _ = try result.withLock { $0 }?.get()
    }
}
