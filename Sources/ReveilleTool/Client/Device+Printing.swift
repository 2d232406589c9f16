// SPDX-License-Identifier: Apache-2.0

import Reveille
import ReveilleConsole
import ReveilleWire

extension Device {
    /// Prints the current state of an aspect, as a line of text or of JSON.
    func printState(of aspect: Aspect, json: Bool) async throws {
        let event = try await state(of: aspect)
        try json ? Console.json(event.structure) : Console.line(EventText.line(event))
    }
}
