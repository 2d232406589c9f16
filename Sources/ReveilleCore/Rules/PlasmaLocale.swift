// SPDX-License-Identifier: Apache-2.0

/// The variables that the keys of Plasma's `plasma-localerc` set at login.
package enum PlasmaLocale {
    private static let formats = [
        "LANG", "LC_NUMERIC", "LC_TIME", "LC_MONETARY", "LC_MEASUREMENT", "LC_COLLATE", "LC_CTYPE",
    ]

    /// Returns the variables that a file sets; empty values are ignored.
    package static func variables(in file: Keyfile) -> [String: String] {
        var variables: [String: String] = [:]
        for name in formats { variables[name] = file.entries["Formats/" + name] }
        variables["LANGUAGE"] = file.entries["Translations/LANGUAGE"]
        return variables.filter { !$0.value.isEmpty }
    }
}
