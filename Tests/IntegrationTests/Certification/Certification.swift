// SPDX-License-Identifier: Apache-2.0

import Varlink

/// The calls of `org.varlink.certification` in order, each with the result of the previous call.
enum Certification {
    struct Step {
        let method: String
        /// The parameters besides the client's id.
        let parameters: JSONObject
        let replies: [JSONObject]
        var mode = Call.Mode.plain
    }

    static let interface = "org.varlink.certification"
    static let clientID = "client_id"

    private static let facts: JSONObject = [
        "bool": false, "int": 2, "float": .number(.pi), "string": "a lot of string",
    ]
    private static let map: JSONObject = ["foo": "Foo", "bar": "Bar"]
    private static let set: JSONObject = ["one": [:], "two": [:], "three": [:]]
    private static let everything: JSONObject = [
        "object": ["method": "org.varlink.certification.Test09", "parameters": ["map": .object(map)]],
        "enum": "two",
        "struct": ["first": 1, "second": "2"],
        "array": ["one", "two", "three"],
        "dictionary": .object(map),
        "stringset": .object(set),
        "interface": [
            "foo": [.null, ["foo": "foo", "bar": "bar"], .null, ["one": "foo", "two": "bar"]],
            "anon": ["foo": true, "bar": false],
        ],
    ]
    private static let strings = (1...10).map { "Reply number \($0)" }

    /// The calls after Start.
    static let steps = [
        Step(method: "Test01", parameters: [:], replies: [["bool": true]]),
        Step(method: "Test02", parameters: ["bool": true], replies: [["int": 1]]),
        Step(method: "Test03", parameters: ["int": 1], replies: [["float": 1.0]]),
        Step(method: "Test04", parameters: ["float": 1.0], replies: [["string": "ping"]]),
        Step(method: "Test05", parameters: ["string": "ping"], replies: [facts]),
        Step(method: "Test06", parameters: facts, replies: [["struct": .object(facts)]]),
        Step(method: "Test07", parameters: ["struct": .object(facts)], replies: [["map": .object(map)]]),
        Step(method: "Test08", parameters: ["map": .object(map)], replies: [["set": .object(set)]]),
        Step(method: "Test09", parameters: ["set": .object(set)], replies: [["mytype": .object(everything)]]),
        Step(
            method: "Test10", parameters: ["mytype": .object(everything)],
            replies: strings.map { ["string": .string($0)] }, mode: .more),
        Step(
            method: "Test11", parameters: ["last_more_replies": .array(strings.map { .string($0) })], replies: [[:]],
            mode: .oneway),
        Step(method: "End", parameters: [:], replies: [["all_ok": true]]),
    ]

    /// Returns whether two values are equivalent: members may be in any order, `null` equals absence, `1` equals `1.0`.
    static func isSame(_ one: JSON, _ other: JSON) -> Bool {
        switch (one, other) {
        case (.object(let one), .object(let other)):
            let names = Set((one.members + other.members).map(\.name))
            return names.allSatisfy { isSame(one[$0] ?? .null, other[$0] ?? .null) }
        case (.array(let one), .array(let other)):
            return one.count == other.count && zip(one, other).allSatisfy { isSame($0, $1) }
        default:
            if let one = one.numberValue, let other = other.numberValue { return one == other }
            return one == other
        }
    }
}

/// A service that implements the interface with the `Varlink` library.
struct CertificationService {
    private let description: ServiceDescription
    private var session = ServerSession()
    private var progress: [String: Int] = [:]

    init(interface text: String) throws {
        description = ServiceDescription(
            vendor: "Reveille", product: "certification", version: "1", url: "",
            interfaces: [try Interface(parsing: text)])
    }

    mutating func receive(_ bytes: [UInt8]) throws -> [UInt8] {
        session.receive(bytes.span)
        var output: [UInt8] = []
        while let call = try session.nextCall() { output += answer(call) }
        return output
    }

    private mutating func answer(_ call: Call) -> [UInt8] {
        switch description.answer(call) {
        case .success(let reply): return session.reply(reply.parameters)
        case .failure(let error): return session.fail(error)
        case nil: break
        }
        if call.member == "Start" {
            let id = "client \(progress.count + 1)"
            progress[id] = 0
            return session.reply([Certification.clientID: .string(id)])
        }
        let id = call.parameters[Certification.clientID]?.stringValue ?? ""
        guard let place = progress[id], place < Certification.steps.count else {
            return session.fail(CallError(name: Certification.interface + ".ClientIdError"))
        }
        let step = Certification.steps[place]
        var wanted = step.parameters
        wanted[Certification.clientID] = .string(id)
        guard call.member == step.method, call.mode == step.mode,
            Certification.isSame(.object(wanted), .object(call.parameters))
        else {
            progress[id] = nil
            let got: JSONObject = ["method": .string(call.method), "parameters": .object(call.parameters)]
            let wants: JSONObject = ["method": .string(step.method), "parameters": .object(wanted)]
            return session.fail(
                CallError(
                    name: Certification.interface + ".CertificationError",
                    parameters: ["wants": .object(wants), "got": .object(got)]))
        }
        progress[id] = place + 1
        var output: [UInt8] = []
        for (index, reply) in step.replies.enumerated() {
            output += session.reply(reply, continues: index < step.replies.count - 1)
        }
        return output
    }
}

/// A client of the interface, which checks each reply and passes its parameters to the next call.
struct CertificationClient {
    private var session = ClientSession()
    private let exchange: ([UInt8]) throws -> Void
    private let read: () throws -> [UInt8]

    init(send exchange: @escaping ([UInt8]) throws -> Void, read: @escaping () throws -> [UInt8]) {
        self.exchange = exchange
        self.read = read
    }

    mutating func run() throws {
        let start = try call("Start", [:], .plain)
        guard let id = start.first?[Certification.clientID]?.stringValue else { throw Trouble("Start: \(start)") }
        var last: [JSONObject] = []
        for step in Certification.steps {
            var parameters: JSONObject = [Certification.clientID: .string(id)]
            switch step.method {
            case "Test01", "End": break
            case "Test11":
                let strings = last.compactMap { $0["string"] }
                parameters["last_more_replies"] = .array(strings)
            default:
                let members = last.first?.members ?? []
                for member in members where member.name != Certification.clientID {
                    parameters[member.name] = member.value
                }
            }
            let replies = try call(step.method, parameters, step.mode)
            guard step.mode != .oneway else { continue }
            let isRight =
                replies.count == step.replies.count
                && zip(replies, step.replies).allSatisfy { got, wanted in
                    wanted.members.allSatisfy { Certification.isSame(got[$0.name] ?? .null, $0.value) }
                }
            guard isRight else { throw Trouble("\(step.method) returned \(replies), not \(step.replies)") }
            last = replies
        }
    }

    private mutating func call(_ method: String, _ parameters: JSONObject, _ mode: Call.Mode) throws -> [JSONObject] {
        try exchange(
            session.call(Call(method: "\(Certification.interface).\(method)", parameters: parameters, mode: mode)))
        var replies: [JSONObject] = []
        while session.pendingCount > 0 {
            if let reply = try session.nextReply() {
                guard reply.error == nil else { throw Trouble("\(method): \(reply)") }
                replies.append(reply.parameters)
            } else {
                let bytes = try read()
                session.receive(bytes.span)
            }
        }
        return replies
    }
}
