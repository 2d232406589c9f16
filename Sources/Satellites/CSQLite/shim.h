// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.
#include <sqlite3.h>
