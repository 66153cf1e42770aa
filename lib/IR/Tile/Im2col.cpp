//===- Im2col.cpp - images as matrices ------------------------------------===//
//
// The verifier of `tile.im2col`, and where an element of the matrix is in the image.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "tilec/IR/Tile/Tile.h"

using namespace mlir;

namespace tilec::tile {

int64_t Im2colOp::placesAlong(int64_t extent, int64_t kernel, int64_t stride, int64_t dilation,
                              int64_t pad) {
  int64_t first = extent + 2 * pad - dilation * (kernel - 1) - 1;
  return first < 0 ? 0 : first / stride + 1;
}

int64_t Im2colOp::outHeight() {
  return placesAlong(getSource().getType().getShape()[1], getKernel(), getStride(), getDilation(),
                     getPad());
}

int64_t Im2colOp::outWidth() {
  return placesAlong(getSource().getType().getShape()[2], getKernel(), getStride(), getDilation(),
                     getPad());
}

int64_t Im2colOp::channels() { return getSource().getType().getShape()[3]; }

LogicalResult Im2colOp::verify() {
  BufferType source = getSource().getType(), result = getResult().getType();
  if (source.rank() != 4 || !source.hasStaticShape())
    return emitOpError("takes an image of four constant extents");
  if (int64_t(getKernel()) < 1 || int64_t(getStride()) < 1 || int64_t(getDilation()) < 1 ||
      int64_t(getPad()) < 0)
    return emitOpError("has a kernel, a stride and a dilation of 1 and more, and a padding of 0 "
                       "and more");
  if (source.getElementType() != result.getElementType() || source.getScope() != result.getScope())
    return emitOpError("keeps element type and scope");
  int64_t rows = source.getShape()[0] * outHeight() * outWidth();
  int64_t columns = int64_t(getKernel()) * int64_t(getKernel()) * channels();
  if (rows < 1 || result.getShape() != ArrayRef<int64_t>({rows, columns}))
    return emitOpError() << "gives a matrix of " << rows << " x " << columns << " elements";
  return success();
}

SmallVector<Value, 4> Im2colOp::imageIndices(OpBuilder &b, Location loc, Value row, Value column,
                                             bool isWithin) {
  auto number = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, loc, value);
  };
  auto add = [&](Value x, Value y) -> Value { return arith::AddIOp::create(b, loc, x, y); };
  auto times = [&](Value x, int64_t y) -> Value {
    return arith::MulIOp::create(b, loc, x, number(y));
  };
  auto div = [&](Value x, int64_t y) -> Value {
    return arith::DivUIOp::create(b, loc, x, number(y));
  };
  auto rem = [&](Value x, int64_t y) -> Value {
    return arith::RemUIOp::create(b, loc, x, number(y));
  };
  int64_t kernel = getKernel(), stride = getStride(), dilation = getDilation(), pad = getPad();
  int64_t height = outHeight(), width = outWidth(), depth = channels();
  Value c = rem(column, depth), s = rem(div(column, depth), kernel),
        r = div(column, depth * kernel);
  if (!isWithin) { // below the image, whatever the row: the question is asked once a column
    Value ofKernel = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, r, number(kernel));
    Value below = number(getSource().getType().getShape()[1] + pad);
    r = arith::SelectOp::create(b, loc, ofKernel, r, below);
  }
  Value ow = rem(row, width), oh = rem(div(row, width), height), n = div(row, width * height);
  Value h = add(add(times(oh, stride), times(r, dilation)), number(-pad));
  Value w = add(add(times(ow, stride), times(s, dilation)), number(-pad));
  return {n, h, w, c};
}

} // namespace tilec::tile
