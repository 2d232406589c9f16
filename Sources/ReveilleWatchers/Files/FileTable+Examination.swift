// SPDX-License-Identifier: Apache-2.0

import ReveilleSystem

extension FileTable {
    /// Describes the contents of each file for a person, with advice for unreadable and invalid files.
    func examination(describe: (Value) -> String) -> Examination {
        let asked = Set(paths.map { ExactText($0) })
        let found = entries.keys.filter { !asked.contains($0) }.map(\.text).sorted()
        var examination = Examination()
        for path in paths + found {
            guard let entry = entries[ExactText(path)] else { continue }
            let name = real(path)
            if let problem = entry.problem {
                examination.add(name, problem)
                examination.advice.append("repair \(name) or make it readable: \(problem)")
            } else if let value = entry.value {
                examination.add(name, describe(value))
            } else if entry.isDirectory {
                let others = entry.others == 1 ? "1 other file" : "\(entry.others) other files"
                examination.add(name, entry.others > 0 ? "directory, with \(others)" : "directory")
            } else if asked.contains(ExactText(path)) {
                examination.add(name, "no such file")
            }
        }
        return examination
    }
}
