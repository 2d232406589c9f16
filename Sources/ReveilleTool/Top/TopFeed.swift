// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Reveille
import ReveilleSystem

/// The connection of `reveille top` to its bus: it answers requests of the main thread; safe to use from any thread.
final class TopFeed: Sendable {
    enum Request: Sendable {
        case poll(TopPoll.Request)
        case change(TopChange)
    }

    enum Report: Sendable {
        case poll(TopPoll)
        /// The bus cannot be polled now.
        case lost(String)
        /// A subscription has the state that was asked for.
        case done(String)
        case refused(String)
    }

    /// Becomes readable when there are reports.
    let signal: Pipe
    private let bus: BusOptions
    private let requests: AsyncStream<Request>
    private let input: AsyncStream<Request>.Continuation
    private let reports = Lock<[Report]>([])

    init(_ bus: BusOptions) throws(SystemError) {
        self.bus = bus
        signal = try Pipe()
        (requests, input) = AsyncStream.makeStream()
    }

    /// Sends a request, which does not wait for others.
    func send(_ request: Request) {
        input.yield(request)
    }

    /// Returns the reports since the last call.
    func take() -> [Report] {
        signal.drain()
        return reports.withLock { reports in
            defer { reports = [] }
            return reports
        }
    }

    /// Connects to the bus and answers requests until the task is cancelled.
    ///
    /// - Throws: `ReveilleError` if there is no bus at first.
    func run() async throws {
        let device = try await bus.device()
        await withDiscardingTaskGroup { group in
            for await request in requests {
                group.addTask { self.report(await Self.answer(request, device)) }
            }
        }
    }

    private func report(_ report: Report) {
        reports.withLock { $0.append(report) }
        signal.wake()
    }

    private static func answer(_ request: Request, _ device: Device) async -> Report {
        switch request {
        case .poll(let request):
            do { return .poll(try await TopPoll.take(from: device, request)) } catch { return .lost("\(error)") }
        case .change(let change):
            do { return .done(try await carryOut(change, device)) } catch {
                return .refused("\(change.name): \(error)")
            }
        }
    }

    /// Changes the state of a subscription as an operator, and returns what it is then.
    private static func carryOut(_ change: TopChange, _ device: Device) async throws -> String {
        let (id, name) = (change.subscription, change.name)
        switch change.state {
        case .background:
            try await device.hold(id)
            return "\(name) is in the background"
        case .suspended:
            // A cgroup is frozen only if none of its subscriptions is in the foreground.
            for other in try await program(of: id, device) where other.id != id { try await device.hold(other.id) }
            try await device.suspend(id)
            return "\(name) is suspended"
        case .foreground:
            let program = try await program(of: id, device)
            let isFrozen = program.contains { $0.id == id && $0.holds.contains(.frozen) }
            for one in program where isFrozen || one.id == id { try await device.release(one.id) }
            let holds = try await device.subscribers().first { $0.id == id }?.holds
            return switch holds {
            case nil: "\(name) has ended"
            case .some(let holds) where holds.contains(.app):
                "\(name) remains in the background: held by its own process (app)"
            case .some(let holds) where holds.contains(.frozen): "\(name) is still frozen"
            default: "\(name) is in the foreground"
            }
        }
    }

    /// Returns the subscriptions of the process that has a subscription.
    private static func program(of id: String, _ device: Device) async throws -> [Subscriber] {
        let subscribers = try await device.subscribers()
        let process = subscribers.first { $0.id == id }?.processID
        return subscribers.filter { $0.id == id || process != 0 && $0.processID == process }
    }
}
