// SPDX-License-Identifier: Apache-2.0

package import ReveilleFleetCore
import ReveilleSystem

/// A reader of a fleet on a thread of its own, so that it reads from the broker whatever the consumer waits for.
///
/// The reader ends on release.
package actor FleetFollower {
    private nonisolated let thread: LoopThread
    package nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

    private let broker: FleetBroker
    private let interest: FleetInterest
    /// The events, to be taken on any thread.
    package nonisolated let mailbox: FleetMailbox
    private var reader: FleetReader?

    package init(
        _ broker: FleetBroker, interest: FleetInterest = .everything, into mailbox: FleetMailbox
    ) throws(FleetError) {
        (self.broker, self.interest, self.mailbox) = (broker, interest, mailbox)
        do throws(SystemError) {
            thread = try LoopThread()
        } catch {
            throw FleetError(.unreachable, "connecting to \(broker): \(error)")
        }
    }

    // The users of the loop are released on its thread.
    isolated deinit { reader?.sleep() }

    package func start() {
        reader = FleetReader(broker, interest: interest, into: mailbox, on: thread.loop)
        reader?.wake()
    }
}
