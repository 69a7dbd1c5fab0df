// The part of libsystemd that the package uses. The library is loaded when a message bus is first used, so that a program which
// uses none neither links nor needs it.
#pragma once
#include <stddef.h>
#include <stdint.h>
#include <sys/eventfd.h>

#ifndef __clang__
#define _Nonnull
#define _Nullable
#endif

#if defined(CDBUS_CHECKS)
#include <systemd/sd-bus.h>
#include <systemd/sd-id128.h>
#else
typedef struct sd_bus sd_bus;
typedef struct sd_bus_message sd_bus_message;
typedef struct {
  const char *_Nullable name;
  const char *_Nullable message;
  int _need_free;
} sd_bus_error;
typedef union sd_id128 {
  uint8_t bytes[16];
  uint64_t qwords[2];
} sd_id128_t;
#endif

// Each function of the library: result, name, parameters.
#define CDBUS_FUNCTIONS(F) \
  F(int, sd_bus_open_system, (sd_bus *_Nullable *_Nonnull bus)) \
  F(int, sd_bus_open_user, (sd_bus *_Nullable *_Nonnull bus)) \
  F(int, sd_bus_new, (sd_bus *_Nullable *_Nonnull bus)) \
  F(int, sd_bus_set_address, (sd_bus *_Nullable bus, const char *_Nonnull address)) \
  F(int, sd_bus_set_bus_client, (sd_bus *_Nullable bus, int b)) \
  F(int, sd_bus_start, (sd_bus *_Nullable bus)) \
  F(sd_bus *_Nullable, sd_bus_unref, (sd_bus *_Nullable bus)) \
  F(sd_bus *_Nullable, sd_bus_flush_close_unref, (sd_bus *_Nullable bus)) \
  F(int, sd_bus_process, (sd_bus *_Nonnull bus, sd_bus_message *_Nullable *_Nonnull message)) \
  F(int, sd_bus_get_timeout, (sd_bus *_Nonnull bus, uint64_t *_Nonnull microseconds)) \
  F(int, sd_bus_get_fd, (sd_bus *_Nonnull bus)) \
  F(int, sd_bus_get_events, (sd_bus *_Nonnull bus)) \
  F(int, sd_bus_send, (sd_bus *_Nonnull bus, sd_bus_message *_Nonnull message, uint64_t *_Nullable cookie)) \
  F(int, sd_bus_reply_method_errno, (sd_bus_message *_Nonnull call, int error, const sd_bus_error *_Nullable reason)) \
  F(int, sd_bus_message_new_method_call, \
    (sd_bus *_Nonnull bus, sd_bus_message *_Nullable *_Nonnull message, const char *_Nullable destination, \
     const char *_Nonnull path, const char *_Nullable interface, const char *_Nonnull member)) \
  F(sd_bus_message *_Nullable, sd_bus_message_unref, (sd_bus_message *_Nullable message)) \
  F(int, sd_bus_message_set_auto_start, (sd_bus_message *_Nonnull message, int b)) \
  F(int, sd_bus_message_is_signal, \
    (sd_bus_message *_Nonnull message, const char *_Nullable interface, const char *_Nullable member)) \
  F(int, sd_bus_message_is_method_call, \
    (sd_bus_message *_Nonnull message, const char *_Nullable interface, const char *_Nullable member)) \
  F(const char *_Nullable, sd_bus_message_get_sender, (sd_bus_message *_Nonnull message)) \
  F(const char *_Nullable, sd_bus_message_get_path, (sd_bus_message *_Nonnull message)) \
  F(const char *_Nullable, sd_bus_message_get_interface, (sd_bus_message *_Nonnull message)) \
  F(const char *_Nullable, sd_bus_message_get_member, (sd_bus_message *_Nonnull message)) \
  F(int, sd_bus_message_get_reply_cookie, (sd_bus_message *_Nonnull message, uint64_t *_Nonnull cookie)) \
  F(const sd_bus_error *_Nullable, sd_bus_message_get_error, (sd_bus_message *_Nonnull message)) \
  F(int, sd_bus_message_peek_type, \
    (sd_bus_message *_Nonnull message, char *_Nonnull type, const char *_Nullable *_Nonnull contents)) \
  F(int, sd_bus_message_read_basic, (sd_bus_message *_Nonnull message, char type, void *_Nonnull value)) \
  F(int, sd_bus_message_read_array, \
    (sd_bus_message *_Nonnull message, char type, const void *_Nullable *_Nonnull start, size_t *_Nonnull size)) \
  F(int, sd_bus_message_enter_container, (sd_bus_message *_Nonnull message, char type, const char *_Nullable contents)) \
  F(int, sd_bus_message_exit_container, (sd_bus_message *_Nonnull message)) \
  F(int, sd_bus_message_append_basic, (sd_bus_message *_Nonnull message, char type, const void *_Nullable value)) \
  F(int, sd_bus_message_open_container, (sd_bus_message *_Nonnull message, char type, const char *_Nullable contents)) \
  F(int, sd_bus_message_close_container, (sd_bus_message *_Nonnull message)) \
  F(int, sd_id128_get_machine_app_specific, (sd_id128_t program, sd_id128_t *_Nonnull id))

// The loaded functions, by their names in the library.
struct CDBusFunctions {
#define CDBUS_MEMBER(result, name, parameters) result(*_Nonnull name) parameters;
  CDBUS_FUNCTIONS(CDBUS_MEMBER)
#undef CDBUS_MEMBER
};

// Loads a library, whose name is a constant. Returns NULL, with the reason in `reason`, where it or one of the functions is missing.
// The functions and the reason are never freed.
const struct CDBusFunctions *_Nullable CDBusLoad(const char *_Nonnull library, char *_Nullable *_Nonnull reason);
