// SPDX-License-Identifier: Apache-2.0

import ReveilleSimulation
import Testing

@Suite("After a sleep of the machine")
struct ResumeTests {
    @Test("each source is read once or twice for everyone, and each client gets each name once")
    func resume() throws {
        let resume = try Resume()
        // Twice if the bus notices the end of the sleepers' time during the first reading.
        #expect(resume.readings.values.allSatisfy { (1...2).contains($0) }, "\(resume.readings)")
        #expect(resume.firings.awake.allSatisfy { $0 == Resume.nameCount }, "\(resume.firings.awake)")
        #expect(resume.firings.sleepers.allSatisfy { $0 == Resume.nameCount }, "\(resume.firings.sleepers)")
        #expect(resume.messages.awake.allSatisfy { $0 <= 6 }, "\(resume.messages.awake)")
        #expect(resume.messages.sleepers.allSatisfy { $0 <= 6 }, "\(resume.messages.sleepers)")
    }
}
