// SPDX-License-Identifier: Apache-2.0

public import ReveilleCore
import ReveilleWire
import Varlink

extension Device {
    /// Publishes a state of this program under a name: an aspect to which any program can subscribe.
    ///
    /// ```swift
    /// struct Volume: Codable {
    ///     var level: Double
    ///     var isMuted = false
    /// }
    /// let volume = PublishedName<Volume>("org.example.volume")
    /// try await device.publish(volume, Volume(level: 0.4))
    /// try await device.publish(PublishedName("org.example.player"), ["title": "Clocks"], whileConnected: true)
    /// ```
    ///
    /// A value that is equal to the current one as JSON is not a change. Another program or device that publishes the
    /// name replaces the value, and its `whileConnected`, so a name should have one publisher.
    ///
    /// With `whileConnected`, the bus withdraws the state when this device is released or its process ends, even by a
    /// crash. If the bus is restarted, the device publishes the last such value of each name again as soon as it has
    /// reconnected, even one for which the bus was unavailable. This ends when the name is withdrawn, or published without
    /// `whileConnected`, by this device.
    ///
    /// If the bus is unavailable, the call fails. A value without `whileConnected` is not kept: ``connectionStates``
    /// reports when the bus is back.
    ///
    /// - Parameters:
    ///   - name: The name.
    ///   - value: A value that is encoded as a JSON object, of at most 27 levels and, by default, 4,096 bytes.
    ///   - whileConnected: Whether the state is withdrawn when this device disconnects.
    /// - Returns: The position of the state; the events of its changes have it too.
    /// - Throws: ``ReveilleError``: ``ReveilleError/Code/invalidArgument`` for an invalid name, and for a value that is not
    ///   an object or cannot be encoded, such as one with a number that is not finite;
    ///   ``ReveilleError/Code/quotaExceeded`` if the value is too long or the user has too many names;
    ///   ``ReveilleError/Code/notPermitted`` if this user may not publish the name;
    ///   ``ReveilleError/Code/noBus`` or ``ReveilleError/Code/timeout`` if the bus is unavailable. The error contains the
    ///   name and, for a limit, its size.
    @discardableResult
    public func publish<Value: Encodable>(
        _ name: PublishedName<Value>, _ value: Value, whileConnected: Bool = false
    ) async throws -> Revision {
        try await publish(PublishedValue(name.aspect, encoding: value), whileConnected: whileConnected)
    }

    /// Publishes a value, or withdraws it, under a name that is known only when the program runs.
    @discardableResult
    package func publish(_ value: PublishedValue, whileConnected: Bool = false) async throws -> Revision {
        try await engine.publish(value, whileConnected: whileConnected)
    }

    /// Withdraws the state of a name, whichever program published it; subscribers receive an event without a value.
    ///
    /// ```swift
    /// try await device.withdraw(PublishedName<[String: Double]>("org.example.volume"))
    /// ```
    ///
    /// Withdrawing a name that is not published has no effect. If the bus is unavailable, the call fails, but the device
    /// does not publish the state again.
    ///
    /// - Parameter name: The published name.
    /// - Throws: ``ReveilleError``, as ``publish(_:_:whileConnected:)`` does.
    public func withdraw<Value>(_ name: PublishedName<Value>) async throws {
        try await publish(PublishedValue(withdrawing: name.aspect))
    }
}

extension PublishedValue {
    /// Encodes a value to be published, or throws the name and the reason why it cannot be.
    package init(_ name: Aspect, encoding value: some Encodable) throws(ReveilleError) {
        try name.checkIsPublished()
        let json = try Result { () throws(JSONCodingError) in try JSON(encoding: value, maximumDepth: Self.depthLimit) }
            .mapError { ReveilleError(.invalidArgument, "\(name): the value cannot be encoded as JSON: \($0)") }.get()
        guard let object = json.objectValue else {
            throw ReveilleError(.invalidArgument, "\(name): the value must be a JSON object, not \(json.kind)")
        }
        self.init(name, object)
        guard let size = bytes?.count, size <= Self.sizeLimit else {
            throw ReveilleError(
                .quotaExceeded,
                """
                \(name): the value has \(bytes?.count ?? 0) bytes as JSON without spaces, and a message to the bus has \
                room for \(Self.sizeLimit)
                """)
        }
        // The bus would close the connection over such a text.
        if let bytes, JSON.hasTooManyMarks(bytes.span) {
            throw ReveilleError(
                .invalidArgument, "\(name): the value has more than \(Limits.marks) combining marks in a row")
        }
    }

    package init(withdrawing name: Aspect) throws(ReveilleError) {
        try name.checkIsPublished()
        self.init(name, bytes: nil)
    }
}

extension Aspect {
    func checkIsPublished() throws(ReveilleError) {
        let reason =
            if builtIn != nil {
                "is an aspect of the device, which programs do not publish"
            } else if isPattern {
                "is a pattern, not the name of one state"
            } else if Aspect(name) == nil {
                Aspect.nameRule
            } else {
                nil as String?
            }
        if let reason { throw ReveilleError(.invalidArgument, "\(name.debugDescription) \(reason)") }
    }

    /// Refuses the lifecycle, which only a subscription has.
    func checkIsOfDevice() throws(ReveilleError) {
        guard builtIn?.isOfSubscription == true else { return }
        throw ReveilleError(
            .invalidArgument,
            "\(name) is the state of a subscription: subscribe to it, or follow it with 'reveille watch'")
    }

    /// Refuses an invalid name, to which nobody can subscribe.
    func checkIsValid() throws(ReveilleError) {
        guard builtIn == nil, Aspect(name) == nil else { return }
        throw ReveilleError(.invalidArgument, "\(name.debugDescription) \(Aspect.nameRule)")
    }

    private static let nameRule = """
        is neither an aspect of the device, nor a name that can be published, nor a pattern of such names: a name has \
        at least two words of letters, digits, '-' and '_', joined by dots, and at most 255 bytes; a pattern is the \
        beginning of a name and '.*', such as org.example.*
        """
}
