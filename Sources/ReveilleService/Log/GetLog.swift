// SPDX-License-Identifier: Apache-2.0

import Logging
import ReveilleCore
import ReveilleSystem
import ReveilleWire

extension GetLog: ServedMethod {
    func carryOut(by server: BusServer, on connection: Connection) {
        server.takeLogLines()
        // A reply that nobody reads keeps no line: those that are cut meanwhile are left out.
        let numbers = server.features.log.numbers
        var next = numbers.lowerBound
        let list = ListReply(of: LogLine.self) { [unowned server] in
            guard let line = server.features.log.line(from: next), line.number < numbers.upperBound else { return nil }
            next = line.number + 1
            return line.text
        }
        server.reply(list, on: connection)
    }
}

extension BusServer {
    /// Adds the changes since the last call to the log, and charges the work to their publishers.
    func takeLogLines() {
        let start = loop.threadClock
        let changes = bus.takeUnlogged()
        features.log.add(changes, watchers.takeTimes())
        let time = loop.threadTime(since: start)
        guard time > 0 else { return }
        let counts = Dictionary(changes.compactMap { $0.user.map { ($0, 1) } }, uniquingKeysWith: +)
        for (user, count) in counts {
            shares.charge(time * UInt64(count) / UInt64(changes.count), to: user, at: loop.bootClock)
        }
    }

    func loadLog() {
        if let problem = facilities.log?.load(into: &features.log) { logger.warning("\(problem)") }
    }

    func saveLog(isLast: Bool = false) {
        let problem = facilities.log?.save(&features.log, at: loop.bootClock, isLast: isLast)
        if let problem { logger.warning("\(problem)") }
    }
}
