// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import ReveilleCore
@testable import ReveilleTool

/// What polls ask for, and what they keep of the replies.
@Suite struct TopHistoriesTests {
    private func note(_ events: [Event], in histories: inout TopHistories, at seconds: Int64, instance: String = "one")
    {
        histories.note(events, of: .battery, instance: instance, at: seconds * 1_000_000)
    }

    @Test func onlyTheNewestChangeIsAskedForOnceOthersAreKnown() {
        var histories = TopHistories()
        #expect(histories.questions(about: [.battery], visible: []).map(\.limit) == [TopHistories.kept])
        note(TopScene.levels([0.1, 0.2]), in: &histories, at: 0)
        let question = histories.questions(about: [.battery], visible: [])[0]
        #expect(question.limit == 1)
        #expect(histories.followUp(to: question, TopScene.levels([0.2], from: 2), of: "one") == nil)
        #expect(histories.followUp(to: question, TopScene.levels([0.3], from: 3), of: "one") == nil)
        let gap = histories.followUp(to: question, TopScene.levels([0.5], from: 5), of: "one")
        #expect(gap == TopHistories.Question(aspect: .battery, limit: 3))
        #expect(histories.followUp(to: question, TopScene.levels([0.5], from: 5), of: "two") == nil)
    }

    @Test func changesAreKeptOnceAndInOrder() {
        var histories = TopHistories()
        note(TopScene.levels([0.1, 0.2]), in: &histories, at: 0)
        note(TopScene.levels([0.2, 0.3, 0.4], from: 2), in: &histories, at: 1)
        #expect(histories.entries[.battery]?.changes.map(\.generation) == [1, 2, 3, 4])
        #expect(histories.entries[.battery]?.rate == 2)
        note(TopScene.levels([0.4], from: 4), in: &histories, at: 2)
        #expect(histories.entries[.battery]?.rate == 0)
    }

    @Test func changesBeyondTheLimitAreCountedButNotKept() {
        var histories = TopHistories()
        note(TopScene.levels([0.1]), in: &histories, at: 0)
        note(TopScene.levels(Array(repeating: 0.5, count: TopHistories.kept), from: 1_002), in: &histories, at: 1)
        #expect(histories.entries[.battery]?.changes.count == TopHistories.kept)
        #expect(histories.entries[.battery]?.rate == Double(1_000 + TopHistories.kept))
    }

    @Test func largestGenerationsAreCountedWithoutOverflow() {
        var histories = TopHistories()
        note([], in: &histories, at: 0)
        note(TopScene.levels([0.1], from: 0) + TopScene.levels([0.2], from: .max), in: &histories, at: 1)
        #expect(histories.entries[.battery]?.rate == Double(Int.max))
        let question = histories.questions(about: [.battery], visible: [])[0]
        let last = TopScene.levels([0.3], from: .max)
        #expect(histories.followUp(to: question, last, of: "one") == nil)
    }

    @Test func anotherInstanceHasNothingInCommon() {
        var histories = TopHistories()
        note(TopScene.levels([0.1, 0.2]), in: &histories, at: 0)
        note(TopScene.levels([0.9]), in: &histories, at: 1, instance: "two")
        #expect(histories.entries[.battery]?.changes.map(\.generation) == [1])
        #expect(histories.entries[.battery]?.rate == nil)
    }

    @Test func thousandsOfNamesTakeTurns() {
        var histories = TopHistories()
        let names = (0..<1_000).compactMap { Aspect("org.example.n\($0)") }
        let visible: Set<Aspect> = [names[999]]
        var asked: Set<Aspect> = []
        for _ in 0..<17 {
            let questions = histories.questions(about: [.battery, .lifecycle] + names, visible: visible)
            #expect(questions.count == TopHistories.aspectLimit)
            #expect(questions.map(\.aspect).prefix(2) == [.battery, names[999]])
            asked.formUnion(questions.map(\.aspect))
        }
        // 62 others in each turn.
        #expect(asked == Set(names).union([.battery]))
    }

    @Test(arguments: [(0, 1.0), (0.01, 1), (0.1, 2), (1, 20)]) func pauseIsAMultipleOfTheCost(
        cost: Double, pause: Double
    ) {
        #expect(TopPace(delay: .seconds(1), count: nil).pause(after: .seconds(cost)) == .seconds(pause))
    }

    @Test(
        arguments: [
            (0, "now"), (-5, "now"), (1, "1 s"), (59, "59 s"), (60, "1 min"), (3_599, "59 min"), (3_600, "1 h"),
            (172_799, "47 h"), (172_800, "2 d"), (86_400 * 9_999, "9999 d"),
        ]) func agesFitTheirColumn(seconds: Int64, text: String)
    {
        let now = Timestamp(microseconds: TopScene.start)
        let then = Timestamp(microseconds: TopScene.start - seconds * 1_000_000)
        #expect(TopText.age(of: then, at: now) == text)
    }

    @Test(
        arguments: [
            (nil, "-"), (0, "0"), (-1, "0"), (0.01, "<0.1"), (0.5, "0.5"), (9.94, "9.9"), (9.96, "10"),
            (9_999.4, "9999"), (10_000, "10k"), (1e300, ">9999k"), (.infinity, "-"), (.nan, "-"),
        ] as [(Double?, String)]) func ratesFitTheirColumn(rate: Double?, text: String)
    {
        #expect(TopText.rate(rate) == text)
    }
}
