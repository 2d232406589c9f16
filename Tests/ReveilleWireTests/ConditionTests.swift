// SPDX-License-Identifier: Apache-2.0

import ReveilleWire
import Testing
import Varlink

/// Conditions: their syntax and their evaluation.
@Suite struct ConditionTests {
    private static let state: JSON = [
        "state": "charging", "level": 0.5, "plugged": true, "cycles": 9_007_199_254_740_993, "wh": 48, "none": .null,
        "name": "two words", "origin": ["x": -1, "y": ["z": 0.25]], "packs": [["level": 0.5]],
    ]

    @Test(
        "a condition is evaluated on the fields of a state",
        arguments: [
            ("level < 0.6", true), ("level < 0.5", false), ("level <= 0.5", true), ("level > 0.4", true),
            ("level > 0.5", false), ("level >= 0.5", true), ("level == 0.5", true), ("level != 0.5", false),
            ("level == 5e-1", true), ("level<0.6", true), ("level <-1", false), ("level\n>\t0", true),
            ("wh == 48.0", true), ("wh < 48.5", true), ("wh >= 47.9", true), ("wh > 48.0", false), ("wh < 1e300", true),
            ("wh > -1e300", true), ("origin.x == -1.0", true), ("origin.x < -0.5", true), ("origin.x < -1.5", false),
            ("cycles == 9007199254740993", true), ("cycles == 9007199254740992", false),
            ("cycles == 9007199254740992.0", false), ("cycles > 9007199254740992.0", true),
            ("cycles < 9007199254740994.0", true), ("cycles < 9223372036854775808", true),
            ("state == charging", true), ("state == \"charging\"", true), ("state == 'charging'", true),
            ("state == Charging", false), ("state != full", true), ("name == 'two words'", true),
            ("plugged == true", true), ("plugged == false", false), ("plugged != false", true),
            ("origin.y.z == 0.25", true), ("origin.y.missing == null", true), ("state.deeper == null", true),
            ("state == full or level < 0.6", true), ("state == full and level < 0.6", false),
            ("not state == full", true), ("not not state == full", false),
            ("not (level < 0.6 or plugged == true)", false),
            ("plugged == true or level < 0 and state == full", true),
            ("(plugged == true or level < 0) and state == full", false),
            ("not plugged == false and level > 0", true),
        ])
    func conditionIsEvaluated(text: String, expected: Bool) throws {
        let condition = try Condition(parsing: text)
        #expect(condition.holds(for: Self.state) == expected)
        #expect(try Condition(parsing: "not (\(text))").holds(for: Self.state) == !expected)
        #expect(try Condition(parsing: condition.description) == condition, "\(condition)")
    }

    @Test(
        "a string with quotation marks, backslashes and combining marks survives the canonical form",
        arguments: [
            #"name == '"\#u{301}'"#, #"name == "a\\\#u{301}""#, #"name == "\"\#u{301}""#, #"name == '\'\#u{301}'"#,
            "name == '\r\n'", "name == ''",
        ])
    func stringSurvivesTheCanonicalForm(text: String) throws {
        let condition = try Condition(parsing: text)
        #expect(try Condition(parsing: condition.description) == condition, "\(condition)")
    }

    @Test(
        "null, an absent field and a value of another type equal only their own kind and have no order",
        arguments: ["none", "absent", "packs", "origin", "level.below", "plugged"], ["0", "1", "charging", "\"\""])
    func valuesOfOtherTypesAreNotEqual(field: String, literal: String) throws {
        for sign in ["==", "<", "<=", ">", ">="] {
            #expect(try !Condition(parsing: "\(field) \(sign) \(literal)").holds(for: Self.state), "\(sign)")
        }
        #expect(try Condition(parsing: "\(field) != \(literal)").holds(for: Self.state))
    }

    @Test("null equals null and an absent field, and nothing else")
    func nullEqualsOnlyNull() throws {
        for (field, isNull) in [
            ("none", true), ("absent", true), ("absent.x", true), ("level", false), ("packs", false),
        ] {
            #expect(try Condition(parsing: "\(field) == null").holds(for: Self.state) == isNull)
            #expect(try Condition(parsing: "\(field) != null").holds(for: Self.state) == !isNull)
            #expect(try !Condition(parsing: "\(field) < null").holds(for: Self.state))
        }
        #expect(try !Condition(parsing: "absent == false").holds(for: Self.state))
    }

