//===- ExpandScans.cpp - scans in pieces that registers hold --------------===//
//
// A scan is done by all lanes on a fragment (ToWave/Scan.cpp). One between shared
// tiles that are too large for that is done in blocks: of lines first, then of a line,
// which hands its last element on. Inside of a parallel, where an iteration has no
// lanes of its own, a line is walked.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Layouts/ScanLayout.h"
#include "Normalize/Normalize.h"

#include "tilec/Analysis/Buffers.h"
#include "tilec/Base/Math.h"
#include "tilec/Transforms/Passes.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tilec {

#define GEN_PASS_DEF_EXPANDSCANSPASS
#include "tilec/Transforms/Passes.h.inc"

namespace {

/// Elements of a block for each thread, of 32 bits: what is read and the result are in registers.
constexpr int64_t mostElements = 32;

/// Rows are independent; along a row one lane walks a shared copy.
void walkLines(tile::ScanOp scan) {
  OpBuilder b(scan);
  Location loc = scan.getLoc();
  tile::BufferType srcType = scan.getSrc().getType(), dstType = scan.getDst().getType();
  auto makeShared = [&](tile::BufferType like, StringRef name) -> Value {
    auto type = tile::BufferType::get(like.getShape(), like.getElementType(), tile::Scope::Shared);
    return tile::AllocOp::create(b, loc, type, name, Attribute());
  };
  Value from = makeShared(srcType, "scanned"), to = makeShared(dstType, "scan");
  expandCopy(b, loc, scan.getSrc(), from);
  int64_t dim = scan.getDim(), length = srcType.getShape()[dim];
  SmallVector<Value> extents;
  for (auto [d, size] : llvm::enumerate(srcType.getShape()))
    extents.push_back(arith::ConstantIndexOp::create(b, loc, int64_t(d) == dim ? 1 : size));
  auto rows = tile::ParallelOp::create(b, loc, extents);
  OpBuilder inner = OpBuilder::atBlockEnd(rows.bodyBlock());
  Type scalar = tile::scalarTypeOf(srcType.getElementType());
  auto localType = tile::BufferType::get(
      {}, isa<FloatType>(scalar) ? scalar : srcType.getElementType(), tile::Scope::Local);
  Value sum = tile::AllocOp::create(inner, loc, localType, "running", Attribute());
  bool isUnsignedType = isUnsigned(tile::dtypeOf(srcType.getElementType()));
  Value identity =
      identityOfElement(inner, loc, scan.getKind(), localType.getElementType(), isUnsignedType);
  tile::StoreOp::create(inner, loc, identity, sum, ValueRange());
  Value zero = arith::ConstantIndexOp::create(inner, loc, 0);
  Value one = arith::ConstantIndexOp::create(inner, loc, 1);
  Value count = arith::ConstantIndexOp::create(inner, loc, length);
  auto loop = tile::ForOp::create(inner, loc, zero, count, one);
  OpBuilder step = OpBuilder::atBlockEnd(loop.bodyBlock());
  Value at = loop.iv();
  if (scan.getReverse()) {
    Value last = arith::ConstantIndexOp::create(step, loc, length - 1);
    at = arith::SubIOp::create(step, loc, last, at);
  }
  SmallVector<Value> indices(rows.ivs().begin(), rows.ivs().end());
  indices[dim] = at;
  Value value = tile::LoadOp::create(step, loc, scalar, from, indices, FloatAttr());
  Value old = tile::LoadOp::create(step, loc, scalar, sum, ValueRange(), FloatAttr());
  Value next = combine(step, loc, scan.getKind(), old, value, isUnsignedType, false);
  tile::StoreOp::create(step, loc, next, sum, ValueRange());
  Value stored = convertScalar(step, loc, next, srcType.getElementType(), dstType.getElementType());
  tile::StoreOp::create(step, loc, stored, to, indices);
  expandCopy(b, loc, to, scan.getDst());
  scan.erase();
}

class Cut {
public:
  explicit Cut(tile::ScanOp scan)
      : scan(scan), b(scan), loc(scan.getLoc()), dim(scan.getDim()),
        src(cast<tile::BufferType>(scan.getSrc().getType())),
        dst(cast<tile::BufferType>(scan.getDst().getType())), block(src.getShape()) {
    DType dtype =
        scanDType(tile::dtypeOf(src.getElementType()), tile::dtypeOf(dst.getElementType()));
    element = tile::elementTypeOf(dtype, scan.getContext());
    int64_t threads = tile::threadsAt(scan);
    most = threads * mostElements * 4 / bytesOf(dtype);
  }

  void run() {
    chooseBlock();
    if (ArrayRef(block) == src.getShape())
      return;
    separate();
    SmallVector<Value> offsets(src.rank(), number(0));
    for (int64_t d = 0; d < src.rank(); ++d)
      if (d != dim && block[d] < src.getShape()[d]) {
        auto loop =
            tile::ForOp::create(b, loc, number(0), number(src.getShape()[d]), number(block[d]));
        b.setInsertionPointToEnd(loop.bodyBlock());
        offsets[d] = loop.iv();
      }
    if (block[dim] == src.getShape()[dim])
      tile::ScanOp::create(b, loc, scan.getKind(), view(scan.getSrc(), offsets, block),
                           view(scan.getDst(), offsets, block), dim, scan.getReverse(),
                           /*shared_place=*/{});
    else
      scanPieces(offsets);
    scan.erase();
  }

private:
  Value number(int64_t value) { return arith::ConstantIndexOp::create(b, loc, value); }
  Value view(Value buffer, ArrayRef<Value> offsets, ArrayRef<int64_t> shape) {
    auto type = cast<tile::BufferType>(buffer.getType());
    auto part = tile::BufferType::get(shape, type.getElementType(), type.getScope());
    return tile::SubviewOp::create(b, loc, part, buffer, offsets, b.getDenseI64ArrayAttr({}));
  }
  void chooseBlock();
  void separate();
  void scanPieces(ArrayRef<Value> offsets);
  void scanPiece(Value from, Value to, Value piece, Value carry, bool isFirst);

