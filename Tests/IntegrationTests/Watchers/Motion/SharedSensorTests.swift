// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleSystem
import ReveilleTesting
import Testing
import Varlink

/// An accelerometer that orientation and motion read at the same time.
@Suite(.blocking, .timeLimit(.minutes(10))) struct SharedSensorTests {
    private static let motion = #"{"aspects":["motion"],"policies":[{"aspect":"motion","interval":10}]}"#
    private static let orientation = #"{"aspects":["orientation"],"initial":true}"#

    private let scene: ChipScene
    private let scans: Scans

    init() throws {
        scene = try ChipScene()
        scans = try Scans(to: scene.node, pause: 5)
        scans.acceleration = (0, 1000, 0)
    }

    private func bus() throws -> BusProcess {
        try BusProcess(
            configuration: "{ orientation: { sampleInterval: 0.05, settle: 0 } }",
            environment: scene.testbed.environment)
    }

    private func expectTurn(_ subscriber: Subscriber, _ x: Int16, _ y: Int16, to pose: String) throws {
        scans.acceleration = (x, y, 0)
        try subscriber.wait(for: "orientation") { $0["pose"]?.stringValue == pose }
    }

    @Test("orientation and motion read one buffer, which is open once, and the attributes are not read meanwhile")
    func bufferIsShared() throws {
        let chip = try scene.addChip(isScanned: true)
        let bus = try bus()
        let orientation = try bus.subscribe(Self.orientation)
        let manner = { (aspect: String) in try bus.description(of: aspect)["source"]?.stringValue ?? "" }
        #expect(try manner("orientation") == "iio:device0 (chip), by its buffer")
        for _ in 0..<2 {
            var motion: Subscriber? = try bus.subscribe(Self.motion)
            _ = try motion?.next()
            let reads = try ReadCounter(scene.testbed.root + chip.path + "/in_accel_x_raw")
            for (x, y, pose): (Int16, Int16, String) in [(1_000, 0, "landscapeLeft"), (0, 1_000, "portrait")] {
                try expectTurn(orientation, x, y, to: pose)
                for _ in 0..<10 { _ = try motion?.next() }
                let open = try bus.descriptors().filter { $0 == scene.node }
                #expect(open.count == 1)
            }
            let manners = try ["orientation", "motion"].map(manner)
            #expect(manners.allSatisfy { $0.hasPrefix("iio:device0 (chip), by its buffer") }, "\(manners)")
            #expect(manners[1].hasSuffix(", every 10 ms"), "\(manners)")
            #expect(reads.count == 0)
            motion = nil
            try bus.waitForRest(of: "motion")
            try expectTurn(orientation, -1_000, 0, to: "landscapeRight")
            try expectTurn(orientation, 0, 1_000, to: "portrait")
            try wait(for: "the buffer to be open") { try bus.descriptors().contains(scene.node) }
        }
        withExtendedLifetime(scans) {}
    }

    @Test("a request for a sample closes the buffer of the other aspect before it reads the attributes")
    func requestBesideAnOpenBuffer() throws {
        let chip = try scene.addChip(isScanned: true)
        let bus = try bus()
        let orientation = try bus.subscribe(Self.orientation)
        try wait(for: "an open buffer") { try bus.descriptors().contains(scene.node) }
        try chip.set("in_anglvel_z_raw", "500")
        let event = try bus.client().state(of: "motion")
        #expect(event["motion"]?.objectValue?.isClose("rotation", (0, 0, 0.5), within: 0.01) == true, "\(event)")
        try expectTurn(orientation, 1_000, 0, to: "landscapeLeft")
        try expectTurn(orientation, 0, 1_000, to: "portrait")
        withExtendedLifetime(scans) {}
    }

    @Test("a buffer that falls silent is replaced by the attributes, and used again when it has scans")
    func silentBufferIsReplaced() throws {
        let chip = try scene.addChip(["in_accel_x_raw": "1000"], isScanned: true)
        let bus = try bus()
        let orientation = try bus.subscribe(Self.orientation)
        let motion = try bus.subscribe(Self.motion)
        _ = try motion.next()
        scans.isSilent = true
        try motion.wait(for: "motion") { abs(($0["acceleration"]?.objectValue?["x"]?.numberValue ?? 0)) > 0.4 }
        for aspect in ["orientation", "motion"] {
            let manner = try bus.description(of: aspect)["source"]?.stringValue ?? ""
            #expect(manner.contains("polled, buffer unavailable: wait for a scan of"), "\(manner)")
        }
        try orientation.wait(for: "orientation") { $0["pose"] != "portrait" }
        try chip.set(["in_accel_x_raw": "0", "in_accel_y_raw": "1000"])
        try orientation.wait(for: "orientation") { $0["pose"] == "portrait" }
        scans.isSilent = false
        try wait(for: "scans") {
            try bus.description(of: "motion")["source"]?.stringValue?.contains("by its buffer") == true
        }
        try expectTurn(orientation, 1_000, 0, to: "landscapeLeft")
    }

    @Test("a buffer is turned on for a subscriber, and off when the bus ends") func bufferIsTurnedOff() throws {
        let chip = try scene.addChip(isScanned: true)
        let bus = try bus()
        let orientation = try bus.subscribe(Self.orientation)
        try wait(for: "a buffer") { scene.text("buffer/enable", of: chip) == "1" }
        try expectTurn(orientation, 1_000, 0, to: "landscapeLeft")
        #expect(bus.stop() == 0)
        #expect(scene.text("buffer/enable", of: chip) == "0")
    }

    @Test("a sensor whose scans have an unknown type is polled") func unknownScanType() throws {
        _ = try scene.addChip(["scan_elements/in_accel_y_type": "le:s16/24>>0", "in_accel_y_raw": "1000"])
        let bus = try bus()
        let orientation = try bus.subscribe(Self.orientation)
        #expect(orientation.initialEvents.first?["orientation"]?.objectValue?["pose"] == "portrait")
        let manner = try bus.description(of: "orientation")["source"]?.stringValue ?? ""
        #expect(manner.contains(#"read the type "le:s16/24>>0" of in_accel_y"#), "\(manner)")
    }
}
