//===- UnroundedOutputs.cpp - a program whose results are not rounded -----===//
//
// Takes a program, gives one whose outputs keep the precision of what is stored to them, for the
// spread of the agreement rule.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "tilec/Reference/Reference.h"

#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace tilec {
namespace {

Type elementOf(Value buffer) { return cast<tile::BufferType>(buffer.getType()).getElementType(); }

bool isNarrowFloat(Type type) { return isa<FloatType>(type) && type.getIntOrFloatBitWidth() <= 16; }

/// The buffer that a part of a buffer belongs to.
Value rootOf(Value buffer) {
  while (Operation *op = buffer.getDefiningOp()) {
    if (auto part = dyn_cast<tile::SubviewOp>(op))
      buffer = part.getSource();
    else if (isa<tile::ReshapeOp, tile::Im2colOp>(op))
      buffer = op->getOperand(0);
    else
      break;
  }
  return buffer;
}

/// A buffer with all its parts, and the buffers that it is copied to.
struct Carrier {
  SmallVector<Value> parts;
  SmallVector<Value> targets;
  bool isWritten = false;
};

/// f64 values would be rounded to f32 here and again later: such a buffer stays as it is.
bool isAtMostF32(Type type) { return !type.isF64(); }

/// Looks at one use of a part. False when the buffer does more than carry values.
bool takeUse(Carrier &carrier, OpOperand &use) {
  Operation *op = use.getOwner();
  Value part = use.get();
  if (auto box = dyn_cast<tile::SubviewOp>(op)) {
    carrier.parts.push_back(box.getResult());
    return true;
  }
  if (auto other = dyn_cast<tile::ReshapeOp>(op)) {
    carrier.parts.push_back(other.getResult());
    return elementOf(other.getResult()) == elementOf(part);
  }
  if (auto copy = dyn_cast<tile::CopyOp>(op)) {
    if (copy.getSrc() == part)
      carrier.targets.push_back(rootOf(copy.getDst()));
    carrier.isWritten |= copy.getDst() == part;
    // On its way to another type a value is rounded twice: that belongs to the program's meaning.
    return copy.getSrc() == part ? elementOf(copy.getDst()) == elementOf(part)
                                 : isAtMostF32(elementOf(copy.getSrc()));
  }
  if (auto store = dyn_cast<tile::StoreOp>(op)) {
    carrier.isWritten = true;
    return isAtMostF32(store.getValue().getType());
  }
  if (auto fill = dyn_cast<tile::FillOp>(op)) {
    carrier.isWritten = true;
    return isAtMostF32(fill.getValue().getType());
  }
  return false;
}

using Carriers = llvm::MapVector<Value, Carrier>;

Carriers findCarriers(tile::ProgramOp program) {
  Carriers carriers;
  program.walk([&](Operation *op) {
    if (!isa<tile::TensorOp, tile::AllocOp>(op) || !isNarrowFloat(elementOf(op->getResult(0))))
      return;
    Carrier carrier;
    carrier.parts.push_back(op->getResult(0));
    bool onlyCarries = true;
    for (size_t i = 0; i < carrier.parts.size(); ++i) // takeUse adds parts
      for (OpOperand &use : carrier.parts[i].getUses())
        onlyCarries = onlyCarries && takeUse(carrier, use);
    if (onlyCarries && carrier.isWritten)
      carriers.insert({op->getResult(0), carrier});
  });
  // A buffer that is copied to one that stays narrow is read for more than its way out.
  for (bool isDone = false; !isDone;) {
    isDone = true;
    carriers.remove_if([&](const auto &entry) {
      bool leads = llvm::all_of(entry.second.targets,
                                [&](Value target) { return carriers.contains(target); });
      isDone = isDone && leads;
      return !leads;
    });
  }
  return carriers;
}

/// `store (round_to x)`: the store rounds anyway.
void dropRounding(tile::StoreOp store, Type element) {
  if (auto round = store.getValue().getDefiningOp<tile::RoundOp>())
    if (round.getDtype() == element)
      store.getValueMutable().assign(round.getValue());
}

/// Whether an op rounds what it writes to 16 bits or less. Of a copy between equal types nothing is
/// rounded; a filled-in constant is the same on every device.
bool roundsItsResult(Operation *op) {
  auto isNarrow = [](Value buffer) { return isNarrowFloat(elementOf(buffer)); };
  if (auto copy = dyn_cast<tile::CopyOp>(op))
    return isNarrow(copy.getDst()) && elementOf(copy.getSrc()) != elementOf(copy.getDst());
  if (auto store = dyn_cast<tile::StoreOp>(op))
    return isNarrow(store.getBuffer());
  if (auto gemm = dyn_cast<tile::GemmOp>(op))
    return isNarrow(gemm.getC());
  if (auto reduce = dyn_cast<tile::ReduceOp>(op))
    return isNarrow(reduce.getDst());
  if (auto scan = dyn_cast<tile::ScanOp>(op))
    return isNarrow(scan.getDst());
  return false;
}

//===----------------------------------------------------------------------===//
// Sums of atomics
//===----------------------------------------------------------------------===//

/// The operations that touch a buffer that atomics add to, if all of them can do so in f64.
struct AtomicSum {
  SmallVector<Value> parts;
  SmallVector<Operation *> users;
  bool isAddedTo = false;
};

std::optional<AtomicSum> findAtomicSum(Value root) {
  AtomicSum sum;
  sum.parts.push_back(root);
  for (size_t i = 0; i < sum.parts.size(); ++i)
    for (Operation *user : sum.parts[i].getUsers()) {
      if (auto box = dyn_cast<tile::SubviewOp>(user)) {
        sum.parts.push_back(box.getResult());
        continue;
      }
      if (auto atomic = dyn_cast<tile::AtomicOp>(user)) {
        if (atomic.getKind() != tile::AtomicKind::Add || !atomic.getOld().use_empty())
          return std::nullopt;
        sum.isAddedTo = true;
      } else if (!isa<tile::LoadOp, tile::StoreOp, tile::FillOp, tile::CopyOp>(user)) {
        return std::nullopt;
      }
      sum.users.push_back(user);
    }
  if (!sum.isAddedTo)
    return std::nullopt;
  return sum;
}

/// The scalar operand of an op as f64.
void extend(OpOperand &value) {
  OpBuilder builder(value.getOwner());
  if (!value.get().getType().isF64())
    value.set(arith::ExtFOp::create(builder, value.getOwner()->getLoc(), builder.getF64Type(),
                                    value.get()));
}

void makeF64(AtomicSum &sum) {
  for (Value part : sum.parts) {
    auto type = cast<tile::BufferType>(part.getType());
    part.setType(tile::BufferType::get(type.getShape(), Float64Type::get(part.getContext()),
                                       type.getScope()));
  }
  for (Operation *user : sum.users) {
    if (auto store = dyn_cast<tile::StoreOp>(user))
      extend(store.getValueMutable());
    if (auto fill = dyn_cast<tile::FillOp>(user))
      extend(fill.getValueMutable());
    if (auto atomic = dyn_cast<tile::AtomicOp>(user)) {
      extend(atomic.getValueMutable());
      atomic.getOld().setType(atomic.getValue().getType());
    }
    if (auto load = dyn_cast<tile::LoadOp>(user); load && !load.getResult().getType().isF64()) {
      Type narrow = load.getResult().getType();
      OpBuilder builder(load.getContext());
      builder.setInsertionPointAfter(load);
      load.getResult().setType(builder.getF64Type());
      auto rounded = arith::TruncFOp::create(builder, load.getLoc(), narrow, load.getResult());
      load.getResult().replaceAllUsesExcept(rounded, rounded);
    }
  }
}

bool mayHoldAtomicSum(Operation *op) {
  return isa<tile::TensorOp, tile::AllocOp>(op) && isa<FloatType>(elementOf(op->getResult(0))) &&
         !elementOf(op->getResult(0)).isF64();
}

} // namespace

