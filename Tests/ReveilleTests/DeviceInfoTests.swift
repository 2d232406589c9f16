// SPDX-License-Identifier: Apache-2.0

import ReveilleLocal
import ReveilleTesting
import Testing
import Varlink

@testable import Reveille

/// The description and the capabilities that a device returns.
@Suite(.timeLimit(.minutes(10))) struct DeviceInfoTests {
    /// Connects to a bus that answers the calls of one method with a script.
    private func connect(
        in directory: TemporaryDirectory, answering member: String, _ script: @escaping @Sendable (Conversation) -> Void
    ) async throws -> (Device, MadeUpBus) {
        let bus = try MadeUpBus(at: directory.path + "/bus") { peer in
            while let call = peer.next() {
                if call.interface == "org.reveille.Device", call.member == member {
                    script(peer)
                } else {
                    peer.answer()
                }
            }
        }
        return (try await Device.connect(to: bus.address), bus)
    }

    @Test func infoDescribesThisMachine() async throws {
        let info = try await Device.inMemory().info
        #expect(!info.name.isEmpty)
        #expect(!info.kernel.isEmpty)
        #expect(info.processors >= 1)
        #expect(try await Device.inMemory().info.identifier == info.identifier)
    }

    @Test func answersAreInTheOrderOfTheCapabilities() async throws {
        let device = try await Device.inMemory()
        #expect(try await device.check(.multitasking) == .yes)
        #expect(try await device.check(.proximity) == .no("this bus does not watch it"))
        #expect(try await device.check("org.example.volume") == .no("not published"))
        try await device.publish(PublishedName("org.example.volume"), ["level": 1])
        let answers = try await device.checkAll([
            Capability("weather"), .publish, Capability("org.example.volume" as Aspect), .publish,
        ])
        #expect(answers == [.unknown, .yes, .yes, .yes])
        #expect(try await device.checkAll([]).isEmpty)
    }

    @Test("B162: on an older bus a capability is unknown, not no", arguments: ["InterfaceNotFound", "MethodNotFound"])
    func capabilityIsUnknownOnAnOlderBus(error: String) async throws {
        let directory = try TemporaryDirectory()
        let (device, bus) = try await connect(in: directory, answering: "Check") {
            $0.refuse("org.varlink.service." + error)
        }
        #expect(try await device.check(.proximity) == .unknown)
        #expect(try await device.checkAll([.publish, .suspend]) == [.unknown, .unknown])
        bus.stop()
    }

    @Test func infoIsNotSupportedByAnOlderBus() async throws {
        let directory = try TemporaryDirectory()
        let (device, bus) = try await connect(in: directory, answering: "GetInfo") {
            $0.refuse("org.varlink.service.InterfaceNotFound")
        }
        let error = await #expect(throws: ReveilleError.self) { try await device.info }
        #expect(error?.code == .notSupported)
        #expect(
            error?.description
                == "GetInfo: the bus does not have this interface; is it an earlier version?")
        bus.stop()
    }

    @Test("answers that are missing or in another order are matched by name") func answersAreMatchedByName()
        async throws
    {
        let directory = try TemporaryDirectory()
        let (device, bus) = try await connect(in: directory, answering: "Check") {
            $0.answer(
                #"{"answers":[{"capability":"publish","answer":"no","reason":"x"},{"capability":"z","answer":"yes"}]}"#)
        }
        #expect(try await device.checkAll([.launch, .publish]) == [.unknown, .no("x")])
        bus.stop()
    }

    @Test(arguments: ["{}", #"{"name":1}"#, #"{"answers":{}}"#, #"{"answers":[{"capability":"a"}]}"#])
    func invalidReplyIsAnError(parameters: String) async throws {
        let directory = try TemporaryDirectory()
        for (member, isInfo) in [("GetInfo", true), ("Check", false)] {
            let (device, bus) = try await connect(in: directory, answering: member) { $0.answer(parameters) }
            let error = await #expect(throws: ReveilleError.self) {
                if isInfo { _ = try await device.info } else { _ = try await device.check(.battery) }
            }
            #expect(error?.code == .invalidReply)
            bus.stop()
        }
    }

    @Test func tooManyCapabilitiesAreAnInvalidArgument() async throws {
        let device = try await Device.inMemory()
        let error = await #expect(throws: ReveilleError.self) {
            try await device.checkAll(Array(repeating: .publish, count: 1_025))
        }
        #expect(error?.code == .invalidArgument)
    }
}
