/*===- tilec-c/Build.h - write kernels in a host language ---------------------===*\
 *
 * A builder records a kernel as calls are made: values, statements, loops. Nothing is
 * computed; what has been recorded is a program that tilec_compile takes, and
 * means what a TileLang script of the same statements means: functions are those of `T.`
 * by name (docs/language/README.md), with the same arguments, checks and messages. tilec/Tile.h
 * is a C++ interface on this one.
 *
 *     tilec_builder_create(&options, &b);                       // def fill(A: T.Tensor(...)):
 *     A = tilec_build_parameter(b, "A", tensor type, place);
 *     tilec_build_begin(b, T.Kernel(8, threads=128), &bx, 1);   //   with T.Kernel(8, ...) as bx:
 *     tilec_build_begin(b, T.Parallel(128), &i, 1);             //     for i in T.Parallel(128):
 *     tilec_build_store(b, A, index, 1, one, place);            //       A[bx * 128 + i] = 1.0
 *     tilec_build_end(b, place); tilec_build_end(b, place);
 *     tilec_builder_finish(b, compiler, &program);
 *
 * Mistakes: a call that cannot be recorded returns TILEC_NO_VALUE and is a message of the
 * program; calls that are given TILEC_NO_VALUE return it and say nothing more. What is wrong
 * with the kernel itself is found by tilec_compile, at the places that were given.
 *
 * A value is what it was when it was made: reading an element and writing it afterwards
 * does not change what was read. It can be used until its loop, branch or launch ends.
 *
 * Threads: a builder belongs to one thread at a time. Texts that are given are copied.
 * Rules of ownership, text and errors: Core.h.
 *
 * SPDX-License-Identifier: Apache-2.0
\*===----------------------------------------------------------------------===*/
#ifndef TILEC_C_BUILD_H
#define TILEC_C_BUILD_H

#include "tilec-c/Compile.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tilec_builder tilec_builder;

/** A value of one builder. Of another one it is a mistake that is noticed. */
typedef uint64_t tilec_value;
#define TILEC_NO_VALUE ((tilec_value)0)

/** Where in the host's source a call is; lines and columns count from 1. NULL for a call: nowhere.
 *  A file that can be read is shown in messages. */
typedef struct tilec_place {
  const char *file;
  uint32_t line, column;
} tilec_place;

/** A builder for one kernel function of this name, which is the symbol of its first launch. A name
 * is a letter or `_` with letters, digits and `_` after it. */
TILEC_API tilec_status tilec_builder_create(const char *name, const tilec_place *place,
                                            tilec_builder **builder);
TILEC_API void tilec_builder_release(tilec_builder *builder);

/**
 * Ends the recording and makes a program of it. Messages of the recording come from
 * tilec_compile, as all others do. The builder can only be released then.
 */
TILEC_API tilec_status tilec_builder_finish(tilec_builder *builder, tilec_compiler *compiler,
                                            tilec_program **program);
/** The recording as text, for people and tests; lives until the next call on the builder. */
TILEC_API tilec_str tilec_builder_text(tilec_builder *builder);

/*===-- Constants -----------------------------------------------------------===*/

TILEC_API tilec_value tilec_build_none(tilec_builder *builder);
TILEC_API tilec_value tilec_build_bool(tilec_builder *builder, int value);
TILEC_API tilec_value tilec_build_int(tilec_builder *builder, int64_t value);
TILEC_API tilec_value tilec_build_float(tilec_builder *builder, double value);
TILEC_API tilec_value tilec_build_string(tilec_builder *builder, tilec_str value);
/** A tuple: a shape, the indices of an element. */
TILEC_API tilec_value tilec_build_list(tilec_builder *builder, const tilec_value *items,
                                       size_t count);
TILEC_API tilec_value tilec_build_dict(tilec_builder *builder, const tilec_value *keys,
                                       const tilec_value *values, size_t count);
/** `begin:end` as an index; TILEC_NO_VALUE for either: left out. */
TILEC_API tilec_value tilec_build_slice(tilec_builder *builder, tilec_value begin, tilec_value end);

/*===-- The kernel ----------------------------------------------------------===*/

/** A size that is known when the kernel runs. */
TILEC_API tilec_value tilec_build_dim(tilec_builder *builder, const char *name, const char *dtype,
                                      const tilec_place *place);
/** A parameter: `type` is what `T.Tensor` returns, or the text of a scalar's dtype. Before the
 * first launch. */
TILEC_API tilec_value tilec_build_parameter(tilec_builder *builder, const char *name,
                                            tilec_value type, const tilec_place *place);
/** The kernel returns this parameter (or `T.empty`). */
TILEC_API void tilec_build_output(tilec_builder *builder, tilec_value tensor);

