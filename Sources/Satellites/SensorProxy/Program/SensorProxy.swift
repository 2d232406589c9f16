// SPDX-License-Identifier: Apache-2.0

import Glibc
import Reveille
import ReveilleHost
import ReveilleSensorProxyCore
import ReveilleSystem

/// The service `net.hadess.SensorProxy`: carries out the effects of ``SensorClaims``.
///
/// An actor on the thread of the device's connections, because an sd-bus connection belongs to one thread and to its
/// loop.
actor SensorProxy {
    /// The time in which the message bus answers; it is busy when a desktop starts.
    static let busTimeout: Duration = .seconds(10)

    /// The thread of all tasks; a thread of the runtime would wake up every second.
    nonisolated let thread: LoopThread
    nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

    let device: Device
    nonisolated let log: ProgramLog
    private var claims = SensorClaims()
    var followers: [Sensor: Task<Void, Never>] = [:]
    private var connection: DBusConnection?
    /// Whether the message bus has been asked for the name.
    var isOffered: Bool { connection != nil }
    private var objects: [DBusHandler] = []
    private var departures: DBusHandler?
    /// The calls that have not been answered, by their numbers.
    private var calls: [Int: DBusMessage] = [:]
    private var lastCall = 0
    private var timer: EventSource?
    private var ending: CheckedContinuation<Failure?, Never>?

    init(_ device: Device, on thread: LoopThread, log: ProgramLog) {
        self.log = log
        self.device = device
        self.thread = thread
    }

    /// Runs until nobody needs the service, or it fails.
    func run() async -> Failure? {
        await withCheckedContinuation { continuation in
            ending = continuation
            begin()
        }
    }

    private func begin() {
        do throws(SystemError) {
            timer = try thread.loop.timer { self.handle(.expired) }
        } catch {
            return end(Failure(description: "\(error)", exitCode: EXIT_FAILURE))
        }
        Task(executorPreference: thread) { [self] in await watchConnection() }
        perform(claims.begin())
    }

    /// Ends the service; the program ends with it.
    func end(_ failure: Failure?) {
        ending?.resume(returning: failure)
        ending = nil
    }

    func handle(_ input: SensorClaims.Input) {
        perform(claims.handle(input, at: .now))
        guard let deadline = claims.deadline else { return timer?.disarm() ?? () }
        timer?.fire(after: max(.zero, deadline - .now))
    }

    private func perform(_ effects: [SensorClaims.Effect]) {
        for effect in effects { perform(effect) }
    }

    private func perform(_ effect: SensorClaims.Effect) {
        switch effect {
        case .answer(let number, let answer):
            guard let call = calls.removeValue(forKey: number) else { return }
            attempt { connection throws(SystemError) in try connection.answer(call, with: answer.values) }
        case .forget(let number): calls[number] = nil
        case .signal(let entries, let callers): signal(entries, to: callers)
        case .follow(let sensor):
            followers[sensor]?.cancel()
            followers[sensor] = Task(executorPreference: thread) { [self] in await follow(sensor) }
        case .unfollow(let sensor): followers.removeValue(forKey: sensor)?.cancel()
        case .check: Task(executorPreference: thread) { [self] in await check() }
        case .watchCallers(let isWanted): watchCallers(isWanted)
        case .verify(let caller): verify(caller)
        case .end: end(nil)
        }
    }

    // MARK: - D-Bus

    /// Connects to the message bus and requests the name; clients read the properties at once, so all must be known.
    func offer() {
        guard connection == nil else { return }
        do throws(SystemError) {
            let connection = try DBusConnection(to: .system, loop: thread.loop)
            self.connection = connection
            connection.closed = {
                self.end(Failure(description: "the connection to the system's D-Bus was lost"))
            }
            for object in SensorObject.allCases {
                objects.append(try connection.serve(object.path) { self.take($0, to: object) })
            }
            let name = SensorObject.busName
            try connection.request(name: name, timeout: Self.busTimeout) { outcome in
                switch outcome {
                case .success(.acquired): break
                case .success(.taken):
                    let text = """
                        \(name): another program has this name on the system's D-Bus; stop iio-sensor-proxy or the other \
                        reveille-sensor-proxy
                        """
                    self.end(Failure(description: text))
                case .failure(let error):
                    let code = error.name == DBusError.accessDenied ? EX_NOPERM : EX_UNAVAILABLE
                    let text = "\(name): the system's D-Bus refuses the name: \(error)"
                    self.end(Failure(description: text, exitCode: code))
                }
            }
        } catch {
            end(Failure(description: "cannot connect to the system's D-Bus: \(error)"))
        }
    }

    private func take(_ message: DBusMessage, to object: SensorObject) {
        guard let caller = message.sender, let member = message.member else { return }
        let signature = message.signature
        // A message bus passes on strings with Unicode noncharacters, but libsystemd refuses them. No name has them.
        let strings = signature.prefix { $0 == "s" }.map { _ in message.string() ?? "\u{FFFD}" }
        let call = SensorCall(
            object, interface: message.interface, member: member, signature: signature, strings: strings)
        do throws(SensorRefusal) {
            let request = try SensorRequest(call)
            lastCall += 1
            calls[lastCall] = message
            handle(.request(request, from: caller, number: lastCall))
        } catch {
            attempt { connection throws(SystemError) in
                try connection.answer(message, with: DBusError(name: error.name, message: error.message))
            }
        }
    }

    private func signal(_ entries: [PropertyEntry], to callers: Set<String>) {
        let object = SensorObject.sensors
        let values: [DBusValue] = [.string(object.interface), entries.dictionary, .strings([])]
        for caller in callers {
            attempt { connection throws(SystemError) in
                try connection.signal(
                    object.path, "org.freedesktop.DBus.Properties", "PropertiesChanged", values, to: caller)
            }
        }
    }

    private func watchCallers(_ isWanted: Bool) {
        departures = nil
        guard isWanted else { return }
        attempt { connection throws(SystemError) in
            departures = try connection.listenForDepartures { self.handle(.left($0)) }
        }
    }

    /// Notices a caller that left before ``watchCallers(_:)`` took effect.
    private func verify(_ caller: String) {
        attempt { connection throws(SystemError) in
            try connection.hasOwner(caller, timeout: Self.busTimeout) { isThere in
                if isThere == false { self.handle(.left(caller)) }
            }
        }
    }

    /// Does something for one client, whose failure concerns only that client.
    private func attempt(_ body: (DBusConnection) throws(SystemError) -> Void) {
        guard let connection else { return }
        do throws(SystemError) {
            try body(connection)
        } catch {
            log.write(.warning, "D-Bus: \(error)")
        }
    }
}
