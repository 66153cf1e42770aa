//===- EmitGemm.cpp - a gemm by whole warp groups -------------------------===//
//
// Takes a gemm by warp groups and its plan, gives the matrix instructions and what stands around
// them.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Layouts/WarpGroups.h"
#include "ToWave/Ops.h"

using namespace mlir;

namespace tilec {

/// The words that tell the instructions of a sparse A where its elements are, [pair of
/// steps][slab]: lane 4 i + j has those of 16 k, from 64 p + 16 j on, of row i of the slab's part
/// of the warp, and above them those of row i + 8. Of a pair of steps the first takes the words of
/// lanes with j = 0 and 1, the second those with 2 and 3 (16-bit types).
static SmallVector<Value> placesOfLane(Emitter &e, tile::GemmOp gemm, const WarpGroupShape &shape,
                                       Value groupM, Elements &elements) {
  OpBuilder &b = e.b;
  Location &loc = e.loc;
  constexpr int64_t wordBytes = 2, lanesOfRow = 4;
  const int64_t kOfPair = 2 * shape.k, halfRows = shape.slabRows / warpsPerGroup / 2;
  BufferBox box = boxOf(gemm.getPlaces());
  const SharedPlace &tile = e.shared.find(box.root)->second;
  int64_t rowBytes = tile.layout.pitchElems * wordBytes;
  Value warp = e.remIndex(e.waveId, warpsPerGroup);
  Value first = e.addIndex(e.mulIndex(groupM, shape.slabRows * shape.slabs),
                           e.mulIndex(warp, shape.slabRows * shape.slabs / warpsPerGroup));
  Value at = e.mulIndex(e.addIndex(first, e.divIndex(e.laneId, lanesOfRow)), rowBytes);
  at = e.addIndex(at, e.mulIndex(e.remIndex(e.laneId, lanesOfRow), wordBytes));
  int64_t stride = tile.layout.matrixRows() * rowBytes;
  for (int64_t d = int64_t(box.offsets.size()) - 3; d >= 0; --d) {
    if (Value offset = e.indexFor(box.offsets[d], 0, elements))
      at = e.addIndex(at, e.mulIndex(offset, stride));
    stride *= tile.layout.shape[d];
  }
  at = e.addIndex(at, tile.baseBytes);
  SmallVector<Value> words;
  for (int64_t pair = 0; pair < gemm.k() / kOfPair; ++pair)
    for (int64_t slab = 0; slab < shape.slabs; ++slab) {
      auto half = [&](int64_t h) -> Value {
        int64_t row = halfRows * (shape.slabs * h + slab);
        int64_t offset = row * rowBytes + pair * lanesOfRow * wordBytes;
        Value read = wave::SharedReadOp::create(b, loc, b.getI16Type(), at, offset);
        return arith::ExtUIOp::create(b, loc, b.getI32Type(), read);
      };
      Value sixteen = arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(16));
      Value low = half(0), high = arith::ShLIOp::create(b, loc, half(1), sixteen);
      words.push_back(arith::OrIOp::create(b, loc, low, high));
    }
  return words;
}

LogicalResult emitWarpGroupGemm(Emitter &e, tile::GemmOp gemm, const GemmPlan &plan,
                                Elements &elements) {
  OpBuilder &b = e.b;
  Location &loc = e.loc;
  auto c = e.fragments.find(gemm.getC());
  if (c == e.fragments.end() || !(c->second.layout == plan.c))
    return e.unsupported(*gemm, "a gemm whose C is no whole fragment");
  const WarpGroupShape &shape = *plan.warpGroup;
  Value group = e.divIndex(e.waveId, warpsPerGroup);
  Value groupM = e.remIndex(group, shape.groupsM), groupN = e.divIndex(group, shape.groupsM);

  /// Byte address of the warp group's part of an operand in e.shared memory.
  auto place = [&](Value operand, bool isA, bool kIsRow, GroupOperand &parts) {
    BufferBox box = boxOf(operand);
    const SharedPlace &tile = e.shared.find(box.root)->second;
    int64_t elemBytes = bytesOf(tile.dtype);
    // Only operands that start at a constant row and column are marked.
    ArrayRef<IndexSum> inMatrix = ArrayRef(box.offsets).take_back(2);
    parts = groupOperand(plan, tile.layout, elemBytes, isA, kIsRow, *inMatrix[0].constant(),
                         *inMatrix[1].constant(), e.target);
    Value own = isA ? groupM : groupN, panel;
    if (parts.groupsOfPanel > 1) {
      panel = e.mulIndex(e.divIndex(own, parts.groupsOfPanel), parts.panelBytes);
      own = e.remIndex(own, parts.groupsOfPanel);
    }
    Value at = e.addIndex(panel, e.mulIndex(own, parts.groupBytes));
    int64_t stride =
        tile.layout.matrixRows() * tile.layout.pitchElems * tile.layout.panels() * elemBytes;
    for (int64_t d = int64_t(box.offsets.size()) - 3; d >= 0; --d) {
      if (Value offset = e.indexFor(box.offsets[d], 0, elements))
        at = e.addIndex(at, e.mulIndex(offset, stride));
      stride *= tile.layout.shape[d];
    }
    return e.addIndex(at, tile.baseBytes);
  };

  Value a, aRegs, accumulate;
  GroupOperand aParts, bParts;
  if (auto fragment = e.fragments.find(gemm.getA()); fragment != e.fragments.end()) {
    if (!(fragment->second.layout == plan.a))
      return e.unsupported(*gemm, "this layout of a gemm operand");
    aRegs = fragment->second.regs;
  } else {
    a = place(gemm.getA(), /*isA=*/true, gemm.getTransposeA(), aParts);
  }
  Value bAt = place(gemm.getB(), /*isA=*/false, !gemm.getTransposeB(), bParts);
  if (Value clear = gemm.getClear()) {
    Value keeps = arith::ConstantIntOp::create(b, loc, b.getI1Type(), 1);
    accumulate = arith::XOrIOp::create(b, loc, e.lookup(clear, 0, elements), keeps);
  }
  Value regs = c->second.regs;
  SmallVector<Value> words =
      gemm.getPlaces() ? placesOfLane(e, gemm, shape, groupM, elements) : SmallVector<Value>();
  auto typeOf = [&](Value operand) { return TypeAttr::get(e.memoryType(tile::dtypeOf(operand))); };
  Type aType = typeOf(gemm.getA()).getValue(), bType = typeOf(gemm.getB()).getValue();
  auto isUnsignedByte = [&](Value operand) { return tile::dtypeOf(operand) == DType::U8; };
  if (isUnsignedByte(gemm.getA()))
    aType = b.getIntegerType(8, /*isSigned=*/false);
  if (isUnsignedByte(gemm.getB()))
    bType = b.getIntegerType(8, /*isSigned=*/false);
  wave::GroupMmaOp::create(b, loc, regs, a, aRegs, bAt, accumulate, words, aType, bType,
                           shape.slabs, shape.n, plan.kSteps, aParts.starts, bParts.starts,
                           int64_t(aParts.descriptor), int64_t(bParts.descriptor),
                           a && gemm.getTransposeA(), !gemm.getTransposeB());
  if (gemm.getInFlight())
    return success();
  SmallVector<Value, 2> readable = {regs};
  if (aRegs)
    readable.push_back(aRegs);
  wave::GroupMmaWaitOp::create(b, loc, 0, readable);
  return success();
}

} // namespace tilec