/*===-- Expressions and statements ------------------------------------------===*/

typedef enum tilec_op {
  TILEC_OP_ADD,
  TILEC_OP_SUB,
  TILEC_OP_MUL,
  TILEC_OP_DIV,       /**< true division; of integers in float32 */
  TILEC_OP_FLOOR_DIV, /**< rounds down */
  TILEC_OP_MOD,       /**< of floor division */
  TILEC_OP_SHL,
  TILEC_OP_SHR,
  TILEC_OP_BIT_AND,
  TILEC_OP_BIT_OR,
  TILEC_OP_BIT_XOR,
  TILEC_OP_EQ,
  TILEC_OP_NE,
  TILEC_OP_LT,
  TILEC_OP_LE,
  TILEC_OP_GT,
  TILEC_OP_GE,
  TILEC_OP_AND, /**< of conditions; the right one is looked at only when needed */
  TILEC_OP_OR,
  TILEC_OP_NEG, /**< one operand from here on; `b` is not looked at */
  TILEC_OP_BIT_NOT,
  TILEC_OP_NOT
} tilec_op;

TILEC_API tilec_value tilec_build_op(tilec_builder *builder, tilec_op op, tilec_value a,
                                     tilec_value b, const tilec_place *place);

/** An argument; positional where `keyword` is NULL. Positional ones come first. */
typedef struct tilec_call_arg {
  const char *keyword;
  tilec_value value;
} tilec_call_arg;

/**
 * Calls `T.NAME`, `schedule.NAME`, or, where `function` begins with a dot, that method of the first
 * argument. `name` is what messages call the result, or NULL. Returns TILEC_NO_VALUE for functions
 * without a result, too.
 */
TILEC_API tilec_value tilec_build_call(tilec_builder *builder, const char *function,
                                       const tilec_call_arg *args, size_t count, const char *name,
                                       const tilec_place *place);

/** `object[indices]`: an element, or with slices a box. */
TILEC_API tilec_value tilec_build_index(tilec_builder *builder, tilec_value object,
                                        const tilec_value *indices, size_t count,
                                        const tilec_place *place);
/** The same where a tile is wanted: the address of an element, whose box the other operand says. */
TILEC_API tilec_value tilec_build_at(tilec_builder *builder, tilec_value object,
                                     const tilec_value *indices, size_t count,
                                     const tilec_place *place);
/** Evaluates an expression here, once. */
TILEC_API tilec_value tilec_build_let(tilec_builder *builder, tilec_value value, const char *name,
                                      const tilec_place *place);
/** `object[indices] = value`; a variable (`T.alloc_var`) has no indices. */
TILEC_API void tilec_build_store(tilec_builder *builder, tilec_value object,
                                 const tilec_value *indices, size_t count, tilec_value value,
                                 const tilec_place *place);

/*===-- Loops, branches, launches -------------------------------------------===*/

/** Begins the launch or the loop that `frame` says (what `T.Kernel`, `T.Parallel`, `T.Pipelined`,
 * ... return) and fills `variables`: its block indices or loop variables. */
TILEC_API void tilec_build_begin(tilec_builder *builder, tilec_value frame, tilec_value *variables,
                                 size_t count, const tilec_place *place);
TILEC_API void tilec_build_begin_if(tilec_builder *builder, tilec_value condition,
                                    const tilec_place *place);
/** Ends the branch that tilec_build_begin_if began and begins the other one. */
TILEC_API void tilec_build_begin_else(tilec_builder *builder, const tilec_place *place);
/** The condition is evaluated before every round. */
TILEC_API void tilec_build_begin_while(tilec_builder *builder, tilec_value condition,
                                       const tilec_place *place);
TILEC_API void tilec_build_break(tilec_builder *builder, const tilec_place *place);
TILEC_API void tilec_build_continue(tilec_builder *builder, const tilec_place *place);
/** Ends what was begun last. */
TILEC_API void tilec_build_end(tilec_builder *builder, const tilec_place *place);

/** Begins a function of `count` indices, for `T.Layout`; what is made until
 * tilec_build_end_function are expressions only. */
TILEC_API void tilec_build_begin_function(tilec_builder *builder, tilec_value *indices,
                                          size_t count, const tilec_place *place);
TILEC_API tilec_value tilec_build_end_function(tilec_builder *builder, const tilec_value *results,
                                               size_t count, const tilec_place *place);

/** The place of a mistake that the host found, with its sentence: a message of the program. */
TILEC_API void tilec_build_error(tilec_builder *builder, tilec_str text, const tilec_place *place);

#ifdef __cplusplus
}
#endif

#endif
