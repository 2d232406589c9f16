// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.
#include <systemd/sd-bus.h>
#include <systemd/sd-daemon.h>
#include <systemd/sd-event.h>
#include <systemd/sd-id128.h>
