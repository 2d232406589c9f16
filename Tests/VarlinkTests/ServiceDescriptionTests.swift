// SPDX-License-Identifier: Apache-2.0

import Testing
import Varlink

@Suite struct ServiceDescriptionTests {
    private func answer(_ method: String, _ parameters: JSONObject = [:]) throws -> Result<Reply, CallError>? {
        let service = ServiceDescription(
            vendor: "Example", product: "Lamps", version: "1.0", url: "https://example.org/lamps",
            interfaces: [try SampleInterface.parsed()])
        return service.answer(Call(method: method, parameters: parameters))
    }

    @Test("V36: GetInfo lists every interface, including its own")
    func infoListsEveryInterface() throws {
        #expect(
            try answer("org.varlink.service.GetInfo")
                == .success(
                    Reply(parameters: [
                        "vendor": "Example", "product": "Lamps", "version": "1.0", "url": "https://example.org/lamps",
                        "interfaces": ["org.varlink.service", "org.example.sample-2.Lamp"],
                    ])))
    }

    @Test("V37: a definition is returned with its comments")
    func descriptionIsTheWholeText() throws {
        let method = "org.varlink.service.GetInterfaceDescription"
        #expect(
            try answer(method, ["interface": "org.example.sample-2.Lamp"])
                == .success(Reply(parameters: ["description": .string(SampleInterface.text)])))
        #expect(
            try answer(method, ["interface": "org.varlink.service"])
                == .success(Reply(parameters: ["description": .string(Interface.service.text)])))
    }

    @Test("V37: the definition of an unknown interface is not found")
    func descriptionOfAnUnknownInterfaceIsNotFound() throws {
        #expect(
            try answer("org.varlink.service.GetInterfaceDescription", ["interface": "a.b"])
                == .failure(.interfaceNotFound("a.b")))
    }

    @Test(
        "V38: invalid calls are rejected",
        arguments: [
            ("a.b.C", [:], .interfaceNotFound("a.b")), ("GetInfo", [:], .interfaceNotFound("")),
            ("org.varlink.service.GetNothing", [:], .methodNotFound("org.varlink.service.GetNothing")),
            ("org.varlink.service.GetInfo", ["x": 1], .invalidParameter("x")),
            ("org.varlink.service.GetInterfaceDescription", [:], .invalidParameter("interface")),
            ("org.varlink.service.GetInterfaceDescription", ["interface": 1], .invalidParameter("interface")),
            ("org.example.sample-2.Lamp.Break", [:], .methodNotFound("org.example.sample-2.Lamp.Break")),
            ("org.example.sample-2.Lamp.Set", [:], .invalidParameter("lamp")),
        ] as [(String, JSONObject, CallError)])
    func invalidCallsAreRejected(method: String, parameters: JSONObject, error: CallError) throws {
        #expect(try answer(method, parameters) == .failure(error))
    }

    @Test func validCallsAreLeftToTheService() throws {
        #expect(try answer("org.example.sample-2.Lamp.Empty") == nil)
    }

    @Test("V36: org.varlink.service is as specified")
    func serviceInterfaceIsComplete() {
        let service = Interface.service
        #expect(service.name == "org.varlink.service")
        #expect(service.methods.keys.sorted() == ["GetInfo", "GetInterfaceDescription"])
        #expect(
            service.methods["GetInfo"]?.output.fields.map(\.name)
                == ["vendor", "product", "version", "url", "interfaces"])
        #expect(service.methods["GetInterfaceDescription"]?.input.fields.map(\.name) == ["interface"])
    }
}
