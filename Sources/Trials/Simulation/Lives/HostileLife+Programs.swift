// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleSystem
import Varlink

// The programs behind the connections. Hostile users' programs are suspended, moved and killed at any time; honest
// users' programs may only be suspended by a hostile root.
extension HostileLife {
    /// The cgroups of hostile programs; one is below another.
    private static let cgroups = ["/hostile", "/hostile/worker", "/other"]

    // MARK: - The machine

    func startPrograms() {
        for pid in People.processes where pid > 0 { programs.start(pid, cgroup: choices.one(of: Self.cgroups)) }
        for peer in honest.map(\.credentials) + [publisher.credentials] {
            programs.start(peer.pid, cgroup: "\(ProgramChecks.honestCgroup)/\(peer.pid)")
        }
        programs.requested = { [unowned self] in
            guard $1 else { return }
            note("the bus freezes \($0)")
            checks.checkFreeze(of: $0, by: bus)
        }
        programs.changed = { [unowned self] in note("\($0) is \($1 ? "frozen" : "thawed")") }
    }

    /// Returns whether a process cannot run.
    func isFrozen(_ pid: Int32) -> Bool {
        programs.processes[pid].map(programs.isFrozen) ?? false
    }

    /// Replaces a dead process by another process with the same ID.
    func restartProgram(_ pid: Int32) {
        guard let process = programs.processes[pid] else { return }
        programs.end(process)
        programs.start(pid, cgroup: process.cgroup)
    }

    /// Kills a hostile process; even a frozen process can be killed.
    func kill(_ pid: Int32) {
        note("process \(pid) is killed")
        for peer in peers where peer.credentials.pid == pid { peer.close() }
        peers.removeAll { $0.credentials.pid == pid }
        restartProgram(pid)
    }

    // MARK: - Steps

    func actOnPrograms() throws(Broken) {
        switch choices.number(below: 24) {
        case 0:
            programs.manner = choices.one(of: SimulatedPrograms.Manner.allCases)
            note("requests to freeze and thaw: \(programs.manner)")
        case 1:
            programs.obstacle = programs.obstacle == nil ? "a test" : nil
            note("programs can be frozen: \(programs.obstacle == nil)")
        case 2:
            let pid = choices.one(of: People.processes)
            programs.processes[pid]?.cgroup = choices.one(of: Self.cgroups + [nil])
            note("process \(pid) moves to \(programs.processes[pid]?.cgroup ?? "an unknown cgroup")")
        case 3: kill(choices.one(of: People.processes))
        // All at once, as at the end of a session.
        case 4: for pid in People.processes where pid > 0 { kill(pid) }
        case 5..<10: try subscribeToLifecycle()
        case 10..<18: try setState()
        case 18..<22:
            if let id = anySubscription() { try send("BeginTask", ["subscription": id, "name": "work"], mode: .more) }
        default: try letDeparturesPass()
        }
    }

    private func subscribeToLifecycle() throws(Broken) {
        if peers.isEmpty || choices.happens(onceIn: 2) { connect() }
        var parameters: JSONObject = [
            "aspects": choices.one(of: [["lifecycle"], ["lifecycle", "locale"], ["locale"]])
        ]
        if choices.happens(onceIn: 3) { parameters["state"] = "background" }
        if choices.happens(onceIn: 3) { parameters["policies"] = [["aspect": "lifecycle", "background": "end"]] }
        try send("Subscribe", parameters, mode: .more)
    }

    private func setState() throws(Broken) {
        guard let id = anySubscription() else { return }
        let states: [JSON] = ["suspended", "suspended", "suspended", "foreground", "background", "inactive"]
        var parameters: JSONObject = ["subscription": id, "state": choices.one(of: states)]
        if choices.happens(onceIn: 3) { parameters["wakeAfter"] = choices.one(of: Self.deadlines) }
        try send("SetState", parameters, mode: choices.happens(onceIn: 4) ? .oneway : .plain)
    }

    /// Deadlines in milliseconds: the shortest, the longest, and times during a suspension.
    private static let deadlines: [JSON] = [1, 100, 4_999, 5_000, 16_000, 31_536_000_000]

    /// The newest subscriptions most likely still exist.
    private func anySubscription() -> JSON? {
        let known = answers.harvest["subscription"].suffix(6)
        return known.isEmpty ? nil : choices.one(of: known)
    }

    private func send(_ member: String, _ parameters: JSONObject, mode: Call.Mode) throws(Broken) {
        guard let peer = anyPeer() else { return }
        try send(Call(method: "org.reveille.Bus." + member, parameters: parameters, mode: mode).encoded(), by: peer)
    }

    /// Lets time pass that decides the outcome of a suspension: a moment, reading, an answer of the system, tasks.
    private func letDeparturesPass() throws(Broken) {
        let duration: Duration = choices.one(of: [
            .milliseconds(1), .milliseconds(4_999), .seconds(6), .seconds(16), .seconds(31),
        ])
        note("\(duration) pass for programs")
        try bus.pass(duration)
    }

    // MARK: - Rest

    /// Longer than a suspension and everything that can delay it: tasks, reading, and two requests without an answer.
    private static let longestSuspension: Duration = .seconds(120)

    /// Lets all suspensions end, with a system that works again.
    func settlePrograms() throws(Broken) {
        programs.manner = .prompt
        programs.obstacle = nil
        try bus.pass(Self.longestSuspension)
        try checks.check()
    }
}
