// SPDX-License-Identifier: Apache-2.0

import Glibc
package import ReveilleSystem

/// Launches the programs of a bus, each command at most once at a time; loop thread only.
package protocol ProgramLauncher: AnyObject {
    /// Starts a command, unless it is still running since it was last started.
    ///
    /// Commands are the same if the bytes of their arguments are; the environment does not matter. The program is looked
    /// up in `PATH` unless its name contains a slash. `completion` is called once on the loop, after this returns, and
    /// within ``ServiceManager/callTimeout`` plus ``ServiceManager/jobTimeout``.
    func launch(
        _ arguments: [String], adding additions: [String: String], then completion: @escaping (Launch) -> Void
    )

    /// Follows a child of an earlier launcher, and does not start it again; false if it has ended, throws if it may run.
    func adopt(_ process: ProcessIdentity, running arguments: [String]) throws(SystemError) -> Bool

    /// Called on the loop when a program that this launcher started or adopted has ended, if the system reports it: with the
    /// arguments, and a phrase such as "exited with code 1".
    ///
    /// A program that a service manager runs is observed by the service manager alone.
    var ended: ([String], String) -> Void { get set }
}

package enum Launch: Sendable, Hashable {
    /// The program has been executed; with its process, if it is a child.
    case started(ProcessIdentity?)
    /// The program is running since an earlier launch, and was not started again.
    case alreadyRunning
    /// The text for a person if the program was not executed: the action, its object, and the reason of the failure.
    case failed(String)
}

/// Launches programs as services of the service manager, or as children of this process where there is no manager.
///
/// A child would share the limits, the restrictions and the end of the bus; see Docs/Contributing/Decisions/0023-programs.md.
package final class SystemLauncher: ProgramLauncher {
    private let loop: EventLoop
    private let manager: ServiceManager
    private var children: [[ExactText]: LaunchedChild] = [:]
    private var launching: Set<[ExactText]> = []
    /// Completions that must not run before ``launch(_:adding:then:)`` returns.
    private let later: DeferredCalls

    package var ended: ([String], String) -> Void = { _, _ in }

    /// Creates a launcher, which connects to the service manager at its first launch.
    package init(loop: EventLoop, manager: ServiceManager) {
        self.loop = loop
        self.manager = manager
        later = DeferredCalls(loop: loop)
    }

    package func launch(
        _ arguments: [String], adding additions: [String: String], then completion: @escaping (Launch) -> Void
    ) {
        let command = ExactText.list(arguments)
        guard children[command] == nil, !launching.contains(command) else {
            return later.add { completion(.alreadyRunning) }
        }
        let path: String
        do throws(SystemError) {
            guard let name = arguments.first, !name.isEmpty else { throw SystemError("exec", code: EINVAL) }
            // Neither D-Bus nor an argument of a program can contain a NUL.
            guard (arguments + additions.map { $0 + $1 }).allSatisfy({ !$0.utf8.contains(0) }) else {
                throw SystemError("exec", on: name, code: EINVAL)
            }
            // The service manager reports a program that cannot be executed without the reason.
            path = try ExecutableSearch.find(name)
        } catch {
            return later.add { completion(.failed("\(error)")) }
        }
        launching.insert(command)
        let unit = TransientUnit.service(
            .service(for: arguments), path: path, arguments: arguments, environment: additions)
        manager.start(unit) { [weak self] failure in
            guard let self else { return }
            launching.remove(command)
            switch failure {
            case nil: completion(.started(nil))
            case .exists: completion(.alreadyRunning)
            case .absent: spawn(path, arguments, additions, then: completion)
            case .unknownUnit(let reason), .refused(let reason): completion(.failed("\(path): \(reason)"))
            }
        }
    }

    private func spawn(
        _ path: String, _ arguments: [String], _ additions: [String: String],
        then completion: @escaping (Launch) -> Void
    ) {
        let command = ExactText.list(arguments)
        guard children[command] == nil else { return completion(.alreadyRunning) }
        let child: LaunchedChild
        do throws(SystemError) {
            child = try LaunchedChild(path, arguments, adding: additions, loop: loop) { [weak self] in
                self?.childEnded(arguments, $0)
            }
        } catch {
            return completion(.failed("\(error)"))
        }
        children[command] = child
        completion(.started(child.identity))
    }

    package func adopt(_ process: ProcessIdentity, running arguments: [String]) throws(SystemError) -> Bool {
        let child = try LaunchedChild(adopting: process, loop: loop) { [weak self] in
            self?.childEnded(arguments, $0)
        }
        children[ExactText.list(arguments)] = child
        return child != nil
    }

    private func childEnded(_ arguments: [String], _ result: String) {
        children[ExactText.list(arguments)] = nil
        ended(arguments, result)
    }
}
