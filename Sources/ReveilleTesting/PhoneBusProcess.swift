// SPDX-License-Identifier: Apache-2.0

import Glibc
import Logging
import ReveilleService
import ReveilleSystem

/// Runs the bus of a ``PhoneBus`` in place of the main function; called by CUmockdev.
///
/// Prints `ok` to stdout once the bus accepts connections, or the reason for a failure. Its stdin is the same socket,
/// on which the phone requests readings; the bus ends when the socket closes. The arguments are the address of the bus,
/// the directory that represents `/`, the home directory below it, and the configuration file.
@_cdecl("reveille_run_phone_bus")
func runPhoneBus(count: Int32, arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?) -> Int32 {
    let words = (1..<max(1, Int(count))).map { arguments?[$0].map { String(cString: $0) } ?? "" }
    guard words.count == 4 else { return 64 }
    do {
        DescriptorLimit.raise()
        var sleep: PhoneSleep?
        let service = try Service(
            address: UnixAddress(words[0]), configuration: ConfigurationFile(path: words[3]).read(),
            files: FileLocations(root: words[1], home: words[2], configHome: nil),
            sleep: { loop in
                let phone = PhoneSleep(loop: loop)
                sleep = phone
                return phone
            },
            // The user's service manager would start programs outside the phone.
            messageBus: SyntheticPhone.messageBus(files: words[1]), version: "test",
            logger: Logger(label: "reveille") { StreamLogHandler.standardError(label: $0) })
        let readings = try PhoneReadings(service, sleep, requests: UnixStream(inherited: STDIN_FILENO))
        // The bus is listening already: connections made now are accepted once the loop runs.
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

/// Reads the phone on request, so that each step of a test is one change, and lets it sleep.
private final class PhoneReadings {
    /// The timeout of a wait for the next request, after which the wait is repeated.
    private static let pause: Duration = .seconds(60)

    private let service: Service
    private let sleep: PhoneSleep?
    private let requests: UnixStream
    private var source: EventSource?

    init(_ service: Service, _ sleep: PhoneSleep?, requests: UnixStream) throws(SystemError) {
        self.service = service
        self.sleep = sleep
        self.requests = requests
        // Device and file events have a higher priority, so the bus reads earlier events before a request.
        source = try service.loop.watch(requests.number, for: .readable) { [unowned self] _ in
            endingOnError { () throws(SystemError) in try carryOut() }
        }
    }

    private func carryOut() throws(SystemError) {
        switch try next() {
        case .hold:
            // The loop is blocked until `read`, so that nothing is read while the phone is being changed.
            try answer()
            guard try next() == .read else { return service.loop.exit() }
            finish()
        case .sleep:
            let bytes = try received(8)
            guard bytes.count == 8 else { return service.loop.exit() }
            source?.rearm([])
            sleep?.sleep(for: bytes.withUnsafeBytes { $0.loadUnaligned(as: UInt64.self) }) { [weak self] in
                self?.finish()
            }
        case .read, nil: service.loop.exit()
        }
    }

    private func finish() {
        // A phone that timed out sends another request at once. A hold would block events that the reply needs.
        source?.rearm([])
        service.bus.server.reread(monitoredOnly: false) { [weak self] in
            self?.endingOnError { () throws(SystemError) in try self?.answer() }
            self?.source?.rearm(.readable)
        }
    }

    /// Returns the phone's next request, or `nil` if the phone is gone.
    private func next() throws(SystemError) -> PhoneBusLink.Request? {
        try received(1).first.flatMap { PhoneBusLink.Request(rawValue: $0) }
    }

    private func received(_ count: Int) throws(SystemError) -> [UInt8] {
        while true {
            if let bytes = try requests.received(atMost: count) { return bytes }
            try Readiness.wait(requests.number, for: .readable, atMost: Self.pause)
        }
    }

    private func answer() throws(SystemError) {
        _ = try requests.write([UInt8(0)].span)
    }

    private func endingOnError(_ body: () throws(SystemError) -> Void) {
        do throws(SystemError) {
            try body()
        } catch {
            service.loop.exit()
        }
    }
}
