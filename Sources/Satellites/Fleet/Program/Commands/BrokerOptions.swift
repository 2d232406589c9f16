// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ArgumentParser
import ReveilleConsole
import ReveilleFleet
import ReveilleFleetCore
import ReveilleSystem

/// The options that name the broker, and the identity that is shown to it.
struct BrokerOptions: ParsableArguments {
    /// The longest file of a password in bytes.
    private static let passwordLimit = 64 << 10
    /// The broker without an option: one on this machine, as for a first try.
    private static let usual = "localhost"

    @Option(
        help: """
            The broker: mqtts://HOST[:PORT], unix:PATH, or a host alone; mqtt://HOST[:PORT] on this machine. Default: \
            $REVEILLE_BROKER, else localhost.
            """)
    var broker: String?

    @Option(
        help: ArgumentHelp(
            "The certificates that may sign that of the broker, in PEM. Default: those of this system.",
            valueName: "file"))
    var ca: String?

    @Option(help: ArgumentHelp("The certificate that is shown to the broker, in PEM.", valueName: "file"))
    var certificate: String?

    @Option(help: ArgumentHelp("The private key of the certificate, in PEM.", valueName: "file"))
    var key: String?

    @Option(help: "The name of the user, if the broker does not take it from the certificate.")
    var user: String?

    @Option(help: ArgumentHelp("The file with the user's password.", valueName: "file"))
    var passwordFile: String?

    @Option(help: "The least important messages on stderr. Default: $LOG_LEVEL, else info.")
    var logLevel: LogLevel?

    func validate() throws {
        if (certificate == nil) != (key == nil) {
            throw ValidationError("--certificate and --key need each other")
        }
        if passwordFile != nil, user == nil { throw ValidationError("--password-file needs --user") }
    }

    /// The log for messages about the fleet.
    func log() throws(Failure) -> ProgramLog {
        do throws(LogLevel.Invalid) {
            return ProgramLog(of: FleetCommand.name, level: try LogLevel.chosen(logLevel))
        } catch {
            throw Failure(.usage, "\(error)")
        }
    }

    /// Returns how the broker is reached.
    func access() throws(Failure) -> BrokerAccess {
        var access: BrokerAccess
        do throws(FleetError) {
            access = BrokerAccess(try BrokerAddress(broker ?? Environment["REVEILLE_BROKER"] ?? Self.usual))
        } catch {
            throw Failure(error)
        }
        (access.ca, access.certificate, access.key) = (ca, certificate, key)
        access.user = user
        access.password = try passwordFile.map { path throws(Failure) in try Self.password(in: path) }
        return access
    }

    /// Returns the first line of a file.
    private static func password(in path: String) throws(Failure) -> String {
        let problem: String
        switch FileContents.read(path, limit: passwordLimit) {
        case .bytes(let bytes):
            guard let text = String(validating: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self), !text.isEmpty
            else { throw Failure(.usage, "\(path): the first line must be the password") }
            return text
        case .missing: problem = "\(path) does not exist"
        case .notAFile: problem = "\(path) is not a regular file"
        case .tooLarge: problem = "\(path): a password has at most \(passwordLimit) bytes"
        case .unreadable(let error): problem = "\(error)"
        }
        throw Failure(.usage, problem)
    }
}

extension LogLevel: ExpressibleByArgument {}
