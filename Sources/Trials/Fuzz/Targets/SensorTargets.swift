// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleSimulation
import ReveilleWatchers

/// Checks that a matrix survives being written and parsed, that exchanging rows changes its sign, and that every sample
/// results in a pose and a plausible motion, or in nothing.
enum MatrixTarget {
    static func check(_ bytes: [UInt8]) throws(Broken) {
        guard let matrix = MountMatrix(String(decoding: bytes, as: UTF8.self)) else { return }
        let text = matrix.description
        try requireEqual(MountMatrix(text), matrix, "a matrix after encoding")
        let rows = text.split(separator: "; ")
        let turned = MountMatrix([rows[0], rows[2], rows[1]].joined(separator: "; "))
        if matrix.determinant.isFinite {
            try requireEqual(turned?.determinant, -matrix.determinant, "the sign after exchanging rows")
        }
        for axis in 0..<3 {
            let unit = Vector(x: axis == 0 ? 1 : 0, y: axis == 1 ? 1 : 0, z: axis == 2 ? 1 : 0)
            let column = matrix.applied(to: unit)
            try require(
                [column.x, column.y, column.z].allSatisfy(\.isFinite), "the result \(column) is finite")
            for frame in OrientationFrame.allCases {
                let sample = Vector(x: 9.8 * unit.x, y: 9.8 * unit.y, z: 9.8 * unit.z)
                let rule = MotionRule(frame, matrix: matrix, isHID: axis == 0)
                for vector in [rule.acceleration(sample), rule.rotation(sample)] {
                    try require((0...1_000).contains(vector?.length ?? 0), "the motion \(vector as Any) is plausible")
                }
                let gravity = frame.gravity(sample, matrix: matrix, isHID: axis == 0)
                var unit = GravityUnit(isStated: column.x < 0)
                for _ in 0..<3 {
                    guard let gravity = unit.gravity(gravity) else { continue }
                    try require((0.49...1.51).contains(gravity.length), "gravity \(gravity) is plausible")
                    let reading = OrientationRule.reading(at: gravity, last: .unknown)
                    try require(reading.pose != .unknown, "a reading has a pose")
                }
            }
        }
    }
}

/// Checks that each value is in the range of its type, and that only whole scans are read.
///
/// The input is a line of types, followed by the bytes of scans.
enum ScanTarget {
    static func check(_ bytes: [UInt8]) throws(Broken) {
        var input = FuzzInput(bytes)
        let elements = input.line().split(separator: " ").compactMap { ScanElement(String($0)) }
        let layout = ScanLayout(elements, wanted: Array(elements.indices))
        let scans = Array(input.rest)
        let sizes = elements.map(\.bytes)
        try require(layout.bytes >= sizes.reduce(0, +), "room for every channel")
        for size in sizes { try require(layout.bytes.isMultiple(of: size), "a scan is aligned to each channel") }
        let values = layout.last(of: scans)
        try requireEqual(
            values != nil, !elements.isEmpty && scans.count >= layout.bytes, "values of a whole scan")
        for (element, value) in zip(elements, values ?? []) {
            let top = Double(sign: .plus, exponent: element.isSigned ? element.bits - 1 : element.bits, significand: 1)
            try require((element.isSigned ? -top : 0)...top ~= value, "\(value) has \(element.bits) bits")
        }
        guard let values, layout.bytes > 0 else { return }
        let whole = scans.prefix(scans.count / layout.bytes * layout.bytes)
        try requireEqual(
            layout.last(of: Array(whole.suffix(layout.bytes))), values, "the last scan alone and after others")
    }
}

/// Checks that every level is 0 to 1 or absent and that numbers are finite, for any text of a driver.
///
/// The input consists of lines `attribute=text`; an empty line begins the next supply.
enum SysfsTarget {
    /// More bits than the kernel has of any kind (KEY_MAX is 767).
    private static let mostBits = 1_024

