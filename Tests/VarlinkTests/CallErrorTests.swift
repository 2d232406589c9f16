// SPDX-License-Identifier: Apache-2.0

import Testing
import Varlink

@Suite struct CallErrorTests {
    @Test(
        "V38: the errors of org.varlink.service have their names and parameters",
        arguments: [
            (
                CallError.interfaceNotFound("a.b"),
                #"{"error":"org.varlink.service.InterfaceNotFound","parameters":{"interface":"a.b"}}"#
            ),
            (
                .methodNotFound("a.b.C"),
                #"{"error":"org.varlink.service.MethodNotFound","parameters":{"method":"a.b.C"}}"#
            ),
            (
                .methodNotImplemented("a.b.C"),
                #"{"error":"org.varlink.service.MethodNotImplemented","parameters":{"method":"a.b.C"}}"#
            ),
            (
                .invalidParameter("x"),
                #"{"error":"org.varlink.service.InvalidParameter","parameters":{"parameter":"x"}}"#
            ),
            (.permissionDenied, #"{"error":"org.varlink.service.PermissionDenied"}"#),
            (.expectedMore, #"{"error":"org.varlink.service.ExpectedMore"}"#),
        ])
    func errorsOfTheServiceInterfaceHaveTheirNames(error: CallError, text: String) {
        #expect(Reply(error).encoded() == utf8(text + "\0"))
    }

    @Test("V39: every error of org.varlink.service is declared with its parameters")
    func errorsOfTheServiceInterfaceAreDeclared() {
        let errors: [CallError] = [
            .interfaceNotFound(""), .methodNotFound(""), .methodNotImplemented(""),
            .invalidParameter("", "is required"), .permissionDenied, .expectedMore,
        ]
        #expect(errors.count == Interface.service.errors.count)
        for error in errors {
            let declared = Interface.service.errors[Call(method: error.name).member]
            #expect(declared?.fields.map(\.name) == error.details.members.map(\.name))
            #expect(Call(method: error.name).interface == Interface.service.name)
        }
    }

    @Test func errorOfAReplyEqualsTheOneSent() {
        let error = CallError(name: "a.b.E", parameters: ["x": 1])
        #expect(CallError(Reply(error)) == error)
        #expect(CallError(Reply()) == nil)
    }

    @Test func errorsPrintTheirParameters() {
        #expect(CallError.expectedMore.description == "org.varlink.service.ExpectedMore")
        #expect(CallError(name: "a.b.E", parameters: ["x": 1]).description == #"a.b.E {"x":1}"#)
    }
}
