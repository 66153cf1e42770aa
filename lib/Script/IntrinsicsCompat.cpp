//===- IntrinsicsCompat.cpp - names of TIR and CUDA in other words --------===//
//
// Scripts reach for TVM's and CUDA's own names; each means something that the language
// says in another way.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "EvaluatorScopes.h"

#include <algorithm>

namespace tilec::script {

/// The position of the lowest set bit, from 1; 0 when there is none. The bits below it are as many
/// as `(x & -x) - 1` has ones.
Value Evaluator::findFirstSet(const BoundArgs &args) {
  Span span = args.span;
  const Expr *x = toExpr(args.values[0], args.spans[0]);
  if (!x)
    return Value();
  if (!isInteger(x->type))
    return fail(DiagId::WantedOther, args.spans[0], "an integer", typeName(args.values[0]));
  const Expr *zero = build.constInt(0, x->type, span), *one = build.constInt(1, x->type, span);
  const Expr *lowest =
      build.binary(ExprOp::BitAnd, x, build.binary(ExprOp::Sub, zero, x, span), span);
  const Expr *below = build.binary(ExprOp::Sub, lowest, one, span);
  const Expr *count = build.cast(build.math(MathFn::PopCount, {below}, span), DType::I32, span);
  const Expr *position =
      build.binary(ExprOp::Add, count, build.constInt(1, DType::I32, span), span);
  return Value::expr(build.choose(ExprOp::Select, build.binary(ExprOp::Eq, x, zero, span),
                                  build.constInt(0, DType::I32, span), position, span));
}

/// Coordinates of a linear index, the last one fastest.
Value Evaluator::indexToCoordinates(const BoundArgs &args) {
  llvm::SmallVector<Value> extents;
  if (!iterate(args["shape"], args.spanOf("shape"), extents))
    return Value();
  std::vector<Value> coordinates(extents.size());
  Value rest = args["index"];
  Span span = args.span;
  for (size_t i = extents.size(); i-- > 0;) {
    coordinates[i] = binary(BinaryOp::Mod, rest, extents[i], span, span, span);
    rest = binary(BinaryOp::FloorDiv, rest, extents[i], span, span, span);
    if (!coordinates[i].ok() || !rest.ok())
      return Value();
  }
  return heap.list(std::move(coordinates));
}

/// Where upstream's swizzled layout puts an element of a row of shared memory: units of 16 bytes
/// change places within `swizzle_bytes`, by the row.
Value Evaluator::swizzlePlace(const BoundArgs &args) {
  std::optional<int64_t> rowSize = toInt(args["row_size"], args.spanOf("row_size"), "row_size");
  std::optional<DType> type = toDType(args["dtype"], args.spanOf("dtype"));
  if (!rowSize || !type)
    return Value();
  int64_t rowBytes = *rowSize * bitsOf(*type) / 8, bytes = std::min<int64_t>(128, rowBytes);
  if (!args["swizzle_bytes"].is(ValueKind::None)) {
    std::optional<int64_t> given =
        toInt(args["swizzle_bytes"], args.spanOf("swizzle_bytes"), "swizzle_bytes");
    if (!given)
      return Value();
    bytes = *given;
  }
  if (rowBytes <= 0 || rowBytes % 32 != 0)
    return fail(DiagId::BadArgumentValue, args.spanOf("row_size"), "row_size", *rowSize,
                "a row of a multiple of 32 bytes");
  if (bytes != 32 && bytes != 64 && bytes != 128)
    return fail(DiagId::BadArgumentValue, args.spanOf("swizzle_bytes"), "swizzle_bytes", bytes,
                "32, 64 or 128");
  Span span = args.span;
  auto op = [&](BinaryOp o, const Value &a, int64_t b) {
    return a.ok() ? binary(o, a, Value::small(b), span, span, span) : Value();
  };
  auto both = [&](BinaryOp o, const Value &a, const Value &b) {
    return a.ok() && b.ok() ? binary(o, a, b, span, span, span) : Value();
  };
  int64_t unit = 128 / bitsOf(*type), units = bytes / 16;
  const Value &row = args["row_idx"], &column = args["col_idx"];
  Value unitIndex = op(BinaryOp::FloorDiv, column, unit);
  Value turned = both(BinaryOp::BitXor, op(BinaryOp::Mod, unitIndex, units),
                      op(BinaryOp::FloorDiv, op(BinaryOp::Mod, row, 8), 8 / units));
  Value place =
      both(BinaryOp::Add, op(BinaryOp::Mul, turned, unit), op(BinaryOp::Mod, column, unit));
  Value tile = op(BinaryOp::FloorDiv, unitIndex, units);
  return place.ok() && tile.ok() ? heap.tuple({tile, row, place}) : Value();
}

namespace {

/// A function of a target or of CUDA's headers, and the function of the language that is the same.
struct NamedFunction {
  llvm::StringRef name, ours;
  unsigned arguments;    ///< of its arguments, those that are passed on
  bool hasMask = false;  ///< in front of these
  bool hasWidth = false; ///< behind these, where it is given
};
constexpr NamedFunction namedFunctions[] = {
    {"__builtin_amdgcn_sched_barrier", "schedule.sched_barrier", 1},
    {"llvm.amdgcn.sched.barrier", "schedule.sched_barrier", 1},
    {"sched_barrier", "schedule.sched_barrier", 1},
    {"__builtin_amdgcn_s_setprio", "schedule.setprio", 1},
    {"llvm.amdgcn.s.setprio", "schedule.setprio", 1},
    {"s_setprio", "schedule.setprio", 1},
    {"__builtin_amdgcn_s_barrier", "sync_threads", 0},
    {"llvm.amdgcn.s.barrier", "sync_threads", 0},
    {"s_barrier", "sync_threads", 0},
    {"__syncthreads", "sync_threads", 0},
    {"llvm.nvvm.barrier0", "sync_threads", 0},
    {"__syncwarp", "sync_warp", 0},
    {"__activemask", "activemask", 0},
    {"__match_any_sync", "match_any_sync", 1, true},
    {"__any_sync", "any_sync", 1, true},
    {"__all_sync", "all_sync", 1, true},
    {"__ballot_sync", "ballot_sync", 1, true},
    {"__shfl_sync", "shfl_sync", 2, true, true},
    {"__shfl_xor_sync", "shfl_xor", 2, true, true},
    {"__shfl_up_sync", "shfl_up", 2, true, true},
    {"__shfl_down_sync", "shfl_down", 2, true, true},
    {"__nanosleep", "evaluate", 1}, // nobody can tell that no time has passed
    {"__popc", "popcount", 1},
    {"__popcll", "popcount", 1},
    {"__clz", "clz", 1},
    {"__clzll", "clz", 1},
    {"__ffs", "__ffs", 1},
    {"__ffsll", "__ffs", 1},
    {"__expf", "exp", 1},
    {"expf", "exp", 1},
    {"exp2f", "exp2", 1},
    {"__logf", "log", 1},
    {"logf", "log", 1},
    {"__log2f", "log2", 1},
    {"log2f", "log2", 1},
    {"sqrtf", "sqrt", 1},
    {"rsqrtf", "rsqrt", 1},
    {"tanhf", "tanh", 1},
    {"fabsf", "abs", 1},
    {"fmaf", "fma", 3},
    {"fmaxf", "max", 2},
    {"fminf", "min", 2},
};

/// Instructions that order others, with the largest of each number.
struct Directive {
  llvm::StringRef name;
  llvm::SmallVector<int64_t, 3> most;
};
const Directive directives[] = {
    {"s_waitcnt", {0xffff}},
    {"sched_group_barrier", {0x7ff, 0x7fff, 0x7fff}},
    {"iglp_opt", {3}},
};

/// `s_waitcnt` of `__builtin_amdgcn_s_waitcnt` and `llvm.amdgcn.s.waitcnt`.
std::string directiveName(llvm::StringRef name) {
  if (!name.consume_front("__builtin_amdgcn_"))
    name.consume_front("llvm.amdgcn.");
  std::string text = name.str();
  std::replace(text.begin(), text.end(), '.', '_');
  return text;
}

const Directive *findDirective(llvm::StringRef name) {
  const Directive *found = llvm::find_if(directives, [&](auto &d) { return d.name == name; });
  return found == std::end(directives) ? nullptr : found;
}

/// Why a function has no counterpart.
constexpr std::pair<llvm::StringRef, llvm::StringRef> refusedFunctions[] = {
    {"cp.async", "use `T.copy` in a `T.Pipelined` loop"},
    {"mbarrier", "drop it: tilec derives barriers from data flow"},
};

} // namespace

/// False after an error, and where the target has no such instruction.
bool Evaluator::checkDirective(BoundArgs &args) {
  const Value &name = args["name"];
  const Directive *directive =
      name.is(ValueKind::Str) ? findDirective(directiveName(name.str())) : nullptr;
  Span numbersSpan = args.spanOf("numbers");
  if (!directive)
    return fail(DiagId::BadArgumentValue, args.spanOf("name"), "name", shown(name),
                "`\"s_waitcnt\"`, `\"sched_group_barrier\"` or `\"iglp_opt\"`")
        .ok();
  llvm::ArrayRef<Value> numbers = args["numbers"].items();
  if (numbers.size() != directive->most.size())
    return fail(DiagId::WrongArgumentCount, args.span, directive->name, directive->most.size(),
                numbers.size())
        .ok();
  for (auto [number, most] : llvm::zip_equal(numbers, directive->most)) {
    bool isNumber = number.is(ValueKind::Int) && number.integer().fits64();
    if (!isNumber || number.integer().value64() < 0 || number.integer().value64() > most)
      return fail(DiagId::ScheduleNumber, numbersSpan, directive->name, most).ok();
  }
  if (vendorOf(arch) != Vendor::Amd) {
    remark(DiagId::DirectiveIgnored, args.calleeSpan, directive->name, std::string(nameOf(arch)));
    return false;
  }
  args.values[args.indexOf("name")] = heap.str(directive->name.str());
  return true;
}

/// `T.call_extern(dtype, name, ...)`: the functions of a table, by their names. The name stands
/// first where the dtype is a keyword, or missing.
Value Evaluator::callByName(const BoundArgs &args) {
  llvm::ArrayRef<Value> list = args["args"].items();
  bool isFirst =
      !args["dtype"].is(ValueKind::None) || list.size() < 2 ||
      !(list[1].is(ValueKind::Str) && (list[0].is(ValueKind::Str) || list[0].is(ValueKind::DType)));
  if (list.empty())
    return fail(DiagId::IntrinsicMissingArgument, args.span, nameOf(args.id), "name");
  const Value &name = list[isFirst ? 0 : 1];
  Value dtype = isFirst ? args["dtype"] : list[0];
  bool hasType = !dtype.is(ValueKind::None);
  Span nameSpan = args.spanOf("args");
  std::string callee = ("T." + sources.textOf(args.calleeSpan).rsplit('.').second).str();
  if (!name.is(ValueKind::Str))
    return fail(DiagId::WantedOther, nameSpan, "the name of a function", typeName(name));
  llvm::ArrayRef<Value> values = list.drop_front(isFirst ? 1 : 2);
  if (std::optional<Value> result = callForeign(name.str(), values, args))
    return *result;
  std::string directive = directiveName(name.str());
  if (findDirective(directive)) {
    CallArgs forward;
    forward.span = args.span;
    forward.calleeSpan = args.calleeSpan;
    forward.values.push_back(name);
    forward.values.append(values.begin(), values.end());
    forward.spans.assign(forward.values.size(), nameSpan);
    return callIntrinsic(IntrinsicId::Directive, forward);
  }
  if (directive == "readfirstlane" && inLaunch()) {
    if (values.size() != 1)
      return fail(DiagId::WrongArgumentCount, args.span, directive, 1, values.size());
    return callLibrary("first_lane", values, args.span);
  }
  for (const NamedFunction &f : namedFunctions) {
    if (f.name != name.str())
      continue;
    if (values.size() < f.arguments + f.hasMask)
      return fail(DiagId::WrongArgumentCount, args.span, f.name, f.arguments + f.hasMask,
                  values.size());
    CallArgs forward;
    forward.span = args.span;
    forward.calleeSpan = args.calleeSpan;
    llvm::ArrayRef<Value> own = values.drop_front(f.hasMask);
    forward.values.assign(own.begin(), own.begin() + f.arguments);
    forward.spans.assign(f.arguments, args.spanOf("args"));
    if (f.hasMask)
      forward.keywords.push_back({"mask", values[0], args.spanOf("args")});
    if (f.hasWidth && own.size() > f.arguments)
      forward.keywords.push_back({"width", own[f.arguments], args.spanOf("args")});
    Value ours = tileAttribute(f.ours, args.calleeSpan);
    Value result = ours.ok() ? call(ours, forward) : Value();
    bool isVoid = !result.is(ValueKind::Expr);
    std::optional<DType> type;
    if (hasType && !isVoid && !(type = toDType(dtype, args.spanOf("args"))))
      return Value();
    return type ? castIntrinsic(result, args.span, *type, args.span) : result;
  }
  llvm::StringRef instead = "tilec compiles no C source; write it in the tile language";
  for (auto [part, why] : refusedFunctions)
    if (name.str().contains(part))
      instead = why;
  return fail(DiagId::RefusedIntrinsic, nameSpan, callee + "` of `" + name.str().str(), instead);
}

Value Evaluator::compatIntrinsic(const BoundArgs &args) {
  auto shuffle = [&](IntrinsicId id) {
    CallArgs forward;
    forward.span = args.span;
    forward.calleeSpan = args.calleeSpan;
    for (size_t i : {1, 2}) {
      forward.values.push_back(args.values[i]);
      forward.spans.push_back(args.spans[i]);
    }
    forward.keywords.push_back({"width", args["width"], args.spanOf("width")});
    return callIntrinsic(id, forward);
  };
  if (args.id >= IntrinsicId::AsyncCopy && args.id <= IntrinsicId::FenceProxy)
    return asyncIntrinsic(args);
  if (args.id >= IntrinsicId::Ramp && args.id <= IntrinsicId::Store256)
    return laneIntrinsic(args);
  switch (args.id) {
  case IntrinsicId::FindFirstSet:
    return findFirstSet(args);
  case IntrinsicId::FindNthSet:
    if (!inLaunch())
      return fail(DiagId::OutsideKernel, args.calleeSpan, "`T.__fns`");
    return callLibrary("find_nth_set", {args["mask"], args["base"], args["offset"]}, args.span,
                       args.spans);
  case IntrinsicId::IndexToCoordinates:
    return indexToCoordinates(args);
  case IntrinsicId::SwizzlePlace:
    return swizzlePlace(args);
  case IntrinsicId::LoadThroughCache: {
    const Value &source = args["load_or_buf"];
    if (isWholeTile(source) && !args["index"].is(ValueKind::None))
      return decay(subscript(source, args["index"], args.span, args.spanOf("index")), args.span);
    if (source.is(ValueKind::Expr) && source.expr()->op == ExprOp::Load)
      return source;
    return fail(DiagId::WantedOther, args.spans[0], "an element such as `A[i]`", typeName(source));
  }
  case IntrinsicId::CallByName:
    return callByName(args);
  case IntrinsicId::RandomInit:
  case IntrinsicId::RandomWord:
  case IntrinsicId::RandomFloat:
    return randomIntrinsic(args);
  case IntrinsicId::CommReducer:
    return heap.tuple({args["combiner"], args["identity"]});
  case IntrinsicId::Attr:
    return attrIntrinsic(args);
  case IntrinsicId::ThreadAllReduce:
    return threadAllReduce(args);
  case IntrinsicId::ImportSource:
    return importSource(args["source"]);
  case IntrinsicId::AccessPtr:
  case IntrinsicId::AddressOf:
    return pointerIntrinsic(args);
  case IntrinsicId::Likely:
    return args.values[0];
  case IntrinsicId::TileScheduler:
    return tileScheduler(args);
  case IntrinsicId::WarpShuffle:
    return shuffle(IntrinsicId::ShflSync);
  case IntrinsicId::WarpShuffleUp:
    return shuffle(IntrinsicId::ShflUp);
  case IntrinsicId::WarpShuffleDown:
    return shuffle(IntrinsicId::ShflDown);
  default: // T.evaluate: what it evaluates has been traced
    return Value::none();
  }
}

} // namespace tilec::script
