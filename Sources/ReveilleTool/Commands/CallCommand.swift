// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Reveille
import ReveilleConsole
import ReveilleWire
import Varlink

struct CallCommand: GuardedCommand {
    static let configuration = CommandConfiguration(
        commandName: "call",
        abstract: "Call a method and print the parameters of its reply as JSON.",
        discussion: """
            EXAMPLES
              reveille call GetState '{"aspects": ["battery"]}'
              reveille call --more Subscribe '{"initial": true}'
              reveille call org.varlink.service.GetInfo
            """)

    @Argument(help: "The method. Without an interface name, a method of org.reveille.Bus.")
    var method: String

    @Argument(help: "The parameters as a JSON object.")
    var parameters: String = "{}"

    @Flag(help: "Request a stream and print each reply as a line.")
    var more = false

    @Flag(help: "Send the call without requesting a reply.")
    var oneway = false

    @OptionGroup var bus: BusOptions

    func validate() throws {
        if more && oneway { throw ValidationError("--more and --oneway cannot be combined") }
    }

    func perform() throws {
        let parameters = try parsed()
        let client = try BlockingClient(bus.resolved())
        let call = Call(named: method, parameters: parameters, mode: more ? .more : oneway ? .oneway : .plain)
        try client.send(call)
        if oneway { return }
        var reply = try client.receive()
        if let error = CallError(reply), error.name == CallError.invalidParameter("").name,
            let use = use(of: call, from: client)
        {
            for line in use.split(separator: "\n") { Console.error(StyledText(String(line))) }
            throw Failure(error)
        }
        while try print(reply) { reply = try client.receive(atMost: Self.streamPatience) }
    }

    /// Returns the definition of a method with its comment; `nil` if the service has no interface description.
    private func use(of call: Call, from client: BlockingClient) -> Substring? {
        let question = Call(
            method: "org.varlink.service.GetInterfaceDescription", parameters: ["interface": .string(call.interface)])
        guard (try? client.send(question)) != nil, let reply = try? client.receive() else { return nil }
        return reply.parameters["description"]?.stringValue?.split(separator: "\n\n").first {
            $0.contains("method \(call.member)(")
        }
    }

    /// A stream has no time limit.
    private static let streamPatience: Duration = .seconds(86_400 * 365)

    /// Prints a reply, and returns whether more follow.
    private func print(_ reply: Reply) throws(Failure) -> Bool {
        if let error = CallError(reply) { throw Failure(error) }
        try Console.json(.object(reply.parameters))
        return reply.continues
    }

    private func parsed() throws(Failure) -> JSONObject {
        do throws(JSONError) {
            if let object = try JSON.parse(Array(parameters.utf8)).objectValue { return object }
        } catch {
            throw Failure(.usage, "the parameters are not valid JSON: \(error)")
        }
        throw Failure(.usage, "the parameters must be a JSON object")
    }
}
