// SPDX-License-Identifier: Apache-2.0

package import ReveilleCore
package import ReveilleFleetCore

/// Decides on requests: every web page and every user of the machine can send one.
///
/// Pure.
package struct Gate: Sendable {
    /// The longest request line with headers, in bytes: browsers send less than 1 KiB, apart from other programs'
    /// cookies.
    package static let headerLimit = 8 << 10
    /// Any other host is a name that an attacker has pointed at this machine (DNS rebinding).
    private static let hostNames = ["127.0.0.1", "localhost", "[::1]"]
    /// The port that browsers leave out.
    private static let usualPort: UInt16 = 80

    package enum Decision: Sendable, Hashable {
        /// A cookie with the token, and a redirection to the page's address without the token.
        case cookie(PageFile)
        case file(PageFile)
        case stream(Positions?)
        case fleet(BoardPosition?)
        /// The states of a device of the fleet.
        case device(DeviceID)
        case changes(Aspect)
        case aspects
        case subscriptions
        case battery(BatterySpan)
    }

    private let port: UInt16
    private let token: AccessToken
    private let hosts: [String]
    private let hasFleet: Bool

    package init(port: UInt16, token: AccessToken, hasFleet: Bool = false) {
        self.port = port
        self.token = token
        self.hasFleet = hasFleet
        hosts = Self.hostNames.map { "\($0):\(port)" } + (port == Self.usualPort ? Self.hostNames : [])
    }

    package var address: String {
        "http://127.0.0.1:\(port)\((hasFleet ? PageFile.fleetPage : .page).rawValue)?token=\(token)"
    }

    /// The name contains the port, because cookies belong to a host with all its ports.
    package var cookieName: String { "reveille-view-\(port)" }

    /// The cookie lasts as long as the browser's session; no script can read it, and no other site's request carries it.
    package var cookie: String { "\(cookieName)=\(token); Path=/; HttpOnly; SameSite=Strict" }

    /// Decides on a request; one that another site may have caused learns nothing about the token.
    package func decide(_ request: PageRequest) throws(Refusal) -> Decision {
        guard request.headerSize <= Self.headerLimit else { throw .header }
        try checkOrigin(of: request)
        guard ["GET", "HEAD"].contains(request.method) else { throw .method(request.method) }
        guard request.values(of: "transfer-encoding").isEmpty,
            request.values(of: "content-length").allSatisfy({ $0 == "0" })
        else { throw .body }
        if let given = try request.argument("token") {
            guard token.matches(given) else { throw .wrongToken }
            guard let page = PageFile(rawValue: request.path), page.isPage, hasFleet || !page.isOfFleet else {
                throw .notFound(request.path)
            }
            return .cookie(page)
        }
        guard request.cookies(cookieName).contains(where: token.matches) else { throw .noToken }
        return try route(request)
    }

    private func checkOrigin(of request: PageRequest) throws(Refusal) {
        let given = request.values(of: "host")
        guard given.count == 1, hosts.contains(given[0]) else {
            let names = hosts.joined(separator: ", ")
            let found = given.isEmpty ? "absent" : given.map(Refusal.quoted).joined(separator: ", ")
            throw .forbidden("The header Host must be one of \(names), once; it is \(found).")
        }
        // Browsers send these, and no page can change them. Other programs need not send them.
        for site in request.values(of: "sec-fetch-site") where !["same-origin", "none"].contains(site) {
            throw .forbidden("A page of another site cannot use this one (Sec-Fetch-Site is \(Refusal.quoted(site))).")
        }
        for origin in request.values(of: "origin") where origin != "http://" + given[0] {
            throw .forbidden("A page of another site cannot use this one (Origin is \(Refusal.quoted(origin))).")
        }
    }

    private func position<Position>(
        in request: PageRequest, _ parse: (String) -> Position?, form: String
    ) throws(Refusal) -> Position? {
        // A reconnecting browser sends the header; the address still has the position of the first connection.
        let headers = request.values(of: "last-event-id")
        guard headers.count <= 1 else { throw .badRequest("The header Last-Event-ID is given more than once.") }
        let resume = try request.argument("resume")
        guard let text = headers.first ?? resume, !text.isEmpty else { return nil }
        guard let position = parse(text) else {
            throw .badRequest("\(Refusal.quoted(text)) is not a position: \(form).")
        }
        return position
    }

    private func route(_ request: PageRequest) throws(Refusal) -> Decision {
        if let file = PageFile(rawValue: request.path) {
            guard hasFleet || !file.isOfFleet else { throw .noFleet }
            return .file(file)
        }
        switch request.path {
        case "/events":
            let form = "an instance, and ~ASPECT:GENERATION for each aspect"
            return .stream(try position(in: request, { Positions($0) }, form: form))
        case "/fleet/events":
            guard hasFleet else { throw .noFleet }
            return .fleet(try position(in: request, { BoardPosition($0) }, form: "BOARD~NUMBER"))
        case "/fleet/device":
            guard hasFleet else { throw .noFleet }
            let text = try request.argument("device") ?? ""
            guard let device = try? DeviceID(text) else {
                throw .badRequest("The argument device must be the name of a device, not \(Refusal.quoted(text)).")
            }
            return .device(device)
        case "/changes":
            let text = try request.argument("aspect") ?? ""
            guard let aspect = Aspect(text), !aspect.isPattern else {
                throw .badRequest("The argument aspect must be the name of an aspect, not \(Refusal.quoted(text)).")
            }
            return .changes(aspect)
        case "/aspects": return .aspects
        case "/subscriptions": return .subscriptions
        case "/battery":
            let text = try request.argument("span") ?? BatterySpan.day.rawValue
            guard let span = BatterySpan(rawValue: text) else {
                throw .badRequest("The argument span must be day, week or month, not \(Refusal.quoted(text)).")
            }
            return .battery(span)
        default: throw .notFound(request.path)
        }
    }
}
