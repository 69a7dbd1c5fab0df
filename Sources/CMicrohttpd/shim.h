#pragma once
#include <stdint.h>
#include <sys/socket.h>
#include <netinet/in.h>
#include <stdlib.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <string.h>
#include <gnutls/abstract.h>
#include <gnutls/crypto.h>
#include <gnutls/gnutls.h>
#include <gnutls/x509.h>
#include <microhttpd.h>

/* What Swift cannot call or name: variadic functions, and enumerations whose import differs between versions
   of the header. Nothing is decided here. */

/* A certificate with those above it, and its key. */
struct godwit_identity {
  gnutls_pcert_st *chain;
  unsigned count;
  gnutls_privkey_t key;
};

typedef int (*godwit_identity_callback)(
    gnutls_session_t session, const gnutls_datum_t *authorities, int authority_count,
    const gnutls_pk_algorithm_t *algorithms, int algorithm_count,
    gnutls_pcert_st **chain, unsigned *count, gnutls_privkey_t *key);

static inline void godwit_identity_free(struct godwit_identity *identity) {
  if (!identity) return;
  for (unsigned i = 0; i < identity->count; i++) gnutls_pcert_deinit(&identity->chain[i]);
  free(identity->chain);
  if (identity->key) gnutls_privkey_deinit(identity->key);
  free(identity);
}

/* Makes one of two PEM texts; NULL: `code` is gnutls's, `part` 1: the certificate, 2: the key, 3: they do not belong together. */
static inline struct godwit_identity *godwit_identity_make(
    const void *certificate, size_t certificate_size, const void *key, size_t key_size, int *code, int *part) {
  enum { most = 16 };
  struct godwit_identity *identity = calloc(1, sizeof *identity);
  gnutls_pubkey_t of_certificate = NULL, of_key = NULL;
  unsigned char ids[2][64];
  size_t sizes[2] = { sizeof ids[0], sizeof ids[1] };
  unsigned count = most;
  *part = 1;
  *code = GNUTLS_E_MEMORY_ERROR;
  if (!identity || !(identity->chain = calloc(most, sizeof *identity->chain))) goto failed;
  gnutls_datum_t text = { (unsigned char *)certificate, (unsigned)certificate_size };
  if ((*code = gnutls_pcert_list_import_x509_raw(identity->chain, &count, &text, GNUTLS_X509_FMT_PEM, 0)) < 0) goto failed;
  identity->count = count;
  *part = 2;
  if ((*code = gnutls_privkey_init(&identity->key)) < 0) goto failed;
  text.data = (unsigned char *)key;
  text.size = (unsigned)key_size;
  if ((*code = gnutls_privkey_import_x509_raw(identity->key, &text, GNUTLS_X509_FMT_PEM, NULL, 0)) < 0) goto failed;
  *part = 3;
  if ((*code = gnutls_pubkey_init(&of_key)) < 0) goto failed;
  if ((*code = gnutls_pubkey_import_privkey(of_key, identity->key, 0, 0)) < 0) goto failed;
  of_certificate = identity->chain[0].pubkey;
  if ((*code = gnutls_pubkey_get_key_id(of_key, GNUTLS_KEYID_USE_SHA256, ids[0], &sizes[0])) < 0) goto failed;
  if ((*code = gnutls_pubkey_get_key_id(of_certificate, GNUTLS_KEYID_USE_SHA256, ids[1], &sizes[1])) < 0) goto failed;
  if (sizes[0] != sizes[1] || memcmp(ids[0], ids[1], sizes[0]) != 0) goto failed;
  gnutls_pubkey_deinit(of_key);
  return identity;
failed:
  if (of_key) gnutls_pubkey_deinit(of_key);
  godwit_identity_free(identity);
  return NULL;
}

/* The SHA-256 of the public key of a certificate; `size` is that of `hash`, 32 at least. */
static inline int godwit_certificate_key_hash(gnutls_x509_crt_t certificate, unsigned char *hash, size_t *size) {
  return gnutls_x509_crt_get_key_id(certificate, GNUTLS_KEYID_USE_SHA256, hash, size);
}

static inline void godwit_identity_show(
    const struct godwit_identity *identity, gnutls_pcert_st **chain, unsigned *count, gnutls_privkey_t *key) {
  *chain = identity->chain;
  *count = identity->count;
  *key = identity->key;
}

/* The server's port of a connection; 0: unknown. libmicrohttpd gives gnutls the number of the socket. */
static inline uint16_t godwit_session_port(gnutls_session_t session) {
  struct sockaddr_storage address;
  socklen_t size = sizeof address;
  if (getsockname(gnutls_transport_get_int(session), (struct sockaddr *)&address, &size) != 0) return 0;
  if (address.ss_family == AF_INET) return ntohs(((struct sockaddr_in *)&address)->sin_port);
  if (address.ss_family == AF_INET6) return ntohs(((struct sockaddr_in6 *)&address)->sin6_port);
  return 0;
}

/* Limits the arenas of glibc's allocator; the default is 8 for each processor. */
static inline void godwit_limit_arenas(int most) {
#ifdef __GLIBC__
  mallopt(M_ARENA_MAX, most);
#endif
}

static inline int godwit_reads_in_place(void) { return strcmp(MHD_get_version(), "0.9.75") == 0; }

typedef void *(*godwit_target_callback)(void *context, const char *uri, struct MHD_Connection *connection);

/* TLS 1.2 and 1.3 with forward secrecy and authenticated encryption only: no RSA key exchange, no CBC. */
#define GODWIT_TLS_PRIORITIES \
  "NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2:-RSA:-DHE-RSA:" \
  "-CIPHER-ALL:+AES-256-GCM:+CHACHA20-POLY1305:+AES-128-GCM:-MAC-ALL:+AEAD"

