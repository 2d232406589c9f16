// SPDX-License-Identifier: Apache-2.0

import Reveille

// What people write around a call, at top level and in functions that throw.

do {
    let device = try await Device.connect(to: "unix:/nowhere/socket")
    print(try await device.state(of: .battery))
} catch let error as ReveilleError where error.code == .noBus {
    print("no bus")
} catch {
    print(error)
}

func publish(on device: Device) async throws {
    do {
        try await device.publish(PublishedName("org.example.volume"), ["level": 0.4])
    } catch let error as ReveilleError where error.code == .noBus || error.code == .timeout {
        print("later")
    } catch let error as ReveilleError where error.code == .quotaExceeded {
        print(error.parameters["quota"] ?? "")
    }
}

func levels() async throws {
    try await withDevice { device in
        do {
            for try await battery in device.updates(of: .battery) { print(battery.level as Any) }
        } catch let error as ReveilleError {
            switch error.code {
            case .noBus, .timeout: print("away")
            default: throw error
            }
        } catch is CancellationError {
            print("cancelled")
        }
    }
}