bool computesWithSums(tile::ProgramOp program) {
  llvm::DenseSet<Value> sums;
  program.walk([&](Operation *op) {
    auto isFloatSum = [&](Value dst, tile::ReduceKind kind) {
      return isa<FloatType>(elementOf(dst)) &&
             (kind == tile::ReduceKind::Sum || kind == tile::ReduceKind::AbsSum ||
              kind == tile::ReduceKind::Prod);
    };
    if (auto gemm = dyn_cast<tile::GemmOp>(op); gemm && isa<FloatType>(elementOf(gemm.getC())))
      sums.insert(rootOf(gemm.getC()));
    if (auto reduce = dyn_cast<tile::ReduceOp>(op))
      if (isFloatSum(reduce.getDst(), reduce.getKind()))
        sums.insert(rootOf(reduce.getDst()));
    if (auto scan = dyn_cast<tile::ScanOp>(op); scan && isFloatSum(scan.getDst(), scan.getKind()))
      sums.insert(rootOf(scan.getDst()));
    // x = x + e in a parallel: perhaps a recognised reduction.
    auto store = dyn_cast<tile::StoreOp>(op);
    if (!store || !store->getParentOfType<tile::ElementLoop>())
      return;
    Operation *value = store.getValue().getDefiningOp();
    if (!isa_and_nonnull<arith::AddFOp, arith::SubFOp, arith::MulFOp>(value))
      return;
    for (Value operand : value->getOperands())
      if (auto old = operand.getDefiningOp<tile::LoadOp>();
          old && rootOf(old.getBuffer()) == rootOf(store.getBuffer()))
        sums.insert(rootOf(store.getBuffer()));
  });
  // Read for more than to be copied, cleared or added to.
  return program
      .walk([&](tile::LoadOp load) {
        if (!sums.contains(rootOf(load.getBuffer())))
          return WalkResult::advance();
        for (Operation *user : load->getUsers())
          if (!isa<tile::StoreOp>(user))
            return WalkResult::interrupt();
        return WalkResult::advance();
      })
      .wasInterrupted();
}

