//===- Statements.cpp - buffers, stores, loops, branches ------------------===//
//
// Takes the statements of a traced kernel that are no calls, makes allocations, stores, loops and
// branches.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Importer.h"

using namespace mlir;

namespace tilec {
using script::LoopKind;
using script::StmtKind;

namespace {
/// Whether a `continue` of the loop around is in there.
bool hasContinue(script::Body list) {
  return llvm::any_of(list, [](const script::Stmt *s) {
    const auto *i = llvm::dyn_cast<script::IfStmt>(s);
    return s->kind == StmtKind::Continue ||
           (i && (hasContinue(i->thenBody) || hasContinue(i->elseBody)));
  });
}
} // namespace

void Importer::body(script::Body list) {
  for (size_t i = 0; i < list.size(); ++i) {
    // What follows a branch with a `continue` moves into its sides.
    if (const auto *s = llvm::dyn_cast<script::IfStmt>(list[i]))
      if (hasContinue(s->thenBody) || hasContinue(s->elseBody)) {
        branch(s, list.drop_front(i + 1));
        return;
      }
    if (list[i]->kind == StmtKind::Continue)
      return; // nothing after it runs
    if (!statement(list[i]))
      lose(list[i]);
  }
}

bool Importer::statement(const script::Stmt *s) {
  statementSpan = s->span;
  switch (s->kind) {
  case StmtKind::Alloc:
    return alloc(llvm::cast<script::AllocStmt>(s));
  case StmtKind::Let: {
    const auto *let = llvm::cast<script::LetStmt>(s);
    nonNegative[let->var] = isNonNegative(let->value);
    std::optional<ExprRange> range = rangeOf(let->value);
    bool fits = range && fitsIndex(range->low) && fitsIndex(range->high);
    bool isIndex = isIndexLike(let->value) && (fits || !isWide(let->value));
    if (isIndex && range)
      ranges.insert_or_assign(let->var, *range);
    Value v = isIndex ? index(let->value) : value(let->value);
    vars[let->var] = v;
    return v != nullptr;
  }
  case StmtKind::Store:
    return store(llvm::cast<script::StoreStmt>(s));
  case StmtKind::For:
    return forLoop(llvm::cast<script::ForStmt>(s));
  case StmtKind::If:
    return branch(llvm::cast<script::IfStmt>(s), {});
  case StmtKind::While:
    return whileLoop(llvm::cast<script::WhileStmt>(s));
  case StmtKind::Break:
    if (loopDepth == 0) {
      if (!program.isPartial) // else the loop may be what is missing
        fail(DiagId::BreakInParallel, s->span);
      return false;
    }
    tile::BreakOp::create(b, at(s->span));
    return true;
  case StmtKind::Continue:
    llvm_unreachable("body() ends there");
  case StmtKind::TileCall:
    return tileCall(llvm::cast<script::TileCallStmt>(s));
  }
  return false;
}

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

namespace {
tile::Scope scopeOf(script::Scope scope) {
  switch (scope) {
  case script::Scope::Global:
    return tile::Scope::Global;
  case script::Scope::Shared:
    return tile::Scope::Shared;
  case script::Scope::Fragment:
    return tile::Scope::Fragment;
  default:
    return tile::Scope::Local;
  }
}
} // namespace

Value Importer::allocBuffer(llvm::StringRef name, llvm::ArrayRef<int64_t> shape, DType type,
                            tile::Scope scope, Span span) {
  auto bufferType =
      tile::BufferType::get(&context, shape, tile::elementTypeOf(type, &context), scope);
  return tile::AllocOp::create(b, at(span), bufferType, b.getStringAttr(name), Attribute());
}

/// A list of the script may carry a value out of the loop or launch that made it.
bool Importer::isAlive(Value v) {
  return v && v.getParentRegion()->isAncestor(b.getInsertionBlock()->getParent());
}

Value Importer::buffer(const Buffer *buf, Span use) {
  if (lostBuffers.contains(buf))
    return nullptr;
  if (Value v = buffers.lookup(buf); isAlive(v))
    return v;
  // A view that was made outside of any launch, or in another loop.
  if (!buf->viewOf) {
    fail(DiagId::BufferNotAlive, use, buf->name);
    note(DiagId::AllocatedHere, buf->span, buf->name);
    return nullptr;
  }
  Value source = buffer(buf->viewOf, use);
  SmallVector<int64_t> sizes;
  SmallVector<Value> dims;
  if (!source || !programExtents(buf->shape, buf->span, sizes, dims))
    return nullptr;
  auto type = tile::BufferType::get(&context, sizes, tile::elementTypeOf(buf->type, &context),
                                    scopeOf(buf->scope));
  if (!dims.empty())
    return fail(DiagId::DynamicView, buf->span, buf->viewOf->name);
  bool changesType = buf->type != buf->viewOf->type;
  if (buf->scope == script::Scope::Fragment && changesType)
    return fail(DiagId::FragmentView, buf->span, buf->viewOf->name, dtypeText(buf->viewOf->type),
                dtypeText(buf->type));
  return tile::ReshapeOp::create(b, at(buf->span), type, source);
}

bool Importer::alloc(const script::AllocStmt *s) {
  const Buffer *buf = s->buffer;
  if (buf->viewOf) {
    buffers.erase(buf);
    Value v = buffer(buf, buf->span);
    buffers[buf] = v;
    return v != nullptr;
  }
  SmallVector<int64_t> shape;
  for (const Expr *e : buf->shape)
    shape.push_back(*e->constInt()); // the front end wants constants here
  tile::Scope scope = scopeOf(buf->scope);
  if (buf->scope == script::Scope::Var)
    shape = {1};
  if (auto it = emitterLocals.find(buf); it != emitterLocals.end()) {
    shape.assign(it->second.begin(), it->second.end());
    scope = tile::Scope::Fragment;
  }
  buffers[buf] = allocBuffer(buf->name, shape, buf->type, scope, buf->span);
  return !buf->reducer || fillIdentity(buffers[buf], *buf->reducer, buf->span);
}

bool Importer::store(const script::StoreStmt *s) {
  if (emitterLocals.count(s->buffer)) {
    fail(DiagId::EmitterElement, s->targetSpan, s->buffer->name);
    return false;
  }
  Value into = buffer(s->buffer, s->targetSpan);
  SmallVector<Value> list;
  bool isPlace = indices(s->buffer, s->indices, s->targetSpan, list);
  Value v = convertTo(s->value, s->buffer->type, s->span);
  if (!isPlace || !into || !v)
    return false;
  tile::StoreOp::create(b, at(s->span), v, into, list);
  return true;
}

//===----------------------------------------------------------------------===//
// Loops and branches
//===----------------------------------------------------------------------===//

bool Importer::forLoop(const script::ForStmt *s) {
  if (s->loop == LoopKind::Threads)
    return threadLoop(s);
  Location loc = at(s->headSpan.isValid() ? s->headSpan : s->span);
  if (s->loop == LoopKind::Parallel) {
    SmallVector<Value> extents;
    for (const script::LoopRange &r : s->ranges)
      extents.push_back(extent(r.end));
    auto op = tile::ParallelOp::create(b, loc, extents);
    for (auto [r, iv] : llvm::zip(s->ranges, op.ivs())) {
      vars[r.var] = iv;
      nonNegative[r.var] = true;
      if (std::optional<ExprRange> end = rangeOf(r.end))
        ranges.insert_or_assign(r.var, ExprRange{0, std::max<int64_t>(end->high - 1, 0)});
    }
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(op.bodyBlock());
    unsigned savedLoops = std::exchange(loopDepth, 0);
    ++parallelDepth;
    body(s->body);
    --parallelDepth;
    loopDepth = savedLoops;
    return true;
  }
  const script::LoopRange &r = s->ranges[0];
  Value lower = extent(r.begin), upper = extent(r.end);
  tile::LoopKind kind = s->loop == LoopKind::Pipelined ? tile::LoopKind::Pipelined
                        : s->loop == LoopKind::Unroll  ? tile::LoopKind::Unroll
                                                       : tile::LoopKind::Serial;
  int64_t stages = 1;
  if (!program.isPartial)
    pipelineLists(s, stages);
  auto op = tile::ForOp::create(b, loc, lower, upper, indexConstant(r.step, s->span), kind, stages);
  if (!s->hints.strategy.empty())
    op.setStrategy(s->hints.strategy);
  vars[r.var] = op.iv();
  nonNegative[r.var] = r.step > 0 ? isNonNegative(r.begin) : r.end->constInt().value_or(-2) >= -1;
  if (auto begin = rangeOf(r.begin), end = rangeOf(r.end); begin && end)
    ranges.insert_or_assign(
        r.var, r.step > 0 ? ExprRange{begin->low, std::max(begin->low, end->high - 1)}
                          : ExprRange{std::min(begin->high, end->low + 1), begin->high});
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(op.bodyBlock());
  ++loopDepth;
  body(s->body);
  --loopDepth;
  return true;
}

Value Importer::threadIndex(unsigned axis, Span span) {
  Location loc = at(span);
  Value id = threadNumber();
  int64_t below = 1;
  for (unsigned i = 0; i < axis && i < current->threads.size(); ++i)
    below *= current->threads[i];
  if (below > 1)
    id = arith::DivUIOp::create(b, loc, id, indexConstant(below, span));
  if (axis + 1 < current->threads.size())
    id = arith::RemUIOp::create(b, loc, id, indexConstant(current->threads[axis], span));
  return id;
}

/// T.thread_binding: the thread's own index runs the body, if the loop has it.
bool Importer::threadLoop(const script::ForStmt *s) {
  const script::LoopRange &r = s->ranges[0];
  unsigned axis = s->hints.threadAxis;
  int64_t threads = axis < current->threads.size() ? current->threads[axis] : 1;
  bool isWrong = !r.begin->constInt() || *r.begin->constInt() != 0 || !r.end->constInt() ||
                 *r.end->constInt() > threads;
  if (isWrong)
    fail(DiagId::ThreadLoopExtent, s->headSpan, threads);
  Value id = threadIndex(axis, s->headSpan);
  vars[r.var] = id;
  nonNegative[r.var] = true;
  if (isWrong || *r.end->constInt() == threads) {
    body(s->body);
    return !isWrong;
  }
  Location loc = at(s->headSpan);
  Value inside = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, id,
                                       indexConstant(*r.end->constInt(), s->headSpan));
  auto op = scf::IfOp::create(b, loc, inside, /*withElse=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(op.thenBlock());
  body(s->body);
  return true;
}

/// `rest` is what follows the branch in its body, when one of its sides has a `continue`.
bool Importer::branch(const script::IfStmt *s, script::Body rest) {
  // Sides that both go on repeat the rest; nested ones multiply.
  constexpr unsigned maxCopies = 64;
  if (!rest.empty() && ++restCopies > maxCopies) {
    fail(DiagId::TooManyContinues, s->span);
    return false;
  }
  Value condition = value(s->condition);
  failed |= !condition;
  if (!condition) // its sides are read all the same
    condition = constant(1, b.getI1Type(), at(s->span));
  bool needsElse = !s->elseBody.empty() || !rest.empty();
  auto op = scf::IfOp::create(b, at(s->span), condition, needsElse);
  OpBuilder::InsertionGuard guard(b);
  auto side = [&](Block *block, script::Body list) {
    OpBuilder::InsertionGuard inner(b);
    b.setInsertionPointToStart(block);
    SmallVector<const script::Stmt *> all(list.begin(), list.end());
    all.append(rest.begin(), rest.end());
    body(all);
  };
  side(op.thenBlock(), s->thenBody);
  if (needsElse)
    side(op.elseBlock(), s->elseBody);
  return true;
}

bool Importer::whileLoop(const script::WhileStmt *s) {
  auto op = tile::WhileOp::create(b, at(s->span));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&op.getCondition().emplaceBlock());
  if (Value condition = value(s->condition))
    tile::ConditionOp::create(b, at(s->condition->span), condition);
  else
    failed = true;
  b.setInsertionPointToStart(&op.getBody().emplaceBlock());
  ++loopDepth;
  body(s->body);
  --loopDepth;
  return true;
}

} // namespace tilec
