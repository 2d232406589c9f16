// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleSystem
import ReveilleWire

extension GetLog: ServedMethod {
    func carryOut(by server: BusServer, on connection: Connection) {
        server.takeLogLines()
        server.reply(ListReply(of: LogLine.self, each: server.features.log.lines) { $0.text }, on: connection)
    }
}

extension BusServer {
    /// Adds the changes since the last call to the log.
    func takeLogLines() {
        features.log.add(bus.takeUnlogged(), watchers.takeTimes())
    }

    /// Saves the log with the state, so that it costs no wake-up.
    func saveLog() {
        takeLogLines()
        keeper?.logFile?.save(&features.log, at: loop.bootClock, isLast: turn.isStopping)
    }
}
