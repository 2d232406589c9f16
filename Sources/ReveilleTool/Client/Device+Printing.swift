// SPDX-License-Identifier: Apache-2.0

import Reveille
import ReveilleConsole
import ReveilleWire

extension Device {
    func printState(of aspect: Aspect, json: Bool) async throws {
        let event = try await state(of: aspect)
        try json ? Console.json(EventCoding.encode(event)) : Console.line(EventText.line(event))
    }
}
