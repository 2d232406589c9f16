// SPDX-License-Identifier: Apache-2.0

import Reveille
import ReveilleCore
import Testing

@testable import ReveilleTool

/// The pictures of timelines.
@Suite struct TimelineTests {
    private func battery(_ level: Double, changes: Int = 1) -> Event {
        .timeline(.battery(Battery(state: .unplugged, level: level)), changes: changes)
    }

    private func sum(_ name: String, in picture: some StringProtocol) throws -> Int {
        try String(picture).matches(of: Regex(#"data-\#(name)="([0-9]+)""#, as: (Substring, Substring).self))
            .reduce(0) { $0 + (Int($1.output.1) ?? 0) }
    }

    private func timeline(title: String = "A day", steps: Int) -> Timeline {
        var timeline = Timeline(title: title)
        timeline.begin(with: [battery(0.8, changes: 0)])
        timeline.fallAsleep(at: 1)
        for step in 1...steps {
            timeline.record(awake: [battery(step.isMultiple(of: 2) ? 0.7 : 0.6)], asleep: [], at: Double(step))
        }
        timeline.wake(at: Double(steps))
        timeline.record(awake: [], asleep: [battery(0.7, changes: steps)], at: Double(steps))
        return timeline
    }

    @Test(arguments: [1, 10, 5_000]) func drawnCountsAreThoseOfTheEvents(steps: Int) throws {
        let picture = TimelineDrawing.svg(timeline(steps: steps))
        let parts = picture.split(separator: "A subscriber that sleeps")
        #expect(parts.count == 2)
        #expect(try sum("events", in: parts[0]) == steps)
        #expect(try sum("changes", in: parts[0]) == steps)
        #expect(try sum("events", in: parts[1]) == 1)
        #expect(try sum("changes", in: parts[1]) == steps)
        #expect(parts[1].contains(">\(steps)</text>"))
    }

    @Test("B235: changes of one moment are strokes beside each other")
    func changesOfOneMomentAreStrokesBesideEachOther() {
        var timeline = Timeline(title: "A moment")
        timeline.record(awake: [battery(0.8), battery(0.7), battery(0.6)], asleep: [], at: 1)
        timeline.record(awake: [], asleep: [], at: 2)
        let strokes = TimelineDrawing.svg(timeline).matches(of: #/rect class="f0" x="([0-9.]+)"/#)
        #expect(Set(strokes.map(\.output.1)).count == 3)
    }

    @Test("B235: a text without room before the edge of a sleep is left out") func textWithoutRoomIsLeftOut() {
        var timeline = Timeline(title: "A sleep")
        let track = { (title: String) in
            Reading.published(PublishedValue("org.example.player", bytes: Array(#"{"track":"\#(title)"}"#.utf8)))
        }
        timeline.begin(with: [.timeline(track("Dawn"), changes: 0)])
        timeline.fallAsleep(at: 0.3)
        timeline.record(awake: [.timeline(track("Tides"))], asleep: [], at: 5)
        timeline.record(awake: [], asleep: [], at: 10)
        let texts = PictureBoxes(TimelineDrawing.svg(timeline)).texts.map(\.text)
        #expect(texts.contains("Tides") && !texts.contains("Dawn"))
    }

    @Test func sizeIsBounded() {
        let size = TimelineDrawing.svg(timeline(steps: 20_000)).utf8.count
        #expect(size < 200_000)
        #expect(TimelineDrawing.svg(timeline(steps: 40_000)).utf8.count < size * 11 / 10)
    }

    @Test func hostileTextIsEscaped() throws {
        let text = "</text><script>alert('1')</script>&\u{1}\u{1B}[31m\"\u{FFFE}"
        var timeline = timeline(title: text, steps: 3)
        let value = PublishedValue("org.example.player", bytes: Array(#"{"track":"\#(text)"}"#.utf8))
        timeline.record(awake: [.timeline(.published(value))], asleep: [], at: 4)
        let picture = TimelineDrawing.svg(timeline)
        #expect(!picture.contains("<script>") && !picture.contains("\u{1B}"))
        #expect(picture.contains("&lt;script&gt;"))
    }
}
