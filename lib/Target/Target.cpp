//===- Target.cpp - limits of the chips, and the search for atoms ---------===//
//
// Sources: AMD CDNA3 and CDNA4 ISA documents (LDS size, lanes), LLVM 22's legality of
// buffer_load ... lds widths, CUDA C++ Programming Guide 13.0, table of compute capabilities.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "tilec/Target/Target.h"

#include "tilec/Target/NarrowAtoms.h"

#include <vector>

namespace tilec {
namespace {

// The rows of MmaAtoms.def are expanded into atoms once per process.
using Bases = llvm::SmallVector<Coords, 8>;

Bases along(unsigned dim, int64_t first, int64_t end) {
  Bases bases;
  for (int64_t step = first; step < end; step *= 2)
    bases.push_back(dim == 0 ? Coords{step, 0} : Coords{0, step});
  return bases;
}

Bases operator+(Bases a, const Bases &b) {
  a.append(b.begin(), b.end());
  return a;
}

LinearLayout layout(Bases regs, Bases lanes) {
  return LinearLayout(2, {{"register", std::move(regs)}, {"lane", std::move(lanes)}});
}

/// MFMA with one block: lane l holds row (or column) l % m and the l / m-th run of consecutive k;
/// D holds runs of 4 rows, lanes along the columns. AMD matrix instruction calculator; the test
/// MfmaLayouts compares every atom with test/data/mfma_layouts.
MmaAtom mfma(llvm::StringRef name, llvm::StringRef intrinsic, DType a, DType b, DType c, int64_t mn,
             int64_t k, unsigned passes) {
  int64_t groups = 64 / mn; // lane groups along k
  int64_t run = k / groups; // consecutive k of one lane
  LinearLayout operand = layout(along(1, 1, run), along(0, 1, mn) + along(1, run, k));
  // Of 32 bytes a lane the second 16 are of the upper half of k (8-bit operands of f8f6f4). Beside
  // an operand of 4 bits the k of a lane are one run: only which of A meets which of B matters.
  if (int64_t half = 128 / bitsOf(a); run == 2 * half && bitsOf(b) == bitsOf(a))
    operand =
        layout(along(1, 1, half) + along(1, k / 2, k), along(0, 1, mn) + along(1, half, k / 2));
  if (c == DType::F64) { // rows in lane groups first, then registers
    Bases rows = along(0, groups, mn), lanes = along(1, 1, mn) + along(0, 1, groups);
    return {name, intrinsic, a, b, c, mn, mn, k, operand, operand, layout(rows, lanes), passes};
  }
  Bases dRegs = along(0, 1, 4), dLanes = along(1, 1, mn);
  // Rows 0-3 in a register group, then lane groups, then further register groups.
  dLanes = dLanes + along(0, 4, 4 * groups);
  dRegs = dRegs + along(0, 4 * groups, mn);
  return {name, intrinsic, a, b, c, mn, mn, k, operand, operand, layout(dRegs, dLanes), passes};
}

/// mma.sync m16n8: PTX ISA 9.0, "Matrix Fragments for mma.m16n8k16" and its siblings. A holds pairs
/// (4 bytes) along k, then row + 8, then the upper half of k; B pairs along k, then the upper half.
MmaAtom mmaSync(llvm::StringRef name, llvm::StringRef intrinsic, DType a, DType b, DType c,
                int64_t k) {
  int64_t pack = 32 / bitsOf(a); // elements of one 32-bit register
  Bases aRegs = along(1, 1, pack) + Bases{{8, 0}} + along(1, 4 * pack, k);
  Bases bRegs = along(1, 1, pack) + along(1, 4 * pack, k);
  Bases cRegs = {{0, 1}, {8, 0}};
  Bases aLanes = along(1, pack, 4 * pack) + along(0, 1, 8);
  Bases cLanes = along(1, 2, 8) + along(0, 1, 8);
  return {name,
          intrinsic,
          a,
          b,
          c,
          16,
          8,
          k,
          layout(aRegs, aLanes),
          layout(bRegs, aLanes),
          layout(cRegs, cLanes),
          0};
}

using D = DType;

std::vector<MmaAtom> makeGfx942Atoms() {
  return {
#define MFMA(Name, Intrinsic, A, B, C, MN, K, Passes)                                              \
  mfma("v_mfma_" Name, "llvm.amdgcn.mfma." Intrinsic, D::A, D::B, D::C, MN, K, Passes),
#define GFX942
#include "MmaAtoms.def"
  };
}

std::vector<MmaAtom> makeGfx950Atoms() {
  return {
#define MFMA(Name, Intrinsic, A, B, C, MN, K, Passes)                                              \
  mfma("v_mfma_" Name, "llvm.amdgcn.mfma." Intrinsic, D::A, D::B, D::C, MN, K, Passes),
#define GFX950
#include "MmaAtoms.def"
  };
}

std::vector<NarrowAtom> makeNarrowAtoms() {
  return {
#define MFMA(Name, Intrinsic, A, B, C, MN, K, Passes)                                              \
  {mfma("v_mfma_" Name, "llvm.amdgcn.mfma." Intrinsic, D::A, D::B, D::C, MN, K, Passes), false},
#define MFMA_SCALED(Name, Intrinsic, A, B, C, MN, K, Passes)                                       \
  {mfma("v_mfma_scale_" Name, "llvm.amdgcn.mfma." Intrinsic, D::A, D::B, D::C, MN, K, Passes),     \
   true},
#define GFX950_NARROW
#include "MmaAtoms.def"
  };
}

std::vector<MmaAtom> makeSm80Atoms() {
  return {
#define MMA_SYNC(Name, Intrinsic, A, B, C, K)                                                      \
  mmaSync("mma.sync.aligned." Name, "llvm.nvvm.mma." Intrinsic, D::A, D::B, D::C, K),
#define SM80
#include "MmaAtoms.def"
  };
}

// Columns: arch, vendor, lanes, shared bytes, threads, registers of a lane and of a unit, async
// widths, fp8 pair, dies (AMD's data sheets of MI300X and MI355X), fp8 mma, transposed reads (CDNA4
// ISA document, DS_READ_B64_TR_B16).
// clang-format off
const TargetInfo infos[] = {
    {Arch::Gfx942, Vendor::Amd, 64, 65536, 1024, 512, 131072, {4}, D::E4M3FNUZ, D::E5M2FNUZ, 8, true, false},
    {Arch::Gfx950, Vendor::Amd, 64, 163840, 1024, 512, 131072, {16, 4}, D::E4M3FN, D::E5M2, 8, true, true},
    {Arch::Sm80, Vendor::Nvidia, 32, 166912, 1024, 255, 65536, {16, 8, 4}, D::E4M3FN, D::E5M2, 1, false, false},
    {Arch::Sm90, Vendor::Nvidia, 32, 232448, 1024, 255, 65536, {16, 8, 4}, D::E4M3FN, D::E5M2, 1, false, false, 16},
    {Arch::Sm90a, Vendor::Nvidia, 32, 232448, 1024, 255, 65536, {16, 8, 4}, D::E4M3FN, D::E5M2, 1, false, false, 16},
};
// clang-format on

} // namespace

const TargetInfo &targetInfo(Arch arch) { return infos[static_cast<int>(arch)]; }

llvm::ArrayRef<NarrowAtom> narrowAtoms(Arch arch) {
  static const std::vector<NarrowAtom> gfx950 = makeNarrowAtoms();
  return arch == Arch::Gfx950 ? llvm::ArrayRef(gfx950) : llvm::ArrayRef<NarrowAtom>();
}

llvm::ArrayRef<MmaAtom> TargetInfo::atoms() const {
  static const std::vector<MmaAtom> gfx942 = makeGfx942Atoms();
  static const std::vector<MmaAtom> gfx950 = makeGfx950Atoms();
  static const std::vector<MmaAtom> sm80 = makeSm80Atoms();
  switch (arch) {
  case Arch::Gfx942:
    return gfx942;
  case Arch::Gfx950:
    return gfx950;
  default:
    return sm80;
  }
}

const MmaAtom *TargetInfo::findAtom(DType a, DType b, DType c) const {
  for (const MmaAtom &atom : atoms())
    if (atom.a == a && atom.b == b && atom.c == c)
      return &atom;
  return nullptr;
}

} // namespace tilec
