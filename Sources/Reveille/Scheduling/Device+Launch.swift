// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleSystem
import Varlink

extension Device {
    /// If the bus started this program for firings, the positions before those firings; otherwise `nil`.
    ///
    /// ```swift
    /// let subscription = try await device.subscribe(to: ["org.example.tea"])
    /// for try await event in subscription {
    ///     print(Device.launch == nil ? "running" : "started", event.changeCount)
    /// }
    /// ```
    ///
    /// The first subscription to each of these names continues from there automatically, unless it resumes from other
    /// positions. Its first event therefore has the number of firings. The bus sets `REVEILLE_LAUNCH`, which is read once.
    public static let launch: Positions? = Environment["REVEILLE_LAUNCH"].flatMap(Positions.init(launch:))
}

extension Positions {
    /// Parses the value of `REVEILLE_LAUNCH`; `nil` if it is invalid.
    package init?(launch text: String) {
        guard let object = (try? JSON.parse(Array(text.utf8)))?.objectValue,
            let instance = object["instance"]?.stringValue, let list = object["resume"]?.arrayValue
        else { return nil }
        let generations = list.compactMap { element -> (Aspect, Int)? in
            guard let name = element.objectValue?["aspect"]?.stringValue, let aspect = Aspect(name),
                let generation = element.objectValue?["generation"]?.integerValue, generation >= 0
            else { return nil }
            return (aspect, Int(generation))
        }
        guard !generations.isEmpty else { return nil }
        self.init(instance: instance, generations: Dictionary(generations, uniquingKeysWith: max))
    }
}

/// The positions of a launch from which no subscription has continued yet.
struct LaunchPositions {
    private var rest: Positions?

    init(_ positions: Positions?) {
        rest = positions
    }

    /// Gives a request without positions the launch positions of its aspects.
    mutating func move(to request: inout SubscriptionRequest) {
        guard request.positions == nil, let positions = rest else { return }
        let taken = positions.generations.filter { request.aspects.covers($0.key) }
        guard !taken.isEmpty else { return }
        request.instance = positions.instance
        request.positions = taken
        for name in taken.keys { rest?.generations[name] = nil }
    }
}
