// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Glibc
import Reveille
import ReveilleConsole
import ReveilleWire
import Varlink

extension AspectSet {
    init(naming aspects: [Aspect]) {
        self = aspects.isEmpty ? .default : AspectSet(aspects)
    }
}

extension Aspect {
    static func argumentHelp(_ verb: String) -> ArgumentHelp {
        let words = AspectSet.default.aspects.map(\.name).joined(separator: ", ")
        return """
            The aspects to \(verb), published names, or patterns such as 'org.example.*'. Default: \
            \(AspectSet.default == .device ? "all aspects of the device" : words).
            """
    }

    init(argument: String) throws {
        guard let aspect = Aspect(argument) else {
            throw ValidationError(Self.refusal(of: argument) + Self.quotingHint(for: argument))
        }
        self = aspect
    }

    init(publishedArgument argument: String) throws {
        guard let aspect = Aspect(argument) else {
            throw ValidationError(Self.refusal(of: argument.contains(".") ? argument : argument + "."))
        }
        if aspect.isPattern {
            throw ValidationError("a pattern stands for many names; only one name can be published or withdrawn")
        }
        if aspect.builtIn != nil {
            throw ValidationError(
                """
                an aspect of the device cannot be published; 'reveille post' posts a synthetic state, and a \
                published name has at least two words, such as org.example.\(argument)
                """)
        }
        self = aspect
    }

    /// Warns of a pattern that the shell has probably expanded, because some of the names are files.
    static func warnOfExpansion(_ aspects: [Aspect]) {
        guard let file = aspects.first(where: { $0.isPublished && access($0.name, F_OK) == 0 }) else { return }
        Console.error("reveille: warning: \(file) is also a file here\(quotingHint(for: file.name))")
    }

    static func reportUnmatched(_ aspects: [Aspect], among names: [Aspect]) {
        for pattern in aspects where pattern.isPattern && !names.contains(where: pattern.matches) {
            Console.error("reveille: no published name matches \(pattern)")
        }
    }

    private static func refusal(of argument: String) -> String {
        let words = device.map(\.name)
        if argument.hasPrefix("dconf:") {
            return "a domain of the settings is not an aspect; use defaults --domain \(argument)"
        }
        if argument.contains("*") { return "a pattern must be the beginning of a name and .*, such as org.example.*" }
        guard argument.contains(".") else {
            return "an aspect must be \(Suggestion.list(words)), or a published name such as org.example.volume"
                + Suggestion.phrase(for: argument, among: words)
        }
        guard argument.utf8.count <= NameRule.lengthLimit else {
            return "a published name can have at most \(NameRule.lengthLimit) bytes, not \(argument.utf8.count)"
        }
        return "a published name must have at least two words of letters, digits, - and _, joined by dots"
    }

    /// Returns advice if the shell may have expanded a pattern to the name of a file.
    private static func quotingHint(for argument: String) -> String {
        access(argument, F_OK) == 0 ? "; to prevent the shell from expanding a pattern, put it in quotes" : ""
    }
}

extension BuiltInAspect {
    static let postable = allCases.filter(\.isPostable).map(\.rawValue)

    init(postableArgument argument: String) throws {
        let words = Self.postable
        guard let aspect = BuiltInAspect(rawValue: argument), aspect.isPostable else {
            let hint =
                argument.contains(".")
                ? "; 'reveille publish' publishes a name" : Suggestion.phrase(for: argument, among: words)
            throw ValidationError("an aspect must be \(Suggestion.list(words))\(hint)")
        }
        self = aspect
    }
}
