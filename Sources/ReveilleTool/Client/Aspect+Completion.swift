// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Reveille
import ReveilleWire
import Varlink

extension Aspect {
    /// How long a shell waits for the names on the bus; a person who presses a key should not wait longer.
    private static let completionPatience: Duration = .seconds(1)

    static let completion = CompletionKind.custom { words, _, _ in
        device.map(\.name) + publishedNames(for: words)
    }

    static let publishedCompletion = CompletionKind.custom { words, _, _ in publishedNames(for: words) }

    /// Returns the names that are published on the bus of a command line; none if the bus does not reply in time.
    private static func publishedNames(for words: [String]) -> [String] {
        let address = words.drop { $0 != "--address" }.dropFirst().first
        guard let client = try? BlockingClient(BusAddress.resolve(address)),
            (try? client.send(Call(.describeAspects))) != nil,
            let reply = try? client.receive(atMost: completionPatience),
            let sources = try? [AspectSource](reply.parameters, noting: UnknownWords())
        else { return [] }
        return sources.map(\.aspect).filter(\.isPublished).map(\.name)
    }
}
