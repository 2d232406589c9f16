// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Glibc
import ReveilleTesting
import Testing
import Varlink

/// The schedule of the client for Python.
@Suite(.blocking, .timeLimit(.minutes(10))) struct ClientScheduleTests {
    @Test("B120: a program in Python that is started for its entries receives their number first")
    func launchedProgram() throws {
        let bus = try BusProcess()
        let program = """
            import sys, reveille
            bus = reveille.connect()
            if len(sys.argv) > 1:
                launch = [sys.executable, "-c", sys.argv[1]]
                for number in range(3):
                    at = reveille.datetime.fromtimestamp(1 + number, reveille.timezone.utc)
                    bus.schedule(f"e{number}", "org.example.due", {"n": number}, at=at, launch=launch)
                bus.schedule("far", "org.example.far", every=3600, calendar=None)
                assert [entry["entry"]["id"] for entry in bus.scheduled()] == ["far"]
                assert bus.cancel_scheduled("far") == 1 and bus.cancel_scheduled("far") == 0
            else:
                assert reveille.launch_positions()["generations"].keys() == {"org.example.due"}
                with bus.subscribe("org.example.due") as events:
                    event = next(events)
                    with open("OUT", "a") as file:
                        print(event.changes, event.state["n"], file=file)
            """.replacing("OUT", with: bus.directory.path + "/out")
        let path = Package.root + "/Sources/Clients/Python"
        let run = try ProgramRun(
            [
                "-c", "import sys; sys.path.insert(0, '\(path)')\n" + program,
                "import sys; sys.path.insert(0, '\(path)')\n" + program,
            ], program: "python3", in: bus.directory,
            environment: ["REVEILLE_ADDRESS": bus.address])
        #expect(run.errors == "")
        #expect(run.code == 0)
        try wait(for: "the program to be started") { bus.directory.read("out") == "3 2\n" }
    }
}
