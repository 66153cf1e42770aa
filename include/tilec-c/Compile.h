/*===- tilec-c/Compile.h - compile tile programs in this process ------------===*\
 *
 *     tilec_compiler *compiler;
 *     tilec_compiler_create(NULL, &compiler);
 *     tilec_program *program;
 *     tilec_program_from_text(compiler, name, text, NULL, &program);
 *     tilec_compile_options options = {sizeof options};
 *     options.target = "gfx950";
 *     options.entry = "gemm(4096, 4096, 4096)";
 *     tilec_binary *binary;
 *     if (tilec_compile(program, &options, &binary) != TILEC_OK)
 *       print(tilec_binary_log(binary));
 *     else
 *       load(tilec_binary_image(binary), tilec_binary_manifest(binary));
 *
 * Threads: one compiler serves any number of threads at once. A program is read only;
 * any number of threads may compile it at once. A binary never changes and may be read by
 * all. A compile runs on the thread that asks for it, which needs a stack of 1 MiB, and
 * may start child processes (ptxas, ld.lld). Rules of ownership, text and errors: Core.h.
 *
 * SPDX-License-Identifier: Apache-2.0
\*===----------------------------------------------------------------------===*/
#ifndef TILEC_C_COMPILE_H
#define TILEC_C_COMPILE_H

#include "tilec-c/Core.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tilec_compiler tilec_compiler;
typedef struct tilec_program tilec_program;
typedef struct tilec_binary tilec_binary;

/** `major << 16 | minor` of the library. */
TILEC_API uint32_t tilec_version(void);
/** TILEC_ABI_VERSION of the headers that the library was built with. */
TILEC_API uint32_t tilec_abi_version(void);
/** The version as text with that of LLVM: `tilec 0.1.0, LLVM 22.1`. Lives for ever. */
TILEC_API tilec_str tilec_version_text(void);
/** `TILEC_ERROR_IO` and so on; lives for ever. `status` may be any number. */
TILEC_API tilec_str tilec_status_name(tilec_status status);

/** The targets that tilec_compile takes, in a fixed order: `gfx942`, ... Live for ever. */
TILEC_API size_t tilec_target_count(void);
/** Empty beyond the last one. */
TILEC_API tilec_str tilec_target_name(size_t index);

/*===-- Messages ------------------------------------------------------------===*/

typedef enum tilec_severity {
  TILEC_SEVERITY_ERROR = 0,
  TILEC_SEVERITY_WARNING = 1,
  /** What was slow but right; not part of the log. */
  TILEC_SEVERITY_REMARK = 2,
  TILEC_SEVERITY_NOTE = 3
} tilec_severity;

/**
 * One message about a program. Lines and columns count from 1, columns in bytes; `end` is behind
 * the last byte. A message about no place has an empty `file` and zeros. `id` is a stable name
 * for the kind of message, such as `UnknownName`.
 */
typedef struct tilec_diagnostic {
  size_t size;
  tilec_severity severity;
  tilec_str id;
  tilec_str text;
  tilec_str file;
  uint32_t line, column, end_line, end_column;
  /** Notes that belong to the message: indices 0 to notes - 1 of the function's `_note`. */
  size_t notes;
} tilec_diagnostic;

/*===-- Compilers -----------------------------------------------------------===*/

typedef struct tilec_compiler_options {
  size_t size;
  /** Where compiled programs are kept between processes; NULL: $TILEC_CACHE_DIR, else `tilec` in
   *  $XDG_CACHE_HOME or ~/.cache. An empty text: nowhere. */
  const char *cache_dir;
} tilec_compiler_options;

/** Makes a compiler. `options` may be NULL. Costs nothing to speak of: a process may have many. */
TILEC_API tilec_status tilec_compiler_create(const tilec_compiler_options *options,
                                             tilec_compiler **compiler);
TILEC_API void tilec_compiler_retain(tilec_compiler *compiler);
TILEC_API void tilec_compiler_release(tilec_compiler *compiler);

/*===-- Programs ------------------------------------------------------------===*/

typedef enum tilec_host_kind {
  TILEC_HOST_NONE = 0,
  TILEC_HOST_BOOL = 1,   /**< `integer` */
  TILEC_HOST_INT = 2,    /**< `integer`; beyond 64 bits `text` in decimal */
  TILEC_HOST_FLOAT = 3,  /**< `real` */
  TILEC_HOST_STR = 4,    /**< `text` */
  TILEC_HOST_DTYPE = 5,  /**< `text`: `float16` */
  TILEC_HOST_LIST = 6,   /**< `items` */
  TILEC_HOST_TUPLE = 7,  /**< `items` */
  TILEC_HOST_DICT = 8,   /**< `items`: key, value, key, value ... */
  TILEC_HOST_TENSOR = 9, /**< `items` is its shape, `text` the type of its elements */
  /** `text`: the dotted name, such as `torch.cuda`. Modules that tilec knows (tilelang and its
   *  parts, math, torch's types ...) mean what they mean in scripts; what they do not have, and all
   *  other modules, are asked for attributes of `object`. */
  TILEC_HOST_MODULE = 10,
  /** `object`, which `source` is asked about; `text` is its name. */
  TILEC_HOST_FUNCTION = 11,
  /** `object`: anything else. `text`: what messages call it. */
  TILEC_HOST_OBJECT = 12
} tilec_host_kind;

