// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing
import Varlink

/// Subscribing and waking during many changes, none of which is lost or delivered twice.
@Suite(.blocking, .timeLimit(.minutes(10))) struct RaceTests {
    private let bus: BusProcess
    private let poster: RawClient

    init() throws {
        bus = try BusProcess()
        poster = try bus.client()
    }

    /// Sends posts without waiting for their execution.
    private func pour(_ client: RawClient, _ levels: Range<Int>) throws {
        let calls = levels.flatMap { level in
            let parameters = RawClient.battery(Double(level % 1_000) / 1_000)
            return Array(#"{"method":"org.reveille.Bus.Post","oneway":true,"parameters":\#(parameters)}"#.utf8) + [0]
        }
        try client.send(bytes: calls)
    }

    /// Reads events up to a generation and checks that each continues where the previous one ended.
    private func follow(_ subscriber: Subscriber, from start: Int, to end: Int) throws {
        var generation = start
        while generation < end {
            for event in try subscriber.next() {
                #expect(event.integer("generation") - generation == event.integer("changes"))
                generation = event.integer("generation")
            }
        }
        #expect(generation == end)
        #expect(subscriber.client.isSilent)
    }

    @Test("B47: a subscription made during a thousand changes misses and repeats none")
    func subscribingDuringChanges() throws {
        for round in 0..<3 {
            try pour(poster, round * 1_000..<(round + 1) * 1_000)
            let subscriber = try bus.subscribe(#"{"aspects":["battery"],"initial":true}"#)
            let state = try #require(subscriber.initialEvents.first)
            let end = try poster.state(of: "battery").integer("generation")
            try follow(subscriber, from: state.integer("generation"), to: end)
        }
    }

    @Test("B25: a change that races with a wake is delivered once") func wakingDuringChanges() throws {
        let control = try bus.client()
        let subscriber = try bus.subscribe(#"{"aspects":["battery"]}"#)
        for round in 0..<50 {
            try subscriber.setState("background", on: control)
            try pour(poster, round * 20..<(round + 1) * 20)
            try subscriber.setState("foreground", on: control)
        }
        try poster.fence()
        try follow(subscriber, from: 0, to: 50 * 20)
    }
}
