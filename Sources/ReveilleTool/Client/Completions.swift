// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Reveille
import ReveilleCore
import ReveilleWire
import Varlink

extension Aspect {
    static let completion = CompletionKind.custom { words, _, _ in
        device.map(\.name) + publishedNames(for: words)
    }

    static let publishedCompletion = CompletionKind.custom { words, _, _ in publishedNames(for: words) }

    private static func publishedNames(for words: [String]) -> [String] {
        let sources = DescribeAspects().completing(words) ?? []
        return sources.map(\.aspect).filter(\.isPublished).map(\.name)
    }
}

extension SubscriptionName {
    static let completion = CompletionKind.custom { words, _, _ in
        let subscriptions = ListSubscriptions().completing(words)?.subscriptions ?? []
        // Any user can give a subscription any name, and bash expands what it is offered: $(…) would be run.
        let isPlain = { (name: String) in
            name.utf8.allSatisfy { PublishedName.isAllowed($0) || $0 == UInt8(ascii: ".") }
        }
        return Set(subscriptions.compactMap(\.name).filter(isPlain)).sorted()
    }
}

extension BuiltInAspect {
    /// The words of the state that a command line posts.
    static let stateCompletion = CompletionKind.custom { words, _, _ in
        guard let aspect = words.lazy.compactMap({ BuiltInAspect(rawValue: $0) }).first else { return [] }
        return aspect.values(of: aspect.mainField)?.words ?? []
    }
}

extension BusMethod {
    /// How long a shell waits for a bus; a person who presses a key should not wait longer.
    private static var patience: Duration { .seconds(1) }

    /// Returns the reply of the bus that a command line names; `nil` if it does not come in time.
    fileprivate func completing(_ words: [String]) -> Answer? {
        let address = words.drop { $0 != "--address" }.dropFirst().first
        guard let client = try? BlockingClient(BusAddress.resolve(address)), (try? client.send(Call(self))) != nil,
            let reply = try? client.receive(atMost: Self.patience)
        else { return nil }
        return try? Answer(reply.parameters, noting: UnknownWords())
    }
}
