// SPDX-License-Identifier: Apache-2.0

import Logging
package import ReveilleCore
import ReveilleSystem
import ReveilleWire

extension BusServer {
    package func report(_ reading: Reading) {
        guard bus.report(reading, at: now) else { return }
        discardText(of: reading)
        let isSaved = reading.aspect.builtIn.map { bus.mustSaveChange(of: $0) } ?? true
        if isSaved { supersedeStateOrDisconnect() }
    }

    /// Invalidates the saved state before a delivery, or else continues as a new instance without subscribers.
    func supersedeStateOrDisconnect() {
        guard keeper?.stateWillBeDelivered() == false else { return }
        bus.renew(as: BusServer.newInstance(&random))
        renewSchedule()
        logger.warning("continuing as a new instance: the saved state cannot be removed")
        // Subscribers reconnect and get the new instance; their positions would be wrong in it, as would the rest of a
        // reply.
        for connection in connections.calling where connection.subscription != nil || connection.reply != nil {
            close(connection)
        }
    }

    /// The last known sleep of the machine, after which its watcher continues.
    package var savedSleep: Sleep? { bus.state(of: .sleep, at: now).sleep }

    private func discardText(of reading: Reading) {
        if let aspect = reading.aspect.builtIn { writer.states[aspect.index] = nil }
    }

    /// Invalidates a saved state before a client learns a position that the next bus would not know.
    ///
    /// The saved state may contain a name that the bus has forgotten since.
    func noteForgottenNames() {
        guard bus.hasForgottenNames else { return }
        bus.hasForgottenNames = false
        supersedeStateOrDisconnect()
    }

    /// Counts a loss of events, after which everything is read again; `status` shows the count.
    package func noteLoss(of aspect: BuiltInAspect) {
        let number = watchers.noteLoss(of: aspect)
        logger.warning("\(aspect): events were lost; reading everything again (loss \(number))")
    }

    /// Reads sources again after the clock was set or the machine resumed; posted states stay.
    package func reread(monitoredOnly: Bool = true, then completion: @escaping () -> Void = {}) {
        watchers.clockChanged()
        watchers.refreshAll(monitoredOnly: monitoredOnly, then: completion)
    }

    func post(_ reading: Reading) {
        discardText(of: reading)
        if bus.post(reading, at: now) { supersedeStateOrDisconnect() }
    }

    func adjustWatchers() {
        do throws(SystemError) {
            try watchers.adjust {
                WatcherDemand(isInForeground: bus.hasForegroundSubscriber($0), interval: bus.sampleInterval(of: $0))
            }
        } catch {
            logger.error("\(error)")
        }
    }
}
