// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

extension StateForm {
    static var defaults: StateForm {
        StateForm(
            mainField: "domains",
            fields: [
                "domains": .other("a list of domains, each with domain, path, keys and opaque"),
                "domains.domain": .text, "domains.path": .other("a path that is unique among the domains"),
                "domains.keys": .list("a list of keys"), "domains.opaque": .other("true or false"),
            ],
            alternative: " with the field domains"
        ) { _ in nil }
    }
}
