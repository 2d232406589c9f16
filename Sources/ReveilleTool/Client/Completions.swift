// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Reveille
import ReveilleCore
import ReveilleWire
import Varlink

extension Aspect {
    static let completion = CompletionKind.custom { words, _, prefix in
        device.map(\.name) + publishedNames(for: words, after: prefix)
    }

    static let publishedCompletion = CompletionKind.custom { words, _, prefix in
        publishedNames(for: words, after: prefix)
    }

    private static func publishedNames(for words: [String], after prefix: String) -> [String] {
        let names = (DescribeAspects().completing(words) ?? []).map(\.aspect).filter(\.isPublished)
        // A name of a rule is offered to someone who has begun it.
        return names.filter { !$0.isOwn || prefix.hasPrefix("org.reveille.") }.map(\.name)
    }
}

extension ScheduleEntry {
    static let completion = CompletionKind.custom { words, _, _ in
        (ListEntries().completing(words) ?? []).map(\.entry).filter { !$0.id.hasPrefix(RulesFile.prefix) }.map(\.id)
            .filter(\.isPlain)
    }
}

extension ChartedNumber {
    /// The numbers of the state that a command line draws.
    static let completion = CompletionKind.custom { words, _, _ in
        guard let aspect = words.lazy.compactMap({ Aspect($0) }).first,
            let event = GetState(AspectSet(aspect)).completing(words)?.events.first
        else { return [] }
        return members(of: event.reading).filter(\.isPlain)
    }
}

extension String {
    /// Whether the text has no meaning for a shell: bash expands completions, so that $(…) would be run.
    fileprivate var isPlain: Bool { utf8.allSatisfy { NameRule.isAllowed($0) || $0 == UInt8(ascii: ".") } }
}

extension SubscriptionName {
    static let completion = CompletionKind.custom { words, _, _ in
        let subscriptions = ListSubscriptions().completing(words)?.subscriptions ?? []
        return Set(subscriptions.compactMap(\.name).filter(\.isPlain)).sorted()
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
