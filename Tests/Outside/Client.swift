// SPDX-License-Identifier: Apache-2.0

import Reveille

print(Device.libraryVersion)
