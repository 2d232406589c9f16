// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

extension StateForm {
    /// The fields for conditions; states of folders are not posted.
    static var folders: StateForm {
        StateForm(
            mainField: "folders",
            fields: [
                "folders": .other("a list of folders"), "folders.name": .text, "folders.path": .text,
                "folders.added": .list("a list of names"), "folders.removed": .list("a list of names"),
                "folders.changed": .list("a list of names"), "folders.renamed": .other("a list of renames"),
                "folders.renamed.from": .text, "folders.renamed.to": .text,
                "folders.rescan": .other("true or false"),
            ],
            alternative: ""
        ) { _ in nil }
    }
}
