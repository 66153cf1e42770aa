//===- Intrinsics.cpp - calls of `T.`: binding and statements -------------===//
//
// Takes a call of `T.`, binds its arguments to the signature, and makes a statement or an
// expression of it, or hands it to the function of its row's kind.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "IntrinsicTable.h"
#include "Lanes.h"

#include "llvm/ADT/StringExtras.h"

namespace tilec::script {

size_t BoundArgs::indexOf(llvm::StringRef name) const {
  llvm::ArrayRef<llvm::StringRef> names = parametersOf(id);
  size_t i = 0;
  while (i + 1 < names.size() && names[i] != name)
    ++i;
  return i;
}

namespace {
/// What numpy, torch and Triton call a parameter that has another name here.
llvm::StringRef otherKeyword(llvm::StringRef keyword, llvm::ArrayRef<llvm::StringRef> known) {
  constexpr std::pair<llvm::StringRef, llvm::StringRef> pairs[] = {{"axis", "dim"},
                                                                   {"out", "dst"},
                                                                   {"output", "out"},
                                                                   {"num_threads", "threads"},
                                                                   {"block", "threads"},
                                                                   {"stages", "num_stages"},
                                                                   {"trans_a", "transpose_A"},
                                                                   {"trans_b", "transpose_B"},
                                                                   {"fill_value", "value"}};
  for (auto [theirs, ours] : pairs)
    if (theirs == keyword && llvm::is_contained(known, ours))
      return ours;
  return {};
}
} // namespace

bool Evaluator::isKeywordOf(IntrinsicId id, llvm::StringRef keyword, Span span) {
  const Signature &signature = signatureOf(id);
  for (auto [parameter, name] : llvm::zip(signature.parameters, signature.names))
    if (name == keyword && !parameter.variadic)
      return true;
  if (keyword.empty() || keyword == annotationsKeyword || keyword == "span" || keyword == "name")
    return true;
  // The command line says what an emitter is for.
  bool isEmitter = id == IntrinsicId::EmitterClass || id == IntrinsicId::MatrixCoreClass ||
                   id == IntrinsicId::PreshuffleClass;
  if (isEmitter && keyword == "target")
    return true;
  llvm::StringRef other = otherKeyword(keyword, signature.names);
  fail(DiagId::IntrinsicUnknownKeyword, span, nameOf(id), keyword,
       other.empty() ? suggestion(keyword, signature.names)
                     : ("; it is called `" + other + "` here").str());
  return false;
}

std::optional<BoundArgs> Evaluator::bindIntrinsic(IntrinsicId id, CallArgs &args) {
  const Signature &signature = signatureOf(id);
  llvm::StringRef name = nameOf(id);
  BoundArgs out;
  out.id = id;
  out.span = args.span;
  out.calleeSpan = args.calleeSpan;
  size_t count = signature.parameters.size();
  out.values.resize(count);
  out.spans.assign(count, args.span);
  out.given.assign(count, false);
  size_t next = 0, positional = 0;
  for (size_t i = 0; i < count; ++i) {
    const Signature::Parameter &p = signature.parameters[i];
    if (p.variadic) {
      out.values[i] = heap.tuple({args.values.begin() + next, args.values.end()});
      if (next < args.spans.size())
        out.spans[i] = args.spans[next];
      out.given[i] = next < args.values.size();
      next = args.values.size();
    } else if (!p.keywordOnly) {
      ++positional;
      if (next < args.values.size()) {
        out.values[i] = args.values[next];
        out.spans[i] = args.spans[next++];
        out.given[i] = true;
      }
    }
  }
  if (next < args.values.size()) {
    fail(DiagId::IntrinsicTooManyArguments, args.spans[next], name, positional, args.values.size());
    return std::nullopt;
  }
  for (const CallArgs::Keyword &k : args.keywords) {
    size_t i = 0;
    while (i < count && (signature.names[i] != k.name || signature.parameters[i].variadic))
      ++i;
    if (i == count) {
      if (!isKeywordOf(id, k.name, k.span))
        return std::nullopt;
      if (k.name == annotationsKeyword)
        remarkAnnotations(k.value, k.place());
      continue;
    }
    if (out.given[i]) {
      fail(DiagId::ArgumentTwice, k.span, name, k.name);
      return std::nullopt;
    }
    out.values[i] = k.value;
    out.spans[i] = k.place();
    out.given[i] = true;
  }
  for (size_t i = 0; i < count; ++i) {
    if (out.values[i].ok())
      continue;
    if (signature.parameters[i].defaultText.empty()) {
      fail(DiagId::IntrinsicMissingArgument, args.span, name, signature.names[i]);
      return std::nullopt;
    }
    out.values[i] = defaultOf(signature.parameters[i].defaultText);
  }
  return out;
}

Value Evaluator::callIntrinsic(IntrinsicId id, CallArgs &args, const Value *self) {
  CallArgs withSelf;
  if (self) {
    withSelf = args;
    withSelf.values.insert(withSelf.values.begin(), *self);
    withSelf.spans.insert(withSelf.spans.begin(), args.calleeSpan);
  }
  std::optional<BoundArgs> bound = bindIntrinsic(id, self ? withSelf : args);
  if (!bound)
    return Value();
  remarkIgnored(*bound);
  switch (kindOf(id)) {
  case IntrinsicKind::Launch:
    return kernelIntrinsic(*bound);
  case IntrinsicKind::Loop:
    return loopIntrinsic(*bound);
  case IntrinsicKind::Alloc:
    return allocIntrinsic(*bound);
  case IntrinsicKind::Scalar:
    return llvm::any_of(bound->values,
                        [](const Value &v) {
                          return isLanes(v) || (v.is(ValueKind::DType) && v.lanes()) ||
                                 (v.is(ValueKind::Str) && vectorTypeOf(v));
                        })
               ? scalarOfLanes(*bound)
               : scalarIntrinsic(*bound);
  case IntrinsicKind::Compat:
    return compatIntrinsic(*bound);
  case IntrinsicKind::Host:
    return id == IntrinsicId::Reduce ? reduceByName(*bound) : annotateConfigs(*bound);
  case IntrinsicKind::Library:
    return libraryIntrinsic(*bound);
  case IntrinsicKind::Hint:
    return Value::none();
  default:
    break;
  }
  if (id == IntrinsicId::Assume && !inLaunch() && kernel) {
    const Expr *c = toCondition((*bound)["condition"], bound->spanOf("condition"));
    if (!c)
      return Value();
    kernel->assumptions.push_back(c);
    return Value::none();
  }
  if (!inLaunch())
    return fail(DiagId::OutsideKernel, args.calleeSpan, ("`T." + nameOf(id) + "`").str());
  bool updates = isAtomic(id) && llvm::is_contained(parametersOf(id), "return_prev");
  if (updates && isLanes(bound->values[0]))
    return atomicOfLanes(*bound);
  return emitIntrinsic(*bound);
}

/// T.reduce(buffer, out, "max", dim, clear): the function of that name.
Value Evaluator::reduceByName(const BoundArgs &args) {
  const Value &type = args["reduce_type"];
  std::optional<IntrinsicId> id =
      type.is(ValueKind::Str) ? findIntrinsic(("reduce_" + type.str()).str()) : std::nullopt;
  if (!id)
    return fail(DiagId::BadArgumentValue, args.spanOf("reduce_type"), "reduce_type", shown(type),
                "`\"sum\"`, `\"max\"`, `\"min\"`, `\"absmax\"` or `\"abssum\"`");
  CallArgs forward;
  forward.span = args.span;
  forward.calleeSpan = args.calleeSpan;
  for (llvm::StringRef name : {"buffer", "out", "dim"}) {
    forward.values.push_back(args[name]);
    forward.spans.push_back(args.spanOf(name));
  }
  if (*id != IntrinsicId::ReduceAbsSum)
    forward.keywords.push_back({"clear", args["clear"], args.spanOf("clear")});
  return callIntrinsic(*id, forward);
}

Value Evaluator::annotateConfigs(const BoundArgs &args) {
  if (kernel && args["configs"].is(ValueKind::Dict))
    for (auto &[key, value] : args["configs"].as<DictObject>()->entries) {
      remarkIgnoredConfig(toStr(key), value, args.spanOf("configs"));
      kernel->passConfigs.push_back({toStr(key), value});
    }
  return Value::none();
}

/// An atomic's order, by its name in C++: no other is taken, and one that would order other
/// accesses is without effect.
bool Evaluator::checkMemoryOrder(const BoundArgs &args) {
  constexpr llvm::StringRef name = "memory_order";
  const Value &order = args[name];
  if (!args.isGiven(name) || order.is(ValueKind::None))
    return true;
  bool loads = args.id != IntrinsicId::AtomicStore, stores = args.id != IntrinsicId::AtomicLoad;
  llvm::SmallVector<llvm::StringRef> known{"relaxed"};
  if (loads)
    known.append({"consume", "acquire"});
  if (stores)
    known.push_back("release");
  if (loads && stores)
    known.push_back("acq_rel");
  known.push_back("seq_cst");
  if (!order.is(ValueKind::Str) || !llvm::is_contained(known, order.str()))
    return fail(DiagId::BadArgumentValue, args.spanOf(name), name, shown(order),
                "`\"" + llvm::join(known, "\"`, `\"") + "\"`")
        .ok();
  if (order.str() != "relaxed")
    remark(DiagId::MemoryOrderIgnored, args.spanOf(name), order.str());
  return true;
}

const Call *Evaluator::makeCall(BoundArgs &args) {
  auto *call = program.make<Call>();
  call->id = args.id;
  call->span = args.span;
  call->calleeSpan = args.calleeSpan;
  std::vector<Argument> list(args.values.size());
  for (size_t i = 0; i < list.size(); ++i)
    if (!toArgument(args.values[i], args.spans[i], list[i]))
      return nullptr;
  call->args = program.copy(llvm::ArrayRef<Argument>(list));
  return call;
}

/// Parameters named here take a tile: a buffer, a slice or an element.
bool Evaluator::checkTiles(const Call *call) {
  constexpr llvm::StringRef tiles[] = {"src",     "dst",      "buffer",   "out",     "A",
                                       "B",       "C",        "img",      "col",     "reducer",
                                       "target",  "A_local",  "A_shared", "B_local", "B_shared",
                                       "C_local", "C_buffer", "A_sparse", "E"};
  bool isAtomicStore = call->id == IntrinsicId::AtomicStore;
  llvm::ArrayRef<llvm::StringRef> names = parametersOf(call->id);
  for (size_t i = 0; i < names.size(); ++i) {
    const Argument &a = call->args[i];
    if (!llvm::is_contained(tiles, names[i]) || (isAtomicStore && names[i] == "src"))
      continue;
    bool isOptional = signatureOf(call->id).parameters[i].defaultText == "None";
    if (a.region || (a.isAbsent() && isOptional))
      continue;
    fail(DiagId::WantedTile, a.span, nameOf(call->id), names[i]);
    return false;
  }
  return true;
}

/// The dtype of what the call returns; nothing when it is a plain statement.
std::optional<DType> Evaluator::resultType(const Call *call) {
  auto valueType = [&](llvm::StringRef name) -> std::optional<DType> {
    const Argument &a = argument(*call, name);
    return a.expr ? std::optional(a.expr->type) : std::nullopt;
  };
  switch (call->id) {
  case IntrinsicId::AtomicAdd:
  case IntrinsicId::AtomicMax:
  case IntrinsicId::AtomicMin:
  case IntrinsicId::AtomicOr:
  case IntrinsicId::AtomicAddX2:
  case IntrinsicId::AtomicAddX4: {
    const Argument &dst = argument(*call, "dst");
    return argument(*call, "return_prev").isTrue() && dst.region
               ? std::optional(dst.region->buffer->type)
               : std::nullopt;
  }
  case IntrinsicId::AtomicLoad:
    return argument(*call, "src").region->buffer->type;
  case IntrinsicId::AnyOf:
  case IntrinsicId::AllOf:
  case IntrinsicId::AnySync:
  case IntrinsicId::AllSync:
  case IntrinsicId::ShuffleElect:
    return DType::Bool;
  case IntrinsicId::BallotSync:
  case IntrinsicId::Ballot:
  case IntrinsicId::ActiveMask:
  case IntrinsicId::MatchAnySync:
  case IntrinsicId::MatchAllSync:
    // One bit a lane: 64 lanes on AMD.
    return vendorOf(arch) == Vendor::Amd ? DType::U64 : DType::U32;
  case IntrinsicId::SyncThreadsCount:
  case IntrinsicId::SyncThreadsAnd:
  case IntrinsicId::SyncThreadsOr:
  case IntrinsicId::LaneIdx:
  case IntrinsicId::WarpIdx:
  case IntrinsicId::WarpGroupIdx:
    return DType::I32;
  default:
    return valueType("value");
  }
}

/// What makes the launch a lockstep SPMD one: warp primitives, and atomics on one element outside
/// of T.Parallel.
void Evaluator::noteThreadIdentity(const Call *call) {
  if (isOfThreads(call->id))
    launch->usesThreadIdentity = true;
  if (!isAtomic(call->id) || parallelDepth != 0)
    return;
  const Argument &place = argument(*call, call->id == IntrinsicId::AtomicLoad ? "src" : "dst");
  bool addsTile = llvm::is_contained(parametersOf(call->id), "value") &&
                  argument(*call, "value").kind == Argument::Tile;
  if (place.region && place.region->extents.empty() && !addsTile)
    launch->usesThreadIdentity = true;
}

/// The values before `T.atomic_addx2` or `x4`: one atomic an element, in order.
Value Evaluator::atomicVectorPrev(const BoundArgs &args) {
  int64_t lanes = args.id == IntrinsicId::AtomicAddX2 ? 2 : 4;
  Argument dst, src;
  if (!toArgument(args["dst"], args.spanOf("dst"), dst) ||
      !toArgument(args["value"], args.spanOf("value"), src))
    return Value();
  auto fits = [&](const Region *r) {
    return r && !r->whole &&
           (r->extents.empty() || (r->extents.back()->constInt() == lanes &&
                                   llvm::all_of(r->extents.drop_back(),
                                                [](const Expr *e) { return e->constInt() == 1; })));
  };
  if (!fits(dst.region) || !fits(src.region))
    return fail(DiagId::AtomicVectorOperands, args.calleeSpan, nameOf(args.id), lanes);
  std::vector<Value> before;
  for (int64_t lane = 0; lane < lanes; ++lane) {
    CallArgs one;
    one.span = args.span;
    one.calleeSpan = args.calleeSpan;
    for (const Region *r : {dst.region, src.region}) {
      llvm::SmallVector<const Expr *> place(r->offsets);
      place.back() = build.binary(ExprOp::Add, place.back(),
                                  build.constInt(lane, place.back()->type, args.span), args.span);
      one.values.push_back(Value::expr(
          build.load(r->buffer, program.copy(llvm::ArrayRef<const Expr *>(place)), args.span)));
    }
    one.spans = {args.spanOf("dst"), args.spanOf("value")};
    one.keywords.push_back({"return_prev", Value::boolean(true), args.span});
    before.push_back(callIntrinsic(IntrinsicId::AtomicAdd, one));
    if (!before.back().ok())
      return Value();
  }
  return heap.tuple(std::move(before));
}

Value Evaluator::emitIntrinsic(BoundArgs &args) {
  if (args.id == IntrinsicId::Directive && !checkDirective(args))
    return failure ? Value() : Value::none();
  if (llvm::is_contained(parametersOf(args.id), "memory_order") && !checkMemoryOrder(args))
    return Value();
  bool isVector = args.id == IntrinsicId::AtomicAddX2 || args.id == IntrinsicId::AtomicAddX4;
  if (isVector && args["return_prev"].is(ValueKind::Bool) && args["return_prev"].boolean())
    return atomicVectorPrev(args);
  const Call *call = makeCall(args);
  if (!call || !checkTiles(call))
    return Value();
  noteThreadIdentity(call);
  IntrinsicKind kind = kindOf(args.id);
  std::optional<DType> type;
  // One of the library is a statement where the chip has an instruction for it.
  if (kind != IntrinsicKind::Stmt && kind != IntrinsicKind::Library) {
    for (llvm::StringRef name : {"value", "predicate"})
      if (llvm::is_contained(parametersOf(args.id), name) && !argument(*call, name).expr &&
          !argument(*call, name).region)
        return fail(DiagId::WantedOther, args.spanOf(name), "a number", typeName(args[name]));
    type = resultType(call);
  }
  if (kind == IntrinsicKind::Pure)
    return Value::expr(build.intrinsic(call, type.value_or(DType::I32), args.span));
  auto *s = program.make<TileCallStmt>(args.span, call);
  if (type)
    s->result = newVar(nameOf(args.id), *type, VarKind::Let, args.span);
  emit(s);
  if (failure)
    return Value();
  return s->result ? Value::expr(build.var(s->result, args.span)) : Value::none();
}

} // namespace tilec::script
