// SPDX-License-Identifier: Apache-2.0
#include <microhttpd.h>
#include <string.h>

// Swift cannot call functions with variable arguments.

/// Starts a daemon without threads and without a listening socket: the caller accepts, and runs it when its epoll
/// descriptor is readable. A timeout is in seconds.
static inline struct MHD_Daemon *c_reveille_http_start(
    void *(*begin)(void *context, const char *target, struct MHD_Connection *connection),
    MHD_AccessHandlerCallback handler, MHD_RequestCompletedCallback completed, MHD_NotifyConnectionCallback notify,
    void *context, size_t memory, unsigned int timeout, unsigned int connections) {
    return MHD_start_daemon(
        MHD_USE_EPOLL | MHD_USE_NO_LISTEN_SOCKET | MHD_ALLOW_SUSPEND_RESUME, 0, NULL, NULL, handler, context,
        MHD_OPTION_URI_LOG_CALLBACK, begin, context, MHD_OPTION_NOTIFY_COMPLETED, completed, context,
        MHD_OPTION_NOTIFY_CONNECTION, notify, context, MHD_OPTION_CONNECTION_MEMORY_LIMIT, memory,
        MHD_OPTION_CONNECTION_TIMEOUT, timeout, MHD_OPTION_CONNECTION_LIMIT, connections, MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_END);
}

/// Returns the descriptor that is readable when the daemon has something to do, or -1.
static inline int c_reveille_http_epoll(struct MHD_Daemon *daemon) {
    const union MHD_DaemonInfo *info = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_EPOLL_FD);
    return info ? info->epoll_fd : -1;
}

/// Cuts off the query of a target, which must come from a callback `begin`.
static inline void c_reveille_http_cut_query(const char *target) {
    // The target is in the connection's buffer, where libmicrohttpd itself ends the path.
    char *query = (char *)strchr(target, '?');
    if (query) query[1] = 0;
}

/// Returns the socket of a connection, or -1.
static inline int c_reveille_http_socket(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    return info ? info->connect_fd : -1;
}

/// Returns the size of a request without its body, in bytes.
static inline size_t c_reveille_http_header_size(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
    return info ? info->header_size : 0;
}

/// Lets a response of unknown length end with its connection, instead of sending it in chunks.
static inline void c_reveille_http_end_with_connection(struct MHD_Response *response) {
    MHD_set_response_options(response, MHD_RF_HTTP_1_0_COMPATIBLE_STRICT, MHD_RO_END);
}

/// Sets the time in seconds after which a connection without progress is closed.
static inline void c_reveille_http_set_timeout(struct MHD_Connection *connection, unsigned int timeout) {
    MHD_set_connection_option(connection, MHD_CONNECTION_OPTION_TIMEOUT, timeout);
}
