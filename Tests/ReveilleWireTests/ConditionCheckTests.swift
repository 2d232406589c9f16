// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleWire
import Testing
import Varlink

@Suite struct ConditionCheckTests {
    private static let interface = """
        interface org.example.Bus
        type Vector (x: float, y: float)
        type Thing (
          count: int, kind: (small, large), where: ?Vector, free: object, loose: any, marks: []string, table: [string]int,
          sure: Vector
        )
        type Event (aspect: string, thing: ?Thing, value: ?object)
        """

    private func refusal(of condition: String, for aspect: String, in interface: Interface) throws -> ConditionError? {
        let condition = try Condition(parsing: condition)
        do {
            try condition.check(for: aspect, in: interface)
            return nil
        } catch {
            return error
        }
    }

    @Test(
        "a condition that fits the states of an aspect is accepted",
        arguments: [
            ("level < 0.1", "battery"), ("level == null", "battery"), ("level != null and level >= 1", "battery"),
            ("plugged == true or not plugged != null", "battery"), ("state == charging", "battery"),
            ("pose == faceUp and planar == null", "orientation"), ("time == de_DE", "locale"),
            ("anything.at.all < 1 and other < a", "org.example.volume"),
        ])
    func fittingConditionIsAccepted(condition: String, aspect: String) throws {
        #expect(try refusal(of: condition, for: aspect, in: BusInterface.make()) == nil)
    }

    @Test(
        "a condition that does not fit is refused with the field",
        arguments: [
            ("lvl < 0.1", "lvl: unknown field of battery"), ("battery.level < 1", "battery: unknown field of battery"),
            ("changes > 10", "changes: unknown field of battery"),
            ("level < 1 or (not levle < 1)", "levle: unknown field of battery"),
            ("state.x == 1", "x: battery.state has no fields"), ("level.x == 1", "x: battery.level has no fields"),
            ("packs.level < 1", "level: battery.packs has no fields"),
            ("packs == full", "battery.packs is a list, which cannot be compared"),
            ("packs == null", "battery.packs is never null"), ("state == null", "battery.state is never null"),
            ("state < a", "battery.state: only numbers can be compared with <"),
            ("plugged >= true", "battery.plugged: only numbers can be compared with >="),
            ("level < null", "battery.level: only numbers can be compared with <"),
            ("level == high", "\"high\": battery.level must be compared with a number or null"),
            ("level < \"0.1\"", "\"0.1\": battery.level must be compared with a number or null"),
            ("level == true", "true: battery.level must be compared with a number or null"),
            ("state == 1", "1: battery.state must be compared with a string"),
            ("state == true", "true: battery.state must be compared with a string"),
            ("plugged == 1", "1: battery.plugged must be compared with true, false or null"),
        ])
    func otherConditionIsRefused(condition: String, reason: String) throws {
        #expect(try refusal(of: condition, for: "battery", in: BusInterface.make())?.reason == reason)
    }

    @Test("a misspelled field has the fields as candidates") func fieldsAreCandidates() throws {
        let error = try #require(try refusal(of: "lvl < 0.1", for: "battery", in: BusInterface.make()))
        #expect(error.word == "lvl")
        #expect(error.candidates == ["state", "level", "plugged", "chargeStatus", "packs", "supply"])
    }

    @Test(
        "every type of an interface is checked",
        arguments: [
            ("count < 1.5", nil), ("kind == small", nil), ("where.x < 1", nil), ("where == null", nil),
            ("where.y == null", nil), ("free.a.b == 1", nil), ("loose == 1", nil), ("loose.a == b", nil),
            ("table.a == 1", nil), ("sure.x == 1", nil),
            ("kind == tiny", "\"tiny\": thing.kind must be compared with small or large"),
            ("where == 1", "thing.where is an object, of which only fields can be compared"),
            ("where.z == 1", "z: unknown field of thing.where"), ("where.x.y == 1", "y: thing.where.x has no fields"),
            ("where.x == a", "\"a\": thing.where.x must be compared with a number or null"),
            ("sure.x == null", "thing.sure.x is never null"), ("sure == null", "thing.sure is never null"),
            ("free == 1", "thing.free is an object, of which only fields can be compared"),
            ("marks == a", "thing.marks is a list, which cannot be compared"),
            ("marks.a == a", "a: thing.marks has no fields"),
        ])
    func everyTypeIsChecked(condition: String, reason: String?) throws {
        let interface = try Interface(parsing: Self.interface)
        #expect(try refusal(of: condition, for: "thing", in: interface)?.reason == reason)
        #expect(try refusal(of: condition, for: "org.example.thing", in: interface) == nil)
    }

    @Test("every aspect's state has the fields that the interface describes", arguments: Aspect.device)
    func everyAspectIsDescribed(aspect: Aspect) throws {
        let error = try #require(try refusal(of: "no-such-field == 1", for: aspect.name, in: BusInterface.make()))
        let fields = try #require(aspect.builtIn?.fields).filter { $0.path.count == 1 }
        #expect(error.candidates == fields.map(\.name))
    }
}
