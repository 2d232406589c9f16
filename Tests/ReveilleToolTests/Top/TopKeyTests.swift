// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import ReveilleCore
@testable import ReveilleTool

@Suite struct TopKeyTests {
    private var model = TopScene.model()

    private mutating func press(_ keys: String) -> TopEffect? {
        keys.reduce(nil) { _, key in model.press(.character(key)) }
    }

    @Test(arguments: [("h", TopChange.State.background), ("w", .foreground), ("s", .suspended)])
    func keyChangesTheSelectedSubscription(key: String, state: TopChange.State) {
        var test = self
        #expect(test.press(key) == .change(TopChange(subscription: "a", name: "player", state: state)))
        _ = test.model.press(.down)
        #expect(test.press(key) == .change(TopChange(subscription: "b", name: "b", state: state)))
    }

    @Test func aspectHasNoState() {
        var test = self
        _ = test.model.press(.tab)
        #expect(test.press("h") == nil)
        #expect(test.model.message?.text == "an aspect has no such state; press Tab to select a subscription")
    }

    @Test func withoutASubscriptionThereIsNothingToChange() {
        var test = self
        test.model.receive(TopScene.poll(seconds: 1))
        #expect(test.press("s") == nil)
        #expect(test.model.message?.text == "no subscription is selected")
        #expect(test.model.draw().lines.contains("  no subscriptions"))
    }

    @Test func filterShowsRowsThatContainItsText() {
        var test = self
        _ = test.press("/PLAY")
        #expect(test.model.subscriptions.rows.map(\.name) == ["player"])
        #expect(test.model.aspects.rows.isEmpty)
        #expect(test.model.draw().lines.last == "filter: PLAY_")
        _ = test.press("qq")
        #expect(test.model.draw().lines.contains("  no subscriptions contain the filter's text"))
        _ = test.model.press(.backspace)
        _ = test.model.press(.backspace)
        _ = test.model.press(.enter)
        #expect(test.model.draw().lines.last?.hasPrefix("filter: PLAY (Esc clears it)  q quit") == true)
        _ = test.model.press(.escape)
        #expect(test.model.subscriptions.rows.count == 2 && test.model.aspects.rows.count == 2)
    }

    @Test func filterIsLimitedAndPrintable() {
        var test = self
        _ = test.press("/" + String(repeating: "x", count: 1_000))
        #expect(test.model.filter.count == 64)
        _ = test.model.press(.eraseLine)
        #expect(test.model.filter.isEmpty && test.model.isTyping)
    }

    @Test func orderFollowsTheChosenColumn() {
        var test = self
        #expect(test.model.subscriptions.rows.map(\.id) == ["a", "b"])
        _ = test.press("r")
        #expect(test.model.subscriptions.rows.map(\.id) == ["b", "a"])
        #expect(test.model.subscriptions.selected?.id == "a")
        #expect(test.model.draw().lines.contains { $0.contains("PID▴") })
        for _ in test.model.subscriptions.orders.dropFirst() { _ = test.press("o") }
        #expect(test.model.subscriptions.orderHead == "EVENTS/S")
        _ = test.press("o")
        #expect(test.model.subscriptions.orderHead == "PID")
    }

    @Test func quitAndRedrawAreEffects() {
        var test = self
        #expect(test.press("q") == .quit)
        #expect(test.model.press(.endOfInput) == .quit)
        #expect(test.model.press(.redraw) == .redraw)
        #expect(test.press("?q") == .quit)
        #expect(test.press("/q") == nil)
    }

    @Test func selectionStaysInTheList() {
        var test = self
        for key in [Key.up, .pageUp, .home] {
            _ = test.model.press(key)
            #expect(test.model.subscriptions.selected?.id == "a")
        }
        for key in [Key.down, .pageDown, .end] {
            _ = test.model.press(key)
            #expect(test.model.subscriptions.selected?.id == "b")
        }
        test.model.receive(TopScene.poll(seconds: 1))
        #expect(test.model.subscriptions.selected == nil)
    }
}
