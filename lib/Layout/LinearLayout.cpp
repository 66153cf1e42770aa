//===- LinearLayout.cpp - maps between bits, linear over F2 ---------------===//
//
// Questions about the map (rank, preimage) are Gaussian elimination on the bases,
// with the coordinates packed side by side into one 64-bit row vector.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "tilec/Layout/LinearLayout.h"

#include "tilec/Base/Math.h"

#include "llvm/Support/raw_ostream.h"

#include <cassert>

namespace tilec {
namespace {

/// Packs coordinates into bit fields wide enough for the box.
struct Packer {
  llvm::SmallVector<unsigned, 4> shifts;

  explicit Packer(llvm::ArrayRef<int64_t> box) {
    unsigned shift = 0;
    for (int64_t size : box) {
      shifts.push_back(shift);
      shift += log2Floor(size);
    }
    assert(shift <= 64 && "a tile of more than 2^64 elements");
  }
  uint64_t pack(llvm::ArrayRef<int64_t> point) const {
    uint64_t word = 0;
    for (auto [value, shift] : llvm::zip(point, shifts))
      word |= uint64_t(value) << shift;
    return word;
  }
};

/// One reduced row: `image` is the XOR of the bases whose bits are set in `sources`.
struct Row {
  uint64_t image, sources;
};

/// Reduces the bases; the result has independent images with distinct leading bits. A base that
/// depends on earlier ones is dropped.
llvm::SmallVector<Row, 16> eliminate(llvm::ArrayRef<uint64_t> bases) {
  llvm::SmallVector<Row, 16> rows;
  for (auto [bit, base] : llvm::enumerate(bases)) {
    Row row{base, uint64_t(1) << bit};
    for (const Row &r : rows)
      if ((row.image ^ r.image) < row.image)
        row = {row.image ^ r.image, row.sources ^ r.sources};
    if (row.image)
      rows.push_back(row);
  }
  return rows;
}

} // namespace

LinearLayout::LinearLayout(unsigned rank, llvm::SmallVector<LayoutInput, 3> inputs)
    : outRank(rank), ins(std::move(inputs)) {
  for ([[maybe_unused]] const LayoutInput &in : ins)
    for ([[maybe_unused]] const Coords &base : in.bases)
      assert(base.size() == rank && "a basis needs one entry per coordinate");
}

const LayoutInput &LinearLayout::input(llvm::StringRef name) const {
  for (const LayoutInput &in : ins)
    if (in.name == name)
      return in;
  llvm_unreachable("no such input");
}

bool LinearLayout::hasInput(llvm::StringRef name) const {
  return llvm::any_of(ins, [&](const LayoutInput &in) { return in.name == name; });
}

Coords LinearLayout::apply(llvm::ArrayRef<int64_t> values) const {
  assert(values.size() == ins.size());
  Coords point(outRank, 0);
  for (auto [in, value] : llvm::zip(ins, values)) {
    assert(value >= 0 && value < in.count() && "input out of range");
    for (unsigned bit = 0; bit < in.bits(); ++bit)
      if (value >> bit & 1)
        for (unsigned d = 0; d < outRank; ++d)
          point[d] ^= in.bases[bit][d];
  }
  return point;
}

Coords LinearLayout::boxShape() const {
  Coords all(outRank, 0);
  for (const LayoutInput &in : ins)
    for (const Coords &base : in.bases)
      for (unsigned d = 0; d < outRank; ++d)
        all[d] |= base[d];
  for (int64_t &size : all)
    size = size == 0 ? 1 : int64_t(2) << log2Floor(size);
  return all;
}

static llvm::SmallVector<uint64_t, 16> packedBases(const LinearLayout &layout,
                                                   const Packer &packer) {
  llvm::SmallVector<uint64_t, 16> packed;
  for (const LayoutInput &in : layout.inputs())
    for (const Coords &base : in.bases)
      packed.push_back(packer.pack(base));
  return packed;
}

bool LinearLayout::isInjective() const {
  llvm::SmallVector<uint64_t, 16> bases = packedBases(*this, Packer(boxShape()));
  return eliminate(bases).size() == bases.size();
}

bool LinearLayout::isSurjective() const {
  unsigned wanted = 0;
  for (int64_t size : boxShape())
    wanted += log2Floor(size);
  return eliminate(packedBases(*this, Packer(boxShape()))).size() == wanted;
}

std::optional<llvm::SmallVector<int64_t, 4>>
LinearLayout::preimage(llvm::ArrayRef<int64_t> point) const {
  Coords box = boxShape();
  for (auto [value, size] : llvm::zip(point, box))
    if (value < 0 || value >= size)
      return std::nullopt;
  Packer packer(box);
  uint64_t rest = packer.pack(point), sources = 0;
  for (const Row &row : eliminate(packedBases(*this, packer)))
    if ((rest ^ row.image) < rest) {
      rest ^= row.image;
      sources ^= row.sources;
    }
  if (rest)
    return std::nullopt;
  llvm::SmallVector<int64_t, 4> values;
  for (const LayoutInput &in : ins) {
    values.push_back(sources & (in.count() - 1));
    sources >>= in.bits();
  }
  return values;
}

LinearLayout LinearLayout::withoutDim(unsigned dim) const {
  LinearLayout result = *this;
  result.outRank = outRank - 1;
  for (LayoutInput &in : result.ins)
    for (Coords &base : in.bases)
      base.erase(base.begin() + dim);
  return result;
}

LinearLayout LinearLayout::withoutZeroBases(llvm::StringRef inputName) const {
  LinearLayout result = *this;
  for (LayoutInput &in : result.ins)
    if (in.name == inputName)
      llvm::erase_if(in.bases, [](const Coords &base) {
        return llvm::all_of(base, [](int64_t c) { return c == 0; });
      });
  return result;
}

std::string LinearLayout::str() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::interleave(
      ins, os,
      [&](const LayoutInput &in) {
        os << in.name << "=[";
        llvm::interleave(
            in.bases, os,
            [&](const Coords &base) {
              os << '[';
              llvm::interleave(base, os, ",");
              os << ']';
            },
            ",");
        os << ']';
      },
      " ");
  return text;
}

} // namespace tilec
