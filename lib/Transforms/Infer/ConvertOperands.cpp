//===- ConvertOperands.cpp - element types that a matrix instruction takes ---===//
//
// Takes products of types that no matrix instruction takes, gives them operands of types that one
// does: narrow floats are converted exactly to f16, other accumulators to the one that the
// instruction has. Converted tiles that shared memory has no room for are parts of K, each filled
// and multiplied in turn.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Infer/Operands.h"
#include "Layouts/WarpGroups.h"
#include "Memory/SharedMemory.h"
#include "Normalize/Normalize.h"

#include "tilec/Analysis/Buffers.h"
#include "tilec/Transforms/PassTarget.h"
#include "tilec/Transforms/Passes.h"

using namespace mlir;

namespace tilec {

#define GEN_PASS_DEF_CONVERTOPERANDSPASS
#include "tilec/Transforms/Passes.h.inc"

namespace {

/// A product whose operands are converted, and what is converted.
struct Converted {
  tile::GemmOp gemm;
  Value a, b;
};

std::optional<Converted> convertOperands(tile::GemmOp gemm, const TargetInfo &target) {
  const DType a = tile::dtypeOf(gemm.getA()), b = tile::dtypeOf(gemm.getB()),
              c = tile::dtypeOf(gemm.getC());
  const bool tfloat32 = gemm.getTfloat32();
  if (target.findAtom(a, b, c, tfloat32))
    return std::nullopt;
  const DType wideC = isFloat(c) ? DType::F32 : DType::I32;
  auto isNarrow = [](DType type) { return isFp8(type) || bitsOf(type) == 4; };
  // Exactly: every fp8 and e2m1 value is an f16, every 4-bit integer an int8.
  const bool converts = isNarrow(a) && isNarrow(b) && !target.findAtom(a, b, wideC);
  const DType wide = isFloat(a) ? DType::F16 : DType::I8;
  const DType wideA = converts ? wide : a, wideB = converts ? wide : b;
  const bool isHalfSum = isFloat(c) && bitsOf(c) < 32; // rounded once, at the end
  if (!target.findAtom(wideA, wideB, wideC, tfloat32) || (c != wideC && !isHalfSum))
    return std::nullopt;
  Converted converted = {gemm, gemm.getA(), gemm.getB()};
  if (converts) {
    gemm.emitRemark() << nameOf(target.arch) << " has no matrix instruction for " << nameOf(a)
                      << " x " << nameOf(b) << "; the operands are converted to " << nameOf(wide);
    convertOperand(gemm.getAMutable(), tile::Scope::Shared, wideA, true, false);
    convertOperand(gemm.getBMutable(), tile::Scope::Shared, wideB, true, false);
  }
  if (c != wideC)
    convertOperand(gemm.getCMutable(), tile::Scope::Fragment, wideC, !overwritesC(gemm), true);
  return converts ? std::optional(converted) : std::nullopt;
}

/// The most parts, up to `atMost`, that K has in whole matrix instructions.
int64_t partsOf(tile::GemmOp gemm, const TargetInfo &target, int64_t atMost) {
  const MmaAtom *atom = target.findAtom(tile::dtypeOf(gemm.getA()), tile::dtypeOf(gemm.getB()),
                                        tile::dtypeOf(gemm.getC()), gemm.getTfloat32());
  const int64_t k = gemm.k();
  int64_t parts = std::min(atMost, k / atom->k);
  while (parts > 1 && k % (parts * atom->k) != 0)
    --parts;
  return std::max<int64_t>(parts, 1);
}

/// Whether a part of it is converted for itself. A fragment is written by the lanes that hold it.
bool isConvertedInParts(Value operand) {
  return cast<tile::BufferType>(operand.getType()).isShared();
}

/// Whether waves may tell each other something through bytes that only layouts say.
bool mayExchange(tile::KernelOp kernel) {
  return kernel
      .walk([](Operation *op) {
        return isa<tile::ReduceOp, tile::ScanOp>(op) ? WalkResult::interrupt()
                                                     : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Tiles of elements that share bytes will be tiles of bytes (`tile-pack-tiles`).
SharedMemory packedMemory(tile::KernelOp kernel, const TargetInfo &target, FilledBuffers filled) {
  SharedMemory memory(kernel, target, filled);
  kernel.walk([&](tile::AllocOp alloc) {
    tile::BufferType type = alloc.getResult().getType();
    if (DType dtype = tile::dtypeOf(type.getElementType()); type.isShared() && bitsOf(dtype) < 8)
      memory.setBytes(alloc, storageBytes(dtype, type.numElems()));
  });
  return memory;
}

/// Whether everything has room when K of these products comes in so many parts each, at most. As
/// much as the converted tiles take is left beside them for what layouts add to reductions.
bool fitsInParts(SharedMemory memory, ArrayRef<Converted> products, const TargetInfo &target,
                 int64_t parts, bool exchanges) {
  for (Converted product : products)
    for (auto [source, operand] :
         {std::pair(product.a, product.gemm.getA()), std::pair(product.b, product.gemm.getB())})
      if (auto tile = operand.getDefiningOp<tile::AllocOp>(); isConvertedInParts(source)) {
        memory.setBytes(tile, bytesOfBuffer(tile) * (exchanges ? 2 : 1) /
                                  partsOf(product.gemm, target, parts));
        if (auto whole = rootOf(source).getDefiningOp<tile::AllocOp>()) // read for the last part
          memory.keepWith(whole, tile);
      }
  return memory.fits();
}

/// In how many parts of K the products have their operands converted, each at most: as few as there
/// is room for, beside copies of the next round if any number makes room for those. One where what
/// is needed beside converted tiles has room when rounds bring nothing ahead: the kernel may fit in
/// the end.
int64_t chooseParts(tile::KernelOp kernel, ArrayRef<Converted> products, const TargetInfo &target) {
  const SharedMemory serial = packedMemory(kernel, target, FilledBuffers::Serially);
  int64_t needed = 0, most = 1;
  for (Converted product : products) {
    most = std::max(most, partsOf(product.gemm, target, product.gemm.k()));
    for (Value operand : {Value(product.gemm.getA()), Value(product.gemm.getB())})
      needed = std::max(needed, serial.bytesAtStartOf(operand.getDefiningOp<tile::AllocOp>()));
  }
  if (needed <= target.sharedBytes)
    return 1;
  const bool exchanges = mayExchange(kernel);
  for (const SharedMemory &memory :
       {packedMemory(kernel, target, FilledBuffers::AsAccessed), serial})
    for (int64_t parts = 2; parts <= most; ++parts)
      if (fitsInParts(memory, products, target, parts, exchanges))
        return parts;
  return most;
}

/// The operand's loop of conversion, which each part of K has one of its own instead of.
tile::MoveOp conversionOf(Value converted) {
  for (Operation *user : converted.getUsers())
    if (isa<tile::StoreOp>(user))
      return user->getParentOfType<tile::MoveOp>();
  return nullptr;
}

/// The columns of a matrix, or rows, from `first` on that its part of K has.
Value partOf(OpBuilder &b, Location loc, Value matrix, unsigned dimK, int64_t first, int64_t k) {
  auto type = cast<tile::BufferType>(matrix.getType());
  SmallVector<int64_t> shape(type.getShape()), offsets(shape.size(), 0);
  shape[dimK] = k;
  offsets[dimK] = first;
  SmallVector<Value> places;
  for (int64_t offset : offsets)
    places.push_back(arith::ConstantIndexOp::create(b, loc, offset));
  auto part = tile::BufferType::get(shape, type.getElementType(), type.getScope());
  return tile::SubviewOp::create(b, loc, part, matrix, places, b.getDenseI64ArrayAttr({}));
}

/// An operand of a product in parts: what is converted, to what, and which dimension is K.
struct Parts {
  Value source, converted;
  unsigned dimK;

  /// The converted tile is as large as a part.
  void shrink(int64_t k) {
    if (!isConvertedInParts(source))
      return;
    conversionOf(converted).erase();
    auto type = cast<tile::BufferType>(converted.getType());
    SmallVector<int64_t> shape(type.getShape());
    shape[dimK] = k;
    converted.setType(tile::BufferType::get(shape, type.getElementType(), type.getScope()));
  }
  /// What the product of the part has for an operand, filled.
  Value fill(OpBuilder &b, Location loc, int64_t first, int64_t k) const {
    if (!isConvertedInParts(source))
      return partOf(b, loc, converted, dimK, first, k);
    Value part = partOf(b, loc, source, dimK, first, k);
    moveElements(b, loc, part, converted);
    part.getDefiningOp()->erase(); // elements are named in the buffer itself
    return converted;
  }
};

/// Each part of K is converted and multiplied in turn, into one sum.
void splitProduct(Converted product, int64_t parts) {
  tile::GemmOp gemm = product.gemm;
  Location loc = gemm.getLoc();
  const int64_t k = gemm.k() / parts;
  Parts a = {product.a, gemm.getA(), gemm.getTransposeA() ? 0U : 1U},
        b = {product.b, gemm.getB(), gemm.getTransposeB() ? 1U : 0U};
  a.shrink(k);
  b.shrink(k);
  OpBuilder builder(gemm);
  for (int64_t part = 0; part < parts; ++part) {
    Value partA = a.fill(builder, loc, part * k, k), partB = b.fill(builder, loc, part * k, k);
    auto one = part + 1 < parts ? cast<tile::GemmOp>(builder.clone(*gemm)) : gemm;
    one.getAMutable().assign(partA);
    one.getBMutable().assign(partB);
    if (part == 0)
      gemm.getClearMutable().clear();
  }
}

void convertAll(tile::KernelOp kernel, const TargetInfo &target) {
  const int64_t numWaves = wavesOf(kernel, target);
  SmallVector<Converted> products;
  kernel.walk([&](tile::GemmOp gemm) {
    // No instruction but those of warp groups takes a sparse A.
    if (gemm.getPlaces() || isWarpGroupGemm(gemm, target, numWaves))
      return;
    if (std::optional<Converted> converted = convertOperands(gemm, target))
      products.push_back(*converted);
  });
  if (products.empty())
    return;
  const int64_t most = chooseParts(kernel, products, target);
  for (Converted product : products) {
    const int64_t parts = partsOf(product.gemm, target, most);
    if (parts == 1)
      continue;
    product.gemm.emitRemark() << "shared memory has room for the converted operands in " << parts
                              << " parts of K, each multiplied in turn";
    splitProduct(product, parts);
  }
}

struct ConvertOperandsPass : impl::ConvertOperandsPassBase<ConvertOperandsPass> {
  using ConvertOperandsPassBase::ConvertOperandsPassBase;

  void runOnOperation() override {
    const TargetInfo *chip = targetOfPass(getOperation(), target);
    if (!chip)
      return signalPassFailure();
    for (tile::KernelOp kernel : getOperation().getBody().getOps<tile::KernelOp>())
      convertAll(kernel, *chip);
  }
};

} // namespace

} // namespace tilec
