// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ReveilleConsole
import ReveilleService
import ReveilleSystem

struct FileOptions: ParsableArguments {
    @Option(
        help: "The configuration file. Default: $REVEILLE_CONFIG if it exists; every key has a default.",
        completion: .file())
    var config: String?

    @Option(
        help: """
            The directory below which locale files, settings files and files that describe the device are read. \
            Default: $REVEILLE_ROOT, else /.
            """, completion: .directory)
    var root: String?

    /// The file that the option names, otherwise the environment's file, which need not exist.
    var file: ConfigurationFile? {
        config.map { ConfigurationFile(path: $0, isOptional: false) }
            ?? Environment["REVEILLE_CONFIG"].map { ConfigurationFile(path: $0, isOptional: true) }
    }

    func configuration() throws(Failure) -> Configuration {
        try Failure.coded(.configuration) { try file?.read() ?? Configuration() }
    }

    var locations: FileLocations {
        FileLocations.own(root: root ?? "")
    }
}
