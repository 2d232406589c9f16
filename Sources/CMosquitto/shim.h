// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.
#include <mosquitto.h>
#include <mqtt_protocol.h>
