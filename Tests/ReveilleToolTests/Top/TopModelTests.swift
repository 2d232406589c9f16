// SPDX-License-Identifier: Apache-2.0

import ReveilleConsole
import Testing

@testable import ReveilleCore
@testable import ReveilleTool

@Suite struct TopModelTests {
    @Test func sixtyColumnsShowValuesAndWhatWaits() {
        var model = TopScene.model(columns: 60, rows: 10)
        let lines = model.draw().lines
        #expect(lines[0].hasPrefix("reveille top   2 subscriptions, 1 held   - changes/s"), "\(lines)")
        #expect(
            Array(lines[1...]) == [
                "  ASPECT        VALUE                      AGE  LAST CHANGES",
                "  battery       unplugged, 30%             now            ⢀⣾",
                "  proximity     no proximity sensor          -",
                "  SUBSCRIBER         PID▾  STATE           WAITING",
                "> player              100  held: operator  battery 7",
                "  b                   200  foreground      -",
                "", "player: held: an operator sent it to the background; waitin…",
                "q quit  ? help  h hold  w wake  s suspend  / filter  o order",
            ], "\(lines.joined(separator: "\n"))")
    }

    @Test func everyWidthAndHeightIsDrawn() {
        for columns in [1, 2, 5, 9, 10, 11, 19, 27, 28, 29, 40, 60, 79, 80, 120, 200, 300, 1_000] {
            for rows in [1, 2, 3, 4, 5, 7, 8, 9, 12, 24, 60] {
                var model = TopScene.model(columns: columns, rows: rows)
                let screen = model.draw()
                #expect(screen.columns == columns && screen.rows == rows)
                let isSmall = columns < TopLayout.leastColumns || rows < TopLayout.leastRows
                #expect(screen.lines[0].hasPrefix(isSmall ? String("too small".prefix(columns - 1)) : "reveille top"))
                if !isSmall { #expect(screen.lines.contains { $0.hasPrefix("> player") }, "\(columns) x \(rows)") }
                _ = model.press(.character("?"))
                #expect(model.draw().rows == rows)
            }
        }
    }

    @Test func columnsDoNotMoveWithTheirContents() {
        for width in 28...300 {
            for columns in [TopColumns.aspects, .subscriptions] {
                let places = columns.places(in: width, margin: 2)
                #expect(places.first?.start == 2 && places.count >= 2)
                for (one, next) in zip(places, places.dropFirst()) { #expect(one.start + one.width + 2 == next.start) }
                #expect(places.last.map { $0.start + $0.width <= width } == true)
            }
        }
    }

    @Test func ratesAreDifferencesBetweenPolls() {
        var model = TopModel(address: "")
        let first = TopScene.poll(subscribers: [TopScene.subscriber("a", "player", events: 10)])
        model.receive(first)
        #expect(model.totals == nil)
        let next = TopScene.poll(
            seconds: 2, levels: [0.1, 0.2, 0.3, 0.4, 0.5],
            subscribers: [TopScene.subscriber("a", "player", events: 14), TopScene.subscriber("b", "new", events: 9)],
            after: first)
        model.receive(next)
        #expect(model.totals == TopModel.Totals(changes: 1, events: 2))
        #expect(model.aspects.rows.first?.rate == 1)
        #expect(model.subscriptions.rows.first?.rates?.changes == 4)
        #expect(model.subscriptions.rows.last?.rates == nil)
    }

    @Test func busThatIsAwayIsReportedAndItsLastStateStays() {
        var model = TopScene.model()
        model.lose("there is no bus at unix:/run/bus")
        let lines = model.draw().lines
        #expect(lines[0] == "reveille top   bus away: there is no bus at unix:/run/bus; reconnecting")
        #expect(lines.contains { $0.hasPrefix("> player") })
        #expect(model.press(.character("h")) == nil)
        #expect(model.draw().lines.last == "the bus is gone; wait until it is back")
        model.receive(TopScene.poll(seconds: 5))
        #expect(model.draw().lines[0].hasPrefix("reveille top   0 subscriptions"))
    }

    @Test func hostileNamesCannotControlTheTerminal() {
        var model = TopModel(address: "unix:/\u{1B}]0;x\u{7}", size: (60, 12))
        let names = ["\u{1B}[2J\u{1B}[H", "a\nb", "\u{202E}evil", "世界世界世界世界世界世界世界世界", "e\u{301}\u{302}\u{303}"]
        model.receive(TopScene.poll(subscribers: names.enumerated().map { TopScene.subscriber("\($0)", $1) }))
        let screen = model.draw()
        for row in 0..<12 {
            for column in 0..<60 {
                #expect(screen[row, column].text.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x202E })
            }
        }
        #expect(screen.lines.contains { $0.contains(#"\u{1B}[2J"#) }, "\(screen.lines)")
        // The columns after a wide name begin where they always do.
        let states = screen.lines.indices.filter { screen.lines[$0].contains("100  foreground") }
            .map { row in (0..<60).first { screen[row, $0].text == "f" } }
        #expect(Set(states).count == 1)
    }

    @Test func tenThousandSubscriptionsAreDrawnByTheVisibleOnes() {
        var model = TopModel(address: "", size: (120, 40))
        let many = (0..<10_000).map { TopScene.subscriber("\($0)", "name \($0)", pid: Int32($0)) }
        model.receive(TopScene.poll(subscribers: many))
        _ = model.press(.end)
        let lines = model.draw().lines
        #expect(lines.contains { $0.hasPrefix("> name 9999 ") }, "\(lines)")
        #expect(lines.contains { $0.hasSuffix("  9970-10000 of 10000") }, "\(lines)")
        // A poll does not move the selection.
        model.receive(TopScene.poll(seconds: 1, subscribers: many.reversed()))
        #expect(model.subscriptions.selected?.id == "9999")
    }
}
