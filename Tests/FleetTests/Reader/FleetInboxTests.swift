// SPDX-License-Identifier: Apache-2.0

import ReveilleFleetCore
import Testing
import Varlink

@Suite("What a consumer has not taken, and what is saved")
struct FleetInboxTests {
    @Test("events that wait are one event with the changes of all")
    func merging() throws {
        var scene = try LedgerScene()
        var inbox = FleetInbox()
        _ = scene.state("a", 1)
        for generation in Int64(2)...50 { inbox.put(scene.state("a", generation)) }
        #expect(inbox.count == 1)
        guard case .state(let event)? = inbox.take() else {
            Issue.record("no event")
            return
        }
        #expect(event.changeCount == 49 && event.generation == 50)
        #expect(inbox.isEmpty && inbox.take() == nil)
    }

    @Test("a million problems do not fill the inbox")
    func manyProblems() {
        var inbox = FleetInbox()
        for number in 0..<5_000 { inbox.put(.problem(.invalidTopic("\(number)"))) }
        #expect(inbox.count == 1_000)
    }

    @Test("a first state that waits is not saved, and a removal that waits is delivered again after a restart")
    func waitingFirst() throws {
        var scene = try LedgerScene()
        var inbox = FleetInbox()
        inbox.put(scene.state("a", 1))
        #expect(scene.ledger.positions(without: inbox) == "# reveille-fleet positions 1\n# end 0\n")
        _ = inbox.take()
        inbox.put(scene.ledger.remove("battery", of: scene.device))
        #expect(scene.ledger.positions(without: inbox).contains("kiosk-7 a battery=1\n"))
    }

    @Test("a file is the same after it was read")
    func roundTrip() throws {
        var ledger = Ledger()
        for number in 0..<50 {
            let device = try DeviceID("device-\(number)")
            for (index, aspect) in ["battery", "proximity", "org.example.mode"].enumerated() {
                let position = FleetPosition(instance: index == 1 ? "old" : "new", generation: Int64(number))
                let isResumed = ledger.resume(position, of: aspect, of: device, isAbsent: index == 2 && number > 9)
                #expect(isResumed)
            }
        }
        let text = ledger.positions()
        #expect(try Ledger(positions: text).positions() == text)
    }

    @Test(
        "an invalid file is refused with the line and the reason",
        arguments: [
            ("", "is empty"), ("{}\n", "line 1 is not"), ("kiosk a battery=1\n", "line 1 is not"),
            ("# reveille-fleet positions 1\nkiosk a battery=1\n", "ends at line 3"),
            ("# reveille-fleet positions 1\nkiosk a battery=1\n# end 2\n", "line 3 is '# end 2' after 1 devices"),
            ("# reveille-fleet positions 1\nkiosk battery=1\n", "line 2 has a position without an instance"),
            ("# reveille-fleet positions 1\nkiosk a !!battery=1\n", "invalid position '!!battery=1'"),
            ("# reveille-fleet positions 1\nkiosk a battery=-1\n", "invalid position 'battery=-1'"),
            ("# reveille-fleet positions 1\nkiosk a battery=01\n", "invalid position"),
            ("# reveille-fleet positions 1\nkiosk a battery=\n", "invalid position"),
            ("# reveille-fleet positions 1\nk/k a battery=1\n", "line 2 has an invalid device"),
            ("# reveille-fleet positions 1\nkiosk a battery=1 battery=2\n", "battery of kiosk a second time"),
            ("# reveille-fleet positions 1\nkiosk a\n", "line 2 has no position"),
            ("# reveille-fleet positions 1\n# end 0\nkiosk a battery=1\n", "line 3 follows the end"),
        ])
    func invalidFile(text: String, reason: String) {
        let error = #expect(throws: FleetError.self) { try Ledger(positions: text) }
        #expect(error?.description.contains(reason) == true, "\(error?.description ?? "")")
    }
}
