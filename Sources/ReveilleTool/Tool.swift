// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

@main struct Tool { static func main() {} }
