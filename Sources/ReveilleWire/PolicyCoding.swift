// SPDX-License-Identifier: Apache-2.0

package import ReveilleCore
import Varlink

/// The interface's structure `Policy`.
extension Policy {
    fileprivate enum Word: String, WordSet {
        case coalesce, drop, immediate, hold, end
    }

    /// Why an aspect cannot have a policy in a subscription: the field, and the reason in words that follow "the policy".
    package func fault(of aspect: Aspect, among aspects: AspectSet) -> (field: FieldName, reason: String)? {
        let isCovered = aspects.covers(aspect)
        guard isCovered || aspect.builtIn != nil else {
            return (.aspect, "the subscription has neither it nor a pattern of it")
        }
        // The lifecycle passes the holds of the background anyway. No other aspect ends the program.
        if aspect == .lifecycle, background != .coalesce, background != .end {
            return ("background", "it passes the background anyway, and can only end the program")
        }
        if aspect != .lifecycle, background == .end {
            return ("background", "only the policy of lifecycle can end the program")
        }
        // A policy without an effect is refused, except for an aspect of the device.
        let isMode = background == .immediate || background == .end
        guard !isMode || isCovered else { return (.aspect, "the subscription does not have the aspect") }
        if case .hold(let limit) = background, limit < 1 { return ("limit", "it must hold at least 1 change") }
        let range = BusInterface.intervalRange
        guard let interval, !range.contains(interval) else { return nil }
        let most = range.upperBound.wholeMilliseconds
        return ("interval", "the interval must be from 1 millisecond to a year (\(most) milliseconds), not \(interval)")
    }

    func structure(of aspect: Aspect) -> JSON {
        var object: JSONObject = ["aspect": .string(aspect.name), "netChangeOnly": .bool(netChangeOnly)]
        let word: Word =
            switch background {
            case .coalesce: .coalesce
            case .drop: .drop
            case .immediate: .immediate
            case .end: .end
            case .hold: .hold
            }
        object["background"] = .string(word.rawValue)
        if case .hold(let limit) = background { object["limit"] = .integer(Int64(limit)) }
        // Only if set: an older bus refuses fields that it does not know.
        if let interval { object["interval"] = .integer(interval.wholeMilliseconds) }
        return .object(object)
    }
}

extension Fields {
    /// Reads the policy of an aspect or a pattern; `hold` can keep `history` changes.
    mutating func policy(among aspects: AspectSet, history: Int) throws(CallError) -> (Aspect, Policy) {
        let aspect = try anyAspect()
        let limit = try optional("limit") { $0.integerValue.map { Int($0) } }
        let word: Policy.Word = try optionalWord("background") ?? .coalesce
        guard limit == nil || word == .hold else { throw invalid("limit", "needs the policy hold") }
        guard limit ?? history <= history else { throw invalid("limit", "must be at most \(history), as bus.history") }
        let background: Policy.Background =
            switch word {
            case .coalesce: .coalesce
            case .drop: .drop
            case .immediate: .immediate
            case .end: .end
            case .hold: .hold(limit: limit ?? history)
            }
        let interval = try optional("interval") { $0.integerValue.map { Duration.milliseconds($0) } }
        let policy = Policy(
            background: background, netChangeOnly: try optionalBool("netChangeOnly") ?? false, interval: interval)
        if let fault = policy.fault(of: aspect, among: aspects) {
            throw invalid(fault.field, "is refused: \(fault.reason)")
        }
        return (aspect, policy)
    }
}
