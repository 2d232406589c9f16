// SPDX-License-Identifier: Apache-2.0

import ReveilleWire
import Varlink

extension CallError {
    /// Whether the bus does not support the request, as a bus of an earlier version may not.
    var isUnsupported: Bool {
        [CallError.methodNotFound("").name, CallError.interfaceNotFound("").name].contains(name)
            || name == CallError.invalidParameter("").name && parameters["reason"]?.stringValue == CallError.unknown
    }

    var textParameters: [String: String] {
        let texts = parameters.members.map { ($0.name, $0.value.stringValue ?? $0.value.description) }
        return Dictionary(texts) { $1 }
    }

    /// The error of a call (without its interface) in words: the limit or permission that refused it, and the remedy.
    func explanation(for method: String) -> String {
        switch name {
        case CallError.permissionDenied.name where method == "Publish":
            return """
                PermissionDenied: on a user's bus, only that user and root can publish; on the system bus, only root \
                and the users to whom publish.allow grants the name, and only while no other user publishes it
                """
        case CallError.permissionDenied.name where method == "SetState":
            return "PermissionDenied: only the subscriber's own user and root can change the state of a subscription"
        case CallError.quotaExceeded(.value, limit: 0).name:
            guard let limit = parameters["limit"]?.integerValue else { return description }
            switch parameters["quota"]?.stringValue {
            case "names":
                return """
                    QuotaExceeded: a user can publish at most \(limit) name\(limit == 1 ? "" : "s") (publish.names); \
                    withdraw one that is no longer needed
                    """
            case "value":
                return "QuotaExceeded: a value can have at most \(limit) bytes without spaces (publish.valueSize)"
            case "connections":
                return """
                    QuotaExceeded: a user can have at most \(limit) connections to the bus (bus.connectionsPerUser); \
                    end programs that use it ('reveille status' lists subscriptions)
                    """
            case "processConnections":
                return """
                    QuotaExceeded: a process can have at most \(limit) connections to the bus, half of bus.connections; \
                    close those that are no longer needed
                    """
            case "busConnections":
                return """
                    QuotaExceeded: all users can have at most \(limit) connections to the bus (bus.connections); \
                    end programs that use it ('reveille status' lists subscriptions)
                    """
            case "aspects":
                return """
                    QuotaExceeded: a subscription can have at most \(limit) aspects, names and patterns; a pattern \
                    such as org.example.* stands for many names
                    """
            case "domains": return "QuotaExceeded: a subscription can list at most \(limit) domains"
            case "selections":
                return "QuotaExceeded: the subscriptions of a user can have at most \(limit) different lists of domains"
            case "entries":
                return """
                    QuotaExceeded: a user can have at most \(limit) entr\(limit == 1 ? "y" : "ies") on the schedule \
                    (schedule.entries); cancel one that is no longer needed
                    """
            case "storage": return "QuotaExceeded: the bus cannot save its schedule, and has logged the reason"
            default: return description
            }
        case CallError.permissionDenied.name where method == "Add":
            return """
                PermissionDenied: an entry requires the permission to publish its name, and only the bus's own user can \
                give a command to start
                """
        case CallError.cannotSuspend("").name:
            let reason = parameters["reason"]?.stringValue ?? ""
            return "CannotSuspend: \(reason); the subscription is in the background all the same"
        case CallError.methodNotFound("").name: return "the bus does not have this method"
        case CallError.interfaceNotFound("").name: return "the bus does not have this interface"
        case CallError.invalidParameter("").name:
            guard let parameter = parameters["parameter"]?.stringValue, let reason = parameters["reason"]?.stringValue
            else { return description }
            return isUnsupported
                ? "InvalidParameter: the bus does not know the value of \(parameter), or \(parameter) itself"
                : "InvalidParameter: \(parameter) \(reason)"
        default: return description
        }
    }
}
