// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleConsole
import ReveilleSystem

/// The scope into which `reveille run` moves itself.
enum ProgramScope {
    /// Moves this process into a scope of the service manager or, without one, into a cgroup of its own.
    ///
    /// - Returns: The reason why that is not possible; otherwise `nil`.
    static func enter(name: String?, _ command: [String]) throws(SystemError) -> String? {
        let program = name ?? command[0].split(separator: "/").last.map(String.init) ?? command[0]
        let scope = UnitName.scope(for: program, number: .random(in: .min ... .max))
        let unit = TransientUnit.scope(scope, of: getpid(), description: command.joined(separator: " "))
        let loop = try EventLoop()
        let manager = ServiceManager(loop: loop)
        var failure: ServiceManager.Failure?
        manager.start(unit) {
            failure = $0
            loop.exit()
        }
        try loop.run()
        guard let failure else { return nil }
        // A service manager could remove a cgroup that it does not know among its own.
        guard case .absent = failure else { return "\(failure)" }
        do throws(SystemError) {
            try OwnCgroup.enter(scope)
            return nil
        } catch {
            return "\(failure); \(error)"
        }
    }
}
