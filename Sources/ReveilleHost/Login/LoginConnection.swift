// SPDX-License-Identifier: Apache-2.0

import ReveilleSystem

/// A connection to the login manager, logind or elogind, through the system's message bus.
final class LoginConnection: LoginManager {
    private static let service = "org.freedesktop.login1"
    private static let path = "/org/freedesktop/login1"
    private static let interface = "org.freedesktop.login1.Manager"
    private static let properties = "org.freedesktop.DBus.Properties"

    var noted: (DelayLock.Input) -> Void = { _ in }
    private let connection: DBusConnection
    private var owners: DBusHandler?

    init(loop: EventLoop) throws(SystemError) {
        connection = try DBusConnection(to: .system, loop: loop)
        connection.closed = { [unowned self] in noted(.lost("the message bus has ended the connection")) }
        try connection.listen(from: Self.service, Self.path, Self.interface, "PrepareForSleep") { [unowned self] in
            if let isPreparing = $0.boolean() { noted(.announced(isPreparing: isPreparing)) }
        }
        owners = try connection.listenForOwners(of: Self.service) { [unowned self] in
            noted($0 ? .appeared : .vanished)
        }
    }

    func ask(within patience: Duration, then completion: @escaping (DelayLock.Input) -> Void) {
        var longestDelay: UInt64?
        call(Self.properties, "Get", [Self.interface, "InhibitDelayMaxUSec"], within: patience) {
            longestDelay = (try? $0.get())?.variant("t")?.longNumber()
        }
        call(Self.properties, "Get", [Self.interface, "PreparingForSleep"], within: patience) { reply in
            switch reply.map({ $0.variant("b")?.boolean() }) {
            case .success(let isPreparing?):
                completion(.answered(isPreparing: isPreparing, longestDelay: longestDelay))
            case .success(nil): completion(.unanswered(.refused("a reply of another type")))
            case .failure(let failure): completion(.unanswered(failure))
            }
        }
    }

    func lock(within patience: Duration, then completion: @escaping (Result<AnyObject, LoginFailure>) -> Void) {
        let what = ["sleep", "Reveille", "Programs finish before the machine sleeps", "delay"]
        call(Self.interface, "Inhibit", what, within: patience) { reply in
            completion(
                reply.flatMap { message in
                    guard let lock = message.descriptor() else {
                        return .failure(.refused("a reply without a descriptor"))
                    }
                    return .success(SleepLock(lock))
                })
        }
    }

    /// Calls a method of a manager that runs; none is started.
    private func call(
        _ interface: String, _ member: String, _ values: [String], within patience: Duration,
        then completion: @escaping (Result<DBusMessage, LoginFailure>) -> Void
    ) {
        do throws(SystemError) {
            try connection.call(
                Self.service, Self.path, interface, member, values.map(DBusValue.string), startsService: false,
                timeout: patience
            ) { reply in
                completion(
                    reply.mapError {
                        $0.name == DBusError.late ? .late : $0.isAbsence ? .absent : .refused("\("\($0)".prefix(200))")
                    })
            }
        } catch {
            completion(.failure(.refused("\(error)")))
        }
    }
}

/// A lock that delays the sleep of the machine while it exists.
private final class SleepLock {
    private let descriptor: OwnedDescriptor

    init(_ descriptor: consuming OwnedDescriptor) {
        self.descriptor = descriptor
    }
}
