// SPDX-License-Identifier: Apache-2.0

/// The start of programs that a bus launches, each command at most once at a time.
///
/// A simulation has a launcher of its own. Loop thread only.
package protocol ProgramLauncher: AnyObject {
    /// Starts a command, unless it is still running since it was last started.
    ///
    /// Commands are the same if the bytes of their arguments are; the environment does not matter. The program is looked
    /// up in `PATH` unless its name contains a slash. `completion` is called once on the loop, after this returns, and
    /// within ``ServiceManager/callTimeout`` plus ``ServiceManager/jobTimeout``.
    func launch(
        _ arguments: [String], adding additions: [String: String], then completion: @escaping (Launch) -> Void
    )

    /// Follows a program that an earlier launcher has started as a child, and does not start it again while it runs.
    ///
    /// - Returns: Whether it is still running.
    /// - Throws: `SystemError` if it cannot be followed, but may be running.
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
    /// The reason why the program was not executed, for a person: what was tried, on what, and why it failed.
    case failed(String)
}