    @Test(
        "a condition of any form has a canonical form",
        arguments: [
            ("level<.5e0", nil), ("a==1", "a == 1"), ("((a == 1))", "a == 1"), ("a == b-c.d", "a == \"b-c.d\""),
            ("a == 1 and (b == 2 and c == 3)", "a == 1 and (b == 2 and c == 3)"),
            ("(a == 1 or b == 2) and not (c == 3)", "(a == 1 or b == 2) and not c == 3"),
            ("a == 1 or (b == 2 and c == 3)", "a == 1 or b == 2 and c == 3"),
            (#"a == 'it is "so"'"#, #"a == "it is \"so\"""#), (#"a == "\\""#, #"a == "\\""#),
            (#"a == '\''"#, #"a == "'""#),
            ("a == \"1\nü\"", "a == \"1\nü\""), ("a == 1.50", "a == 1.5"), ("a == 'null'", "a == \"null\""),
            ("not (not a == 1)", "not not a == 1"),
        ])
    func conditionHasACanonicalForm(text: String, canonical: String?) throws {
        #expect((try? Condition(parsing: text))?.description == canonical)
    }

    @Test(
        "an invalid condition is refused with the column of the error",
        arguments: [
            ("", "the condition is empty"), (" \n", "the condition is empty"),
            ("level", "expected ==, !=, <, <=, > or >= at the end"),
            ("level 0.1", "expected ==, !=, <, <=, > or >= at column 7, not '0.1'"),
            ("level <", "expected a value at the end"), ("level < <", "expected a value at column 9, not '<'"),
            ("level < and", "expected a value at column 9, not 'and'"),
            ("0.1 < level", "expected a field at column 1, not '0.1'"),
            ("< 1", "expected a field at column 1, not '<'"),
            ("and", "expected a field at column 1, not 'and'"), ("not", "expected a field at the end"),
            ("\"level\" < 1", "expected a field at column 1, not '\"level\"'"),
            ("level. < 1", "expected a field at column 1, not 'level.'"),
            ("a..b < 1", "expected a field at column 1, not 'a..b'"),
            ("level < 1 and", "expected a field at the end"), ("()", "expected a field at column 2, not ')'"),
            ("level < 1 state == full", "expected 'and' or 'or' at column 11, not 'state'"),
            ("state == not charging", "expected a value at column 10, not 'not'"),
            ("(level < 1", "the ( at column 1 is not closed"),
            ("a == 1 and ((b == 2)", "the ( at column 12 is not closed"),
            ("level < 1)", "the ) at column 10 has no ("), (")", "expected a field at column 1, not ')'"),
            ("(level < 1 level)", "expected 'and', 'or' or ) at column 12, not 'level'"),
            ("state == \"charging", "the \" at column 10 is not closed"),
            ("state == 'a", "the ' at column 10 is not closed"),
            (#"state == "a\n""#, "only \" and \\ can follow the \\ at column 12"),
            (#"state == "\"#, "only \" and \\ can follow the \\ at column 11"),
            ("level = 0.1", "use == instead of the '=' at column 7"),
            ("a == 1 && b == 2", "use and instead of the '&&' at column 8"),
            ("a == 1 || b == 2", "use or instead of the '||' at column 8"),
            ("!(a == 1)", "use not instead of the '!' at column 1"),
            ("level =< 1", "use <= instead of the '=<' at column 7"), ("level << 1", "unexpected '<<' at column 7"),
            ("level < 10%", "use 0.1 instead of the '10%' at column 9"), ("level ~ 1", "unexpected '~' at column 7"),
            ("packs[0].level < 1", "unexpected '[' at column 6"), ("ü == 1", "unexpected 'ü' at column 1"),
            ("level < 0.1.2", "'0.1.2' at column 9 is neither a number nor a quoted string"),
            ("level < .1", "'.1' at column 9 is neither a number nor a quoted string"),
            ("level < 1e999", "'1e999' at column 9 is neither a number nor a quoted string"),
            ("time == 24h", "'24h' at column 9 is neither a number nor a quoted string"),
            (String(repeating: "(", count: 33), "nested deeper than 32 levels at column 33"),
            (String(repeating: "not ", count: 40) + "a == 1", "nested deeper than 32 levels at column 129"),
        ])
    func invalidConditionIsRefused(text: String, reason: String) {
        #expect(throws: ConditionError.self) { try Condition(parsing: text) }
        do {
            _ = try Condition(parsing: text)
        } catch {
            #expect(error.reason == reason)
        }
    }

    @Test("strings that differ in their scalars are not equal") func stringsAreComparedByScalars() throws {
        let state: JSON = ["name": "\u{E9}"]
        #expect(try Condition(parsing: "name == '\u{E9}'").holds(for: state))
        #expect(try !Condition(parsing: "name == 'e\u{301}'").holds(for: state))
        #expect(try Condition(parsing: "name != 'e\u{301}'").holds(for: state))
    }

    @Test("long conditions are limited in depth only") func longConditionIsValid() throws {
        let text = String(repeating: "a == 1 and ", count: 20_000) + "a == 1"
        #expect(try Condition(parsing: text).holds(for: ["a": 1]))
        let nested = String(repeating: "(", count: 31) + "a == 1" + String(repeating: ")", count: 31)
        #expect(try Condition(parsing: nested).description == "a == 1")
    }
}
