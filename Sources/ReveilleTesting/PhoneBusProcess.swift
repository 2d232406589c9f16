// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Glibc
import Logging
import ReveilleService
import ReveilleSystem

/// What the process of a ``PhoneBus`` does in place of its main function; called by CUmockdev.
///
/// Says `ok` on stdout once it accepts connections, or the reason why it does not. Its stdin is the same socket, by
/// which the phone asks for readings; the bus ends when that does.
///
/// - Parameters:
///   - count: The number of arguments.
///   - arguments: The program, the bus's address, the directory that stands for `/`, the home directory below it,
///     and the file of the configuration.
/// - Returns: The exit code.
@c(reveille_run_phone_bus)
func runPhoneBus(count: Int32, arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?) -> Int32 {
    let words = (1..<max(1, Int(count))).map { arguments?[$0].map { String(cString: $0) } ?? "" }
    guard words.count == 4 else { return 64 }
    do {
        guard case .bytes(let text) = FileContents.read(words[3], limit: 1 << 20) else {
            throw TestbedError("\(words[3]) cannot be read")
        }
        DescriptorLimit.raise()
        let service = try Service(
            address: UnixAddress(words[0]), configuration: Configuration(parsing: text),
            files: FileLocations(root: words[1], home: words[2], configHome: nil), version: "test",
            logger: Logger(label: "reveille") { StreamLogHandler.standardError(label: $0) })
        let readings = try PhoneReadings(service, requests: UnixStream(inherited: STDIN_FILENO))
        // It listens already: a program that connects now is served as soon as it runs.
        print("ok")
        fflush(nil)
        try service.run()
        withExtendedLifetime(readings) {}
        return 0
    } catch {
        print(error)
        fflush(nil)
        return 1
    }
}

/// Reads the phone when the phone asks for it, so that each step of a test is one change.
private final class PhoneReadings {
    /// Between two looks at a phone that changes.
    private static let pause: Duration = .seconds(60)

    private let service: Service
    private let requests: UnixStream
    private var source: EventSource?

    init(_ service: Service, requests: UnixStream) throws(SystemError) {
        self.service = service
        self.requests = requests
        // Events of devices and files have a higher priority: those sent before a request are read before it.
        source = try service.loop.watch(requests.number, for: .readable) { [unowned self] _ in
            endingOnError { () throws(SystemError) in try carryOut() }
        }
    }

    /// Blocks the loop from `hold` to `read`: nothing can be read while the phone is half changed.
    private func carryOut() throws(SystemError) {
        guard try next() == .hold else { return service.loop.exit() }
        try answer()
        guard try next() == .read else { return service.loop.exit() }
        // A phone that gave up waiting asks for more at once. A hold would block what the answer needs.
        source?.rearm([])
        service.bus.broker.reread(monitoredOnly: false) { [weak self] in
            self?.endingOnError { () throws(SystemError) in try self?.answer() }
            self?.source?.rearm(.readable)
        }
    }

    /// The phone's next request; `nil` when the phone is gone.
    private func next() throws(SystemError) -> PhoneBusLink.Request? {
        while true {
            if let bytes = try requests.received(atMost: 1) {
                return bytes.first.flatMap { PhoneBusLink.Request(rawValue: $0) }
            }
            try Readiness.wait(requests.number, for: .readable, atMost: Self.pause)
        }
    }

    private func answer() throws(SystemError) {
        _ = try requests.write([0])
    }

    private func endingOnError(_ body: () throws(SystemError) -> Void) {
        do throws(SystemError) {
            try body()
        } catch {
            service.loop.exit()
        }
    }
}
