// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleWire
import Varlink

extension ScenePeer {
    @discardableResult
    func publish(_ name: String, _ value: JSON = .null, tied: Bool? = nil) throws -> Reply {
        var parameters: JSONObject = ["aspect": .string(name), "value": value]
        if let tied { parameters["whileConnected"] = .bool(tied) }
        return try call("Publish", parameters)
    }

    func events() throws -> [Event] {
        guard let reply = try next() else { return [] }
        return try [Event](reply.parameters, noting: UnknownWords())
    }

    @discardableResult
    func subscribe(to aspects: [String], _ more: JSONObject = [:]) throws -> SubscribeReply {
        var parameters: JSONObject = ["aspects": .array(aspects.map { .string($0) })]
        for member in more.members { parameters[member.name] = member.value }
        return try SubscribeReply(call("Subscribe", parameters, more: true).parameters, noting: UnknownWords())
    }

    /// Returns the values of published names by name: their JSON text, or `nil` if they are not published.
    func values(of aspects: String...) throws -> [String: String?] {
        let reply = try call("GetState", ["aspects": .array(aspects.map { .string($0) })])
        let events = try [Event](reply.parameters, noting: UnknownWords())
        return Dictionary(uniqueKeysWithValues: events.map { ($0.aspect.name, $0.published?.json) })
    }
}

extension Reply {
    /// The error's name without its interface, and the parameter or quota that it names.
    var problem: String? {
        let detail = parameters["parameter"]?.stringValue ?? parameters["quota"]?.stringValue
        return error.map { ([String($0.split(separator: ".").last ?? "")] + [detail].compactMap { $0 }) }?
            .joined(separator: " ")
    }
}
