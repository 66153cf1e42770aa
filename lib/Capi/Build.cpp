//===- Build.cpp - recording kernels through the C interface --------------===//
//
// Each function of the builder of the C interface as a call of tilec::build::Recorder; a builder
// that has failed records no more.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Objects.h"

#include "tilec-c/Build.h"
#include "tilec/Build/Recorder.h"

using namespace tilec;
using namespace tilec::capi;
using build::Recorder;

struct tilec_builder {
  tilec_builder(llvm::StringRef name, build::Place place, uint32_t serial)
      : recorder(name, place), serial(serial) {}

  tilec_value give(Recorder::Id id) const {
    return id ? uint64_t(serial) << 32 | id : TILEC_NO_VALUE;
  }
  /// Of another builder: a value that this recorder never made, and says so.
  Recorder::Id take(tilec_value value) const {
    if (value == TILEC_NO_VALUE)
      return 0;
    return value >> 32 == serial ? static_cast<Recorder::Id>(value) : ~Recorder::Id(0);
  }
  llvm::SmallVector<Recorder::Id> take(const tilec_value *list, size_t count) const {
    llvm::SmallVector<Recorder::Id> ids;
    for (size_t i = 0; i < count; ++i)
      ids.push_back(take(list[i]));
    return ids;
  }

  Recorder recorder;
  const uint32_t serial;
  std::string text;
  bool isFinished = false;
};

namespace {

build::Place toPlace(const tilec_place *place) {
  if (!place || !place->file)
    return {};
  return {place->file, place->line, place->column};
}

/// Null for a builder that records no more.
tilec_builder *live(tilec_builder *builder) {
  return builder && !builder->isFinished ? builder : nullptr;
}

template <typename Make> tilec_value record(tilec_builder *builder, Make make) {
  tilec_builder *b = live(builder);
  return b ? b->give(make(*b)) : TILEC_NO_VALUE;
}

} // namespace

