// SPDX-License-Identifier: Apache-2.0

import Glibc
package import ReveilleSystem

/// The programs of a simulated machine, which are frozen slowly, not at all, or without an answer.
package final class SimulatedPrograms: Programs {
    package final class Process: FollowedProcess {
        package let pid: Int32
        package let number: Int32
        package var user: UInt32 { 1_000 }
        package fileprivate(set) var hasEnded = false
        /// The cgroup, which can change.
        package var cgroup: String?
        /// Whether the process may have declared that it ends in the background.
        var mayEnd = false
        /// How often the process was asked to end.
        package private(set) var terminations = 0

        fileprivate init(_ pid: Int32, number: Int32, cgroup: String?) {
            self.pid = pid
            self.number = number
            self.cgroup = cgroup
        }

        /// Returns whether the process is in a cgroup or in one of its descendants.
        package func isBelow(_ path: String) -> Bool {
            cgroup.map { $0 == path || $0.hasPrefix(path + "/") } ?? false
        }

        package func terminate() throws(SystemError) {
            guard !hasEnded else { throw SystemError("pidfd_send_signal", on: "process \(pid)", code: ESRCH) }
            terminations += 1
        }
    }

    /// How the system handles a request.
    package enum Manner: Sendable, CaseIterable {
        /// The request is carried out at once.
        case prompt
        /// The request takes a second.
        case slow
        /// The request is refused.
        case refusing
        /// The request is carried out, but never answered.
        case mute
        /// The request is carried out, and answered after the bus has given up.
        case late
    }

    /// The loop of the current bus; the last requests of a replaced bus are not carried out.
    package var loop: SimulatedLoop {
        didSet { answers = [:] }
    }
    /// How the system handles the next requests.
    package var manner = Manner.prompt
    /// The reason why no program can be frozen; `nil` if every program with a known cgroup can.
    package var obstacle: String?
    /// The cgroups that are frozen.
    package private(set) var frozen: Set<String> = []
    /// Called when a cgroup has been frozen or thawed.
    package var changed: (String, Bool) -> Void = { _, _ in }
    /// Called when the bus asks for a cgroup to be frozen or thawed.
    package var requested: (String, Bool) -> Void = { _, _ in }
    package private(set) var processes: [Int32: Process] = [:]
    private var lastNumber: Int32 = 1 << 29
    /// The timers of the requests that have not been answered.
    private var answers: [Int: SimulatedLoop.Source] = [:]
    private var lastAnswer = 0
    /// The number of event sources of these requests.
    var sourceCount: Int { answers.count }

    package init(loop: SimulatedLoop) {
        self.loop = loop
    }

    /// Starts a process; connections of other processes cannot be followed.
    @discardableResult
    package func start(_ pid: Int32, cgroup: String?) -> Process {
        lastNumber += 1
        let process = Process(pid, number: lastNumber, cgroup: cgroup)
        processes[pid] = process
        return process
    }

    /// Ends a process, whose ID may be used again.
    package func end(_ process: Process) {
        process.hasEnded = true
        if processes[process.pid] === process { processes[process.pid] = nil }
        loop.report(process.number, .readable)
    }

    /// Returns whether a process cannot run.
    package func isFrozen(_ process: Process) -> Bool {
        frozen.contains(where: process.isBelow)
    }

    package func process(behind stream: any ByteStream) throws(SystemError) -> any FollowedProcess {
        let pid = try stream.peer().pid
        guard let process = processes[pid] else {
            throw SystemError("pidfd_open", on: "process \(pid)", code: ESRCH)
        }
        return process
    }

    package func cgroup(
        suspending process: any FollowedProcess, subscribers: Set<Int32>
    ) throws(CannotFreeze) -> String {
        if let obstacle { throw CannotFreeze(obstacle) }
        guard let cgroup = process.cgroup else { throw CannotFreeze("its cgroup is unknown") }
        return cgroup
    }

    package func freeze(_ cgroup: String, then completion: @escaping (CannotFreeze?) -> Void) {
        carryOut(true, cgroup, then: completion)
    }

    package func thaw(_ cgroup: String, then completion: @escaping (CannotFreeze?) -> Void) {
        carryOut(false, cgroup, then: completion)
    }

    package func thawBeforeEnd(_ cgroups: [String]) -> [String] {
        for cgroup in cgroups { set(false, cgroup) }
        return []
    }

    private func carryOut(_ freezes: Bool, _ cgroup: String, then completion: @escaping (CannotFreeze?) -> Void) {
        requested(cgroup, freezes)
        switch manner {
        case .prompt: after(.zero) { [weak self] in self?.set(freezes, cgroup, then: completion) }
        case .slow: after(.seconds(1)) { [weak self] in self?.set(freezes, cgroup, then: completion) }
        case .refusing: after(.zero) { completion(CannotFreeze("it is refused")) }
        case .mute: after(.zero) { [weak self] in self?.set(freezes, cgroup) }
        case .late: after(.seconds(40)) { [weak self] in self?.set(freezes, cgroup, then: completion) }
        }
    }

    private func set(_ isFrozen: Bool, _ cgroup: String, then completion: (CannotFreeze?) -> Void = { _ in }) {
        let wasFrozen = frozen.contains(cgroup)
        if isFrozen { frozen.insert(cgroup) } else { frozen.remove(cgroup) }
        if wasFrozen != isFrozen { changed(cgroup, isFrozen) }
        completion(nil)
    }

    private func after(_ duration: Duration, _ body: @escaping () -> Void) {
        lastAnswer += 1
        let timer = loop.makeTimer(priority: .normal) { [weak self, lastAnswer] in
            self?.answers[lastAnswer] = nil
            body()
        }
        timer.fire(after: duration)
        answers[lastAnswer] = timer
    }
}
