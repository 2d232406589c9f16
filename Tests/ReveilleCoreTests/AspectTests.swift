// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import Testing

@Suite struct AspectTests {
    @Test("each aspect of the device has a place of its own in tables and sets")
    func placesDiffer() {
        var table = AspectTable<BuiltInAspect?>(repeating: nil)
        for aspect in BuiltInAspect.allCases { table[aspect] = aspect }
        #expect(BuiltInAspect.allCases.allSatisfy { table[$0] == $0 })
        #expect(AspectSet.device.aspects == Aspect.device)
    }

    @Test("a subscriber that names no aspects receives only the aspects of the first version")
    func defaultAspectsAreFixed() {
        #expect(AspectSet.default == [.locale, .defaults, .battery, .proximity, .orientation])
    }

    @Test(arguments: Aspect.device + ["org.example.volume"]) func unknownReadingIsOfItsAspect(_ aspect: Aspect) {
        #expect(Reading.unknown(aspect).aspect == aspect)
    }

    @Test(
        "a name has words of letters, digits, hyphens and underscores, joined by dots",
        arguments: [
            "org.example", "a.b", "org.example.volume", "1.2", "A-b_c.D", String(repeating: "a.", count: 127) + "b",
        ])
    func nameIsValid(_ name: String) throws {
        let aspect = try #require(Aspect(name))
        #expect(aspect.isPublished && !aspect.isPattern && aspect.name == name)
    }

    @Test(
        "a pattern ends in a dot and a star",
        arguments: ["org.*", "org.example.*", String(repeating: "a.", count: 127) + "*"])
    func patternIsValid(_ name: String) throws {
        let aspect = try #require(Aspect(name))
        #expect(aspect.isPattern && !aspect.isPublished && aspect.name == name)
    }

    @Test(
        "any other text is refused as a name",
        arguments: [
            "", ".", "*", ".*", "..*", "org", "org.", ".org", "org..example", "org.ex ample", "org.exämple", "org.*.a",
            "org.a*", "org.example.**", "org.example/*", "weather", "battery.*.*", "a.b\0", "a.b\n",
            String(repeating: "a.", count: 128) + "b", String(repeating: "a.", count: 128) + "*",
        ])
    func nameIsInvalid(_ name: String) {
        #expect(Aspect(name) == nil)
    }

    @Test("a pattern matches the names below it, and nothing else")
    func patternMatches() {
        let pattern: Aspect = "org.example.*"
        #expect(["org.example.a", "org.example.a.b"].allSatisfy { pattern.matches($0) })
        #expect(["org.example", "org.examples.a", "org.example.*", "battery"].allSatisfy { !pattern.matches($0) })
        #expect(!Aspect("org.example").matches("org.example.a"))
    }

    @Test("a set combines aspects of the device, names and patterns")
    func setsCombine() {
        let one: AspectSet = [.battery, "org.example.volume", "org.example.*"]
        let other: AspectSet = [.battery, .locale, "org.example.volume"]
        #expect(one.union(other).aspects == [.locale, .battery, "org.example.*", "org.example.volume"])
        #expect(one.subtracting(other) == ["org.example.*"])
        #expect(one.contains("org.example.*") && !one.contains("org.example.other") && one.count == 3)
    }
}
