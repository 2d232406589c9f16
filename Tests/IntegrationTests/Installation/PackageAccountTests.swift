// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleTesting
import Testing

/// The users that packages create for their services.
@Suite(.blocking, .timeLimit(.minutes(10))) struct PackageAccountTests {
    @Test(arguments: ["reveille", "reveille-fleet", "reveille-sensor-proxy"])
    func `A package does not adopt an account that can log in`(package: String) throws {
        let directory = try TemporaryDirectory()
        let script = "Scripts/packaging/debian/\(package).preinst"
        let accounts = [
            ("", 0), ("\(package):x:999:999::/:/usr/sbin/nologin", 0), ("\(package):x:999:999::/:/bin/false", 0),
            ("\(package):x:1000:1000::/home:/bin/bash", 1), ("\(package):x:1000:1000::/home:", 1),
        ]
        for (account, code) in accounts {
            let found = account.isEmpty ? "exit 2" : "echo '\(account)'"
            try directory.write("#!/bin/sh\n[ \"$*\" = 'passwd \(package)' ] || exit 1\n\(found)\n", to: "getent")
            chmod(directory.path + "/getent", 0o755)
            let path = ["PATH": directory.path + ":/usr/bin:/bin"]
            let run = try ProgramRun([script, "install"], program: "sh", in: directory, environment: path)
            #expect(run.code == code, "\(account)")
            #expect(run.errors.contains("the account '\(package)' can log in") == (code == 1), "\(run.errors)")
            #expect(try ProgramRun([script, "upgrade"], program: "sh", in: directory, environment: path).code == 0)
        }
    }
}
