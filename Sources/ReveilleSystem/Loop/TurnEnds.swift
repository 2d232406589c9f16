// SPDX-License-Identifier: Apache-2.0

/// The handlers that a ``Loop`` calls at the end of each turn, between the handlers of two sources.
///
/// Several buses may share a loop. Loop thread only.
package final class TurnEnds {
    /// A handler, which is called until this is released.
    package final class Registration {
        private weak var ends: TurnEnds?

        fileprivate init(_ ends: TurnEnds) { self.ends = ends }

        deinit { ends?.handlers.removeAll { $0.id == ObjectIdentifier(self) } }
    }

    private var handlers: [(id: ObjectIdentifier, handler: () -> Void)] = []

    package init() {}

    package func register(_ handler: @escaping () -> Void) -> Registration {
        let registration = Registration(self)
        handlers.append((ObjectIdentifier(registration), handler))
        return registration
    }

    /// Ends a turn.
    package func callAsFunction() { for (_, handler) in handlers { handler() } }
}