/** A value that a program and its host exchange. Fields that a kind does not name are zero. */
typedef struct tilec_host_value {
  tilec_host_kind kind;
  int64_t integer;
  double real;
  tilec_str text;
  const struct tilec_host_value *items;
  size_t item_count;
  /** The host's own number for a thing, not 0. Given back once by `release`. */
  uint64_t object;
} tilec_host_value;

typedef struct tilec_keyword {
  tilec_str name;
  tilec_host_value value;
} tilec_keyword;

/** The text of a function: its `def` with decorators, or a statement that binds a lambda. Indented
 *  as the first statement of a file. */
typedef struct tilec_function_source {
  size_t size;
  tilec_str name, text;
  /** Where messages say that it is. */
  tilec_str file;
  uint32_t first_line;
} tilec_function_source;

/**
 * The program around a script: closures, globals, helpers of other files. A name that the text does
 * not bind is asked for, before Python's built-in functions, which the host does not give.
 *
 * The functions are called on the thread that compiles (or asks a binary for a stage), so from
 * several at once where several threads compile. What they fill in, `*value` or `*source`, must
 * live until the next call of the same thread or the end of the compile; it is cleared before. They
 * return TILEC_OK, TILEC_ERROR_ARGUMENT where there is no such thing, or another status after an
 * error, with `kind` TILEC_HOST_STR and a sentence in `text`. A thing that has no value is an error
 * of the script where its value is needed, not before. All but `lookup` may be NULL.
 *
 * The values that a compile was given count in the key of the cache, through the kernel that comes
 * of them.
 */
typedef struct tilec_env {
  size_t size;
  void *user;
  /** The value of a name in the program's text (`scope` 0), or in a function's (its object). */
  tilec_status (*lookup)(void *user, uint64_t scope, tilec_str name, tilec_host_value *value);
  /** `object.name`. Items are asked for as `object.__getitem__(key)`. */
  tilec_status (*attribute)(void *user, uint64_t object, tilec_str name, tilec_host_value *value);
  /** Calls an object or a function without source. Never called where $TILEC_PURE is 1. Arguments
   *  are values of the script, never of the kernel's run. */
  tilec_status (*call)(void *user, uint64_t object, const tilec_host_value *args, size_t arg_count,
                       const tilec_keyword *keywords, size_t keyword_count,
                       tilec_host_value *value);
  /** A function's text. TILEC_ERROR_ARGUMENT: it has none, and is called as an object. `size` is
   *  set. */
  tilec_status (*source)(void *user, uint64_t function, tilec_function_source *source);
  /** The compile that was given `object` has ended; called once for each time it was given. */
  void (*release)(void *user, uint64_t object);
  /** The program has gone, and with it all use of `user`. */
  void (*destroy)(void *user);
} tilec_env;

/**
 * A program from text, which is copied: a TileLang script, or Tile IR where `name` ends in `.mlir`.
 * Messages show `name` as the file's. The text is not parsed here; what is wrong with it is found
 * by tilec_compile. The program keeps its compiler alive. `env` may be NULL; it is copied, and its
 * `destroy` is called after an error, too.
 */
TILEC_API tilec_status tilec_program_from_text(tilec_compiler *compiler, tilec_str name,
                                               tilec_str text, const tilec_env *env,
                                               tilec_program **program);
/** The same for a file. TILEC_ERROR_IO when it cannot be read. */
TILEC_API tilec_status tilec_program_from_file(tilec_compiler *compiler, const char *path,
                                               tilec_program **program);
TILEC_API void tilec_program_retain(tilec_program *program);
TILEC_API void tilec_program_release(tilec_program *program);

/** A function of a script that an entry may call. */
typedef struct tilec_entry {
  size_t size;
  tilec_str name;
  uint32_t line, column;
  /** How many of its parameters have no default; tilec_program_entry_parameter has their names. */
  size_t parameters;
} tilec_entry;

/** How many functions of the script can be entries; 0 also where it does not parse. */
TILEC_API size_t tilec_program_entry_count(tilec_program *program);
/** Fills `entry`, whose `size` is set. TILEC_ERROR_ARGUMENT beyond the last one. */
TILEC_API tilec_status tilec_program_entry(tilec_program *program, size_t index,
                                           tilec_entry *entry);
/** Empty beyond the last one. */
TILEC_API tilec_str tilec_program_entry_parameter(tilec_program *program, size_t index,
                                                  size_t parameter);

/*===-- Compiling -----------------------------------------------------------===*/

