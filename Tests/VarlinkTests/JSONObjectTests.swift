// SPDX-License-Identifier: Apache-2.0

import Testing
import Varlink

@Suite struct JSONObjectTests {
    @Test func missingAndNullAreDifferent() {
        let object: JSONObject = ["a": nil]
        #expect(object["a"] == .some(.null))
        #expect(object["b"] == nil)
    }

    @Test func settingReplacesInPlaceOrAppends() {
        var object: JSONObject = ["a": 1, "b": 2]
        object["a"] = 3
        object["c"] = 4
        #expect(object == ["a": 3, "b": 2, "c": 4])
    }

    @Test func settingNilRemovesEveryMemberWithTheName() throws {
        var object = try #require(try JSON.parse(text: #"{"a":1,"b":2,"a":3}"#).objectValue)
        object["a"] = nil
        #expect(object == ["b": 2])
    }

    @Test func orderMattersForEquality() {
        #expect(["a": 1, "b": 2] as JSONObject != ["b": 2, "a": 1])
        #expect(JSONObject().isEmpty)
    }

    @Test func accessorsReturnOnlyTheirOwnKind() {
        #expect(JSON.null.isNull && !JSON.bool(false).isNull)
        #expect(JSON.bool(true).boolValue == true && JSON.integer(1).boolValue == nil)
        #expect(JSON.integer(1).integerValue == 1 && JSON.number(1).integerValue == nil)
        #expect(JSON.integer(1).numberValue == 1 && JSON.number(0.5).numberValue == 0.5 && JSON("1").numberValue == nil)
        #expect(JSON.string("a").stringValue == "a" && JSON.null.stringValue == nil)
        #expect(JSON.array([1]).arrayValue == [1] && JSON.object([:]).arrayValue == nil)
        #expect(JSON.object(["a": 1]).objectValue == ["a": 1] && JSON.array([]).objectValue == nil)
    }
}
