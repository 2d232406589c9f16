// SPDX-License-Identifier: Apache-2.0

import Glibc
package import ReveilleSystem

/// A question for Boolean properties of the login manager, logind or elogind (org.freedesktop.login1).
///
/// It has a connection to the system's message bus of its own, which ends when this is released. Nothing blocks. A login
/// manager that does not run is not started. Loop thread only.
package final class LoginProperties {
    package enum Answer: Sendable, Hashable, CustomStringConvertible {
        /// The properties that the manager has.
        case values([String: Bool])
        /// There is no message bus or no login manager.
        case absent(String)
        /// They did not reply in time, and may reply to another question.
        case late(String)
        /// Anything else, such as a refusal.
        case failed(String)

        package var description: String {
            switch self {
            case .values(let values):
                values.sorted { $0.key < $1.key }.map { "\($0)=\($1)" }.joined(separator: ", ")
            case .absent(let reason), .late(let reason), .failed(let reason): reason
            }
        }
    }

    private static let service = "org.freedesktop.login1"
    private static let path = "/org/freedesktop/login1"
    private static let interface = "org.freedesktop.login1.Manager"
    /// The login manager makes this directory when it starts (sd_seat_get_active and its kind look there).
    private static let trace = "/run/systemd/seats"

    private let names: [String]
    private let later: DeferredCalls
    private var connection: DBusConnection?
    private var values: [String: Bool] = [:]
    private var failure: DBusError?
    private var unanswered = 0
    private var completion: ((Answer) -> Void)?

    /// Asks, and calls back once within the timeout, after this returns, unless this is released before.
    package init(
        _ names: [String], loop: EventLoop, timeout: Duration, then completion: @escaping (Answer) -> Void
    ) {
        self.names = names
        self.completion = completion
        later = DeferredCalls(loop: loop)
        do throws(SystemError) {
            try ask(DBusConnection(to: .system, loop: loop), timeout: timeout)
        } catch {
            end(.absent("no message bus: \(error)"))
        }
    }

    /// Returns the answer; blocks within the timeout.
    package static func answer(_ names: [String], within timeout: Duration) -> Answer {
        var answer = Answer.failed("no answer")
        do throws(SystemError) {
            let loop = try EventLoop()
            let question = LoginProperties(names, loop: loop, timeout: timeout) {
                answer = $0
                loop.exit()
            }
            try loop.run()
            withExtendedLifetime(question) {}
        } catch {
            answer = .failed("\(error)")
        }
        return answer
    }

    /// Whether a login manager has started, as far as files show it.
    package static func isThere(root: String) -> Bool { access(root + trace, F_OK) == 0 }

    private func ask(_ connection: DBusConnection, timeout: Duration) throws(SystemError) {
        self.connection = connection
        connection.closed = { [weak self] in self?.end(.failed("the message bus closed the connection")) }
        // A call would start the manager.
        try connection.hasOwner(Self.service, timeout: timeout / 2) { [weak self] hasOwner in
            switch hasOwner {
            case true?: self?.get(timeout: timeout / 2)
            case false?: self?.end(.absent("no login manager on the message bus"))
            case nil: self?.end(.late("the message bus does not answer"))
            }
        }
    }

    private func get(timeout: Duration) {
        do throws(SystemError) {
            for name in names {
                try connection?.call(
                    Self.service, Self.path, "org.freedesktop.DBus.Properties", "Get",
                    [.string(Self.interface), .string(name)], timeout: timeout
                ) { [weak self] in self?.take($0, of: name) }
                unanswered += 1
            }
        } catch {
            end(.failed("\(error)"))
        }
    }

    private func take(_ reply: Result<DBusMessage, DBusError>, of name: String) {
        switch reply {
        case .success(let message): values[name] = message.variant("b")?.boolean()
        case .failure(let error) where error.name == DBusError.late: return end(.late("\(error)"))
        case .failure(let error): failure = error
        }
        unanswered -= 1
        guard unanswered == 0 else { return }
        // A manager of another version may lack a property.
        end(values.isEmpty ? .failed(failure.map { "\($0)" } ?? "a reply of another type") : .values(values))
    }

    private func end(_ answer: Answer) {
        guard let completion else { return }
        self.completion = nil
        // The connection makes this call, and may be released by the completion.
        later.add { completion(answer) }
    }
}
