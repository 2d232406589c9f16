// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ArgumentParser
import ReveilleSystem

extension LogLevel: ExpressibleByArgument {}
