// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

/// Which keys of Plasma's `plasma-localerc` set which variables at login.
package enum PlasmaLocale {
    private static let formats = [
        "LANG", "LC_NUMERIC", "LC_TIME", "LC_MONETARY", "LC_MEASUREMENT", "LC_COLLATE", "LC_CTYPE",
    ]

    /// The variables that a file sets; an empty key sets none.
    package static func variables(in file: Keyfile) -> [String: String] {
        var variables: [String: String] = [:]
        for name in formats { variables[name] = file.entries["Formats/" + name] }
        variables["LANGUAGE"] = file.entries["Translations/LANGUAGE"]
        return variables.filter { !$0.value.isEmpty }
    }
}
