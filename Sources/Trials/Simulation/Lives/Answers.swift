// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import Varlink

/// The values seen in the replies to the users of a bus, and the checks of each reply.
struct Answers {
    /// The maximum number of changes in a history.
    let history: Int
    /// The values in the replies to all users, and to each user.
    private(set) var harvest = Harvest()
    private var harvests: [UInt32: Harvest] = [:]
    /// The user that owns each subscription.
    private var owners: [String: UInt32] = [:]

    init(history: Int) {
        self.history = history
    }

    /// The values in the replies to a user; without one, or if there are none yet, to all users.
    func harvest(of user: UInt32?) -> Harvest { user.flatMap { harvests[$0] } ?? harvest }

    /// Notes a subscription, which every user can list.
    mutating func list(_ subscription: String, of user: UInt32) {
        owners[subscription] = user
        harvest.take(["subscription": .string(subscription)])
    }

    /// Checks a reply without an error, and harvests its values.
    mutating func take(_ answer: Conversation.Answer, by user: UInt32) throws(Broken) {
        // Parameters that succeeded are reused with other values.
        for object in [answer.call.parameters, answer.reply.parameters] {
            harvest.take(object)
            harvests[user, default: Harvest()].take(object)
        }
        switch answer.call.member {
        case "Subscribe":
            if let id = answer.reply.parameters["subscription"]?.stringValue { owners[id] = user }
            try checkAspects(of: answer)
        case "SetState", "BeginTask":
            let owner = answer.call.parameters["subscription"]?.stringValue.flatMap { owners[$0] }
            guard user == 0 || owner == nil || owner == user else {
                throw Broken("user \(user): \(answer.call.member) of a subscription of user \(owner ?? 0)")
            }
        case "GetHistory": try checkChanges(of: answer)
        case "Post", "Publish", "Import":
            guard People.powerful.contains(user) else { throw Broken("user \(user): \(answer.call.member)") }
        default: break
        }
    }

    /// Checks that a history has consecutive changes of its aspect, as many as requested at most.
    private func checkChanges(of answer: Conversation.Answer) throws(Broken) {
        let events = (answer.reply.parameters["events"]?.arrayValue ?? []).map { $0.objectValue ?? [:] }
        let generations = events.compactMap { $0["generation"]?.integerValue }
        let limit = answer.call.parameters["limit"]?.integerValue ?? .max
        guard events.count <= min(limit, Int64(history)), generations.count == events.count,
            zip(generations, generations.dropFirst()).allSatisfy({ $0 + 1 == $1 }),
            events.allSatisfy({ $0["aspect"] == answer.call.parameters["aspect"] && $0["changes"] == 1 })
        else { throw Broken("\(answer.call) received \(answer.reply)") }
    }

    /// Checks that a stream has only events of the subscribed aspects, and of names that its patterns match.
    private func checkAspects(of answer: Conversation.Answer) throws(Broken) {
        guard let wanted = answer.call.parameters["aspects"]?.arrayValue else { return }
        let aspects = wanted.compactMap { $0.stringValue.flatMap { Aspect($0) } }
        for event in answer.reply.parameters["events"]?.arrayValue ?? [] {
            let aspect = event.objectValue?["aspect"]?.stringValue.flatMap { Aspect($0) }
            guard let aspect, aspects.contains(where: { $0 == aspect || $0.matches(aspect) }) else {
                throw Broken("\(answer.call) received \(event)")
            }
        }
    }
}
