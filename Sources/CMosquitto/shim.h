// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.
#include <mosquitto.h>
#include <mqtt_protocol.h>

// Two functions of libssl, which libmosquitto uses: it does not report why a certificate was rejected, nor whether the
// handshake is complete. OpenSSL's own headers have thousands of declarations.

/// Returns why the certificate of the peer was rejected (X509_STORE_CTX_get_error(3)), or 0.
long SSL_get_verify_result(const void *ssl);
/// Returns 1 if the handshake is complete.
int SSL_is_init_finished(const void *ssl);
/// Returns an English description of a verification result.
const char *X509_verify_cert_error_string(long result);
