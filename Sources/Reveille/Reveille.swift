// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

// Aspects, readings and events are those of the core; programs get them with this module.
@_exported public import ReveilleCore