  tile::ScanOp scan;
  OpBuilder b;
  Location loc;
  int64_t dim, most = 0;
  tile::BufferType src, dst;
  SmallVector<int64_t> block;
  Type element; ///< what is added up in
};

/// Whole lines as long as they fit. Blocks of lines are of one size.
void Cut::chooseBlock() {
  if (!src.isShared() || !dst.isShared())
    return;
  int64_t total = src.numElems();
  for (int64_t d = 0; d < src.rank() && total > most; ++d) {
    if (d == dim)
      continue;
    int64_t others = total / block[d], size = block[d];
    block[d] = std::clamp<int64_t>(most / others, 1, size);
    while (size % block[d] != 0)
      --block[d];
    total = others * block[d];
  }
  if (total > most)
    block[dim] = most;
}

/// Of overlapping parts of one buffer all is read before anything is written.
void Cut::separate() {
  if (scan.getSrc() == scan.getDst() || rootOf(scan.getSrc()) != rootOf(scan.getDst()))
    return;
  Value held = tile::AllocOp::create(b, loc, src, "held", Attribute());
  expandCopy(b, loc, scan.getSrc(), held);
  scan.getSrcMutable().assign(held);
}

void Cut::scanPieces(ArrayRef<Value> offsets) {
  auto carryType = tile::BufferType::get({1}, element, tile::Scope::Shared);
  Value carry = tile::AllocOp::create(b, loc, carryType, "carry", Attribute());
  int64_t length = src.getShape()[dim], pieces = ceilDiv(length, block[dim]);
  for (int64_t n = 0; n < pieces; ++n) {
    int64_t start = (scan.getReverse() ? pieces - 1 - n : n) * block[dim];
    SmallVector<int64_t> shape(block);
    shape[dim] = std::min(block[dim], length - start);
    SmallVector<Value> at(offsets);
    at[dim] = number(start);
    auto type = tile::BufferType::get(shape, element, tile::Scope::Fragment);
    Value piece = tile::AllocOp::create(b, loc, type, "piece", Attribute());
    scanPiece(view(scan.getSrc(), at, shape), view(scan.getDst(), at, shape), piece, carry, n == 0);
  }
}

/// The first element takes what the pieces before come to, the last one leaves it.
void Cut::scanPiece(Value from, Value to, Value piece, Value carry, bool isFirst) {
  int64_t last = cast<tile::BufferType>(piece.getType()).getShape()[dim] - 1;
  int64_t firstAt = scan.getReverse() ? last : 0, lastAt = scan.getReverse() ? 0 : last;
  bool isUnsignedType = isUnsigned(tile::dtypeOf(src.getElementType()));
  Type scalar = tile::scalarTypeOf(element);
  auto load = [&](OpBuilder &at, Value buffer, ValueRange indices) -> Value {
    ElementPlace place = placeOf(buffer, indices, at, loc);
    Type type = tile::scalarTypeOf(cast<tile::BufferType>(buffer.getType()).getElementType());
    return tile::LoadOp::create(at, loc, type, place.buffer, place.indices, FloatAttr());
  };
  auto isAt = [&](OpBuilder &at, Value index, int64_t where) -> Value {
    Value constant = arith::ConstantIndexOp::create(at, loc, where);
    return arith::CmpIOp::create(at, loc, arith::CmpIPredicate::eq, index, constant);
  };
  makeElementwise(b, loc, piece, [&](OpBuilder &at, ValueRange indices) -> Value {
    Value value = convertScalar(at, loc, load(at, from, indices), src.getElementType(), element);
    if (isFirst)
      return value;
    Value zero = arith::ConstantIndexOp::create(at, loc, 0);
    Value sum =
        combine(at, loc, scan.getKind(), load(at, carry, {zero}), value, isUnsignedType, false);
    return arith::SelectOp::create(at, loc, isAt(at, indices[dim], firstAt), sum, value);
  });
  tile::ScanOp::create(b, loc, scan.getKind(), piece, piece, dim, scan.getReverse(),
                       /*shared_place=*/{});
  auto stores = makeElementwise(b, loc, to, [&](OpBuilder &at, ValueRange indices) -> Value {
    return convertScalar(at, loc, load(at, piece, indices), element, dst.getElementType());
  });
  OpBuilder end = OpBuilder::atBlockEnd(stores.bodyBlock());
  auto branch = scf::IfOp::create(end, loc, isAt(end, stores.ivs()[dim], lastAt), false);
  OpBuilder then = branch.getThenBodyBuilder();
  SmallVector<Value> ivs(stores.ivs().begin(), stores.ivs().end());
  Value total = tile::LoadOp::create(then, loc, scalar, piece, ivs, FloatAttr());
  Value zero = arith::ConstantIndexOp::create(then, loc, 0);
  tile::StoreOp::create(then, loc, total, carry, ValueRange{zero});
}

} // namespace

static void expandScans(tile::ProgramOp program) {
  SmallVector<tile::ScanOp> scans;
  program.walk([&](tile::ScanOp scan) { scans.push_back(scan); });
  for (tile::ScanOp scan : scans)
    if (scan->getParentOfType<tile::ParallelOp>())
      walkLines(scan);
    else
      Cut(scan).run();
}

namespace {
struct ExpandScansPass : impl::ExpandScansPassBase<ExpandScansPass> {
  void runOnOperation() override { expandScans(getOperation()); }
};
} // namespace

} // namespace tilec