typedef struct tilec_compile_options {
  size_t size;
  /** One of tilec_target_name. */
  const char *target;
  /** A call in the script's language: `gemm(1024, 1024, 1024, block_M=128)`. May be NULL where the
   *  script has one function that needs no arguments, and for recorded programs and Tile IR. */
  const char *entry;
  /** A strategy of every matrix loop; NULL: each loop's own. */
  const char *schedule;
  /** NVIDIA: `auto` (NULL), `ptxas`, `nvrtc`, or `none`, which leaves PTX. */
  const char *ptx_assembler;
  /** Stop after this stage (a name of tilec_binary_stage); NULL: `binary`. */
  const char *stop_after;
  /** Spills are errors. */
  tilec_choice strict;
  /** Machine code that does not keep a planned order is an error; default: where a schedule was
   *  asked for by name. */
  tilec_choice strict_schedule;
  /** Line tables; default: in code objects of AMD. */
  tilec_choice line_tables;
  /** The kernel stops where an index leaves an on-chip buffer. */
  tilec_choice check_bounds;
  /** The contract of every stage is checked; slow. */
  tilec_choice verify_stages;
  /** How functions of float32 are computed: `default` (NULL), `fast` or `libs`
   *  (docs/machine-code/lowering.md). */
  const char *math;
  /** `NAME=VALUE`: values of the script from outside, as `--define`. */
  const char *const *defines;
  size_t define_count;
  /** The text of a file of `tilec-run --tune-results`: the best parameters for the program's name
   *  (without folders), `entry` and `target` replace those of the entry. NULL: none. */
  const char *tuned_json;
} tilec_compile_options;

/**
 * Compiles `program`. `*binary` is made after TILEC_ERROR_COMPILE and TILEC_ERROR_INTERNAL, too: it
 * has the messages then, and no image.
 *
 * TILEC_ERROR_ARGUMENT: `options` or a name in it is wrong; `*binary` is NULL, and
 * tilec_last_error says what.
 */
TILEC_API tilec_status tilec_compile(tilec_program *program, const tilec_compile_options *options,
                                     tilec_binary **binary);

/**
 * Why the last call of this thread that returned a status other than TILEC_OK did so, in a
 * sentence. Lives until the thread's next call of a function of this library that fails.
 */
TILEC_API tilec_str tilec_last_error(void);

/*===-- Binaries ------------------------------------------------------------===*/

TILEC_API void tilec_binary_retain(tilec_binary *binary);
TILEC_API void tilec_binary_release(tilec_binary *binary);

/** What a device loads; empty after an error. Bytes, not text: PTX alone ends in a NUL. */
TILEC_API tilec_str tilec_binary_image(const tilec_binary *binary);
/** `hsaco`, `cubin` or `ptx`; empty without an image. */
TILEC_API tilec_str tilec_binary_kind(const tilec_binary *binary);
/** The launch manifest as JSON (docs/deploy/launch-manifest.md); empty after an error. */
TILEC_API tilec_str tilec_binary_manifest(const tilec_binary *binary);
/** The target it was compiled for. */
TILEC_API tilec_str tilec_binary_target(const tilec_binary *binary);
/** All messages but remarks as text, as the tools print them: `file:line:column: error: ...`, the
 *  line, a caret. Empty when there was nothing to say. */
TILEC_API tilec_str tilec_binary_log(const tilec_binary *binary);

/** How many messages there are, remarks included, notes not. */
TILEC_API size_t tilec_binary_diagnostic_count(const tilec_binary *binary);
/** Fills `out`, whose `size` is set; its texts live as long as the binary. TILEC_ERROR_ARGUMENT
 *  beyond the last one. */
TILEC_API tilec_status tilec_binary_diagnostic(const tilec_binary *binary, size_t index,
                                               tilec_diagnostic *out);
/** The same for a note of a message. */
TILEC_API tilec_status tilec_binary_note(const tilec_binary *binary, size_t index, size_t note,
                                         tilec_diagnostic *out);

/**
 * What `tilec --emit=STAGE` prints: `tile`, `tile-laid-out`, `tile-pipelined`, `wave`,
 * `wave-scheduled`, `llvm`, `asm`, `ptx` (NVIDIA), `object`, `binary`, `manifest`, `report`,
 * `schedule.svg`, `layouts.html`, `sass` (NVIDIA, by nvdisasm). Compiled when it is first asked
 * for, then kept with the binary. May be called from several threads. TILEC_ERROR_ARGUMENT: there
 * is no such stage; TILEC_ERROR_COMPILE: the program does not get there.
 */
TILEC_API tilec_status tilec_binary_stage(tilec_binary *binary, const char *stage, tilec_str *text);

/*===-- Tools ---------------------------------------------------------------===*/

/**
 * Runs a command-line tool of the compiler, `tilec` or `tilec-run`, as its main function does, with
 * standard input and output. For those programs: nothing of Core.h's promises about output, signals
 * and exiting holds. Returns the exit status.
 */
TILEC_API int tilec_tool_main(const char *tool, int argc, char **argv);

#ifdef __cplusplus
}
#endif

#endif
