// SPDX-License-Identifier: Apache-2.0

import Reveille
import ReveilleTesting
import Testing

/// Publishers that ask who needs their names.
@Suite(.timeLimit(.minutes(10))) struct DemandTests {
    @Test("one loop has the needed ones of several names, and each change of them")
    func neededNamesAreASet() async throws {
        let device = try await TestDevice.inMemory()
        var needed = device.demand(for: ["org.example.a", "org.example.b", "org.other.*"]).makeAsyncIterator()
        #expect(try await needed.next() == [])
        let one = try await device.subscribe(to: ["org.example.a"])
        #expect(try await needed.next() == ["org.example.a"])
        let other = try await device.subscribe(to: ["org.other.b"])
        #expect(try await needed.next() == ["org.example.a", "org.other.*"])
        one.cancel()
        #expect(try await needed.next() == ["org.other.*"])
        other.cancel()
        #expect(try await needed.next() == [])
    }

    @Test(
        "the demand for a pattern, an aspect of the device or an invalid word is refused",
        arguments: ["org.*", "battery", "a b"])
    func invalidNameIsRefused(name: String) async throws {
        let device = try await TestDevice.inMemory()
        var demand = device.demand(for: PublishedName<Volume>(name)).makeAsyncIterator()
        await #expect { _ = try await demand.next() } throws: { ($0 as? ReveilleError)?.code == .invalidArgument }
    }
}
