// SPDX-License-Identifier: Apache-2.0

import Reveille

enum TopEffect: Hashable, Sendable {
    case quit
    case redraw
    case change(TopChange)
}

struct TopChange: Hashable, Sendable {
    enum State: Hashable, Sendable { case background, foreground, suspended }

    var subscription: String
    var name: String
    var state: State
}

extension TopModel {
    /// The number of characters of a filter: more than any name needs.
    private static let filterLimit = 64

    mutating func press(_ key: Key) -> TopEffect? {
        if key == .redraw { return .redraw }
        if isTyping {
            type(key)
            return nil
        }
        if showsHelp {
            showsHelp = false
            return key == .character("q") || key == .endOfInput ? .quit : nil
        }
        message = nil
        switch key {
        case .character("q"), .endOfInput: return .quit
        case .character("?"): showsHelp = true
        case .character("/"): isTyping = true
        case .escape: setFilter("")
        case .tab: focus = focus == .aspects ? .subscriptions : .aspects
        case .character("h"): return change(to: .background)
        case .character("w"): return change(to: .foreground)
        case .character("s"): return change(to: .suspended)
        case .character("o"): focus == .aspects ? aspects.chooseNextOrder() : subscriptions.chooseNextOrder()
        case .character("r"): focus == .aspects ? aspects.reverse() : subscriptions.reverse()
        default: if let distance = distance(of: key) { move(by: distance) }
        }
        return nil
    }

    private func distance(of key: Key) -> Int? {
        // One row less than a page: the common row helps to find the place again.
        let page = max(1, (focus == .aspects ? layout.aspects : layout.subscriptions).count - 1)
        return switch key {
        case .up, .character("k"): -1
        case .down, .character("j"): 1
        case .pageUp: -page
        case .pageDown, .character(" "): page
        case .home, .character("g"): -Int.max
        case .end, .character("G"): Int.max
        default: nil
        }
    }

    private mutating func move(by distance: Int) {
        switch focus {
        case .aspects: aspects.move(by: distance)
        case .subscriptions: subscriptions.move(by: distance)
        }
    }

    private mutating func type(_ key: Key) {
        switch key {
        case .enter, .tab: isTyping = false
        case .escape, .endOfInput:
            isTyping = false
            setFilter("")
        case .backspace: setFilter(String(filter.dropLast()))
        case .eraseLine: setFilter("")
        case .character(let character) where filter.count < Self.filterLimit: setFilter(filter + String(character))
        case .character: break
        default: if let distance = distance(of: key) { move(by: distance) }
        }
    }

    private mutating func setFilter(_ text: String) {
        guard text != filter else { return }
        filter = text
        applyFilter()
    }

    private mutating func change(to state: TopChange.State) -> TopEffect? {
        func refuse(_ reason: String) -> TopEffect? {
            message = Message(text: reason, isTrouble: true)
            return nil
        }
        guard focus == .subscriptions else {
            return refuse("an aspect has no such state; press Tab to select a subscription")
        }
        guard let row = subscriptions.selected else { return refuse("no subscription is selected") }
        if case .lost = connection { return refuse("the bus is gone; wait until it is back") }
        if state == .suspended { message = Message(text: "suspending \(row.name) …") }
        return .change(TopChange(subscription: row.id, name: row.name, state: state))
    }
}

extension Device {
    /// Changes the state of a subscription as an operator, and returns the new state.
    func carryOut(_ change: TopChange) async throws -> String {
        let (id, name) = (change.subscription, change.name)
        switch change.state {
        case .background:
            try await shell.hold(id)
            return "\(name) is in the background"
        case .suspended:
            try await shell.suspend(program: try await shell.subscriptions().program(of: id).map(\.id))
            return "\(name) is suspended"
        case .foreground:
            let program = try await shell.subscriptions().program(of: id)
            let isFrozen = program.contains { $0.id == id && $0.holds.contains(.frozen) }
            let ids = program.map(\.id).filter { isFrozen || $0 == id }
            try await ids.changeEach { try await shell.wake($0) }
            let holds = try await shell.subscriptions().first { $0.id == id }?.holds
            return switch holds {
            case nil: "\(name) has ended"
            case .some(let holds) where holds.contains(.app):
                "\(name) remains in the background: held by its own process (app)"
            case .some(let holds) where holds.contains(.frozen): "\(name) is still frozen"
            default: "\(name) is in the foreground"
            }
        }
    }
}
