// SPDX-License-Identifier: Apache-2.0
#include <mosquitto.h>
// Since version 2.1, the other place has only a warning.
#if __has_include(<mosquitto/mqtt_protocol.h>)
#include <mosquitto/mqtt_protocol.h>
#else
#include <mqtt_protocol.h>
#endif
#include <stddef.h>

// Functions of libssl: libmosquitto reports neither why a certificate was rejected nor whether the handshake is
// complete. OpenSSL's own headers have thousands of declarations.

/// Returns why the certificate of the peer was rejected (X509_STORE_CTX_get_error(3)), or 0.
long SSL_get_verify_result(const void *ssl);
/// Keeps a connection until SSL_free(3).
int SSL_up_ref(void *ssl);
void SSL_free(void *ssl);
/// Returns 1 if the handshake is complete.
int SSL_is_init_finished(const void *ssl);
/// Copies the last message of the handshake that was sent, and returns its length; 0 before that.
size_t SSL_get_finished(const void *ssl, void *buffer, size_t size);
/// Returns an English description of a verification result.
const char *X509_verify_cert_error_string(long result);

// Functions of libcrypto that read the dates of a certificate.

void *BIO_new_file(const char *path, const char *mode);
int BIO_free(void *file);
void *PEM_read_bio_X509(void *file, void *certificate, void *callback, void *data);
void X509_free(void *certificate);
const void *X509_get0_notBefore(const void *certificate);
const void *X509_get0_notAfter(const void *certificate);
/// Returns -1 for a past time, and 1 for a future one.
int X509_cmp_current_time(const void *time);
