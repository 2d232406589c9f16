// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleTesting
import Testing

/// The steps of scenarios that change the phone's documents.
@Suite(.blocking, .timeLimit(.minutes(5))) struct DocumentStepTests {
    private let scene: SimulateScene

    init() throws {
        scene = try SimulateScene()
    }

    @Test("documents that are written, renamed and removed meet the expectations") func documentsMeetExpectations()
        throws
    {
        let scenario = """
            document a one
            expect folders documents +a
            background
            document a two
            document b.part three
            rename-document b.part b
            document c four
            remove-document c
            foreground
            expect folders documents ~a changes 5
            expect folders documents +b changes 5
            rename-document a d
            expect folders documents a→d changes 1
            end
            """
        let run = try scene.simulate(scenario, ["sleep", "1000"])
        #expect(run.code == 0, "\(run.errors)")
    }

    @Test("an unmet expectation shows the differences") func unmetExpectationShowsTheDifferences() throws {
        let scenario = "document a one\nexpect folders documents -a\nend"
        let run = try scene.simulate(scenario, options: ["--patience", "0.1"], ["sleep", "1000"])
        #expect(run.code == 1)
        #expect(run.errors.contains("folders documents +a, changes 1"), "\(run.errors)")
    }

    @Test(arguments: ["document a", "document ../a text", "rename-document a", "remove-document a/b"])
    func invalidNameIsRefused(step: String) throws {
        #expect(try scene.simulate(step, ["true"]).code == 78)
    }
}
