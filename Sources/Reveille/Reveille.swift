// SPDX-License-Identifier: Apache-2.0

// The core declares aspects, readings and events; programs get them with this module.
@_exported public import ReveilleCore
