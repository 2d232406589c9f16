// SPDX-License-Identifier: Apache-2.0

import ReveilleLocal
import ReveilleTesting
import Testing
import Varlink

@testable import Reveille

@Suite(.timeLimit(.minutes(10))) struct DeviceHistoryTests {
    @Test func historyHasEachChangeOldestFirst() async throws {
        let device = try await Device.inMemory()
        let subscription = try await device.subscribe(to: [.battery])
        try await subscription.enterBackground()
        for level in [0.5, 0.4, 0.3] { try await device.post(.level(level)) }
        let history = try await device.history(of: .battery)
        #expect(history.map(\.reading) == [.level(0.5), .level(0.4), .level(0.3)])
        #expect(history.map(\.changeCount) == [1, 1, 1])
        #expect(try await device.history(of: .battery, limit: 2) == Array(history[1...]))
        #expect(try await device.history(of: .proximity).isEmpty)
        try await subscription.enterForeground()
        #expect(try await subscription.next()?.changeCount == 3)
    }

    @Test(arguments: [0, -1, .min]) func limitBelowOneIsAnInvalidArgument(limit: Int) async throws {
        let device = try await Device.inMemory()
        let error = await #expect(throws: ReveilleError.self) {
            try await device.history(of: .battery, limit: limit)
        }
        #expect(error?.code == .invalidArgument)
        #expect(error?.description == "the limit of a history must be at least 1, not \(limit)")
    }

    @Test(arguments: ["org.example.*", "weather", "org..x"])
    func aspectWithoutAStateOfItsOwnIsRefusedByName(name: String) async throws {
        let device = try await Device.inMemory()
        let error = await #expect(throws: ReveilleError.self) {
            try await device.history(of: PublishedName<[String: Int]>(name))
        }
        #expect(error?.code == .invalidArgument)
        #expect(error?.description.hasPrefix(name.debugDescription) == true)
    }

    @Test func earlierBusDoesNotSupportIt() async throws {
        let directory = try TemporaryDirectory()
        let bus = try MadeUpBus(at: directory.path + "/bus") { peer in
            while let call = peer.next() {
                call.member == "GetHistory" ? peer.refuse("org.varlink.service.MethodNotFound") : peer.answer()
            }
        }
        let device = try await Device.connect(to: bus.address)
        let error = await #expect(throws: ReveilleError.self) { try await device.history(of: .battery) }
        #expect(error?.code == .notSupported)
        #expect(error?.description.hasPrefix("GetHistory: the bus does not have this method") == true)
        bus.stop()
    }
}
