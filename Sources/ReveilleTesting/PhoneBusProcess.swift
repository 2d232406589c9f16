// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Glibc
import Logging
import ReveilleService
import ReveilleSystem

/// What the process of a ``PhoneBus`` does in place of its main function; called by CUmockdev.
///
/// Says `ok` on stdout once it accepts connections, or the reason why it does not.
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
        // It listens already; who connects now is served as soon as it runs.
        print("ok")
        fflush(nil)
        try service.run()
        return 0
    } catch {
        print(error)
        fflush(nil)
        return 1
    }
}
