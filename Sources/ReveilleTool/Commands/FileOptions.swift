// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ArgumentParser
import Glibc
import ReveilleService
import ReveilleSystem

/// The options that name the configuration and the location of the user's files.
struct FileOptions: ParsableArguments {
    @Option(help: "The configuration file. Default: none; every key has a default.")
    var config: String?

    @Option(
        help: """
            The directory below which locale files, settings files and files that describe the device are read. \
            Default: $REVEILLE_ROOT, else /.
            """)
    var root: String?

    /// Returns the validated configuration.
    func configuration() throws(Failure) -> Configuration {
        guard let config else { return Configuration() }
        do throws(ConfigurationError) {
            return try Configuration(readingFile: config)
        } catch {
            throw Failure(.configuration, "\(error)")
        }
    }

    var locations: FileLocations {
        FileLocations.own(root: root ?? "")
    }
}
