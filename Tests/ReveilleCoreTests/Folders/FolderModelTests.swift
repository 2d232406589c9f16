// SPDX-License-Identifier: Apache-2.0

import ReveilleSimulation
import Testing

@testable import ReveilleCore

/// Random changes of a folder, compared with a reference that keeps what each subscriber last saw.
@Suite struct FolderModelTests {
    private struct Reader {
        let id: SubscriptionID
        var seen: [String: NaiveFolder.File]
        var generation: Int
        var isHeld = false
    }

    @Test(
        "B172, B173, B174, B176, B177: each event is the difference between what the subscriber saw and the files",
        arguments: 1...200)
    func eventIsTheDifference(seed: UInt64) throws {
        try play(seed: seed, anything: false) { event, reader, folder, place in
            let expected = NaiveFolder.difference(from: reader.seen, to: folder.files)
            if folder.isForgotten(since: reader.generation) {
                #expect(event.isRescan || expected.isEmpty, place)
                #expect(event.added == folder.files.keys.sorted() || expected.isEmpty, place)
            } else {
                #expect(event == expected, place)
            }
        }
    }

    @Test("replaced and exchanged files lead from what was seen to what is there", arguments: 1...200)
    func everyEventIsTrue(seed: UInt64) throws {
        try play(seed: seed, anything: true) { event, reader, folder, place in
            let expected = NaiveFolder.difference(from: reader.seen, to: folder.files)
            #expect(event.applied(to: Set(reader.seen.keys)) == Set(folder.files.keys), place)
            let isComplete = Set(event.changed).isSuperset(of: Set(expected.changed).subtracting(event.added))
            #expect(event.isRescan || isComplete, place)
        }
    }

    @Test("merged events lead from the first state to the last", arguments: 1...300)
    func mergedEventsAreTrue(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        var folder = NaiveFolder()
        for _ in 0..<8 { folder.change(using: &random, anything: true) }
        let start = folder.files
        var seen = start
        var merged = Folders(folders: [])
        for step in 1...6 {
            for _ in 0..<Int.random(in: 1...4, using: &random) { folder.change(using: &random, anything: true) }
            let next = NaiveFolder.difference(from: seen, to: folder.files)
            merged = merged.merged(with: Folders(folders: next.isEmpty ? [] : [next]))
            seen = folder.files
            let names = merged.folders.first?.applied(to: Set(start.keys)) ?? Set(start.keys)
            let expected = NaiveFolder.difference(from: start, to: seen)
            #expect(names == Set(seen.keys), "step \(step): \(merged) of \(expected)")
            let all = Set(merged.folders.flatMap { $0.changed + $0.added })
            #expect(all.isSuperset(of: expected.changed), "step \(step): \(merged) of \(expected)")
        }
    }

    /// Plays random changes for subscribers that sleep and wake, and checks each event.
    private func play(
        seed: UInt64, anything: Bool,
        check: (_ event: Folders.Folder, _ reader: Reader, _ folder: NaiveFolder, _ place: Comment) -> Void
    ) throws {
        var random = SplitMix64(seed: seed)
        let driver = BusDriver(restoring: SavedState(instance: "one"))
        var folder = NaiveFolder()
        driver.report(folder.report(generation: 0))
        var readers = (0..<4).map { _ in
            let id = driver.subscribe(SubscriptionRequest(aspects: [.folders]))
            return Reader(id: id, seen: [:], generation: 0)
        }
        for step in 0..<120 {
            for _ in 0..<(anything ? Int.random(in: 1...3, using: &random) : 1) {
                folder.change(using: &random, anything: anything)
            }
            let generation = driver.bus.log(of: .folders).map { driver.bus.logs[$0].changes.position.generation } ?? 0
            driver.report(folder.report(generation: generation + 1))
            let place = Int.random(in: readers.indices, using: &random)
            readers[place].isHeld.toggle()
            let id = readers[place].id
            if readers[place].isHeld { driver.background(id) } else { driver.foreground(id) }
            for delivery in driver.read() {
                let index = try #require(readers.firstIndex { $0.id == delivery.subscription })
                let event = try #require(delivery.events.first)
                let folders = try #require(event.folders)
                let comment: Comment = "step \(step), \(folders), saw \(readers[index].seen.keys.sorted())"
                #expect(event.isNetChange == !folders.folders.isEmpty, comment)
                let change = folders.folders.first ?? Folders.Folder(name: "documents", path: "/d")
                check(change, readers[index], folder, comment)
                readers[index].seen = folder.files
                readers[index].generation = event.generation
            }
        }
    }
}
