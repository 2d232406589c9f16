// SPDX-License-Identifier: Apache-2.0

import ReveilleLink
import ReveilleSystem
import ReveilleTesting
import Testing
import Varlink

@testable import Reveille

/// Publishing from several tasks, from cancelled ones, and over a lost connection.
@Suite(.timeLimit(.minutes(10))) struct PublisherTests {
    @Test func concurrentTasksPublishInTheirOwnOrder() async throws {
        let device = try await TestDevice.inMemory()
        let last = try await withThrowingTaskGroup { group in
            for task in 0..<4 {
                group.addTask {
                    var generations: [Int] = []
                    for step in 0..<50 {
                        generations.append(
                            try await device.publish(PublishedName(Volume.name), ["task": task, "step": step])
                                .generation)
                    }
                    #expect(generations == generations.sorted())
                    return (task, generations.last ?? 0)
                }
            }
            return try await group.reduce((0, 0)) { $0.1 > $1.1 ? $0 : $1 }
        }
        #expect(last.1 == 200)
        #expect(try await device.value(of: PublishedName(Volume.name)) == ["task": last.0, "step": 49])
    }

    @Test func cancelledTaskCompletesItsCall() async throws {
        let device = try await TestDevice.inMemory()
        let revision = try await Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await device.publish(PublishedName(Volume.name), ["level": 0.4])
        }.value
        #expect(revision.generation == 1)
        #expect(try await device.value(of: PublishedName(Volume.name)) == ["level": 0.4])
    }

    @Test func withdrawalWhileTheReplyOfThePublicationIsPendingIsNotUndone() async throws {
        let directory = try TemporaryDirectory()
        let (connections, publications) = (Lock(0), Lock<[JSON?]>([]))
        let reply = #"{"generation":1,"sequence":1}"#
        let bus = try MadeUpBus(at: directory.path + "/bus") { peer in
            let isFirst = connections.increment() == 1
            while let call = peer.next() {
                guard call.member == "Publish" else {
                    peer.answer()
                    continue
                }
                publications.withLock { $0.append(call.parameters["value"]) }
                if isFirst { _ = peer.next() }
                peer.answer(reply)
                // The connection ends between the replies to the two calls.
                if isFirst { return }
            }
        }
        let device = try await Device.connect(to: bus.address)
        async let publication = device.publish(PublishedName(Volume.name), ["level": 0.4], whileConnected: true)
        while publications.withLock({ $0.isEmpty }) { await Task.yield() }
        await #expect(throws: ReveilleError.self) { try await device.withdraw(.volume) }
        #expect(try await publication.generation == 1)
        while (try? await device.refresh()) == nil { await Task.yield() }
        #expect(publications.withLock { $0 } == [["level": 0.4]])
        bus.stop()
    }

    @Test(
        "a value that is lost with its connection is published by the next one, and once more only if the bus was silent",
        arguments: [true, false])
    func lostValue(isSilent: Bool) async throws {
        let directory = try TemporaryDirectory()
        let (losses, publications) = (Lock(0), Lock<[JSON?]>([]))
        let bus = try MadeUpBus(at: directory.path + "/bus") { peer in
            while let call = peer.next() {
                guard call.member == "Publish" else {
                    peer.answer()
                    continue
                }
                publications.withLock { $0.append(call.parameters["value"]) }
                guard call.parameters["value"] == ["level": 0.5], losses.increment() <= 2 else {
                    peer.answer(#"{"generation":1,"sequence":1}"#)
                    continue
                }
                // As of a call that is too long for the bus, or of a bus that is stopped.
                guard isSilent else { return }
                while peer.next() != nil {}
            }
        }
        var patience = Patience()
        // Longer than a busy machine takes for the other answers.
        if isSilent { patience.answer = .milliseconds(500) }
        let device = try await Device.connect(to: bus.address, patience: patience)
        try await device.publish(PublishedName(Volume.name), ["level": 0.25], whileConnected: true)
        await #expect(throws: ReveilleError.self) {
            try await device.publish(PublishedName(Volume.name), ["level": 0.5], whileConnected: true)
        }
        while losses.withLock({ $0 }) < 2 { await Task.yield() }
        while (try? await device.refresh()) == nil { await Task.yield() }
        let again: [JSON?] = isSilent ? [["level": 0.5]] : []
        #expect(publications.withLock { $0 } == [["level": 0.25], ["level": 0.5], ["level": 0.5]] + again)
        bus.stop()
    }
}