UnroundedProgram withUnroundedOutputs(tile::ProgramOp program) {
  UnroundedProgram result;
  result.program = cast<tile::ProgramOp>(program->clone());
  Type f32 = Float32Type::get(program.getContext());
  for (auto &[root, carrier] : findCarriers(*result.program)) {
    for (Value part : carrier.parts) {
      auto type = cast<tile::BufferType>(part.getType());
      for (Operation *user : part.getUsers())
        if (auto store = dyn_cast<tile::StoreOp>(user))
          dropRounding(store, type.getElementType());
      part.setType(tile::BufferType::get(type.getShape(), f32, type.getScope()));
    }
    if (auto tensor = root.getDefiningOp<tile::TensorOp>())
      result.tensors[tensor.getName()] = DType::F32;
  }
  result.program->walk([&](Operation *op) { result.roundsInside |= roundsItsResult(op); });
  return result;
}

UnroundedProgram withExactSums(tile::ProgramOp program) {
  UnroundedProgram result = withUnroundedOutputs(program);
  SmallVector<Operation *> candidates;
  result.program->walk([&](Operation *op) {
    if (mayHoldAtomicSum(op))
      candidates.push_back(op);
  });
  for (Operation *op : candidates)
    if (std::optional<AtomicSum> sum = findAtomicSum(op->getResult(0))) {
      makeF64(*sum);
      if (auto tensor = dyn_cast<tile::TensorOp>(op))
        result.tensors[tensor.getName()] = DType::F64;
    }
  return result;
}

} // namespace tilec
