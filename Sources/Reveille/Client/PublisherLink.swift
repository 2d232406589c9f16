// SPDX-License-Identifier: Apache-2.0

package import ReveilleCore
package import ReveilleLink
package import ReveilleSystem
import ReveilleWire
package import Varlink

/// A publisher's links to the bus: one observes the demand for its names, the other publishes, and they are lost together.
///
/// A loss withdraws the published values. Loop thread only.
package final class PublisherLink {
    package enum Event {
        /// Whether names are needed: all names at first and after each ``lost(_:)``, then those that changed.
        case demands([Aspect: Bool])
        /// The bus is gone or refuses to report the demand; another attempt follows.
        case lost(ReveilleError)
    }

    private let names: AspectSet
    private let demand: BusLink
    private let calls: BusLink
    private let onEvent: (Event) -> Void

    package init(
        _ names: AspectSet, _ connector: Connector, onEvent: @escaping (Event) -> Void
    ) throws(SystemError) {
        self.names = names
        self.onEvent = onEvent
        demand = try BusLink(connector)
        calls = try BusLink(connector)
        for link in [demand, calls] { link.onLoss = { [weak self] in self?.lose(ReveilleError($0)) } }
        demand.onRetry = { [weak self] in self?.open() }
    }

    package func open() {
        demand.call(ObserveDemand(names), isOpening: true) { [weak self] in
            switch $0 {
            case .success(let demands):
                let needs = demands.map { ($0.aspect, $0.isNeeded) }
                self?.onEvent(.demands(Dictionary(needs, uniquingKeysWith: { $1 })))
            // A loss is reported by the link, too.
            case .failure(let error) where error.code == .notSupported: self?.needAll()
            case .failure(let error): if !error.isLoss { self?.lose(error) }
            }
        }
    }

    /// Publishes a value for as long as the program is connected, or withdraws it; without a bus, nothing happens.
    package func publish(_ value: PublishedValue, onReply: @escaping (CallError?) -> Void) {
        guard !demand.isClosed else { return }
        calls.call(Call(Publish(value, whileConnected: true))) { result in
            if case .success(let reply) = result { onReply(CallError(reply)) }
        }
    }

    /// An earlier bus does not report the demand.
    private func needAll() {
        onEvent(.demands(Dictionary(uniqueKeysWithValues: names.aspects.map { ($0, true) })))
    }

    private func lose(_ error: ReveilleError) {
        demand.close()
        calls.close()
        demand.retry()
        onEvent(.lost(error))
    }
}
