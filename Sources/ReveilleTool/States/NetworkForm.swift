// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Reveille
import ReveilleCore
import ReveilleWire

extension StateForm {
    static var network: StateForm {
        let kinds = Network.Kind.allCases.map(\.rawValue)
        return StateForm(
            mainField: "kind",
            fields: [
                "reachable": .bool, "interface": .text, "kind": .words(kinds, orNull: true),
                "addresses": .list("a list of IP addresses"),
            ],
            alternative: ", or \(Suggestion.list(kinds + ["none"]))"
        ) { word in
            if word == "none" { return PartialReading(.network(.unreachable)) }
            guard let kind = Network.Kind(rawValue: word) else { return nil }
            return PartialReading(
                .network(Network(isReachable: true, interface: kind.usualName, kind: kind, addresses: [])))
        }
    }
}

extension Network.Kind {
    /// The usual name of the first interface of this kind.
    fileprivate var usualName: String {
        switch self {
        case .ethernet: "eth0"
        case .wifi: "wlan0"
        case .cellular: "wwan0"
        case .other: "tun0"
        }
    }
}
