// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleWire
import Testing
import Varlink

/// Fields of calls and readings as their texts give them, and not as values that a program has created.
@Suite struct FieldsTests {
    private func post(_ parameters: String) throws -> Reading { try Post.called(with: parameters).reading }

    @Test(
        "names and words with escapes are the same names and words",
        arguments: [
            #"{"proximity":{"state":"near"}}"#, #"{"proximit\u0079":{"st\u0061te":"ne\u0061r"}}"#,
            #" { "\u0070roximity" : { "state" : "\u006eear" } } "#,
            #"{"proximity":null,"proximity":{"state":"far","state":"near"}}"#,
            #"{"proximity":{"state":"far"},"\u0070roximity":{"state":"near"}}"#,
            #"{"battery":null,"locale":null,"proximity":{"state":"near"},"orientation":null}"#,
            #"{"orientation":{"pose":"unknown"},"proximity":{"state":"near"},"orientation":null}"#,
        ])
    func escapedNamesAndWordsAreRead(parameters: String) throws {
        #expect(try post(parameters) == .proximity(.near))
    }

    @Test(
        "the invalid field of a text is named",
        arguments: [
            ("{}", "locale"), (#"{"proximity":null}"#, "locale"),
            (#"{"proximity":{"state":"near"},"proximity":null}"#, "locale"),
            (#"{"proximity":{}}"#, "proximity.state"), (#"{"proximity":{"state":null}}"#, "proximity.state"),
            (#"{"proximity":{"state":["near"]}}"#, "proximity.state"),
            (#"{"proximity":{"state":""}}"#, "proximity.state"),
            (#"{"proximity":{"state":"nea"}}"#, "proximity.state"),
            (#"{"proximity":{"state":"nearr"}}"#, "proximity.state"),
            (#"{"proximity":{"state":"Near"}}"#, "proximity.state"),
            (#"{"proximity":{"state":"near\u0000"}}"#, "proximity.state"),
            (#"{"proximity":{"state":"near","State":1}}"#, "proximity.State"),
            (#"{"proximity":["state","near"]}"#, "proximity"), (#"{"proximity":[]}"#, "proximity"),
            (#"{"proximity":{"state":"near"},"":1}"#, ""),
            (#"{"proximity":{"state":"near"},"proximit\u00fd":1}"#, "proximitý"),
            (
                #"{"proximity":{"state":"near","a name longer than 24 bytes":1}}"#,
                "proximity.a name longer than 24 bytes"
            ),
            (#"{"orientation":{"pose":"unknown"},"proximity":{"state":"near"}}"#, "orientation"),
        ])
    func invalidFieldIsNamed(parameters: String, path: String) {
        #expect(throws: CallError.invalidParameter(path)) { try post(parameters) }
    }

    @Test func lastOfRepeatedParametersCounts() throws {
        #expect(
            try Subscribe.called(with: #"{"name":"a","aspects":["locale"],"n\u0061me":"b","aspects":null}"#)
                == Subscribe(SubscriptionRequest(name: "b")))
        #expect(
            try GetHistory.called(with: #"{"limit":0,"aspect":"*","aspect":"locale","limit":2}"#)
                == GetHistory(.locale, limit: 2))
        #expect(throws: CallError.invalidParameter("limit")) {
            try GetHistory.called(with: #"{"limit":1,"aspect":"locale","limit":0}"#)
        }
    }

    @Test(
        "V29: numbers at the edges are read exactly or refused",
        arguments: [
            ("1", 1), ("9223372036854775807", Int.max), ("9007199254740993", 9_007_199_254_740_993), ("0", nil),
            ("-0", nil), ("-1", nil), ("-9223372036854775808", nil), ("9223372036854775808", nil), ("1.0", nil),
            ("0.1e1", nil), ("1e0", nil), ("\"1\"", nil), ("true", nil), ("[1]", nil), ("{}", nil),
        ] as [(String, Int?)])
    func numbersAtTheEdges(number: String, limit: Int?) {
        let call = Result { try GetHistory.called(with: #"{"aspect":"locale","limit":\#(number)}"#) }
        switch call {
        case .success(let call): #expect(limit != nil && call == GetHistory(.locale, limit: limit))
        case .failure(let error):
            #expect(limit == nil && error as? CallError == .invalidParameter("limit"))
        }
    }

    @Test("each reading has the same value whether it was created or parsed", arguments: EventCodingTests.readings)
    func parsedReadingsAreTheCreatedOnes(reading: Reading) throws {
        let created = ReadingCoding.encode(reading)
        let parsed = try JSON.parse(created.bytes)
        let expected = try ReadingCoding.decode(created, of: reading.aspect)
        #expect(try ReadingCoding.decode(parsed, of: reading.aspect) == expected)
        let reversed = JSON.object(JSONObject(members: (parsed.objectValue?.members ?? []).reversed()))
        #expect(try ReadingCoding.decode(JSON.parse(reversed.bytes), of: reading.aspect) == expected)
    }

    @Test(
        "elements of a reply that are not structures are refused",
        arguments: ["1", "null", "[]", "\"aspect\"", "{}", #"{"aspect":null}"#, #"["aspect","locale"]"#])
    func elementsThatAreNotStructuresAreRefused(element: String) throws {
        let parameters = try #require(
            try JSON.parse(Array("{\"instance\":\"i\",\"events\":[\(element)]}".utf8)).objectValue)
        #expect(throws: CallError.invalidParameter("events.aspect")) {
            try EventsReply(parameters, noting: UnknownWords())
        }
    }
}
