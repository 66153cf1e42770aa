/*===- tilec-c/Core.h - what all of tilec's C interface shares --------------===*\
 *
 * libtilec.so (Compile.h, Build.h) holds the compiler with its own LLVM and MLIR
 * inside and exports functions of this interface only; libtilec-runtime.so
 * (Runtime.h) launches what was compiled and holds no LLVM. Both can share a
 * process with any other LLVM. docs/deploy/embedding.md is the guide.
 *
 * Rules that hold everywhere:
 *
 * - Text is UTF-8, given and returned with its size; a `const char *` parameter is
 *   UTF-8, too, and ends in a NUL. Paths are bytes as the system has them.
 * - A `tilec_str` that is returned lives as long as the object that it was asked of,
 *   unless its function says otherwise, and a NUL follows it. Nobody frees it.
 * - Handles are counted: a function that makes one gives it to the caller with a count
 *   of one; `retain` and `release` change the count, from any thread. Releasing NULL
 *   does nothing.
 * - An out-parameter is NULL (or zero) after an error, where its function does not say
 *   that it holds the messages. No function throws, ends the process, changes the
 *   locale or a signal handler, or writes to standard output; errors inside LLVM
 *   that would end the process come back as TILEC_ERROR_INTERNAL.
 * - Structures of options begin with their own `size`: set it to `sizeof` of the structure
 *   and clear the rest. What is zero has its default; fields that a caller of an older
 *   header does not know are taken as zero.
 * - A process may call `fork` after using this library only to call `exec`.
 *
 * Version 0.1 promises no stable ABI: `tilec_abi_version` differs where structures or
 * functions do.
 *
 * SPDX-License-Identifier: Apache-2.0
\*===----------------------------------------------------------------------===*/
#ifndef TILEC_C_CORE_H
#define TILEC_C_CORE_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define TILEC_API __attribute__((visibility("default")))
#else
#define TILEC_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/** The version of these headers; `tilec_version` has that of the library. */
#define TILEC_VERSION_MAJOR 0
#define TILEC_VERSION_MINOR 1
/** Grows with every change of a structure or of a function's meaning. */
#define TILEC_ABI_VERSION 2

/** Bytes that somebody else owns. `data` may be NULL where `size` is 0. */
typedef struct tilec_str {
  const char *data;
  size_t size;
} tilec_str;

typedef enum tilec_status {
  TILEC_OK = 0,
  /** The program is wrong; diagnostics say where and why. */
  TILEC_ERROR_COMPILE = 1,
  /** The call is wrong: a NULL, an unknown name, an index out of range. */
  TILEC_ERROR_ARGUMENT = 2,
  /** A file, a driver or a device refuses. */
  TILEC_ERROR_IO = 3,
  /** A fatal error inside the compiler. The objects of the call can still be released. */
  TILEC_ERROR_INTERNAL = 4
} tilec_status;

/** A choice that may be left to the library. */
typedef enum tilec_choice { TILEC_DEFAULT = 0, TILEC_ON = 1, TILEC_OFF = 2 } tilec_choice;

#ifdef __cplusplus
}
#endif

#endif
