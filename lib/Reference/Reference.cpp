//===- Reference.cpp - parameters, kernels in order -----------------------===//
//
// Takes a program and arguments, checks shapes, runs the kernels in order and gives the tensors.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "tilec/Reference/Reference.h"

#include "Compile.h"
#include "Scalars.h"

using namespace mlir;

namespace tilec::reference {
namespace {

/// More than any host here can hold; keeps products of extents and sizes far from overflow.
constexpr int64_t maxElems = int64_t(1) << 40;

/// Fills in the extents of a `?` shape; false (with a failure) when one is not positive.
bool takeShape(Frame &frame, const Instr &instr, const ParamAux &aux, tile::BufferType type,
               SmallVectorImpl<int64_t> &shape) {
  size_t next = 0;
  int64_t count = 1;
  for (int64_t extent : type.getShape()) {
    if (ShapedType::isDynamic(extent))
      extent = frame.at<int64_t>(aux.dims[next++])[0];
    if (extent < 0 || __builtin_mul_overflow(count, std::max<int64_t>(extent, 1), &count) ||
        count > maxElems) {
      frame.machine.fail(instr.op, "`" + aux.name + "` has an extent of " + Twine(extent));
      return false;
    }
    shape.push_back(extent);
  }
  return true;
}

SmallVector<int64_t, 4> rowMajor(ArrayRef<int64_t> shape) {
  SmallVector<int64_t, 4> strides(shape.size(), 1);
  for (size_t d = shape.size(); d-- > 1;)
    strides[d - 1] = strides[d] * shape[d];
  return strides;
}

std::string printShape(ArrayRef<int64_t> shape) {
  std::string text = "[";
  for (auto [d, extent] : llvm::enumerate(shape))
    text += (d ? ", " : "") + std::to_string(extent);
  return text + "]";
}

/// Takes dims that were not given from the shapes of the tensors that have them.
void inferDims(tile::ProgramOp program, Machine &machine) {
  for (const auto &given : machine.args.dims)
    machine.dims[given.getKey()] = given.getValue();
  program.walk([&](tile::TensorOp tensor) {
    auto it = machine.args.tensors.find(tensor.getName());
    ArrayRef<int64_t> extents = tensor.getResult().getType().getShape();
    if (it == machine.args.tensors.end() || it->second.shape.size() != extents.size())
      return;
    size_t next = 0;
    for (auto [extent, actual] : llvm::zip(extents, it->second.shape))
      if (ShapedType::isDynamic(extent))
        if (auto dim = tensor.getDims()[next++].getDefiningOp<tile::DimOp>())
          machine.dims.try_emplace(dim.getName(), actual);
  });
}

void setUpBuffers(Machine &machine) {
  for (auto [id, decl] : llvm::enumerate(machine.unit.buffers)) {
    if (!decl.isAlloc)
      continue;
    BufferState &buffer = machine.buffers[id];
    buffer.shape.assign(decl.type.getShape().begin(), decl.type.getShape().end());
    buffer.strides = rowMajor(buffer.shape);
    buffer.laneStride = decl.laneStride();
    int64_t elems =
        decl.allocLanes == 1 ? decl.type.numElems() : buffer.laneStride * decl.allocLanes;
    machine.allocate(id, elems, decl.value.getDefiningOp());
  }
}

} // namespace

bool Machine::allocate(uint32_t id, int64_t elems, Operation *op) {
  DType dtype = unit.buffers[id].dtype;
  int64_t bytes = storageBytes(dtype, elems);
  storage[id].reset(new (std::nothrow) uint8_t[std::max<int64_t>(bytes, 1)]);
  if (!storage[id]) {
    fail(op, "needs " + Twine(bytes) + " bytes of host memory, which are not there");
    return false;
  }
  fillUninitialised(dtype, storage[id].get(), elems);
  buffers[id].base = storage[id].get();
  return true;
}

void execTensor(Frame &frame, const Instr &instr) {
  const auto &aux = *static_cast<const ParamAux *>(instr.aux);
  Machine &machine = frame.machine;
  auto it = machine.args.tensors.find(aux.name);
  if (it == machine.args.tensors.end() && machine.options.unusedMayBeMissing)
    return execWorkspace(frame, instr);
  if (it == machine.args.tensors.end())
    return machine.fail(instr.op, "no tensor is given for parameter `" + aux.name + "`");
  const ReferenceTensor &tensor = it->second;
  const BufferDecl &decl = machine.unit.buffers[aux.buffer];
  BufferState &buffer = machine.buffers[aux.buffer];
  buffer.shape.clear();
  if (!takeShape(frame, instr, aux, decl.type, buffer.shape))
    return;
  ArrayRef<int64_t> seen = aux.seenShape ? *aux.seenShape : ArrayRef<int64_t>(buffer.shape);
  if (seen != ArrayRef(tensor.shape))
    return machine.fail(instr.op, "`" + aux.name + "` has the shape " + printShape(seen) +
                                      ", the tensor given for it " + printShape(tensor.shape));
  bool isOrdered = aux.seenShape && !tensor.strides.empty();
  if (isOrdered && tensor.strides != rowMajor(seen))
    return machine.fail(instr.op,
                        "`" + aux.name + "` has a layout, the tensor given for it strides");
  if (!isOrdered && !tensor.strides.empty() && tensor.strides.size() != buffer.shape.size())
    return machine.fail(instr.op, "`" + aux.name + "` has " + Twine(buffer.shape.size()) +
                                      " dimensions, the tensor given for it " +
                                      Twine(tensor.strides.size()) + " strides");
  buffer.strides = tensor.strides.empty() || isOrdered ? rowMajor(buffer.shape) : tensor.strides;
  int64_t last = 0;
  bool isEmpty = llvm::is_contained(buffer.shape, 0);
  for (auto [extent, stride] : llvm::zip(buffer.shape, buffer.strides)) {
    int64_t reach;
    if (stride < 0 || __builtin_mul_overflow(std::max<int64_t>(extent - 1, 0), stride, &reach) ||
        __builtin_add_overflow(last, reach, &last) || last > maxElems)
      return machine.fail(instr.op, "`" + aux.name + "` has a stride of " + Twine(stride));
  }
  int64_t needed = isEmpty ? 0 : storageBytes(decl.dtype, last + 1);
  if (tensor.sizeBytes < needed)
    return machine.fail(instr.op, "`" + aux.name + "` takes " + Twine(needed) + " bytes, " +
                                      Twine(tensor.sizeBytes) + " are given");
  buffer.base = static_cast<uint8_t *>(tensor.data);
}

void execWorkspace(Frame &frame, const Instr &instr) {
  const auto &aux = *static_cast<const ParamAux *>(instr.aux);
  const BufferDecl &decl = frame.machine.unit.buffers[aux.buffer];
  BufferState &buffer = frame.machine.buffers[aux.buffer];
  buffer.shape.clear();
  if (!takeShape(frame, instr, aux, decl.type, buffer.shape))
    return;
  buffer.strides = rowMajor(buffer.shape);
  int64_t elems = 1;
  for (int64_t extent : buffer.shape)
    elems *= extent;
  frame.machine.allocate(aux.buffer, elems, instr.op);
}

void execScalar(Frame &frame, const Instr &instr) {
  const auto &aux = *static_cast<const ParamAux *>(instr.aux);
  auto it = frame.machine.args.scalars.find(aux.name);
  bool isMissing = it == frame.machine.args.scalars.end();
  if (isMissing && !frame.machine.options.unusedMayBeMissing)
    return frame.machine.fail(instr.op, "no value is given for parameter `" + aux.name + "`");
  // Through the parameter's own type, as in a launch.
  uint8_t encoded[8] = {};
  std::variant<int64_t, double> given = isMissing ? int64_t(1) : it->second;
  std::visit([&](auto value) { encodeSpan(aux.dtype, encoded, 0, 1, 1, &value); }, given);
  switch (static_cast<Rep>(instr.b)) {
  case Rep::F32:
    return decodeSpan(aux.dtype, encoded, 0, 1, 1, frame.at<float>(instr.dst));
  case Rep::F64:
    return decodeSpan(aux.dtype, encoded, 0, 1, 1, frame.at<double>(instr.dst));
  case Rep::Int: {
    int64_t value;
    decodeSpan(aux.dtype, encoded, 0, 1, 1, &value);
    *frame.at<int64_t>(instr.dst) = canonInt(value, widthOf(instr.op->getResult(0).getType()));
    return;
  }
  }
}

void execDim(Frame &frame, const Instr &instr) {
  const auto &aux = *static_cast<const ParamAux *>(instr.aux);
  auto it = frame.machine.dims.find(aux.name);
  if (it == frame.machine.dims.end() && frame.machine.options.unusedMayBeMissing) {
    *frame.at<int64_t>(instr.dst) = 1;
    return;
  }
  if (it == frame.machine.dims.end())
    return frame.machine.fail(instr.op, "no value is given for dimension `" + aux.name + "`");
  if (it->second < 0)
    return frame.machine.fail(instr.op, "dimension `" + aux.name + "` is " + Twine(it->second) +
                                            "; it is at least 0");
  *frame.at<int64_t>(instr.dst) = it->second;
}

/// Clusters are neighbours along the grid's first dimension; `imm` is how many.
void execClusterRank(Frame &frame, const Instr &instr) {
  const int64_t *block = frame.at<int64_t>(instr.a);
  int64_t *rank = frame.at<int64_t>(instr.dst);
  for (int64_t lane = 0; lane < int64_t(frame.lanes); ++lane)
    rank[lane] = block[lane] % instr.imm;
}

void execConstant(Frame &frame, const Instr &instr) {
  switch (static_cast<Rep>(instr.b)) {
  case Rep::F32:
    std::fill_n(frame.at<float>(instr.dst), frame.lanes,
                static_cast<float>(std::bit_cast<double>(instr.imm)));
    return;
  case Rep::F64:
    std::fill_n(frame.at<double>(instr.dst), frame.lanes, std::bit_cast<double>(instr.imm));
    return;
  case Rep::Int:
    std::fill_n(frame.at<int64_t>(instr.dst), frame.lanes, instr.imm);
    return;
  }
}

template <typename T> static void roundLanes(Frame &frame, const Instr &instr) {
  uint8_t encoded[8] = {};
  for (int lane = 0; lane < frame.lanes; ++lane) {
    encodeSpan(static_cast<DType>(instr.imm), encoded, 0, 1, 1, frame.at<T>(instr.a) + lane);
    decodeSpan(static_cast<DType>(instr.imm), encoded, 0, 1, 1, frame.at<T>(instr.dst) + lane);
  }
}

void execRoundTo(Frame &frame, const Instr &instr) {
  static_cast<Rep>(instr.b) == Rep::F32 ? roundLanes<float>(frame, instr)
                                        : roundLanes<double>(frame, instr);
}

llvm::Error runUnit(const Unit &unit, tile::ProgramOp program, const ReferenceArgs &args,
                    const ReferenceOptions &options) {
  Machine machine(unit, args, options);
  inferDims(program, machine);
  setUpBuffers(machine);
  std::vector<uint8_t> data(size_t(unit.programSlots) * laneBytes + laneBytes);
  Frame frame{machine, data.data(), laneBytes, 1};
  if (!machine.failed)
    runCode(frame, unit.program);
  if (machine.failed)
    return llvm::createStringError(machine.error);
  return llvm::Error::success();
}

} // namespace tilec::reference

namespace tilec {

llvm::Error runReference(tile::ProgramOp program, const ReferenceArgs &args,
                         const ReferenceOptions &options) {
  llvm::Expected<std::unique_ptr<reference::Unit>> unit = reference::compileProgram(program);
  if (!unit)
    return unit.takeError();
  return reference::runUnit(**unit, program, args, options);
}

bool usesTranscendentals(tile::ProgramOp program) {
  bool found = false;
  program.walk([&](Operation *op) { found |= reference::isTranscendental(op); });
  return found;
}

} // namespace tilec
