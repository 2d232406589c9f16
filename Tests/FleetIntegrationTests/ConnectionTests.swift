// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleMQTT
import ReveilleSystem
import ReveilleTesting
import Testing
