// SPDX-License-Identifier: Apache-2.0

import ReveilleSystem
import ReveilleTesting

/// The compiler of programs that use the libraries of this build.
enum SwiftCompiler {
    /// Type-checks a program, and returns what the compiler said.
    static func check(_ program: String) throws -> ProgramRun {
        let directory = try TemporaryDirectory()
        try directory.write(program, to: "main.swift")
        let build = ChildProcess.sibling(".")
        let maps = [
            "\(Package.root)/Sources/CUdev/module.modulemap", "\(Package.root)/Sources/CSystemd/module.modulemap",
            "\(Package.root)/Sources/Satellites/Fleet/CMosquitto/module.modulemap",
            "\(build)/CReveilleLinux.build/module.modulemap", "\(build)/CUmockdev.build/module.modulemap",
        ]
        return try ProgramRun(
            ["-typecheck", "-swift-version", "6", "-I", "\(build)/Modules"]
                + maps.flatMap { ["-Xcc", "-fmodule-map-file=\($0)"] } + [directory.path + "/main.swift"],
            program: "swiftc", in: directory)
    }
}
