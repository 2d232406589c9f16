// SPDX-License-Identifier: Apache-2.0

import Glibc
import Reveille
import ReveilleCore
import Varlink

/// The adapter of the Swift library: it uses the library as lines on standard input ask.
///
/// `Tests/ClientConformance/run` documents the lines.
@main
enum ClientAdapter {
    // Only this thread waits for lines.
    @MainActor static func main() async throws {
        let client = Client()
        while let line = readLine() {
            let request = try JSON.parse(Array(line.utf8)).objectValue ?? [:]
            Task.detached {
                var reply: JSONObject = ["id": request["id"] ?? .null]
                do {
                    reply["result"] = try await client.carryOut(request)
                } catch let error as ReveilleError {
                    reply["error"] = ["message": .string(error.description), "code": .string("\(error.code)")]
                } catch {
                    reply["error"] = ["message": .string("\(error)")]
                }
                await client.write("\(reply)\n")
            }
        }
    }
}

/// A device and its subscriptions, by the suite's names for them.
private actor Client {
    private var device: Device?
    private var subscriptions: [String: Subscription] = [:]
    /// What ends the tasks.
    private var ends: [AsyncStream<Never>.Continuation] = []

    /// Writes a line; one after another, and without a buffer.
    func write(_ line: String) {
        var rest = Array(line.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(STDOUT_FILENO, $0.baseAddress, $0.count) }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }

    func carryOut(_ request: JSONObject) async throws -> JSON {
        let action = request["do"]?.stringValue ?? ""
        if action == "connect" {
            device = try await Device.connect(to: request["address"]?.stringValue)
            return .null
        }
        guard let device else { throw Unexpected(request) }
        let arguments = request["arguments"]?.arrayValue ?? []
        let options = request["options"]?.objectValue ?? [:]
        let of = request["of"]?.stringValue
        switch action {
        case "subscribe":
            guard let of else { throw Unexpected(request) }
            subscriptions[of] = try await device.subscribe(to: request.aspects, options)
        case "publish":
            guard let name = arguments.first?.aspect, let value = arguments.last else { throw Unexpected(request) }
            try await device.publish(PublishedName(name), value, whileConnected: options["whileConnected"] == true)
        case "withdraw":
            guard let name = arguments.first?.aspect else { throw Unexpected(request) }
            try await device.withdraw(PublishedName<JSON>(name))
        case "suspend": try await device.shell.suspend(arguments.first?.stringValue ?? "")
        case "endTask": ends.popLast()?.finish()
        case "close" where of == nil: await device.close()
        default:
            guard let of, let subscription = subscriptions[of] else { throw Unexpected(request) }
            return try await carryOut(action, request, with: subscription)
        }
        return .null
    }

    private func carryOut(_ action: String, _ request: JSONObject, with subscription: Subscription) async throws -> JSON
    {
        switch action {
        case "next": return try await subscription.next().map { try JSON(plain: $0) } ?? .null
        case "enterBackground":
            let milliseconds = request["wakeAfter"]?.integerValue
            try await subscription.enterBackground(wakeAfter: milliseconds.map { .milliseconds($0) })
        case "enterForeground": try await subscription.enterForeground()
        case "becomeInactive": try await subscription.becomeInactive()
        case "positions": return try JSON(encoding: subscription.positions)
        case "close": subscription.cancel()
        case "task": await beginTask(of: subscription)
        default: throw Unexpected(request)
        }
        return .null
    }

    private func beginTask(of subscription: Subscription) async {
        let (end, continuation) = AsyncStream.makeStream(of: Never.self)
        ends.append(continuation)
        await withCheckedContinuation { begun in
            Task {
                await subscription.withBackgroundTask("work") { _ in
                    begun.resume()
                    for await _ in end {}
                }
            }
        }
    }
}

/// A request that the suite does not make.
private struct Unexpected: Error {
    let request: JSONObject

    init(_ request: JSONObject) { self.request = request }
}

extension Device {
    fileprivate func subscribe(to aspects: AspectSet, _ options: JSONObject) async throws -> Subscription {
        var policies: [Aspect: Policy] = [:]
        for (aspect, value) in options["policies"]?.objectValue?.members.map({ ($0.name, $0.value) }) ?? [] {
            policies[Aspect(stringLiteral: aspect)] = Policy(value.objectValue ?? [:])
        }
        return try await subscribe(
            to: Set(aspects.aspects),
            options: SubscriptionOptions(
                initial: options["initial"] == true, policies: policies,
                resume: options["resume"].map { try $0.decode(Positions.self) }, name: options["name"]?.stringValue,
                background: options["background"] == true))
    }
}

extension Policy {
    fileprivate init(_ members: JSONObject) {
        let background: Background =
            switch members["background"] {
            case "hold": .hold(limit: Int(members["limit"]?.integerValue ?? 1))
            case "drop": .drop
            case "immediate": .immediate
            default: .coalesce
            }
        self.init(background: background, netChangeOnly: members["netChangeOnly"] == true)
    }
}

extension JSONObject {
    fileprivate var aspects: AspectSet { AspectSet(self["aspects"]?.arrayValue?.compactMap(\.aspect) ?? []) }
}

extension JSON {
    fileprivate var aspect: Aspect? { stringValue.map { Aspect(stringLiteral: $0) } }

    /// Encodes an event, with its state in one member.
    fileprivate init(plain event: Event) throws {
        var members = try JSON(encoding: event).objectValue ?? [:]
        members["state"] = members[event.aspect.name.contains(".") ? "value" : event.aspect.name] ?? .null
        self = .object(members)
    }
}
