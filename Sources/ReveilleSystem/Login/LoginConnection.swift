// SPDX-License-Identifier: Apache-2.0

/// A connection to the login manager, logind or elogind, through the system's message bus; loop thread only.
final class LoginConnection {
    /// What the manager says about the sleep of the machine.
    struct State {
        var isPreparing: Bool
        /// The longest time in microseconds for which a lock delays the sleep; `nil` if the manager does not say.
        var longestDelay: UInt64?
    }

    private static let service = "org.freedesktop.login1"
    private static let path = "/org/freedesktop/login1"
    private static let interface = "org.freedesktop.login1.Manager"
    private static let properties = "org.freedesktop.DBus.Properties"

    /// Called with whether the machine prepares to sleep.
    var announced: (Bool) -> Void = { _ in }
    /// Called when a login manager connects to the message bus.
    var appeared: () -> Void = {}
    /// Called when the connection has ended.
    var ended: () -> Void = {}
    private let connection: DBusConnection
    private var arrivals: DBusHandler?

    init(loop: EventLoop) throws(SystemError) {
        connection = try DBusConnection(to: .system, loop: loop)
        connection.closed = { [unowned self] in ended() }
        try connection.listen(from: Self.service, Self.path, Self.interface, "PrepareForSleep") { [unowned self] in
            if let isPreparing = $0.boolean() { announced(isPreparing) }
        }
        arrivals = try connection.listenForArrivals(of: Self.service) { [unowned self] in appeared() }
    }

    /// Ends all calls of the handlers.
    func silence() {
        announced = { _ in }
        appeared = {}
        ended = {}
    }

    /// Asks for the state; `nil` if the manager is absent or does not answer.
    func ask(within timeout: Duration, then completion: @escaping (State?) -> Void) {
        var longestDelay: UInt64?
        get("InhibitDelayMaxUSec", within: timeout) { longestDelay = $0?.variant("t")?.longNumber() }
        get("PreparingForSleep", within: timeout) { reply in
            completion(
                (reply?.variant("b")?.boolean()).map { State(isPreparing: $0, longestDelay: longestDelay) })
        }
    }

    private func get(_ name: String, within timeout: Duration, then completion: @escaping (DBusMessage?) -> Void) {
        do throws(SystemError) {
            try connection.call(
                Self.service, Self.path, Self.properties, "Get", [.string(Self.interface), .string(name)],
                startsService: false, timeout: timeout
            ) { completion(try? $0.get()) }
        } catch {
            completion(nil)
        }
    }

    /// Takes a lock that delays the sleep until it is closed.
    func lock(within timeout: Duration, then completion: @escaping (Result<SleepLock, DBusError>) -> Void) {
        do throws(SystemError) {
            try connection.call(
                Self.service, Self.path, Self.interface, "Inhibit",
                ["sleep", "Reveille", "Programs finish before the machine sleeps", "delay"].map(DBusValue.string),
                startsService: false, timeout: timeout
            ) { reply in
                completion(
                    reply.flatMap { message in
                        guard let lock = message.descriptor() else {
                            return .failure(DBusError(name: "", message: "a reply without a descriptor"))
                        }
                        return .success(SleepLock(lock))
                    })
            }
        } catch {
            completion(.failure(DBusError(name: "", message: "\(error)")))
        }
    }
}

/// A lock that delays the sleep of the machine while it exists.
final class SleepLock {
    private let descriptor: OwnedDescriptor

    fileprivate init(_ descriptor: consuming OwnedDescriptor) {
        self.descriptor = descriptor
    }
}
