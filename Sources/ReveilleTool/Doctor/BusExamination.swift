// SPDX-License-Identifier: Apache-2.0

import Glibc
import Reveille
import ReveilleCore
import ReveilleService
import ReveilleSystem
import ReveilleWatchers
import ReveilleWire

/// What a bus says of itself and of its subscribers, and what that explains.
struct BusExamination {
    /// The number of programs that cannot be suspended of which each is named: the reasons repeat themselves.
    private static let named = 8

    var findings = Examination()
    private(set) var symptoms: Set<Symptom> = []
    /// Why no bus answers; `nil` if one does.
    private(set) var problem: ReveilleError?
    /// The configuration of the bus; `nil` if it has the defaults, or cannot be seen.
    private(set) var configuration: ConfigurationFile?

    /// Finds the configuration of the bus, which need not answer, and asks the bus unless only that is wanted.
    init(isAsked: Bool) {
        do throws(ReveilleError) {
            let address = try BusAddress.resolve(nil)
            let client = try BlockingClient(address)
            configuration = (client.server.map(\.configuration) ?? Self.usualConfiguration(at: address)).map {
                ConfigurationFile(path: $0)
            }
            guard isAsked else { return }
            for (name, value) in try ServedBus(address, over: client).facts { findings.add(name, value) }
            addChoice(of: address)
            try ask(client)
        } catch {
            if findings.findings.isEmpty {
                problem = error
                if error.code == .noBus { symptoms.insert(.otherBus) }
            } else {
                findings.add("other calls", "\(error)")
                if error.code == .quotaExceeded { symptoms.insert(.quotaExceeded) }
            }
        }
    }

    /// The file that the packages' units name, for a bus whose process is not visible since systemd made its socket.
    private static func usualConfiguration(at address: UnixAddress) -> String? {
        let isSystemWide = address.path == UnixAddress.systemBusPath
        guard isSystemWide || address.path == UnixAddress.ownBusPath else { return nil }
        let own = FileLocations.own(root: "")
        let path = (isSystemWide ? "/etc" : own.configHome ?? own.home + "/.config") + "/reveille.json5"
        return access(path, F_OK) == 0 ? path : nil
    }

    private mutating func addChoice(of address: UnixAddress) {
        let isOwn = Environment["REVEILLE_ADDRESS"] == nil && address.path != UnixAddress.systemBusPath
        if !isOwn { symptoms.insert(.otherBus) }
        let other = Environment["REVEILLE_ADDRESS"] == nil ? "the system bus" : "the one at REVEILLE_ADDRESS"
        findings.add("which one", isOwn ? "the user's own bus" : other)
    }

    private mutating func ask(_ client: BlockingClient) throws(ReveilleError) {
        // Only the bus itself knows which folders it has left.
        if let settings = try client.call(DescribeAspects()).first(where: { $0.aspect == .defaults }) {
            findings.add("settings", settings.source)
        }
        let subscribers = try client.call(ListSubscriptions()).subscriptions
        let held = subscribers.flatMap { one in
            one.holds.names.map { (hold: $0, program: one.name ?? "process \(one.processID)") }
        }
        for (hold, programs) in Dictionary(grouping: held, by: \.hold).sorted(by: { $0.key < $1.key }) {
            findings.add("held: \(hold)", StatusTables.list(programs.map(\.program), separator: ", "))
            symptoms.insert(.nothingArrives)
        }
        let obstacles = client.obstacles(toSuspending: subscribers)
        let reasons = obstacles?.compactMap { program, reason in reason.map { "\(program): \($0)" } } ?? []
        for reason in reasons.prefix(Self.named) { findings.add("suspend", reason) }
        if !reasons.isEmpty { symptoms.insert(.notSuspended) }
        // Why the bus of another user suspends nothing, it alone knows.
        let words = [Capability.Word.wake] + (obstacles == nil ? [.suspend] : [])
        for check in try client.call(CheckCapabilities(words.map(\.rawValue))) {
            guard case .no(let reason) = check.answer else { continue }
            findings.add(check.capability, "no: \(reason)")
            symptoms.insert(check.capability == Capability.Word.wake.rawValue ? .noWake : .notSuspended)
        }
    }
}
