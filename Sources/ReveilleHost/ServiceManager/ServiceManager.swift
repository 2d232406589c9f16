// SPDX-License-Identifier: Apache-2.0

import Glibc
package import ReveilleSystem

/// The service manager: the system's if this process is root's, otherwise the user's (org.freedesktop.systemd1).
///
/// The connection is opened when it is first needed. It is closed when it has not been used for a while, because a
/// connection receives the end of every job. Nothing blocks, and each call has a timeout. Loop thread only.
package final class ServiceManager {
    /// The manager replies when a unit is frozen, which takes longer on a busy machine.
    package static let callTimeout: Duration = .seconds(10)
    /// The time for a job: enough for even a busy machine to execute a program.
    package static let jobTimeout: Duration = .seconds(30)
    /// The time for the last calls of a process: a service that ends has 90 seconds by default, a user less patience.
    private static let lastPatience: Duration = .seconds(1)
    /// The most values and bytes of an environment that are read: as much as a program can be started with (ARG_MAX).
    private static let environmentLimit = 2 << 20
    /// The time without calls after which the connection is closed.
    private static let idleTime: Duration = .seconds(5)

    private struct Job {
        let completion: (Failure?) -> Void
        let timer: EventSource
    }

    private let loop: EventLoop
    private let address: String?
    private let later: DeferredCalls
    private var connection: DBusConnection?
    private var hasSubscribed = false
    private var jobs: [String: Job] = [:]
    private var calls = 0
    private var idling: EventSource?

    /// Creates a manager that connects when it is needed, to the address or else to the usual message bus.
    package init(loop: EventLoop, address: String? = nil) {
        self.loop = loop
        self.address = address
        later = DeferredCalls(loop: loop)
    }

    // Completions are called once on the loop, after the function returns, unless the manager is released before.

    /// Finds the unit to which a cgroup belongs; the cgroup may be below the unit's own.
    package func findUnit(ofCgroup path: String, then completion: @escaping (Result<String, Failure>) -> Void) {
        call("GetUnitByControlGroup", [.string(path)]) { reply in
            completion(
                reply.flatMap { reply in
                    let unit = reply.path().flatMap(UnitName.init(objectPath:))
                    return unit.map { .success($0.text) } ?? .failure(.refused("a reply without a unit"))
                })
        }
    }

    /// Returns the variables that the manager gives to units it starts now, such as the display of a session that began
    /// after this process.
    package func environment(then completion: @escaping (Result<[String: String], Failure>) -> Void) {
        let values: [DBusValue] = [.string(Self.interface), .string("Environment")]
        call("Get", values, of: "org.freedesktop.DBus.Properties") { reply in
            completion(
                reply.flatMap { reply in
                    guard case .variant(.array(_, let entries))? = reply.values(atMost: Self.environmentLimit)?.first
                    else { return .failure(.refused("a reply without an environment")) }
                    let pairs = entries.compactMap { entry -> (String, String)? in
                        guard case .string(let text) = entry else { return nil }
                        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                        return parts.count == 2 ? (String(parts[0]), String(parts[1])) : nil
                    }
                    return .success(Dictionary(pairs) { $1 })
                })
        }
    }

    /// Freezes the processes of a unit; the manager replies when they are frozen.
    package func freeze(_ unit: String, then completion: @escaping (Failure?) -> Void) {
        call("FreezeUnit", [.string(unit)]) { completion($0.failure) }
    }

    package func thaw(_ unit: String, then completion: @escaping (Failure?) -> Void) {
        call("ThawUnit", [.string(unit)]) { completion($0.failure) }
    }

    /// Thaws units when the loop of this process has ended; returns after all replies, or after a second.
    package func thawNow(_ units: [String]) {
        guard !units.isEmpty, let last = try? EventLoop(), let deadline = try? last.timer(handler: last.exit) else {
            return
        }
        let manager = ServiceManager(loop: last, address: address)
        var waiting = units.count
        for unit in units {
            manager.thaw(unit) { _ in
                waiting -= 1
                if waiting == 0 { last.exit() }
            }
        }
        deadline.fire(after: Self.lastPatience)
        try? last.run()
    }

    /// Starts a unit without a file; calls back when a scope has its processes, or a service runs its program.
    package func start(_ unit: TransientUnit, then completion: @escaping (Failure?) -> Void) {
        let name = unit.name
        call("StartTransientUnit", [.string(name), .string("fail"), unit.properties, TransientUnit.noOthers]) {
            [weak self] reply in
            switch reply {
            case .failure(let failure): completion(failure)
            case .success(let message):
                guard let job = message.path() else { return completion(.refused("a reply without a job")) }
                // The signal that the job has ended cannot precede this reply.
                self?.wait(for: job, of: name, then: completion)
            }
        }
    }

    // MARK: - Jobs

    private func wait(for job: String, of unit: String, then completion: @escaping (Failure?) -> Void) {
        do throws(SystemError) {
            let timer = try loop.timer { [weak self] in
                self?.end(job, .refused("\(unit) has not started within \(Self.jobTimeout)"))
            }
            timer.fire(after: Self.jobTimeout)
            jobs[job] = Job(completion: completion, timer: timer)
        } catch {
            completion(.refused("\(error)"))
        }
    }

    private func end(_ path: String, _ failure: Failure?) {
        guard let job = jobs.removeValue(forKey: path) else { return }
        job.timer.cancel()
        job.completion(failure)
        rest()
    }

    private func jobRemoved(_ signal: DBusMessage) {
        guard signal.number() != nil, let job = signal.path(), let unit = signal.string(), let result = signal.string()
        else { return }
        end(job, result == "done" ? nil : .refused("the job of \(unit) ended as '\(result)'"))
    }

    // MARK: - Connection

    private static let service = "org.freedesktop.systemd1"
    private static let path = "/org/freedesktop/systemd1"
    private static let interface = "org.freedesktop.systemd1.Manager"

    private func call(
        _ member: String, _ values: [DBusValue], of interface: String = ServiceManager.interface,
        then completion: @escaping (Result<DBusMessage, Failure>) -> Void
    ) {
        do throws(SystemError) {
            let connection = try connect()
            if member == "StartTransientUnit" && !hasSubscribed {
                hasSubscribed = true
                try connection.listen(from: Self.service, Self.path, Self.interface, "JobRemoved") {
                    [weak self] in self?.jobRemoved($0)
                }
                try send("Subscribe", [], of: interface, over: connection) { _ in }
            }
            try send(member, values, of: interface, over: connection, then: completion)
        } catch {
            let failure: Failure = connection == nil ? .absent("\(error)") : .refused("\(error)")
            later.add { completion(.failure(failure)) }
        }
    }

    private func send(
        _ member: String, _ values: [DBusValue], of interface: String, over connection: DBusConnection,
        then completion: @escaping (Result<DBusMessage, Failure>) -> Void
    ) throws(SystemError) {
        try connection.call(
            Self.service, Self.path, interface, member, values, timeout: Self.callTimeout
        ) { [weak self] reply in
            self?.calls -= 1
            completion(reply.mapError(Failure.init))
            self?.rest()
        }
        calls += 1
    }

    private func connect() throws(SystemError) -> DBusConnection {
        idling?.disarm()
        if let connection { return connection }
        let bus = address.map(DBusConnection.Bus.address) ?? (geteuid() == 0 ? .system : .user)
        let connection = try DBusConnection(to: bus, loop: loop)
        connection.closed = { [weak self] in self?.disconnected() }
        self.connection = connection
        return connection
    }

    private func disconnected() {
        for job in Array(jobs.keys) { end(job, .refused("the connection to the message bus was lost")) }
        // The next call uses another connection. The current connection is released later, since it makes this call.
        let former = connection
        connection = nil
        hasSubscribed = false
        later.add { withExtendedLifetime(former) {} }
    }

    /// Closes the connection if it is not used for a while.
    private func rest() {
        guard calls == 0, jobs.isEmpty, connection != nil else { return }
        if idling == nil { idling = try? loop.timer { [weak self] in self?.close() } }
        idling?.fire(after: Self.idleTime)
    }

    private func close() {
        guard calls == 0, jobs.isEmpty else { return }
        connection = nil
        hasSubscribed = false
        idling = nil
    }
}
