//===- Emitter.cpp - kernels, parameters, scalars -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "ToWave/Emitter.h"

#include "Memory/Shared.h"

#include "tilec/Base/Math.h"
#include "tilec/IR/Reported.h"
#include "tilec/IR/Tile/Places.h"
#include "tilec/IR/Tile/Uniformity.h"
#include "tilec/Target/BlocksAtOnce.h"
#include "tilec/Transforms/Passes.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tilec {

#define GEN_PASS_DEF_TOWAVEPASS
#include "tilec/Transforms/Passes.h.inc"

//===----------------------------------------------------------------------===//
// Helpers
//===----------------------------------------------------------------------===//

Value Emitter::index(int64_t value) {
  Value &known = constants[value];
  if (!known) {
    OpBuilder::InsertionGuard guard(b);
    // Before the lane: what is computed from it later may be put right behind it.
    b.setInsertionPoint(constantAnchor);
    known = arith::ConstantIndexOp::create(b, loc, value);
  }
  return known;
}

Value Emitter::addIndex(Value a, Value c) {
  if (!a || !c)
    return a ? a : c ? c : index(0);
  return arith::AddIOp::create(b, loc, a, c);
}

Value Emitter::addIndex(Value a, int64_t c) {
  if (!a)
    return index(c);
  if (auto constant = tile::constantInt(a))
    return index(*constant + c);
  return c == 0 ? a : arith::AddIOp::create(b, loc, a, index(c)).getResult();
}

Value Emitter::mulIndex(Value a, int64_t factor) {
  if (auto constant = tile::constantInt(a))
    return index(*constant * factor);
  return factor == 1 ? a : arith::MulIOp::create(b, loc, a, index(factor)).getResult();
}

Value Emitter::divIndex(Value a, int64_t by) {
  if (auto constant = tile::constantInt(a))
    return index(*constant / by);
  return by == 1 ? a : arith::DivUIOp::create(b, loc, a, index(by)).getResult();
}

Value Emitter::remIndex(Value a, int64_t by) {
  if (auto constant = tile::constantInt(a))
    return index(*constant % by);
  return by == 1 ? index(0) : arith::RemUIOp::create(b, loc, a, index(by)).getResult();
}

Value Emitter::andMasks(Value a, Value c) {
  if (!a || !c)
    return a ? a : c;
  return arith::AndIOp::create(b, loc, a, c);
}

Type Emitter::vectorOf(int64_t count, Type element) {
  return count == 1 ? element : VectorType::get({count}, element);
}

Type Emitter::memoryType(DType dtype) {
  // On chip, 4-bit elements have a byte each: neighbours belong to different lanes.
  if (dtype == DType::Bool || isPacked(dtype))
    return b.getI8Type();
  if (isUnsigned(dtype))
    return b.getIntegerType(bitsOf(dtype));
  return tile::elementTypeOf(dtype, b.getContext());
}

/// A byte with the code of an e2m1 element, and back.
Value Emitter::decodeE2M1(Value code) {
  Value narrow = arith::TruncIOp::create(b, loc, b.getIntegerType(4), code);
  Value element =
      wave::BitcastOp::create(b, loc, tile::elementTypeOf(DType::E2M1, b.getContext()), narrow);
  return arith::ExtFOp::create(b, loc, b.getF32Type(), element);
}

Value Emitter::encodeE2M1(Value value) {
  Value element =
      arith::TruncFOp::create(b, loc, tile::elementTypeOf(DType::E2M1, b.getContext()), value);
  Value narrow = wave::BitcastOp::create(b, loc, b.getIntegerType(4), element);
  return arith::ExtUIOp::create(b, loc, b.getI8Type(), narrow);
}

/// `convert` for each element of a value that may be a vector.
Value Emitter::elementwise(Value value, llvm::function_ref<Value(Value)> convert) {
  SmallVector<Value, 8> parts = unpack(value, wave::elementsOf(value.getType()));
  for (Value &part : parts)
    part = convert(part);
  return pack(parts);
}

Value Emitter::toScalar(Value value, DType dtype) {
  int64_t count = wave::elementsOf(value.getType());
  if (dtype == DType::E2M1)
    return elementwise(value, [&](Value code) { return decodeE2M1(code); });
  if (dtype == DType::Bool) {
    Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(value.getType()));
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, value, zero);
  }
  if (isFloat(dtype) && dtype != DType::F32 && dtype != DType::F64)
    return arith::ExtFOp::create(b, loc, vectorOf(count, b.getF32Type()), value);
  return value;
}

