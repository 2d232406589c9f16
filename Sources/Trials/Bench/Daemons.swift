// SPDX-License-Identifier: Apache-2.0

import CSystemd
import Glibc
import ReveilleSystem
import ReveilleTesting

/// iio-sensor-proxy with a client of both sensors, and UPower, on a D-Bus of their own.
final class Daemons {
    static let names = ["iio-sensor-proxy", "UPower"]

    /// The attempts to call a program that is starting, and the pause between them in milliseconds.
    private static let attempts = (count: 100, pause: Int32(100))

    private let directory: TemporaryDirectory
    private let processes: [ChildProcess]
    private var client: OpaquePointer?

    init(on phone: SyntheticPhone) throws {
        directory = try TemporaryDirectory(forSocket: "/bus")
        let address = "unix:path=\(directory.path)/bus"
        var environment = phone.testbed.environment
        environment["DBUS_SYSTEM_BUS_ADDRESS"] = address
        environment["UPOWER_HISTORY_DIR"] = directory.path
        let null = OwnedDescriptor(open("/dev/null", O_WRONLY | O_CLOEXEC))
        let start = { (arguments: [String]) in
            try ChildProcess(
                ["setpriv", "--pdeathsig", "KILL"] + arguments, environment: environment,
                descriptors: [1: null.number, 2: null.number])
        }
        let bus = try start(["dbus-daemon", "--session", "--nofork", "--nopidfile", "--address=" + address])
        for _ in 0..<Self.attempts.count where access(directory.path + "/bus", F_OK) != 0 {
            poll(nil, 0, Self.attempts.pause)
        }
        processes = try [["iio-sensor-proxy"], ["upowerd"]].map(start) + [bus]
        guard sd_bus_new(&client) >= 0, sd_bus_set_address(client, address) >= 0,
            sd_bus_set_bus_client(client, 1) >= 0, sd_bus_start(client) >= 0
        else { throw BenchError("dbus-daemon is not installed or does not start") }
        let proxy = "net.hadess.SensorProxy"
        for sensor in ["Accelerometer", "Proximity"] {
            try call("Claim" + sensor, of: proxy, at: "/net/hadess/SensorProxy")
        }
        try call("EnumerateDevices", of: "org.freedesktop.UPower", at: "/org/freedesktop/UPower")
    }

    deinit {
        sd_bus_close_unref(client)
        for process in processes {
            process.signal(SIGTERM)
            process.wait()
        }
    }

    var usages: [ProcessUsage] { zip(processes, Self.names).map { process, _ in ProcessUsage(pid: process.pid) } }

    /// Calls a method without arguments, of the interface with the program's name, until it succeeds.
    private func call(_ member: String, of name: String, at path: String) throws {
        for _ in 0..<Self.attempts.count {
            var message: OpaquePointer?
            defer { sd_bus_message_unref(message) }
            if sd_bus_message_new_method_call(client, &message, name, path, name, member) >= 0,
                sd_bus_call(client, message, 0, nil, nil) >= 0
            {
                return
            }
            poll(nil, 0, Self.attempts.pause)
        }
        throw BenchError("\(name) is not installed, or does not answer \(member)")
    }
}
