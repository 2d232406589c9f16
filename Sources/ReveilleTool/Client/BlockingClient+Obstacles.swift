// SPDX-License-Identifier: Apache-2.0

import Glibc
import Reveille
import ReveilleCore
import ReveilleHost
import ReveilleSystem

extension BlockingClient {
    /// Returns for each program with a subscription why the bus cannot suspend it, if anything prevents it; `nil` for the
    /// bus of another user, which is not visible here.
    func obstacles(toSuspending subscribers: [SubscriptionInfo]) -> [(program: String, reason: String?)]? {
        guard let server = peer, server.uid == geteuid() else { return nil }
        let processes = Set(subscribers.map(\.processID))
        return processes.sorted().map { process in
            let name = subscribers.first { $0.processID == process && $0.name != nil }?.name
            let obstacle = SystemPrograms.obstacle(toSuspending: process, by: server.pid, subscribers: processes)
            return (name ?? "process \(process)", obstacle?.reason)
        }
    }
}