Value Emitter::fromScalar(Value value, DType dtype) {
  int64_t count = wave::elementsOf(value.getType());
  if (dtype == DType::E2M1)
    return elementwise(value, [&](Value x) { return encodeE2M1(x); });
  if (isPacked(dtype)) // modulo 2^4
    return elementwise(value, [&](Value x) { return lowNibble(x, dtype); });
  if (dtype == DType::Bool)
    return arith::ExtUIOp::create(b, loc, vectorOf(count, b.getI8Type()), value);
  if (isFloat(dtype) && dtype != DType::F32 && dtype != DType::F64) {
    Type type = vectorOf(count, memoryType(dtype));
    // What is only moved is not converted there and back. fp8 is: a store of infinity saturates.
    auto extension = value.getDefiningOp<arith::ExtFOp>();
    if (extension && bitsOf(dtype) == 16 && extension.getIn().getType() == type)
      return extension.getIn();
    return arith::TruncFOp::create(b, loc, type, value);
  }
  return value;
}

/// The vector that `parts` are the elements of, in order.
static Value vectorOfElements(ArrayRef<Value> parts) {
  Value vector;
  for (auto [i, part] : llvm::enumerate(parts)) {
    auto extract = part.getDefiningOp<wave::ExtractOp>();
    if (!extract || int64_t(extract.getPosition()) != int64_t(i) ||
        (vector && extract.getVector() != vector) || wave::elementsOf(part.getType()) != 1)
      return nullptr;
    vector = extract.getVector();
  }
  return wave::elementsOf(vector.getType()) == int64_t(parts.size()) ? vector : Value();
}

Value Emitter::pack(ArrayRef<Value> parts) {
  if (parts.size() == 1)
    return parts[0];
  if (Value vector = vectorOfElements(parts))
    return vector;
  int64_t count = 0;
  for (Value part : parts)
    count += wave::elementsOf(part.getType());
  return wave::PackOp::create(b, loc, vectorOf(count, wave::elementOf(parts[0].getType())), parts);
}

SmallVector<Value, 8> Emitter::unpack(Value vector, int64_t count) {
  if (count == 1)
    return {vector};
  SmallVector<Value, 8> parts;
  for (int64_t i = 0; i < count; ++i)
    parts.push_back(wave::ExtractOp::create(b, loc, wave::elementOf(vector.getType()), vector, i));
  return parts;
}

Value Emitter::lookup(Value value, int64_t element, const Elements &elements) {
  for (const Elements *level = &elements; level; level = level->outer) {
    auto it = level->map.find(value);
    if (it == level->map.end())
      continue;
    // Enclosing parallels compute one element at a time around inner code.
    const SmallVector<Value, 4> &values = it->second;
    return values.size() == 1 ? values[0] : values[level == &elements ? element : 0];
  }
  if (Value known = programValues.lookupOrNull(value))
    return known;
  return cloneProgramValue(value);
}

bool Emitter::isSameForAll(Value value, const Elements &elements) {
  auto it = elements.map.find(value);
  return it == elements.map.end() || it->second.size() == 1;
}

