//===- EmitTmaCopy.cpp - copies of boxes by the tensor memory accelerator --===//
//
// Takes `tile.tma_copy`, gives the kernel's tensor maps and the transfers of a producer. Of an
// image's matrix a transfer begins at a place of the convolution's kernel and walks its places by
// itself; offsets say which element of the kernel is meant (PTX ISA, "im2col mode").
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Roles/TileStore.h"
#include "Roles/TmaBox.h"
#include "ToWave/Emitter.h"
#include "ToWave/Roles.h"

using namespace mlir;

namespace tilec {

/// What a tensor map is told of an image's matrix: the corners between which the first elements lie
/// that the convolution's kernel meets, and the steps between these. Width and height are alike.
static SmallVector<NamedAttribute> patchesOf(tile::Im2colOp matrix, OpBuilder &b) {
  int64_t pad = matrix.getPad(), stride = matrix.getStride();
  int64_t reach = int64_t(matrix.getDilation()) * (int64_t(matrix.getKernel()) - 1);
  auto both = [&](StringRef name, int64_t value) {
    return b.getNamedAttr(name, b.getDenseI64ArrayAttr({value, value}));
  };
  return {both("lower", -pad), both("upper", pad - reach), both("steps", stride)};
}

void RoleEmitter::bindTensorMaps(wave::KernelOp waveKernel) {
  struct Known {
    Value tensor;
    SmallVector<int64_t, 5> extents;
    int64_t swizzleBytes;
    Attribute patches;
    Value map;
  };
  SmallVector<Known> known;
  SmallVector<Attribute> names(waveKernel.getArgNames().begin(), waveKernel.getArgNames().end());
  SmallVector<Attribute> access(waveKernel.getArgAccess().begin(), waveKernel.getArgAccess().end());
  SmallVector<Attribute> specs;
  auto mapOf = [&](Value root, ArrayRef<int64_t> extents, int64_t swizzleBytes,
                   SmallVector<NamedAttribute> patches) {
    Attribute ofMatrix = b.getDictionaryAttr(patches);
    for (const Known &other : known)
      if (other.tensor == root && ArrayRef<int64_t>(other.extents) == extents &&
          other.swizzleBytes == swizzleBytes && other.patches == ofMatrix)
        return other.map;
    StringRef tensor = mappedTensorOf(root).getName();
    std::string name = (tensor + "_map" + Twine(known.size())).str();
    SmallVector<int64_t> innermostFirst(llvm::reverse(extents));
    if (root.getDefiningOp<tile::ReshapeOp>()) {
      auto shape = cast<tile::BufferType>(root.getType()).getShape();
      SmallVector<int64_t> dims(llvm::reverse(shape));
      patches.push_back(b.getNamedAttr("dims", b.getDenseI64ArrayAttr(dims)));
    }
    patches.append({b.getNamedAttr("name", b.getStringAttr(name)),
                    b.getNamedAttr("of", b.getStringAttr(tensor)),
                    b.getNamedAttr("box", b.getDenseI64ArrayAttr(innermostFirst)),
                    b.getNamedAttr("swizzle", b.getI64IntegerAttr(swizzleBytes))});
    specs.push_back(b.getDictionaryAttr(patches));
    names.push_back(b.getStringAttr(name));
    access.push_back(b.getStringAttr(""));
    Value map =
        waveKernel.getBody().front().addArgument(wave::TensorMapType::get(b.getContext()), loc);
    known.push_back({root, SmallVector<int64_t, 5>(extents), swizzleBytes, ofMatrix, map});
    return map;
  };
  e.kernel.walk([&](Operation *op) {
    if (auto copy = dyn_cast<tile::TmaCopyOp>(op)) {
      TmaBox box = tmaBoxOf(copy, e.target);
      auto patches = box.matrix ? patchesOf(box.matrix, b) : SmallVector<NamedAttribute>();
      tensorMaps[op] =
          mapOf(box.root, box.extentsOfPart(copy.getParts()), box.swizzleBytes, patches);
    } else if (auto store = dyn_cast<tile::StoreTileOp>(op)) {
      for (const TileTarget &to : tileStoreOf(store, e.target).targets)
        tensorMaps[to.op] = mapOf(to.tensor, to.extents, to.rowBytes, {});
    }
  });
  waveKernel.setArgNamesAttr(b.getArrayAttr(names));
  waveKernel.setArgAccessAttr(b.getArrayAttr(access));
  waveKernel.setTensorMapsAttr(b.getArrayAttr(specs));
}

LogicalResult RoleEmitter::emitTmaCopy(tile::TmaCopyOp copy, Elements &elements) {
  TmaBox box = tmaBoxOf(copy, e.target);
  BufferBox source = boxOf(copy.getSrc());
  const SharedPlace &place = e.shared.find(boxRootOf(copy.getDst()))->second;
  PipePlace &pipe = pipes[copy.getPipe()];
  Value slot = e.lookup(copy.getSlot(), 0, elements);
  int64_t slotBytes = box.tileBytes();
  Value base = e.addIndex(e.mulIndex(slot, slotBytes), place.baseBytes);
  Value barrier = e.addIndex(e.mulIndex(slot, e.target.mbarrierBytes), pipe.fullBytes);
  // A part of every transfer is this block's; it lands in the e.shared memory of all blocks.
  int64_t parts = copy.getParts(), multicast = parts > 1 ? (int64_t(1) << parts) - 1 : 0;
  Value rowOfPart;
  if (parts > 1) {
    Value block = e.lookup(e.kernel.getBody().getArgument(0), 0, elements);
    Value rank = e.remIndex(block, parts);
    rowOfPart = e.mulIndex(rank, box.chunkRows / parts);
    base = e.addIndex(base, e.mulIndex(rank, box.transferBytes() / parts));
  }
  for (int64_t panel = 0; panel < box.panels; ++panel)
    for (int64_t chunk = 0; chunk < box.chunks; ++chunk) {
      SmallVector<Value> coords, offsets; // innermost first
      for (int64_t d = int64_t(source.offsets.size()) - 1; d >= 0; --d) {
        Value at = e.indexFor(source.offsets[d], 0, elements);
        int64_t more = d == box.colDim   ? panel * box.panelElems
                       : d == box.rowDim ? chunk * box.chunkRows
                                         : 0;
        at = e.addIndex(at, more);
        coords.push_back(d == box.rowDim && rowOfPart ? e.addIndex(at, rowOfPart) : at);
      }
      if (box.matrix)
        std::tie(coords, offsets) = placeInImage(box.matrix, coords[1], coords[0]);
      Value to = e.addIndex(base, panel * box.panelBytes + chunk * box.transferBytes());
      wave::TmaLoadOp::create(b, loc, tensorMaps[copy], coords, offsets, to, barrier, multicast);
    }
  return success();
}

/// Where a row and a column of an image's matrix are in the image: coordinates and offsets of a
/// transfer. Behind the last column there are no channels, so that zeros come.
std::pair<SmallVector<Value>, SmallVector<Value>>
RoleEmitter::placeInImage(tile::Im2colOp matrix, Value row, Value column) {
  int64_t width = matrix.outWidth(), height = matrix.outHeight(), channels = matrix.channels();
  int64_t kernel = matrix.getKernel(), stride = matrix.getStride(), pad = matrix.getPad(),
          dilation = matrix.getDilation();
  Value last = e.index(kernel * kernel - 1);
  Value ofKernel = arith::MinUIOp::create(b, loc, e.divIndex(column, channels), last);
  Value channel = arith::SubIOp::create(b, loc, column, e.mulIndex(ofKernel, channels)).getResult();
  auto first = [&](Value place) { return e.addIndex(e.mulIndex(place, stride), -pad); };
  Value line = e.divIndex(row, width);
  return {{channel, first(e.remIndex(row, width)), first(e.remIndex(line, height)),
           e.divIndex(line, height)},
          {e.mulIndex(e.remIndex(ofKernel, kernel), dilation),
           e.mulIndex(e.divIndex(ofKernel, kernel), dilation)}};
}

} // namespace tilec
