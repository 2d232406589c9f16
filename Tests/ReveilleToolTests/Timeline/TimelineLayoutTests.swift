// SPDX-License-Identifier: Apache-2.0

import Reveille
import ReveilleCore
import ReveilleSimulation
import Testing

@testable import ReveilleTool

/// Where the texts of a timeline's picture stand.
@Suite struct TimelineLayoutTests {
    @Test("no text of a random scenario crosses a band, another text or an edge", arguments: 1...20)
    func randomScenarioIsReadable(seed: UInt64) {
        var scenario = RandomScenario(seed: seed)
        let faults = PictureBoxes(TimelineDrawing.svg(scenario.timeline())).faults
        #expect(faults.isEmpty, "seed \(seed): \(faults.joined(separator: "; "))")
    }

    @Test func textOfADeliveryIsNotInTheNextSleep() {
        var timeline = Timeline(title: "Two sleeps")
        timeline.begin(with: [.timeline(.pose(.portrait), changes: 0)])
        timeline.fallAsleep(at: 2)
        timeline.record(awake: [.timeline(.pose(.faceDown))], asleep: [], at: 3)
        timeline.wake(at: 4)
        timeline.record(awake: [], asleep: [.timeline(.pose(.faceDown))], at: 4)
        timeline.fallAsleep(at: 4.5)
        timeline.record(awake: [], asleep: [], at: 10)
        let picture = PictureBoxes(TimelineDrawing.svg(timeline))
        #expect(picture.faults.isEmpty)
        // The phone's is shortened before the wake, and that of the delivery has no room between two sleeps.
        #expect(picture.texts.map(\.text).filter { $0.hasPrefix("f") } == ["face…"])
    }

    @Test func pluggingInAndUnpluggingHaveLabels() {
        var timeline = Timeline(title: "A charge")
        timeline.begin(with: [.timeline(.battery(Battery(state: .unplugged, level: 0.5)), changes: 0)])
        timeline.record(awake: [.timeline(.battery(Battery(state: .charging, level: 0.5)))], asleep: [], at: 2)
        timeline.record(awake: [.timeline(.battery(Battery(state: .unplugged, level: 0.5)))], asleep: [], at: 5)
        timeline.record(awake: [], asleep: [], at: 10)
        let texts = PictureBoxes(TimelineDrawing.svg(timeline)).texts
        let places = ["plugged in", "unplugged"].compactMap { words in texts.first { $0.text == words }?.x.lowerBound }
        #expect(places.count == 2)
        // Three of ten seconds, in the plot without its tail.
        #expect(abs(places[1] - places[0] - 0.3 * 612) < 0.1)
    }

    @Test func constantIsOneNumber() {
        var timeline = Timeline(title: "A constant")
        timeline.record(awake: [.timeline(.light(Light(lux: 70)))], asleep: [], at: 1)
        timeline.record(awake: [.timeline(.light(Light(lux: 70)))], asleep: [], at: 2)
        let texts = PictureBoxes(TimelineDrawing.svg(timeline)).texts.map(\.text)
        #expect(texts.contains("70 lux") && !texts.contains { $0.contains("→") })
    }

    @Test func numberIsNotShortened() {
        #expect(TextStyle.plain.fitted("57305.7 lux → 7312 lux", to: 130) == "57305.7 lux → …")
        #expect(TextStyle.plain.fitted("57305.7 lux", to: 50) == "…")
    }

    @Test func shortenedTextHasRoom() {
        for text in ["org.example.player", "WWW", "iiiiiiiiii", "日本語の曲", "", "Tides and\u{301} more"] {
            for room in stride(from: 0.0, to: 150, by: 3.7) {
                let fitted = TextStyle.plain.fitted(text, to: room)
                #expect(fitted.isEmpty || TextStyle.plain.width(fitted) <= room)
                #expect(fitted == text || fitted.isEmpty || fitted.hasSuffix("…") && text.hasPrefix(fitted.dropLast()))
            }
        }
    }
}

/// A scenario with many short and long waits, sleeps and states.
private struct RandomScenario {
    private var random: SplitMix64
    private var pending: [Aspect: (event: Event, changes: Int)] = [:]

    init(seed: UInt64) { random = SplitMix64(seed: seed) }

    mutating func timeline() -> Timeline {
        var timeline = Timeline(title: words(upTo: 30))
        let names = (0..<Int.random(in: 0...4, using: &random)).compactMap { Aspect("org.example.n\($0)" + name()) }
        let scale = pow10(Int.random(in: -2...5, using: &random))
        var (time, isAsleep) = (0.0, false)
        timeline.begin(with: (0..<8).map { _ in .timeline(reading(names), changes: 0) })
        for _ in 0..<Int.random(in: 0...80, using: &random) {
            switch Int.random(in: 0..<10, using: &random) {
            case 0...3: time += scale * Double.random(in: 0...1, using: &random)
            case 4 where isAsleep:
                timeline.wake(at: time)
                let events = pending.values.map { Event.timeline($0.event.reading, changes: $0.changes) }
                timeline.record(awake: [], asleep: events, at: time)
                pending = [:]
                isAsleep = false
            case 4:
                timeline.fallAsleep(at: time)
                isAsleep = true
            default:
                let event = Event.timeline(reading(names), changes: Bool.random(using: &random) ? 1 : Int(time) + 1)
                timeline.record(awake: [event], asleep: isAsleep ? [] : [event], at: time)
                if isAsleep {
                    pending[event.aspect] = (event, (pending[event.aspect]?.changes ?? 0) + event.changeCount)
                }
            }
        }
        timeline.record(awake: [], asleep: [], at: time)
        return timeline
    }

    private mutating func reading(_ names: [Aspect]) -> Reading {
        switch Int.random(in: 0..<6, using: &random) {
        case 0:
            let state: Battery.State = Bool.random(using: &random) ? .charging : .unplugged
            return .battery(Battery(state: state, level: Bool.random(using: &random) ? 0.5 : 0.25))
        case 1: return .light(Light(lux: Double.random(in: 0...99_999, using: &random)))
        case 2: return .proximity(Bool.random(using: &random) ? .near : .far)
        case 3: return .pose(Orientation.Pose.allCases.randomElement(using: &random) ?? .unknown)
        default:
            guard let name = names.randomElement(using: &random) else { return .proximity(.far) }
            return .published(PublishedValue(name, bytes: Array(#"{"text":"\#(words(upTo: 9))"}"#.utf8)))
        }
    }

    private mutating func name() -> String {
        String(repeating: "m", count: Int.random(in: 0...30, using: &random))
    }

    private mutating func words(upTo count: Int) -> String {
        let words = ["pocket", "a", "WWW", "der Größte", "日本語", "<&>", "illicit", "🎵", "A → B"]
        return (0..<Int.random(in: 1...count, using: &random)).compactMap { _ in words.randomElement(using: &random) }
            .joined(separator: " ")
    }

    private func pow10(_ exponent: Int) -> Double {
        (0..<abs(exponent)).reduce(1) { number, _ in exponent < 0 ? number / 10 : number * 10 }
    }
}

extension Reading {
    static func pose(_ pose: Orientation.Pose) -> Reading { .orientation(Orientation(pose: pose, planar: nil)) }
}

extension Event {
    static func timeline(_ reading: Reading, changes: Int = 1) -> Event {
        Event(
            reading: reading, generation: 1, sequence: 1, changeCount: changes, isNetChange: true,
            firstChangedAt: Timestamp(microseconds: 0), changedAt: Timestamp(microseconds: 0), droppedCount: 0)
    }
}
