// SPDX-License-Identifier: Apache-2.0

package import ReveilleCore
import Varlink

/// A call of an interface of the bus: a client encodes it, a service decodes it.
package enum BusCall: Sendable, Hashable {
    /// Starts a stream of events; the replies are a ``SubscribeReply`` and then any number of lists of events.
    case subscribe(SubscriptionRequest)
    /// Brings a subscription to another state; the reply is an ``EmptyReply``.
    case setState(subscription: String, to: RequestedState, wakeAfter: Duration? = nil)
    /// Asks for the current state of some aspects; the reply is an ``EventsReply``.
    case getState(AspectSet, wantsSupply: Bool = false)
    /// Asks for the latest changes of an aspect, by default all that the bus keeps; the reply is an ``EventsReply``.
    case getHistory(Aspect, limit: Int? = nil, wantsSupply: Bool = false)
    /// Asks for all subscriptions; the reply is a list of `SubscriptionInfo`.
    case listSubscriptions
    /// Asks for all subscriptions, and then for their changes; each reply is a ``SubscriptionChanges``.
    case followSubscriptions
    /// Asks for the source of each aspect; the reply is a list of `AspectInfo`.
    case describeAspects
    /// Reads every source again; the reply is an ``EmptyReply``.
    case refresh
    /// Posts a synthetic state; the reply is a ``Revision``.
    case post(Reading)
    /// Publishes or withdraws the state of a name; the reply is a ``Revision``.
    case publish(PublishedValue, whileConnected: Bool = false, target: PublishTarget? = nil)
    /// Asks whether anybody needs names and patterns; each reply is a list of ``NameDemand``.
    case observeDemand(AspectSet)
    /// Begins a task of a subscription's process for as long as the call lasts; each reply is a ``TaskState``.
    case beginTask(subscription: String, name: String)
    /// Asks for the description of the device; the reply is a `DeviceInfo`.
    case describeDevice
    /// Asks for capabilities by name; the reply is a list of ``CapabilityCheck``.
    case check([String])
    /// Adds an entry of the schedule, or replaces one; the reply is an ``AddReply``.
    indirect case addEntry(ScheduleEntry)
    /// Removes an entry, or all entries of the caller; the reply is a ``CancelReply``.
    case cancelEntry(String?)
    /// Asks for the caller's entries; the reply is a list of ``ScheduleListing``.
    case listEntries

    private enum StateWord: String, WordSet {
        case background, foreground
    }

    private enum PolicyWord: String, WordSet {
        case coalesce, drop, immediate, hold, end
    }

    /// Decodes a call; a `hold` policy can keep `history` changes.
    init(_ fields: inout Fields, of method: BusMethod, mode: Call.Mode, history: Int) throws(CallError) {
        guard !method.isStream || mode == .more else { throw .expectedMore }
        switch method {
        case .post: self = .post(try fields.onlyReading())
        case .subscribe: self = .subscribe(try BusCall.request(&fields, history: history))
        case .setState:
            let state: RequestedState = try fields.word("state")
            let wakeAfter = try fields.optional("wakeAfter") { value in
                value.integerValue.map { Duration.milliseconds($0) }.flatMap {
                    state.isHeld && BusInterface.wakeAfterRange.contains($0) ? $0 : nil
                }
            }
            self = .setState(
                subscription: try fields.string("subscription"), to: state, wakeAfter: wakeAfter)
        case .getState:
            let aspects = try BusCall.aspects(&fields) ?? .default
            // Without a subscription, there is no such state.
            guard !aspects.builtIn.contains(where: \.isOfSubscription) else { throw fields.invalid("aspects") }
            self = .getState(aspects, wantsSupply: try BusCall.wantsSupply(&fields))
        case .getHistory:
            let limit = try fields.optional("limit") { value in
                value.integerValue.flatMap { $0 >= 1 ? Int($0) : nil }
            }
            let aspect = try fields.aspect { !$0.isPattern && $0.builtIn?.isOfSubscription != true }
            self = .getHistory(aspect, limit: limit, wantsSupply: try BusCall.wantsSupply(&fields))
        case .listSubscriptions: self = mode == .more ? .followSubscriptions : .listSubscriptions
        case .describeAspects: self = .describeAspects
        case .refresh: self = .refresh
        case .publish:
            let name = try fields.aspect { $0.isPublished }
            let value = try fields.optional(.value) { PublishedValue(name, validating: $0) }
            self = .publish(
                value ?? PublishedValue(name, bytes: nil),
                whileConnected: try fields.optionalBool("whileConnected") ?? false,
                target: try PublishTarget(&fields))
        case .observeDemand:
            guard let aspects = try BusCall.aspects(&fields), aspects.builtIn.isEmpty else {
                throw fields.invalid("aspects")
            }
            self = .observeDemand(aspects)
        case .beginTask:
            let name = try fields.string("name")
            guard (1...BusInterface.nameLimit).contains(name.utf8.count) else { throw fields.invalid("name") }
            self = .beginTask(subscription: try fields.string("subscription"), name: name)
        case .describeDevice: self = .describeDevice
        case .check:
            let names = try fields.strings("capabilities")
            guard names.count <= BusInterface.capabilityLimit else { throw fields.invalid("capabilities") }
            self = .check(names)
        case .addEntry:
            guard let entry = try fields.entry() else { throw fields.invalid("entry") }
            self = .addEntry(entry)
        case .cancelEntry: self = .cancelEntry(try fields.optionalString("id"))
        case .listEntries: self = .listEntries
        }
    }

    private static func request(_ fields: inout Fields, history: Int) throws(CallError) -> SubscriptionRequest {
        let aspects = try aspects(&fields) ?? .default
        let state: StateWord? = try fields.optionalWord("state")
        let name = try fields.optional("name") { value in
            value.stringValue.flatMap { $0.utf8.count <= BusInterface.nameLimit ? $0 : nil }
        }
        let positions = try fields.optionalStructures("resume") { position throws(CallError) in
            let generation = try position.count(.generation)
            return (try position.aspect { !$0.isPattern }, generation)
        }
        let policies = try fields.optionalStructures("policies") { policy throws(CallError) in
            // A policy without an effect is refused, except for an aspect of the device.
            let aspect = try policy.aspect { $0.builtIn != nil || aspects.covers($0) }
            return (aspect, try BusCall.policy(&policy, of: aspect, in: aspects, history: history))
        }
        return SubscriptionRequest(
            aspects: aspects, domains: try domains(&fields, of: aspects), wantsSupply: try wantsSupply(&fields),
            name: name, startsInBackground: state == .background,
            wantsInitial: try fields.optionalBool("initial") ?? false,
            instance: try fields.optionalString("instance"),
            positions: positions.map { Dictionary($0, uniquingKeysWith: { $1 }) },
            policies: Dictionary(policies ?? [], uniquingKeysWith: { $1 }))
    }

    private static func policy(
        _ fields: inout Fields, of aspect: Aspect, in aspects: AspectSet, history: Int
    ) throws(CallError) -> Policy {
        let limit = try fields.optional("limit") { $0.integerValue.map { Int($0) } }
        let word: PolicyWord = try fields.optionalWord("background") ?? .coalesce
        guard word == .hold ? (1...history).contains(limit ?? history) : limit == nil else {
            throw fields.invalid("limit")
        }
        // The lifecycle passes the holds of the background anyway. No other aspect ends the program.
        let isOfSubscription = aspect.builtIn?.isOfSubscription == true
        guard word == .coalesce || (word == .end) == isOfSubscription else { throw fields.invalid("background") }
        let changesBackground = word == .immediate || word == .end
        guard !changesBackground || aspects.covers(aspect) else { throw fields.invalid(.aspect) }
        let background: Policy.Background =
            switch word {
            case .coalesce: .coalesce
            case .drop: .drop
            case .immediate: .immediate
            case .end: .end
            case .hold: .hold(limit: limit ?? history)
            }
        let interval = try fields.optional("interval") { value in
            value.integerValue.map { Duration.milliseconds($0) }.flatMap {
                BusInterface.intervalRange.contains($0) ? $0 : nil
            }
        }
        return Policy(
            background: background, netChangeOnly: try fields.optionalBool("netChangeOnly") ?? false,
            interval: interval)
    }

    private static func domains(_ fields: inout Fields, of aspects: AspectSet) throws(CallError) -> DomainSelection? {
        guard let words = try fields.optionalStrings("domains") else { return nil }
        guard !words.isEmpty, aspects.contains(Aspect.defaults) else { throw fields.invalid("domains") }
        try Quota.domains.check(words.count, atMost: DomainSelection.limit)
        return try Result { () throws(DomainSelection.Refusal) in try DomainSelection(words) }
            .mapError { CallError.invalidDomain($0) }.get()
    }

    /// The field of a state that callers must ask for.
    static let supplyField = "battery.supply"

    /// Returns whether the caller knows the field; names of other fields, of a later version, are ignored.
    private static func wantsSupply(_ fields: inout Fields) throws(CallError) -> Bool {
        try fields.optionalStrings("fields")?.contains(supplyField) ?? false
    }

    private static func aspects(_ fields: inout Fields) throws(CallError) -> AspectSet? {
        let aspects: AspectSet? = try fields.optional("aspects") { value in
            guard let words = value.arrayValue, !words.isEmpty else { return nil }
            let aspects = words.compactMap { $0.stringValue.flatMap { Aspect($0) } }
            return aspects.count == words.count ? AspectSet(aspects) : nil
        }
        try Quota.aspects.check(aspects?.count ?? 0, atMost: BusInterface.aspectLimit)
        return aspects
    }
}
