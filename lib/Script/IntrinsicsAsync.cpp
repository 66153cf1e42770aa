//===- IntrinsicsAsync.cpp - what authors of asynchronous code write ------===//
//
// Upstream has copies and products that go on beside the statements that follow, and
// barriers at which threads wait for them. Here a statement has finished when the next
// one reads what it has written, and the compiler finds out what may go on beside what.
// So the copy is T.copy, the product T.gemm, and there is nothing left to wait for: with
// one exception. Where threads part and each part has a role of its own, barriers are
// what orders the parts; such code is refused.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "IntrinsicTable.h"
#include "Lanes.h"

namespace tilec::script {
namespace {

bool isNone(const Value &v) { return v.is(ValueKind::None); }

std::optional<Scope> scopeOf(const Value &v) {
  if (v.is(ValueKind::Buffer))
    return v.buffer()->scope;
  if (v.is(ValueKind::Region))
    return v.region()->buffer->scope;
  if (v.is(ValueKind::Expr) && v.expr()->op == ExprOp::Load)
    return v.expr()->buffer->scope;
  return std::nullopt;
}

} // namespace

/// T.async_copy goes from a tensor to shared memory, T.tma_copy between them.
Value Evaluator::asyncCopy(const BoundArgs &args) {
  std::optional<Scope> from = scopeOf(args["src"]), to = scopeOf(args["dst"]);
  bool loads = from == Scope::Global && to == Scope::Shared;
  bool stores = from == Scope::Shared && to == Scope::Global;
  bool isTma = args.id == IntrinsicId::TmaCopy;
  if (from && to && !loads && !(isTma && stores))
    return fail(DiagId::AsyncCopyScopes, args.calleeSpan, nameOf(args.id),
                isTma ? "between global and shared memory" : "from global to shared memory");
  if (isTma && !isNone(args["cluster_mask"]))
    return fail(DiagId::RefusedIntrinsic, args.spanOf("cluster_mask"),
                "T.tma_copy`'s `cluster_mask", "drop it: tilec chooses clusters itself");
  CallArgs forward;
  forward.span = args.span;
  forward.calleeSpan = args.calleeSpan;
  for (llvm::StringRef name : {"src", "dst"}) {
    forward.values.push_back(args[name]);
    forward.spans.push_back(args.spanOf(name));
  }
  for (llvm::StringRef name : {"coalesced_width", "loop_layout", "eviction_policy"})
    if (llvm::is_contained(parametersOf(args.id), name))
      forward.keywords.push_back({name.str(), args[name], args.spanOf(name)});
  return callIntrinsic(IntrinsicId::Copy, forward);
}

/// T.ptx_cp_async: elements from one place to another, zeros where the predicate does not hold.
Value Evaluator::copyElements(const BoundArgs &args) {
  std::optional<int64_t> count = toInt(args["num_elems"], args.spanOf("num_elems"), "num_elems");
  if (!count)
    return Value();
  auto elements = [&](llvm::StringRef name) -> Value {
    const Value &pointer = args[name];
    if (!pointer.is(ValueKind::Tuple) || !pointer.items()[0].is(ValueKind::Buffer))
      return fail(DiagId::WantedOther, args.spanOf(name), "`T.access_ptr(A[i], ...)`",
                  typeName(pointer));
    auto *row = program.make<Region>();
    row->buffer = pointer.items()[0].buffer();
    row->span = args.spanOf(name);
    llvm::SmallVector<const Expr *> offsets, extents;
    for (const Value &v : llvm::drop_begin(pointer.items(), 2)) // in front of the last dimension
      offsets.push_back(toIndex(v, row->span));
    offsets.push_back(toIndex(pointer.items()[1], row->span));
    extents.assign(offsets.size(), build.constInt(1, DType::I32, row->span));
    extents.back() = build.constInt(*count, DType::I32, row->span);
    row->offsets = program.copy(llvm::ArrayRef<const Expr *>(offsets));
    row->extents = program.copy(llvm::ArrayRef<const Expr *>(extents));
    return lanesOfRegion(row, row->span);
  };
  Value to = elements("dst_access_ptr"), from = to.ok() ? elements("src_access_ptr") : Value();
  const Expr *when = isNone(args["predicate"])
                         ? nullptr
                         : toCondition(args["predicate"], args.spanOf("predicate"));
  if (!from.ok() || failure)
    return Value();
  if (*count == 1) { // of one element there are no lanes
    to = heap.list({to}, ValueKind::Lanes);
    from = heap.list({from}, ValueKind::Lanes);
  }
  if (when)
    from = eachLane(from, args.span, [&](llvm::ArrayRef<Value> own) {
      const Expr *zero =
          build.cast(build.constInt(0, DType::I32, args.span), own[0].expr()->type, args.span);
      return Value::expr(build.choose(ExprOp::IfThenElse, when, own[0].expr(), zero, args.span));
    });
  return storeLanes(to, from, args.span, args.span, args.span) ? Value::none() : Value();
}

/// Something to name in calls: nothing is kept in it.
Value Evaluator::allocBarrier(const BoundArgs &args) {
  int64_t count = 1;
  if (args["arrive_count"].isSequence())
    count = static_cast<int64_t>(args["arrive_count"].items().size());
  else if (!toInt(args["arrive_count"], args.spanOf("arrive_count"), "arrive_count"))
    return Value();
  if (count == 0)
    return fail(DiagId::BadArgumentValue, args.spanOf("arrive_count"), "arrive_count", "[]",
                "a number for each barrier");
  Buffer *b = newBuffer("barrier", DType::U64, Scope::Shared,
                        {build.constInt(count, DType::I32, args.span)}, args.span);
  unnamedBuffers.insert(b);
  emit(program.make<AllocStmt>(args.span, b));
  return failure ? Value() : Value::buffer(b);
}

Value Evaluator::asyncIntrinsic(const BoundArgs &args) {
  if (!inLaunch())
    return fail(DiagId::OutsideKernel, args.calleeSpan, ("`T." + nameOf(args.id) + "`").str());
  switch (args.id) {
  case IntrinsicId::AsyncCopy:
  case IntrinsicId::TmaCopy:
    return asyncCopy(args);
  case IntrinsicId::WgmmaGemm: {
    CallArgs forward;
    forward.span = args.span;
    forward.calleeSpan = args.calleeSpan;
    forward.values.assign(args.values.begin(), args.values.end());
    forward.spans.assign(args.spans.begin(), args.spans.end());
    return callIntrinsic(IntrinsicId::Gemm, forward);
  }
  case IntrinsicId::CopyElements:
    return copyElements(args);
  case IntrinsicId::AllocBarrier:
    return allocBarrier(args);
  default:
    break;
  }
  bool isBarrier = args.id >= IntrinsicId::BarrierArrive && args.id <= IntrinsicId::BarrierExpect;
  if (isBarrier && scopeOf(args["mbarrier"]) != Scope::Shared)
    return fail(DiagId::WantedOther, args.spanOf("mbarrier"), "a barrier of `T.alloc_barrier`",
                typeName(args["mbarrier"]));
  if (args.id == IntrinsicId::BarrierArrive && !isNone(args["cta_id"]))
    return fail(DiagId::RefusedIntrinsic, args.spanOf("cta_id"), "a barrier of another block",
                "tilec chooses clusters itself");
  if (branches > 0 && launch->usesThreadIdentity)
    return fail(DiagId::BarrierOfRole, args.calleeSpan, nameOf(args.id));
  return Value::none();
}

/// `T.let(x, value)` gives the name `x`, which `T.int32()` has declared, the value.
Value Evaluator::evalLet(const ast::CallExpr *e) {
  const auto *name = e->args.size() == 2 ? llvm::dyn_cast<ast::NameExpr>(e->args[0]) : nullptr;
  if (!name || !e->keywords.empty())
    return fail(DiagId::WrongArgumentCount, e->span, "T.let", "a name and a value",
                e->args.size() + e->keywords.size());
  Value declared = eval(e->args[0]), value = eval(e->args[1]);
  if (!declared.ok() || !value.ok())
    return Value();
  if (!declared.is(ValueKind::DType))
    return fail(DiagId::WantedOther, name->span, "a name that `T.int32()` has declared",
                typeName(declared));
  value = castIntrinsic(value, e->args[1]->span, declared.dtype(), e->span);
  return value.ok() && bind(name->name, value, e->span) ? Value::none() : Value();
}

} // namespace tilec::script