extern "C" {

tilec_status tilec_builder_create(const char *name, const tilec_place *place,
                                  tilec_builder **builder) {
  if (!builder)
    return failed(TILEC_ERROR_ARGUMENT, "builder is NULL");
  *builder = nullptr;
  if (!name)
    return failed(TILEC_ERROR_ARGUMENT, "name is NULL");
  static std::atomic<uint32_t> count{0};
  *builder = new tilec_builder(name, toPlace(place), ++count);
  return TILEC_OK;
}

void tilec_builder_release(tilec_builder *builder) { delete builder; }

tilec_status tilec_builder_finish(tilec_builder *builder, tilec_compiler *compiler,
                                  tilec_program **program) {
  if (!program)
    return failed(TILEC_ERROR_ARGUMENT, "program is NULL");
  *program = nullptr;
  if (!live(builder) || !compiler)
    return failed(TILEC_ERROR_ARGUMENT, "builder or compiler is NULL, or the recording has ended");
  builder->isFinished = true;
  auto *made = new tilec_program(compiler);
  made->recording = builder->recorder.finish();
  made->name = made->recording->entry;
  *program = made;
  return TILEC_OK;
}

tilec_str tilec_builder_text(tilec_builder *builder) {
  if (!live(builder))
    return {};
  builder->text = builder->recorder.text();
  return toC(builder->text);
}

tilec_value tilec_build_none(tilec_builder *builder) {
  return record(builder, [](auto &b) { return b.recorder.none(); });
}
tilec_value tilec_build_bool(tilec_builder *builder, int value) {
  return record(builder, [&](auto &b) { return b.recorder.boolean(value != 0); });
}
tilec_value tilec_build_int(tilec_builder *builder, int64_t value) {
  return record(builder, [&](auto &b) { return b.recorder.integer(value); });
}
tilec_value tilec_build_float(tilec_builder *builder, double value) {
  return record(builder, [&](auto &b) { return b.recorder.real(value); });
}
tilec_value tilec_build_string(tilec_builder *builder, tilec_str value) {
  return record(builder, [&](auto &b) { return b.recorder.string(fromC(value)); });
}
tilec_value tilec_build_list(tilec_builder *builder, const tilec_value *items, size_t count) {
  return record(builder, [&](auto &b) { return b.recorder.list(b.take(items, count)); });
}
tilec_value tilec_build_dict(tilec_builder *builder, const tilec_value *keys,
                             const tilec_value *values, size_t count) {
  return record(builder, [&](auto &b) {
    return b.recorder.dict(b.take(keys, count), b.take(values, count));
  });
}
tilec_value tilec_build_slice(tilec_builder *builder, tilec_value begin, tilec_value end) {
  return record(builder, [&](auto &b) { return b.recorder.slice(b.take(begin), b.take(end)); });
}

tilec_value tilec_build_dim(tilec_builder *builder, const char *name, const char *dtype,
                            const tilec_place *place) {
  return record(builder, [&](auto &b) {
    return b.recorder.dim(fromC(name), dtype ? dtype : "int32", toPlace(place));
  });
}
tilec_value tilec_build_parameter(tilec_builder *builder, const char *name, tilec_value type,
                                  const tilec_place *place) {
  return record(builder, [&](auto &b) {
    return b.recorder.parameter(fromC(name), b.take(type), toPlace(place));
  });
}
void tilec_build_output(tilec_builder *builder, tilec_value tensor) {
  if (tilec_builder *b = live(builder))
    b->recorder.output(b->take(tensor));
}

tilec_value tilec_build_op(tilec_builder *builder, tilec_op op, tilec_value a, tilec_value b,
                           const tilec_place *place) {
  static_assert(static_cast<int>(TILEC_OP_NOT) == static_cast<int>(Recorder::Op::Not) &&
                static_cast<int>(TILEC_OP_EQ) == static_cast<int>(Recorder::Op::Eq));
  if (op < TILEC_OP_ADD || op > TILEC_OP_NOT)
    return TILEC_NO_VALUE;
  return record(builder, [&](auto &to) {
    return to.recorder.op(static_cast<Recorder::Op>(op), to.take(a), to.take(b), toPlace(place));
  });
}

tilec_value tilec_build_call(tilec_builder *builder, const char *function,
                             const tilec_call_arg *args, size_t count, const char *name,
                             const tilec_place *place) {
  if (!function || !*function)
    return TILEC_NO_VALUE;
  return record(builder, [&](auto &b) {
    llvm::SmallVector<Recorder::Arg> list;
    for (size_t i = 0; i < count; ++i)
      list.push_back({fromC(args[i].keyword), b.take(args[i].value)});
    return b.recorder.call(function, list, fromC(name), toPlace(place));
  });
}

tilec_value tilec_build_index(tilec_builder *builder, tilec_value object,
                              const tilec_value *indices, size_t count, const tilec_place *place) {
  return record(builder, [&](auto &b) {
    return b.recorder.index(b.take(object), b.take(indices, count), /*isTile=*/false,
                            toPlace(place));
  });
}

tilec_value tilec_build_at(tilec_builder *builder, tilec_value object, const tilec_value *indices,
                           size_t count, const tilec_place *place) {
  return record(builder, [&](auto &b) {
    return b.recorder.index(b.take(object), b.take(indices, count), /*isTile=*/true,
                            toPlace(place));
  });
}

tilec_value tilec_build_let(tilec_builder *builder, tilec_value value, const char *name,
                            const tilec_place *place) {
  return record(
      builder, [&](auto &b) { return b.recorder.let(b.take(value), fromC(name), toPlace(place)); });
}

void tilec_build_store(tilec_builder *builder, tilec_value object, const tilec_value *indices,
                       size_t count, tilec_value value, const tilec_place *place) {
  if (tilec_builder *b = live(builder))
    b->recorder.store(b->take(object), b->take(indices, count), b->take(value), toPlace(place));
}

void tilec_build_begin(tilec_builder *builder, tilec_value frame, tilec_value *variables,
                       size_t count, const tilec_place *place) {
  std::fill_n(variables, count, TILEC_NO_VALUE);
  tilec_builder *b = live(builder);
  if (!b)
    return;
  llvm::SmallVector<Recorder::Id> ids(count);
  b->recorder.begin(b->take(frame), ids, toPlace(place));
  for (size_t i = 0; i < count; ++i)
    variables[i] = b->give(ids[i]);
}
void tilec_build_begin_if(tilec_builder *builder, tilec_value condition, const tilec_place *place) {
  if (tilec_builder *b = live(builder))
    b->recorder.beginIf(b->take(condition), toPlace(place));
}
void tilec_build_begin_else(tilec_builder *builder, const tilec_place *place) {
  if (tilec_builder *b = live(builder))
    b->recorder.beginElse(toPlace(place));
}
void tilec_build_begin_while(tilec_builder *builder, tilec_value condition,
                             const tilec_place *place) {
  if (tilec_builder *b = live(builder))
    b->recorder.beginWhile(b->take(condition), toPlace(place));
}
void tilec_build_break(tilec_builder *builder, const tilec_place *place) {
  if (tilec_builder *b = live(builder))
    b->recorder.jump(/*isBreak=*/true, toPlace(place));
}
void tilec_build_continue(tilec_builder *builder, const tilec_place *place) {
  if (tilec_builder *b = live(builder))
    b->recorder.jump(/*isBreak=*/false, toPlace(place));
}
void tilec_build_end(tilec_builder *builder, const tilec_place *place) {
  if (tilec_builder *b = live(builder))
    b->recorder.end(toPlace(place));
}

void tilec_build_begin_function(tilec_builder *builder, tilec_value *indices, size_t count,
                                const tilec_place *place) {
  std::fill_n(indices, count, TILEC_NO_VALUE);
  tilec_builder *b = live(builder);
  if (!b)
    return;
  llvm::SmallVector<Recorder::Id> ids(count);
  b->recorder.beginFunction(ids, toPlace(place));
  for (size_t i = 0; i < count; ++i)
    indices[i] = b->give(ids[i]);
}
tilec_value tilec_build_end_function(tilec_builder *builder, const tilec_value *results,
                                     size_t count, const tilec_place *place) {
  return record(builder, [&](auto &b) {
    return b.recorder.endFunction(b.take(results, count), toPlace(place));
  });
}

void tilec_build_error(tilec_builder *builder, tilec_str text, const tilec_place *place) {
  if (tilec_builder *b = live(builder))
    b->recorder.mistake(fromC(text), toPlace(place));
}

} // extern "C"
