// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ArgumentParser
import Glibc
import ReveilleService
import ReveilleSystem

/// Which configuration counts, and where the user's files are.
struct FileOptions: ParsableArguments {
    @Option(help: "A configuration file; without one, the defaults count.")
    var config: String?

    @Option(
        help: """
            Look for locale and settings files below this directory. Default: $REVEILLE_ROOT, else /.
            """)
    var root: String?

    /// The configuration, checked.
    func configuration() throws(Failure) -> Configuration {
        guard let config else { return Configuration() }
        do throws(ConfigurationError) {
            return try Configuration(readingFile: config)
        } catch {
            throw Failure(.configuration, "\(error)")
        }
    }

    /// Where the files of locale and settings are.
    var locations: FileLocations {
        FileLocations.own(root: root ?? "")
    }
}