    static func check(_ bytes: [UInt8]) throws(Broken) {
        let text = String(decoding: bytes, as: UTF8.self)
        var supplies = [PowerSupply(name: "0", attributes: [:])]
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            let halves = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            if halves.count == 2 {
                supplies[supplies.count - 1][halves[0]] = halves[1]
                let number = SysfsText.number(halves[1])
                try require(number?.isFinite != false, "the number \(halves[1]) is finite")
                if let number { try checkProximity(number) }
                if let number { try checkLight(number) }
            } else if line.isEmpty {
                supplies.append(PowerSupply(name: "\(supplies.count)", attributes: [:]))
            }
        }
        try check(PowerRule.reading(of: supplies))
        for isMacBook in [false, true] { try check(BatteryRule.reading(of: supplies, isMacBook: isMacBook)) }
        let bits = InputBits(text)
        let set = (0..<mostBits).filter(bits.contains).count
        try require(set <= 4 * bytes.count, "there are at most four bits per digit")
        try checkFrequency(supplies[0].attributes)
    }

    private static func check(_ reading: Battery) throws(Broken) {
        for level in [reading.level] + reading.packs.map(\.level) {
            try require(level.map { (0...1).contains($0) } ?? true, "the level \(level ?? 0) is from 0 to 1")
        }
        try requireEncodable(.battery(reading))
        var filter = LevelFilter(step: 0.01, interval: .seconds(60))
        let now = Instant(microseconds: 0)
        try requireEqual(filter.offer(reading, at: now), reading, "the filter's output for a first reading")
        try requireEqual(filter.offer(reading, at: now), nil, "the filter's output for an equal reading")
    }

    private static func check(_ reading: Power) throws(Broken) {
        for mean in [reading.power, -1e-300, 1e-300, -1e300, 1e300, -1, 1] {
            let reading = PowerRule.reading(reading, atMean: mean)
            let numbers = [reading.power, reading.energy, reading.energyFull].compactMap { $0 }
            try require(numbers.allSatisfy { $0.isFinite }, "the numbers of \(reading) are finite")
            try require(reading.health.map { (0...1).contains($0) } ?? true, "the health is from 0 to 1")
            try require(min(reading.secondsToEmpty ?? 0, reading.secondsToFull ?? 0) >= 0, "a time is not negative")
            try requireEncodable(.power(reading))
            var filter = PowerFilter()
            try requireEqual(filter.offer(reading), reading, "the filter's output for a first reading")
            try requireEqual(filter.offer(reading), nil, "the filter's output for an equal reading")
        }
    }

    private static func checkProximity(_ value: Double) throws(Broken) {
        guard let rule = ProximityRule(nearLevel: value) else { return }
        try requireEqual(rule.state(at: value, last: .far), .near, "the state at the near level")
        try requireEqual(rule.state(at: 0, last: .near), .far, "the state at 0")
    }

    private static func checkLight(_ value: Double) throws(Broken) {
        for rule in [LightRule(offset: value, scale: 1), LightRule(offset: 0, scale: value)] {
            guard let lux = rule?.lux(value) else { continue }
            try require(0...LightRule.limit ~= lux, "the illuminance \(lux) is possible")
        }
    }

    private static func checkFrequency(_ attributes: [String: String]) throws(Broken) {
        let current = attributes["sampling_frequency"]
        let list = attributes["sampling_frequency_available"]
        for wanted in [10.0, 100] {
            guard let lowest = SamplingFrequency.lowest(atLeast: wanted, available: list) else { continue }
            try require(SysfsText.number(lowest) != nil, "the frequency \(lowest) is a number")
        }
        guard let raised = SamplingFrequency.raised(from: current, available: list) else { return }
        let isHigher = (SysfsText.number(raised) ?? 0) > (SysfsText.number(current) ?? 0)
        try require(isHigher && list?.contains(raised) == true, "the frequency \(raised) is higher and listed")
    }
}
