#pragma once
#include <curl/curl.h>
#include <sys/socket.h>

/* What Swift cannot call: curl's variadic setters and getters, one function a type. Nothing is decided here. */

static inline CURLcode godwit_curl_set_long(CURL *handle, CURLoption option, long value) {
  return curl_easy_setopt(handle, option, value);
}
static inline CURLcode godwit_curl_set_text(CURL *handle, CURLoption option, const char *value) {
  return curl_easy_setopt(handle, option, value);
}
static inline CURLcode godwit_curl_set_pointer(CURL *handle, CURLoption option, void *value) {
  return curl_easy_setopt(handle, option, value);
}
static inline CURLcode godwit_curl_set_size(CURL *handle, CURLoption option, curl_off_t value) {
  return curl_easy_setopt(handle, option, value);
}
/* Since 7.87; without it a transfer that ends while a name is looked up waits for the resolver. */
static inline CURLcode godwit_curl_set_quick_exit(CURL *handle) {
#if LIBCURL_VERSION_NUM >= 0x075700
  return curl_easy_setopt(handle, CURLOPT_QUICK_EXIT, 1L);
#else
  return CURLE_OK;
#endif
}
static inline CURLcode godwit_curl_set_headers(CURL *handle, struct curl_slist *headers) {
  return curl_easy_setopt(handle, CURLOPT_HTTPHEADER, headers);
}

typedef size_t (*godwit_curl_sink)(char *bytes, size_t size, size_t count, void *context);

static inline CURLcode godwit_curl_set_sinks(CURL *handle, godwit_curl_sink body, godwit_curl_sink header, void *context) {
  CURLcode code = curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, body);
  if (code == CURLE_OK) code = curl_easy_setopt(handle, CURLOPT_WRITEDATA, context);
  if (code == CURLE_OK) code = curl_easy_setopt(handle, CURLOPT_HEADERFUNCTION, header);
  if (code == CURLE_OK) code = curl_easy_setopt(handle, CURLOPT_HEADERDATA, context);
  return code;
}
/* Opens the socket of a connection: what curl takes as its own. */
typedef curl_socket_t (*godwit_curl_opener)(void *context, curlsocktype purpose, struct curl_sockaddr *address);

static inline CURLcode godwit_curl_set_opener(CURL *handle, godwit_curl_opener opener, void *context) {
  CURLcode code = curl_easy_setopt(handle, CURLOPT_OPENSOCKETFUNCTION, opener);
  if (code == CURLE_OK) code = curl_easy_setopt(handle, CURLOPT_OPENSOCKETDATA, context);
  return code;
}
/* The address may be longer than its member. */
static inline const void *godwit_curl_address(const struct curl_sockaddr *address) { return &address->addr; }
static inline curl_socket_t godwit_curl_no_socket(void) { return CURL_SOCKET_BAD; }
/* As curl itself opens it. */
static inline curl_socket_t godwit_curl_open_socket(const struct curl_sockaddr *address) {
  return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}
static inline CURLcode godwit_curl_status(CURL *handle, long *status) {
  return curl_easy_getinfo(handle, CURLINFO_RESPONSE_CODE, status);
}
static inline CURLMcode godwit_curl_multi_set_long(CURLM *handle, CURLMoption option, long value) {
  return curl_multi_setopt(handle, option, value);
}
