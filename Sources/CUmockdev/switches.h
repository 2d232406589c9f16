// SPDX-License-Identifier: Apache-2.0

#pragma once

// Input devices with switches or a distance, whose requests (EVIOCGSW, EVIOCGABS) umockdev passes to this process.

// Sets the switches of the device with a node, or its distance, of which there is a maximum. The device is made first if
// necessary, and sends an event if they differ. Returns the reason for a failure, or NULL.
const char *switches_set(void *bed, const char *root, const char *node, unsigned bits, int maximum);

// Removes the node, if it was made.
void switches_remove(void *bed, const char *root, const char *node);