LogicalResult Emitter::unsupported(Operation &op, llvm::StringRef what) {
  return Reported(&op, DiagId::NotOnTarget, what, nameOf(target.arch));
}

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
  auto placeOf = [](Operation *op) { return op->getAttrOfType<IntegerAttr>(tile::placeAttrName); };
  if (llvm::all_of(parameters, placeOf))
    llvm::sort(parameters, [&](Operation *a, Operation *b) {
      return placeOf(a).getInt() < placeOf(b).getInt();
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
  DType dtype = tile::dtypeOf(cast<tile::BufferType>(buffer.getType()).getElementType());
  reads |= writes && bitsOf(dtype) < 8 && dtype != DType::Bool;
  return reads && writes ? "rw" : writes ? "w" : "r";
}

wave::KernelOp Emitter::makeKernel() {
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
  // lockstep kernels tile-normalize has told the lanes beyond it what to leave alone.
  int64_t threads = numWaves * int64_t(target.waveLanes);
  auto waveKernel = wave::KernelOp::create(b, loc, kernel.getName(), b.getStrArrayAttr(names),
                                           b.getStrArrayAttr(access), threads);
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
  waveKernel.setCluster(kernel.getCluster());
  topAnchor = threadId.getDefiningOp();
  bindParameters(waveKernel, parameters);
  return waveKernel;
}

void Emitter::bindParameters(wave::KernelOp waveKernel, ArrayRef<Operation *> used) {
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

void Emitter::bindTensor(Operation *op, Value base) {
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
    place.extents.push_back(isDynamic ? lookup(dims[nextDim++], 0, Elements()) : Value());
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
  // 32-bit offsets reach 2^31 bytes; what lies beyond the tensor is masked and may wrap.
  bool hasStrides = tensor && !tensor.getStrides().empty();
  place.isWide = dynamic || hasStrides || storageBytes(place.dtype, known) > (int64_t(1) << 31);
  tensors[op->getResult(0)] = place;
}

/// Arithmetic on parameters, in 64 bits from the parameters on.
Value Emitter::wideProgramValue(Value value) {
  Operation *op = value.getDefiningOp();
  Type i64 = b.getI64Type();
  if (std::optional<int64_t> constant = tile::constantInt(value))
    return arith::ConstantIntOp::create(b, loc, *constant, 64);
  if (auto dim = dyn_cast<tile::DimOp>(op)) {
    Value parameter = wideDims.lookup(value);
    return parameter
               ? parameter
               : arith::IndexCastOp::create(b, loc, i64, lookup(value, 0, Elements())).getResult();
  }
  if (isa<arith::IndexCastOp>(op))
    return wideProgramValue(op->getOperand(0));
  bool isInteger = llvm::all_of(op->getOperandTypes(), [](Type t) { return t.isIntOrIndex(); });
  if (!isInteger || op->getNumOperands() != 2 || !op->getResult(0).getType().isIndex()) {
    Value narrow = lookup(value, 0, Elements());
    if (narrow.getType() == i64)
      return narrow;
    if (narrow.getType().isIndex())
      return arith::IndexCastOp::create(b, loc, i64, narrow);
    return arith::ExtSIOp::create(b, loc, i64, narrow);
  }
  OperationState state(loc, op->getName());
  state.addOperands({wideProgramValue(op->getOperand(0)), wideProgramValue(op->getOperand(1))});
  state.addTypes(i64);
  return b.create(state)->getResult(0);
}

/// Index arithmetic of the program, repeated in the kernel.
Value Emitter::cloneProgramValue(Value value) {
  Operation *op = value.getDefiningOp();
  assert(op && isPure(op) && "a value of the program that is no parameter is arithmetic");
  IRMapping mapping;
  for (Value operand : op->getOperands())
    mapping.map(operand, lookup(operand, 0, Elements()));
  Operation *copy = b.clone(*op, mapping);
  // Usable from anywhere in the kernel only when it stands at its top.
  if (b.getInsertionBlock() == constantAnchor->getBlock())
    programValues.map(value, copy->getResult(0));
  return copy->getResult(0);
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
LogicalResult Emitter::checkRegisters(tile::AllocOp alloc, int64_t bitsOfLane) {
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

LogicalResult Emitter::placeFragment(tile::AllocOp alloc, const FragmentLayout &layout) {
  DType dtype = tile::dtypeOf(alloc.getResult().getType().getElementType());
  FragmentPlace place{Value(), layout, dtype, layout.atomRegs()};
  // Accumulators stay together, as the matrix instructions take them.
  for (Operation *user : alloc->getUsers())
    if (auto gemm = dyn_cast<tile::GemmOp>(user); gemm && gemm.getC() == alloc.getResult())
      if (std::optional<GemmPlan> plan = planGemm(gemm, target, numWaves);
          plan && plan->c == layout) {
        place.slotRegs = layout.atomRegs() / (plan->togetherM * plan->togetherN);
        place.stride = plan->togetherN;
      }
  auto type = wave::RegsType::get(b.getContext(), place.slots(),
                                  vectorOf(place.slotRegs, memoryType(dtype)));
  place.regs = wave::AllocRegsOp::create(b, loc, type, alloc.getNameAttr());
  fragments[alloc.getResult()] = place;
  return checkRegisters(alloc, layout.numRegs() * bitsOf(dtype));
}

LogicalResult Emitter::placeBuffers() {
  auto result = kernel.walk([&](tile::AllocOp alloc) {
    Value buffer = alloc.getResult();
    DType dtype = tile::dtypeOf(cast<tile::BufferType>(buffer.getType()).getElementType());
    if (const SharedLayout *layout = sharedLayoutOf(buffer)) {
      int64_t first = alloc.getSharedPlace().value_or(sharedBytes);
      shared[buffer] = {first, *layout, dtype};
      sharedBytes = std::max(sharedBytes, first + sharedBytesOf(alloc));
    } else if (const FragmentLayout *layout = fragmentLayoutOf(buffer)) {
      if (failed(placeFragment(alloc, *layout)))
        return WalkResult::interrupt();
    } else if (!cast<tile::BufferType>(buffer.getType()).isLocal()) {
      alloc.emitError("has no layout: run tile-infer-layouts first");
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
LogicalResult Emitter::placeView(tile::ReshapeOp view) {
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

/// A launch would only say that an argument is invalid.
LogicalResult Emitter::checkGrid() {
  for (auto [dim, extent] : llvm::enumerate(kernel.getGrid()))
    if (std::optional<int64_t> known = tile::constantInt(extent);
        dim > 0 && known && *known > target.mostBlocksYZ)
      return Reported(kernel, DiagId::GridTooLarge, *known, dim, target.mostBlocksYZ);
  return success();
}

/// Blocks that wait for each other are on the chip all at once. What registers allow only the back
/// end knows; devices ask again.
static LogicalResult checkGridFits(tile::KernelOp kernel, wave::KernelOp waveKernel,
                                   const TargetInfo &target) {
  if (!tile::hasGridSync(kernel))
    return success();
  int64_t blocks = 1;
  for (Value extent : kernel.getGrid())
    if (std::optional<int64_t> known = tile::constantInt(extent))
      blocks = std::min<int64_t>(blocks, INT32_MAX) * *known;
  int64_t most = blocksAtOnce(
      target, {int64_t(waveKernel.getThreads()), int64_t(waveKernel.getSharedBytes())});
  if (blocks <= most)
    return success();
  tile::GridSyncOp first;
  kernel.walk([&](tile::GridSyncOp sync) {
    first = sync;
    return WalkResult::interrupt();
  });
  return Reported(first, DiagId::GridSyncTooLarge, blocks, nameOf(target.arch), most);
}

LogicalResult Emitter::run() {
  OpBuilder::InsertionGuard guard(b);
  if (failed(checkGrid()))
    return failure();
  wave::KernelOp waveKernel = makeKernel();
  if (BlockOrder order = makeBlockIds(); !order.isLaunchOrder())
    waveKernel.setBlockOrder(order.str());
  if (failed(placeBuffers()))
    return failure();
  Elements top;
  if (failed(producers.empty() ? emitBlock(kernel.getBody().front(), top)
                               : emitRoles(producers.front(), waveKernel)))
    return failure();
  if (sharedBytes > target.sharedBytes) {
    Reported message(kernel, DiagId::SharedMemoryFull, sharedBytes, nameOf(target.arch),
                     target.sharedBytes);
    kernel.walk([&](tile::AllocOp alloc) {
      auto it = shared.find(alloc.getResult());
      if (it != shared.end())
        message.note(alloc, DiagId::BufferTakes, alloc.getName(),
                     bytesOf(it->second.dtype) * it->second.layout.numElems());
    });
    return failure();
  }
  waveKernel.setSharedBytes(sharedBytes);
  return checkGridFits(kernel, waveKernel, target);
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {
struct ToWavePass : impl::ToWavePassBase<ToWavePass> {
  using ToWavePassBase::ToWavePassBase;

  void runOnOperation() override {
    std::optional<Arch> arch = parseArch(target);
    if (!arch) {
      getOperation().emitError() << "unknown target `" << target << '`';
      return signalPassFailure();
    }
    SmallVector<tile::ProgramOp, 1> programs(getOperation().getOps<tile::ProgramOp>());
    for (tile::ProgramOp program : programs)
      if (failed(emit(program, targetInfo(*arch))))
        return signalPassFailure();
  }

  /// Questions about addresses leave ops behind, and copies are written out as loops: in a copy of
  /// the program, since the program stays.
  LogicalResult emit(tile::ProgramOp program, const TargetInfo &chip) {
    OwningOpRef<tile::ProgramOp> scratch(program.clone());
    for (tile::KernelOp kernel : scratch->getBody().getOps<tile::KernelOp>()) {
      OpBuilder builder = OpBuilder::atBlockEnd(getOperation().getBody());
      if (failed(Emitter(kernel, chip, builder, checkBounds).run()))
        return failure();
    }
    return success();
  }
};
} // namespace

} // namespace tilec
