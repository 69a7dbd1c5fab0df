// Functions that the C library of Debian 12 lacks and Swift's static libraries of a newer Debian use: scripts/dist-arm64 links them.
// Their meaning is that of glibc 2.38: strlcpy and strlcat as POSIX 2024 has them, the numbers of C23 read as C17 reads them.
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

size_t strlcpy(char *restrict target, const char *restrict source, size_t size) {
  size_t length = strlen(source);
  if (size > 0) {
    size_t count = length < size ? length : size - 1;
    memcpy(target, source, count);
    target[count] = 0;
  }
  return length;
}

size_t strlcat(char *restrict target, const char *restrict source, size_t size) {
  size_t length = strnlen(target, size);
  if (length == size) return size + strlen(source);
  return length + strlcpy(target + length, source, size - length);
}

long __isoc23_strtol(const char *restrict text, char **restrict end, int base) { return strtol(text, end, base); }
long long __isoc23_strtoll(const char *restrict text, char **restrict end, int base) { return strtoll(text, end, base); }
unsigned long __isoc23_strtoul(const char *restrict text, char **restrict end, int base) { return strtoul(text, end, base); }

int __isoc23_sscanf(const char *restrict text, const char *restrict format, ...) {
  va_list arguments;
  va_start(arguments, format);
  int count = vsscanf(text, format, arguments);
  va_end(arguments);
  return count;
}

double __frexp(double value, int *exponent) { return frexp(value, exponent); }
float __frexpf(float value, int *exponent) { return frexpf(value, exponent); }
double __ldexp(double value, int exponent) { return ldexp(value, exponent); }
float __ldexpf(float value, int exponent) { return ldexpf(value, exponent); }
double __scalbn(double value, int exponent) { return scalbn(value, exponent); }
float __scalbnf(float value, int exponent) { return scalbnf(value, exponent); }