struct godwit_http_options {
  const struct sockaddr *address;
  int ipv6;
  unsigned threads;
  size_t connection_memory;
  unsigned connections;
  unsigned idle_seconds;
  MHD_AccessHandlerCallback access;
  MHD_RequestCompletedCallback completed;
  /* Whether a connection from an address is accepted; when one begins and ends; the target of a request, before it is read. */
  MHD_AcceptPolicyCallback accepts;
  MHD_NotifyConnectionCallback connected;
  godwit_target_callback target;
  void *context;
  /* NULL: without TLS. */
  godwit_identity_callback identity;
};

static inline struct MHD_Daemon *godwit_start_daemon(const struct godwit_http_options *o) {
  unsigned flags = MHD_ALLOW_SUSPEND_RESUME | MHD_USE_INTERNAL_POLLING_THREAD;
#ifdef __linux__
  flags |= MHD_USE_EPOLL;
#else
  flags |= MHD_USE_POLL;
#endif
  if (o->ipv6) flags |= MHD_USE_IPv6;
  if (o->identity) flags |= MHD_USE_TLS;
  struct MHD_OptionItem secure[] = {
    { o->identity ? MHD_OPTION_HTTPS_CERT_CALLBACK : MHD_OPTION_END, 0, (void *)o->identity },
    { MHD_OPTION_HTTPS_PRIORITIES, 0, (void *)GODWIT_TLS_PRIORITIES },
    { MHD_OPTION_END, 0, NULL },
  };
  struct MHD_OptionItem pool[] = {
    { o->threads > 1 ? MHD_OPTION_THREAD_POOL_SIZE : MHD_OPTION_END, (intptr_t)o->threads, NULL },
    { MHD_OPTION_END, 0, NULL },
  };
  return MHD_start_daemon(
      flags, 0, o->accepts, o->context, o->access, o->context,
      MHD_OPTION_SOCK_ADDR, o->address,
      MHD_OPTION_CONNECTION_MEMORY_LIMIT, o->connection_memory,
      MHD_OPTION_CONNECTION_MEMORY_INCREMENT, (size_t)(16 * 1024),
      MHD_OPTION_CONNECTION_LIMIT, o->connections,
      MHD_OPTION_CONNECTION_TIMEOUT, o->idle_seconds,
      MHD_OPTION_NOTIFY_COMPLETED, o->completed, o->context,
      MHD_OPTION_NOTIFY_CONNECTION, o->connected, o->context,
      MHD_OPTION_URI_LOG_CALLBACK, o->target, o->context,
      /* 0.9.75 answers twice where it misses a Host; it is looked for elsewhere. */
      MHD_OPTION_STRICT_FOR_CLIENT, godwit_reads_in_place() ? 0 : 1,
      MHD_OPTION_ARRAY, secure,
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

static inline void godwit_each_header(
    struct MHD_Connection *connection, MHD_KeyValueIteratorN each, void *context) {
  MHD_get_connection_values_n(connection, MHD_HEADER_KIND, each, context);
}

/* Whether a notification says that a connection begins, and not that it ends. */
static inline int godwit_begins(enum MHD_ConnectionNotificationCode code) { return code == MHD_CONNECTION_NOTIFY_STARTED; }

/* The socket of a connection; -1: unknown. */
static inline int godwit_descriptor(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
  return info ? info->connect_fd : -1;
}

/* What was noted of a connection when it began. */
static inline void *godwit_connection_note(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
  return info ? info->socket_context : NULL;
}

/* Ends a target before its query, so that the library reads none. The text is in the library's buffer of the connection. */
static inline void godwit_cut_query(const char *uri) {
  char *question = strchr((char *)uri, '?');
  if (question) question[1] = 0;
}

struct godwit_head {
  /* Where the next line has to begin. */
  const char *next;
  int is_strict;
};

static inline enum MHD_Result godwit_head_line(
    void *context, enum MHD_ValueKind kind, const char *name, size_t name_size, const char *value, size_t value_size) {
  struct godwit_head *head = context;
  (void)kind;
  if (name != head->next || !value) return head->is_strict = 0, MHD_NO;
  for (const char *blank = name + name_size + 1; blank < value; blank++)
    if (*blank != ' ' && *blank != '\t') return head->is_strict = 0, MHD_NO;
  /* CR and LF have become zeros. */
  head->next = value + value_size + 2;
  if (value < name || head->next[-1] != 0) return head->is_strict = 0, MHD_NO;
  return MHD_YES;
}

/* Whether each line of a request's head ends with CR LF and goes on in no other line, and the first one has single blanks.
   libmicrohttpd 0.9.75 takes all of that and tells nothing of it, but it reads the lines where they lie: each begins where
   the one before has ended. Later versions, which have rules of their own for it, are not looked at. */
static inline int godwit_head_is_strict(
    struct MHD_Connection *connection, const char *method, const char *url, const char *version) {
  if (!godwit_reads_in_place()) return 1;
  if (url != method + strlen(method) + 1) return 0;
  struct godwit_head head = { version + strlen(version) + 2, 1 };
  if (head.next[-1] != 0) return 0;
  MHD_get_connection_values_n(connection, MHD_HEADER_KIND, godwit_head_line, &head);
  const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
  /* Behind the last line is an empty one. */
  return head.is_strict && info && head.next + 2 == method + info->header_size;
}

static inline struct MHD_Response *godwit_response(const void *bytes, size_t size) {
  return MHD_create_response_from_buffer(size, (void *)bytes, MHD_RESPMEM_MUST_COPY);
}
