#pragma once
#include <stdint.h>
#include <sys/socket.h>
#include <netinet/in.h>
#include <microhttpd.h>

/* What Swift cannot call or name: variadic functions, and enumerations whose import differs between versions
   of the header. Nothing is decided here. */

struct godwit_http_options {
  const struct sockaddr *address;
  int ipv6;
  unsigned threads;
  size_t connection_memory;
  unsigned connections;
  unsigned idle_seconds;
  MHD_AccessHandlerCallback access;
  MHD_RequestCompletedCallback completed;
  void *context;
};

static inline struct MHD_Daemon *godwit_start_daemon(const struct godwit_http_options *o) {
  unsigned flags = MHD_ALLOW_SUSPEND_RESUME | MHD_USE_INTERNAL_POLLING_THREAD;
#ifdef __linux__
  flags |= MHD_USE_EPOLL;
#else
  flags |= MHD_USE_POLL;
#endif
  if (o->ipv6) flags |= MHD_USE_IPv6;
  struct MHD_OptionItem pool[] = {
    { o->threads > 1 ? MHD_OPTION_THREAD_POOL_SIZE : MHD_OPTION_END, (intptr_t)o->threads, NULL },
    { MHD_OPTION_END, 0, NULL },
  };
  return MHD_start_daemon(
      flags, 0, NULL, NULL, o->access, o->context,
      MHD_OPTION_SOCK_ADDR, o->address,
      MHD_OPTION_CONNECTION_MEMORY_LIMIT, o->connection_memory,
      MHD_OPTION_CONNECTION_MEMORY_INCREMENT, (size_t)(16 * 1024),
      MHD_OPTION_CONNECTION_LIMIT, o->connections,
      MHD_OPTION_CONNECTION_TIMEOUT, o->idle_seconds,
      MHD_OPTION_NOTIFY_COMPLETED, o->completed, (void *)NULL,
      MHD_OPTION_STRICT_FOR_CLIENT, 1,
      MHD_OPTION_ARRAY, pool,
      MHD_OPTION_END);
}

static inline uint16_t godwit_bound_port(struct MHD_Daemon *daemon) {
  const union MHD_DaemonInfo *info = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_BIND_PORT);
  return info ? info->port : 0;
}

static inline const struct sockaddr *godwit_client_address(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info =
      MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
  return info ? info->client_addr : NULL;
}

enum { godwit_header = 0, godwit_query = 1, godwit_cookie = 2 };

static inline const char *godwit_value(
    struct MHD_Connection *connection, int where, const char *name, size_t name_size, size_t *size) {
  const char *value = NULL;
  enum MHD_ValueKind kind = where == godwit_header ? MHD_HEADER_KIND
                          : where == godwit_query  ? MHD_GET_ARGUMENT_KIND
                                                   : MHD_COOKIE_KIND;
  *size = 0;
  if (MHD_lookup_connection_value_n(connection, kind, name, name_size, &value, size) != MHD_YES) return NULL;
  return value ? value : "";
}

static inline void godwit_each_argument(
    struct MHD_Connection *connection, MHD_KeyValueIteratorN each, void *context) {
  MHD_get_connection_values_n(connection, MHD_GET_ARGUMENT_KIND, each, context);
}

static inline struct MHD_Response *godwit_response(const void *bytes, size_t size) {
  return MHD_create_response_from_buffer(size, (void *)bytes, MHD_RESPMEM_MUST_COPY);
}
