//===- KernelFrame.cpp - a wave kernel's parameters and the places of its buffers -===//
//
// Finds what of the program the kernel needs, and makes its parameters and buffers; KernelFrame.h
// says what is around them.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "ToWave/KernelFrame.h"

#include "Layouts/Exchange.h"
#include "Layouts/GemmPlan.h"
#include "Memory/SharedMemory.h"

#include "tilec/Analysis/Buffers.h"
#include "tilec/Base/Math.h"
#include "tilec/IR/Reported.h"
#include "tilec/IR/Tile/Places.h"

using namespace mlir;

namespace tilec {

KernelFrame::KernelFrame(tile::KernelOp kernel, const TargetInfo &target, OpBuilder &builder,
                         bool checksBounds)
    : ElementBuilder(builder, kernel.getLoc(), target, wavesOf(kernel, target)), kernel(kernel),
      checksBounds(checksBounds), producers(kernel.getBody().getOps<tile::ProducerOp>()) {}

//===----------------------------------------------------------------------===//
// The kernel and its parameters
//===----------------------------------------------------------------------===//

static bool isReturned(tile::TensorOp tensor) {
  ArrayAttr outputs = tensor->getParentOfType<tile::ProgramOp>().getOutputsAttr();
  return outputs && llvm::is_contained(outputs, tensor.getNameAttr());
}

/// Operations of the program that `work` needs, directly or through index arithmetic.
static void addNeeded(SmallVector<Value> work, tile::ProgramOp program,
                      llvm::SetVector<Operation *> &ops) {
  while (!work.empty()) {
    Operation *op = work.pop_back_val().getDefiningOp();
    if (!op || op->getParentOp() != program || !ops.insert(op))
      continue;
    llvm::append_range(work, op->getOperands());
  }
}

/// Values of the program that the kernel needs, directly or through index arithmetic.
static llvm::SetVector<Operation *> neededBy(tile::KernelOp kernel) {
  llvm::SetVector<Operation *> ops;
  SmallVector<Value> work(kernel->getOperands());
  kernel.walk([&](Operation *op) {
    if (op != kernel)
      llvm::append_range(work, op->getOperands());
  });
  addNeeded(std::move(work), kernel->getParentOfType<tile::ProgramOp>(), ops);
  return ops;
}

/// What the kernel needs, and of the program's first kernel two things more, which callers rely on:
/// tensors that the program returns and nobody touches, and one tensor for each size that is an
/// extent of untouched tensors alone: the size is known by it.
static llvm::SetVector<Operation *> usedParameters(tile::KernelOp kernel) {
  llvm::SetVector<Operation *> ops = neededBy(kernel);
  auto program = kernel->getParentOfType<tile::ProgramOp>();
  auto kernels = program.getBody().getOps<tile::KernelOp>();
  if (kernel != *kernels.begin())
    return ops;
  llvm::SetVector<Operation *> ofAll;
  for (tile::KernelOp other : kernels)
    ofAll.insert_range(neededBy(other));
  auto tensors = llvm::to_vector(program.getBody().getOps<tile::TensorOp>());
  auto add = [&](tile::TensorOp tensor) {
    addNeeded({tensor.getResult()}, program, ops);
    addNeeded({tensor.getResult()}, program, ofAll);
  };
  for (tile::TensorOp tensor : tensors)
    if (isReturned(tensor) && !ofAll.contains(tensor))
      add(tensor);
  for (tile::DimOp dim : program.getBody().getOps<tile::DimOp>()) {
    auto has = [&](tile::TensorOp tensor) {
      return llvm::is_contained(tensor.getDims(), dim.getResult());
    };
    if (!ofAll.contains(dim) || llvm::any_of(tensors, [&](tile::TensorOp tensor) {
          return ofAll.contains(tensor) && has(tensor);
        }))
      continue;
    if (auto *found = llvm::find_if(tensors, has); found != tensors.end())
      add(*found);
  }
  return ops;
}

/// ABI order: tensors and scalars as written, then dims, then workspaces.
static SmallVector<Operation *> inAbiOrder(tile::ProgramOp program,
                                           const llvm::SetVector<Operation *> &used) {
  SmallVector<Operation *> parameters, dims, workspaces;
  for (Operation &op : program.getBody().front()) {
    if (!used.contains(&op))
      continue;
    if (isa<tile::TensorOp, tile::ScalarOp>(op))
      parameters.push_back(&op);
    else if (isa<tile::DimOp>(op))
      dims.push_back(&op);
    else if (isa<tile::WorkspaceOp>(op))
      workspaces.push_back(&op);
  }
  // In the IR values stand before the tensors whose extents they are.
  if (llvm::all_of(parameters, [](Operation *op) { return tile::parameterPlace(op); }))
    llvm::sort(parameters, [](Operation *a, Operation *b) {
      return *tile::parameterPlace(a) < *tile::parameterPlace(b);
    });
  parameters.append(dims);
  parameters.append(workspaces);
  return parameters;
}

static bool isWrittenByNone(tile::TensorOp tensor) {
  auto program = tensor->getParentOfType<tile::ProgramOp>();
  return llvm::none_of(program.getBody().getOps<tile::KernelOp>(), [&](tile::KernelOp kernel) {
    return llvm::is_contained(accessesOf(kernel).writes, tensor.getResult());
  });
}

static llvm::StringRef accessOf(Value buffer, tile::KernelOp kernel) {
  Accesses accesses = accessesOf(kernel);
  bool reads = llvm::is_contained(accesses.reads, buffer);
  bool writes = llvm::is_contained(accesses.writes, buffer);
  // An output is what the launch gives, whether or not a statement writes it.
  if (auto tensor = buffer.getDefiningOp<tile::TensorOp>())
    writes |= isReturned(tensor) && isWrittenByNone(tensor);
  // Writing 4 bits keeps their neighbours.
  DType dtype = tile::dtypeOf(buffer);
  reads |= writes && bitsOf(dtype) < 8 && dtype != DType::Bool;
  return reads && writes ? "rw" : writes ? "w" : "r";
}

wave::KernelOp KernelFrame::makeKernel() {
  auto program = kernel->getParentOfType<tile::ProgramOp>();
  SmallVector<Operation *> parameters = inAbiOrder(program, usedParameters(kernel));
  SmallVector<StringRef> names, access;
  SmallVector<Type> types;
  for (Operation *op : parameters) {
    names.push_back(op->getAttrOfType<StringAttr>("name").getValue());
    if (auto scalar = dyn_cast<tile::ScalarOp>(op)) {
      access.push_back("");
      types.push_back(memoryType(tile::dtypeOf(scalar.getDtype())));
    } else if (auto dim = dyn_cast<tile::DimOp>(op)) {
      access.push_back("");
      types.push_back(dim.getWide() ? b.getI64Type() : b.getI32Type());
    } else {
      access.push_back(accessOf(op->getResult(0), kernel));
      types.push_back(wave::GlobalType::get(b.getContext()));
    }
  }
  // Layouts give every lane of a wave its share, so waves are whole, whatever `threads` says; in
  // lockstep kernels tile-unify-meetings has told the lanes beyond it what to leave alone.
  int64_t threads = numWaves * int64_t(target.waveLanes);
  auto waveKernel = wave::KernelOp::create(b, loc, kernel.getName(), b.getStrArrayAttr(names),
                                           b.getStrArrayAttr(access), threads);
  waveKernel.setMinBlocks(kernel.getMinBlocks());
  waveKernel.setLibraryMath(kernel->getParentOfType<tile::ProgramOp>().getLibraryMath());
  Block &body = waveKernel.getBody().emplaceBlock();
  for (Type type : types)
    body.addArgument(type, loc);
  b.setInsertionPointToStart(&body);
  laneId = wave::LaneIdOp::create(b, loc, b.getIndexType());
  constantAnchor = laneId.getDefiningOp();
  waveId = wave::WaveIdOp::create(b, loc, b.getIndexType());
  threadId = wave::ThreadIdOp::create(b, loc, b.getIndexType());
  blockWave = waveId;
  blockThread = threadId;
  if (kernel.getTeams() > 1) {
    team = divIndex(blockWave, numWaves);
    waveId = remIndex(blockWave, numWaves);
    threadId = remIndex(blockThread, threads);
  }
  programThread = threadId;
  waveKernel.setCluster(kernel.getCluster());
  topAnchor = threadId.getDefiningOp();
  bindParameters(waveKernel, parameters);
  return waveKernel;
}

void KernelFrame::bindParameters(wave::KernelOp waveKernel, ArrayRef<Operation *> used) {
  Block &body = waveKernel.getBody().front();
  // Scalars and dims first: a tensor's extents refer to them.
  for (auto [op, argument] : llvm::zip(used, body.getArguments())) {
    if (auto scalar = dyn_cast<tile::ScalarOp>(op))
      programValues.map(scalar.getResult(), toScalar(argument, tile::dtypeOf(scalar.getDtype())));
    else if (auto dim = dyn_cast<tile::DimOp>(op)) {
      programValues.map(dim.getResult(),
                        arith::IndexCastOp::create(b, loc, b.getIndexType(), argument).getResult());
      if (dim.getWide())
        wideDims[dim.getResult()] = argument;
    }
  }
  for (auto [op, argument] : llvm::zip(used, body.getArguments()))
    if (isa<tile::TensorOp, tile::WorkspaceOp>(op))
      bindTensor(op, argument);
}

void KernelFrame::bindTensor(Operation *op, Value base) {
  auto type = cast<tile::BufferType>(op->getResult(0).getType());
  TensorPlace place;
  place.base = base;
  place.dtype = tile::dtypeOf(type.getElementType());
  auto tensor = dyn_cast<tile::TensorOp>(op);
  ValueRange dims =
      tensor ? ValueRange(tensor.getDims()) : ValueRange(cast<tile::WorkspaceOp>(op).getDims());
  size_t nextDim = 0;
  for (int64_t size : type.getShape()) {
    bool isDynamic = ShapedType::isDynamic(size);
    place.staticShape.push_back(size);
    place.dims.push_back(isDynamic ? dims[nextDim++] : Value());
    place.extents.push_back(isDynamic ? lookup(place.dims.back(), 0, Elements()) : Value());
  }
  // Strides from the innermost dimension out: static as long as the extents are. The others have 64
  // bits: two dimensions of 2^16 multiply beyond 32.
  place.staticStrides.resize(type.rank());
  place.strides.resize(type.rank());
  int64_t known = 1;
  Value dynamic;
  for (int64_t d = type.rank() - 1; d >= 0; --d) {
    place.staticStrides[d] = dynamic ? ShapedType::kDynamic : known;
    place.strides[d] = dynamic;
    if (!dynamic && !place.extents[d]) {
      known *= place.staticShape[d];
      continue;
    }
    auto wide = [&](int64_t size) {
      return arith::ConstantIntOp::create(b, loc, size, 64).getResult();
    };
    Value extent =
        place.extents[d]
            ? arith::IndexCastOp::create(b, loc, b.getI64Type(), place.extents[d]).getResult()
            : wide(place.staticShape[d]);
    if (!dynamic && known == 1)
      dynamic = extent;
    else
      dynamic = arith::MulIOp::create(b, loc, extent, dynamic ? dynamic : wide(known));
  }
  if (tensor && !tensor.getStrides().empty())
    for (auto [d, stride] : llvm::enumerate(tensor.getStrides())) {
      std::optional<int64_t> constant = tile::constantInt(stride);
      place.staticStrides[d] = constant.value_or(ShapedType::kDynamic);
      place.strides[d] = constant ? Value() : wideProgramValue(stride);
    }
  place.dynamicDivisor = tensor && !tensor.getStrides().empty() ? 1 : known;
  // 32-bit offsets reach 2^31 bytes; what lies beyond the tensor is masked and may wrap.
  bool hasStrides = tensor && !tensor.getStrides().empty();
  place.isWide = dynamic || hasStrides || storageBytes(place.dtype, known) > (int64_t(1) << 31);
  tensors[op->getResult(0)] = place;
}

/// Whether a loop behind the allocation reads and writes the buffer.
static bool isAccumulated(tile::AllocOp alloc) {
  llvm::DenseSet<Operation *> reading, writing;
  for (Operation *user : alloc.getResult().getUsers()) {
    Accesses accesses = accessesOf(user);
    for (Operation *loop = user->getParentOp(); loop && !loop->isAncestor(alloc);
         loop = loop->getParentOp()) {
      if (!isa<tile::ForOp, tile::WhileOp>(loop))
        continue;
      if (llvm::is_contained(accesses.reads, alloc.getResult()))
        reading.insert(loop);
      if (llvm::is_contained(accesses.writes, alloc.getResult()))
        writing.insert(loop);
    }
  }
  return llvm::any_of(reading, [&](Operation *loop) { return writing.contains(loop); });
}

/// A fragment that no lane's registers hold is kept in memory by LLVM or ptxas, which is slow. One
/// that moves between memory and registers in each round of a loop is refused.
LogicalResult KernelFrame::checkRegisters(tile::AllocOp alloc, int64_t bitsOfLane) {
  // Consumers beside a producer have more than their share, and gemms that fit (WarpGroups.cpp).
  int64_t ofLane = target.registers.ofLane;
  int64_t most = !producers.empty() ? ofLane : target.registersOf(numWaves);
  int64_t registers = ceilDiv(bitsOfLane, 32);
  if (registers + target.registers.besideFragments <= most)
    return success();
  bool isShare = most < ofLane;
  bool isRefused = (!target.spillsAccumulators || registers > ofLane) && isAccumulated(alloc);
  tile::BufferType type = alloc.getResult().getType();
  int64_t bytes = type.numElems() * bitsOf(tile::dtypeOf(type.getElementType())) / 8;
  llvm::StringRef share = isShare ? " in a block of so many threads" : "";
  llvm::StringRef orThreads = isShare ? "" : " or use more threads";
  if (isRefused)
    return Reported(alloc, DiagId::RegistersRunOut, alloc.getName(), bytes, registers, most,
                    nameOf(target.arch), share, orThreads);
  (void)Reported(alloc, DiagId::RegistersSpill, alloc.getName(), registers, most,
                 nameOf(target.arch), share, orThreads);
  return success();
}

LogicalResult KernelFrame::checkProducts() {
  auto result = kernel.walk([&](tile::GemmOp gemm) {
    llvm::Expected<GemmPlan> plan = gemmPlanOf(gemm, target, numWaves);
    if (plan)
      return WalkResult::advance();
    gemm.emitOpError() << llvm::toString(plan.takeError());
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

GemmPlan KernelFrame::planOf(tile::GemmOp gemm) const {
  return llvm::cantFail(gemmPlanOf(gemm, target, numWaves));
}

LogicalResult KernelFrame::placeFragment(tile::AllocOp alloc, const FragmentLayout &layout) {
  DType dtype = tile::dtypeOf(alloc.getResult().getType().getElementType());
  FragmentPlace place{Value(), layout, dtype, layout.atomRegs()};
  // Accumulators stay together, as the matrix instructions take them.
  for (Operation *user : alloc->getUsers())
    if (auto gemm = dyn_cast<tile::GemmOp>(user); gemm && gemm.getC() == alloc.getResult())
      if (GemmPlan plan = planOf(gemm); plan.c == layout) {
        place.slotRegs = layout.atomRegs() / (plan.togetherM * plan.togetherN);
        place.stride = plan.togetherN;
      }
  auto type = wave::RegsType::get(b.getContext(), place.slots(),
                                  vectorOf(place.slotRegs, memoryType(dtype)));
  place.regs = wave::AllocRegsOp::create(b, loc, type, alloc.getNameAttr());
  fragments[alloc.getResult()] = place;
  return checkRegisters(alloc, layout.numRegs() * bitsOf(dtype));
}

int64_t KernelFrame::placeOf(Operation *op) {
  std::optional<int64_t> place = sharedPlaceOf(op);
  if (!place)
    op->emitError("has no place in shared memory: run tile-place-shared first");
  isUnplaced |= !place;
  return place.value_or(0);
}

int64_t KernelFrame::placeOfExchange(Operation *op, int64_t bytes) {
  int64_t room = exchangeOf(op, target).bytes;
  if (bytes > room)
    op->emitError("waves tell each other ") << bytes << " bytes where there is room for " << room;
  isUnplaced |= bytes > room;
  return placeOf(op);
}

bool KernelFrame::hasOwnPlace(Operation *op) {
  if (exchangesAt.empty())
    kernel.walk([&](Operation *other) {
      if (exchangeOf(other, target).bytes != 0)
        ++exchangesAt[sharedPlaceOf(other).value_or(0)];
    });
  return exchangesAt.lookup(placeOf(op)) == 1;
}

LogicalResult KernelFrame::placeBuffers() {
  auto result = kernel.walk([&](tile::AllocOp alloc) {
    Value buffer = alloc.getResult();
    DType dtype = tile::dtypeOf(buffer);
    if (const SharedLayout *layout = sharedLayoutOf(buffer)) {
      shared[buffer] = {placeOf(alloc), *layout, dtype};
    } else if (const FragmentLayout *layout = fragmentLayoutOf(buffer)) {
      if (failed(placeFragment(alloc, *layout)))
        return WalkResult::interrupt();
    } else if (!cast<tile::BufferType>(buffer.getType()).isLocal()) {
      alloc.emitError("has no layout: run tile-lay-out first");
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  if (result.wasInterrupted())
    return failure();
  result = kernel.walk([&](tile::ReshapeOp view) {
    return failed(placeView(view)) ? WalkResult::interrupt() : WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

/// Global and shared memory under another shape or element type: row-major, from the same place.
LogicalResult KernelFrame::placeView(tile::ReshapeOp view) {
  tile::BufferType type = view.getType();
  DType dtype = tile::dtypeOf(type.getElementType());
  if (auto source = shared.find(view.getSource()); source != shared.end()) {
    SharedPlace place = source->second;
    if (isPacked(dtype) != isPacked(place.dtype))
      return unsupported(*view, "a view of shared memory as elements of 4 bits, or of those,");
    place.layout = SharedLayout::plain(type.getShape());
    place.dtype = dtype;
    shared[view] = place;
    return success();
  }
  if (auto source = tensors.find(view.getSource()); source != tensors.end()) {
    TensorPlace place = source->second;
    place.dtype = dtype;
    place.staticShape.assign(type.getShape().begin(), type.getShape().end());
    place.extents.assign(type.rank(), Value());
    place.dims = place.extents;
    place.strides.assign(type.rank(), Value());
    place.staticStrides.assign(type.rank(), 1);
    for (int64_t d = type.rank() - 1; d > 0; --d)
      place.staticStrides[d - 1] = place.staticStrides[d] * type.getShape()[d];
    place.desc = Value();
    tensors[view] = place;
    return success();
  }
  if (type.isGlobal() || type.isShared())
    return unsupported(*view, "a view of a part of a buffer");
  return success(); // registers: looked through where they are accessed
}

int64_t KernelFrame::heldRegisters() const {
  int64_t registers = 0;
  for (auto &[buffer, place] : fragments)
    registers += ceilDiv(place.layout.numRegs() * bitsOf(place.dtype), 32);
  return registers;
}

LogicalResult KernelFrame::unsupported(Operation &op, llvm::StringRef what) {
  return Reported(&op, DiagId::NotOnTarget, what, nameOf(target.arch));
}

} // namespace tilec
