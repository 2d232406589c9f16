// SPDX-License-Identifier: Apache-2.0

#pragma once

// Input devices with switches, whose requests (EVIOCGSW) umockdev passes to this process.

// Sets the switches of the device with a node, which is made first if necessary, and sends an event if they differ.
// Returns the reason for a failure, or NULL.
const char *switches_set(void *bed, const char *root, const char *node, unsigned bits);

// Removes the node, if it was made.
void switches_remove(void *bed, const char *root, const char *node);
