// SPDX-License-Identifier: Apache-2.0

import Testing
import Varlink

@Suite struct InterfaceValidationTests {
    private func validate(_ method: String, _ parameters: JSONObject) throws {
        try SampleInterface.parsed().validate(
            Call(method: "org.example.sample-2.Lamp.\(method)", parameters: parameters))
    }

    private static let lamp: JSON = ["name": "desk", "color": "red", "parts": []]

    private static let all: JSON = [
        "bool": true, "int": 1, "float": 0.5, "string": "", "object": ["x": [1, nil]], "any": [nil], "enum": "two",
        "struct": ["first": 1, "second": [:]], "array": ["a"], "matrix": [[1, 2], []], "dictionary": ["k": "v"],
        "stringset": ["one": [:], "two": [:]], "nullable_elements": [nil, ["x": "foo"]], "type": [:],
    ]

    @Test(
        "V25, V26, V32: values of the declared types are valid",
        arguments: [
            ("Empty", [:]), ("Set", ["lamp": lamp]), ("Set", ["lamp": lamp, "policies": nil, "byName": nil]),
            ("Set", ["lamp": lamp, "policies": [], "byName": [:]]),
            ("Set", ["lamp": lamp, "policies": [["name": "a"], ["name": "b", "limit": nil]], "byName": ["x": lamp]]),
            ("Set", ["lamp": ["name": "a", "level": 1, "color": "blue", "parts": [lamp]]]),
            ("Take", ["all": all]),
        ] as [(String, JSONObject)])
    func validCallsPass(method: String, parameters: JSONObject) throws {
        #expect(throws: Never.self) { try validate(method, parameters) }
    }

    @Test(
        "V27, V28: other values are rejected with their path",
        arguments: [
            ("Empty", ["x": nil], "x"), ("Empty", ["": 1], ""),
            ("Set", [:], "lamp"), ("Set", ["lamp": nil], "lamp"), ("Set", ["lamp": []], "lamp"),
            ("Set", ["lamp": lamp, "lamps": 1], "lamps"),
            ("Set", ["lamp": ["name": 1]], "lamp.name"),
            ("Set", ["lamp": ["name": "a", "color": "pink"]], "lamp.color"),
            ("Set", ["lamp": ["name": "a", "color": 1]], "lamp.color"),
            ("Set", ["lamp": ["name": "a", "level": "1"]], "lamp.level"),
            ("Set", ["lamp": ["name": "a", "color": "red"]], "lamp.parts"),
            ("Set", ["lamp": ["name": "a", "color": "red", "parts": [nil]]], "lamp.parts"),
            ("Set", ["lamp": ["name": "a", "color": "red", "parts": [lamp, ["name": "b"]]]], "lamp.parts.color"),
            ("Set", ["lamp": ["name": "a", "color": "red", "parts": [], "x": 1]], "lamp.x"),
            ("Set", ["lamp": lamp, "policies": [:]], "policies"), ("Set", ["lamp": lamp, "policies": [1]], "policies"),
            ("Set", ["lamp": lamp, "policies": [["name": "a", "limit": "1"]]], "policies.limit"),
            ("Set", ["lamp": lamp, "policies": [["limit": 1]]], "policies.name"),
            ("Set", ["lamp": lamp, "byName": [lamp]], "byName"),
            ("Set", ["lamp": lamp, "byName": ["x": ["name": false]]], "byName.name"),
        ] as [(String, JSONObject, String)])
    func invalidParametersAreNamed(method: String, parameters: JSONObject, path: String) {
        #expect(throws: CallError.invalidParameter(path)) { try validate(method, parameters) }
    }
}
