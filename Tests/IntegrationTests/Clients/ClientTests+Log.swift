// SPDX-License-Identifier: Apache-2.0

import Testing
import Varlink

extension ClientTests {
    @Test("the end of the bus and its return are in the log of the program", arguments: ClientLanguage.allCases)
    func restartIsLogged(language: ClientLanguage) throws {
        let client = try ClientProgram(
            language, in: bus.directory, environment: ["NODE_DEBUG": "reveille", "REVEILLE_TEST_LOG": "INFO"])
        try client.call("connect", ["address": .string(bus.address)])
        try client.subscribe(to: ["battery"])
        try bus.crash()
        try client.post(level: 0.5)
        #expect(try client.next()?.levelAndChanges == [0.5, 1])
        for line in ["battery: disconnected from the bus: ", "battery: reconnected to the bus\n"] {
            #expect(client.errors.ranges(of: line).count == 1, "\(client.errors)")
        }
    }
}
