//===- Gemm.cpp - matrix instructions with operands from shared memory ----===//
//
// Per K step: read the operand atoms of the wave's rows and columns (GemmReads.cpp), then multiply;
// a fragment operand is in registers already.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "ToWave/GemmEmitter.h"

#include "tilec/Base/Math.h"
#include "tilec/IR/Tile/Tfloat32.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace tilec {

/// Issue priorities in a loop of chained products (chainPriorities).
constexpr int64_t workPriority = 0, productPriority = 1, roundPriority = 2;

Value GemmEmitter::partOf(Value registers, int64_t part) {
  if (plan.kPack == 1)
    return registers;
  int64_t all = wave::elementsOf(registers.getType()), each = all / plan.kPack;
  SmallVector<Value, 8> elements;
  for (int64_t i = 0; i < each; ++i)
    elements.push_back(wave::ExtractOp::create(b, loc, wave::elementOf(registers.getType()),
                                               registers, part * each + i));
  return e.pack(elements);
}

Value GemmEmitter::read(const GemmOperand &operand, int64_t rep, int64_t step) {
  auto fragment = e.fragments.find(operand.buffer);
  if (fragment != e.fragments.end()) {
    const FragmentPlace &place = fragment->second;
    Value registers =
        wave::GetOp::create(b, loc, e.vectorOf(place.layout.atomRegs(), e.memoryType(place.dtype)),
                            place.regs, step + plan.kSteps * rep);
    // What is behind the last column is whatever was computed there: zero times it may be no zero.
    return covered(operand) > operand.k ? zeroPastK(operand, registers, rep, step) : registers;
  }
  if (fitsLdMatrix(operand))
    return readLdMatrix(operand, rep, 1, step).front();
  if (fitsTransposed(operand))
    return readTransposed(operand, rep, step);
  return readShared(operand, rep, step);
}

/// Of an operand in shared memory: how many repetitions are read before the first is multiplied.
/// Where registers are short few are, for LLVM's scheduler then keeps this order.
int64_t GemmEmitter::repsAtOnce(const GemmOperand &operand) {
  if (!e.isShort || e.fragments.contains(operand.buffer))
    return plan.repsN;
  constexpr int64_t mostRegisters = 32;
  // Elements that are not neighbours in memory come in a register each and are packed then.
  bool isApart = operand.kIsRow && !operand.isTurned() && !fitsTransposed(operand);
  int64_t each = isApart ? 2 * operand.layout->atomRegs() : wordsOf(operand);
  // Turned ones come by so many.
  return alignTo(std::max<int64_t>(mostRegisters / each, 1), operand.together);
}

SmallVector<Value> GemmEmitter::readAll(const GemmOperand &operand, int64_t first, int64_t reps,
                                        int64_t step) {
  bool isShared = !e.fragments.contains(operand.buffer);
  SmallVector<Value> regs;
  while (int64_t(regs.size()) < reps) {
    int64_t done = regs.size(), count = 1;
    if (operand.isTurned()) {
      auto plain = [](int64_t, llvm::function_ref<void()> emit) { emit(); };
      llvm::append_range(regs, readTurned(operand, first + done, step, plain));
      continue;
    }
    if (isShared && fitsLdMatrix(operand))
      while (2 * count * wordsOf(operand) <= wave::mostMatrices && done + 2 * count <= reps)
        count *= 2;
    if (count > 1)
      llvm::append_range(regs, readLdMatrix(operand, first + done, count, step));
    else
      regs.push_back(read(operand, first + done, step));
  }
  return regs;
}

void GemmEmitter::clear() {
  const FragmentPlace &c = e.fragments.find(gemm.getC())->second;
  Type type = e.vectorOf(c.slotRegs, e.memoryType(c.dtype));
  Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(type));
  for (int64_t slot = 0; slot < c.slots(); ++slot)
    wave::SetOp::create(b, loc, zero, c.regs, slot);
}

/// The products of a chain in one loop: the first and the last of several.
static std::pair<tile::GemmOp, tile::GemmOp> chainOf(tile::ForOp loop) {
  std::pair<tile::GemmOp, tile::GemmOp> ends;
  for (tile::GemmOp gemm : loop.bodyBlock()->getOps<tile::GemmOp>()) {
    if (!gemm.getChained())
      return {};
    (ends.first ? ends.second : ends.first) = gemm;
  }
  return ends;
}

/// In a loop of a chain: products go before the vector work of other waves, so that the matrix
/// unit does not wait for that. Before both goes what a round begins with, up to its first product:
/// all waves of a block wait for the last of them there, and copies are started.
ChainPriorities GemmEmitter::chainPriorities() {
  auto loop = dyn_cast<tile::ForOp>(gemm->getParentOp());
  if (!loop || !priorityOfRounds(e, loop))
    return {};
  auto [first, last] = chainOf(loop);
  if (gemm == first)
    return {std::nullopt, workPriority};
  return {productPriority, gemm == last ? roundPriority : workPriority};
}

/// Waves of a compute unit, as shared memory and the grid have room for their blocks.
static int64_t wavesOfUnit(Emitter &e) {
  int64_t sharedBytes = tile::KernelOp(e.kernel).getSharedBytes().value_or(0);
  int64_t blocks = e.target.sharedBytesOfUnit / std::max<int64_t>(sharedBytes, 1);
  int64_t ofGrid = e.kernel.blocksOfGrid().value_or(e.target.units * blocks);
  return std::min(blocks, ceilDiv(ofGrid, e.target.units)) * e.numWaves;
}

bool fillsSchedulers(Emitter &e) { return wavesOfUnit(e) >= 2 * e.target.schedulers; }

std::optional<int64_t> priorityOfRounds(Emitter &e, tile::ForOp loop) {
  if (e.target.mostPriority == 0 || wavesOfUnit(e) <= e.target.schedulers || !chainOf(loop).second)
    return std::nullopt;
  return roundPriority;
}

LogicalResult GemmEmitter::run() {
  auto c = e.fragments.find(gemm.getC());
  if (c == e.fragments.end() || !(c->second.layout == plan.c))
    return e.unsupported(*gemm, "a gemm whose C is no whole fragment");
  if (Value condition = gemm.getClear()) {
    std::optional<int64_t> constant = tile::constantInt(condition);
    if (constant && *constant != 0) {
      clear();
    } else if (!constant) {
      auto branch = scf::IfOp::create(b, loc, e.lookup(condition, 0, elements), false);
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(&branch.getThenRegion().front());
      clear();
    }
  }
  auto [a, bOperand] = operands();
  for (const GemmOperand &operand : {a, bOperand}) {
    auto fragment = e.fragments.find(operand.buffer);
    if (fragment != e.fragments.end()) {
      FragmentLayout wanted = operand.kIsRow ? exchanged(*operand.layout) : *operand.layout;
      if (!(fragment->second.layout == wanted))
        return e.unsupported(*gemm, "this layout of a gemm operand");
    } else if (!e.shared.contains(boxRootOf(operand.buffer))) {
      return e.unsupported(*gemm, "a gemm operand that is neither shared nor a fragment");
    }
  }
  if (plan.isOfLanes)
    return multiplyLanes(a, bOperand), success();
  ChainPriorities priorities = chainPriorities();
  int64_t most = repsAtOnce(bOperand);
  for (int64_t step = 0; step < plan.kSteps; ++step) {
    SmallVector<Value> aRegs = readAll(a, 0, plan.repsM, step);
    for (int64_t first = 0; first < plan.repsN; first += most) {
      int64_t count = std::min(most, plan.repsN - first);
      SmallVector<Value> bRegs = readAll(bOperand, first, count, step);
      if (priorities.at && step == 0 && first == 0)
        wave::SetPrioOp::create(b, loc, *priorities.at);
      for (int64_t part = 0; part < plan.kPack; ++part)
        for (int64_t m = 0; m < plan.repsM; ++m)
          for (int64_t n = 0; n < count; ++n)
            multiply(m, first + n, partOf(aRegs[m], part), partOf(bRegs[n], part));
    }
  }
  if (priorities.behind)
    wave::SetPrioOp::create(b, loc, *priorities.behind);
  return success();
}

std::array<GemmOperand, 2> GemmEmitter::operands() {
  return {
      GemmOperand{gemm.getA(), &plan.a, gemm.getTransposeA(), gemm.m(), gemm.k(), plan.togetherM},
      GemmOperand{gemm.getB(), &plan.b, !gemm.getTransposeB(), gemm.n(), gemm.k(), plan.togetherN}};
}

/// Registers of float32 as tensor cores read tf32 (tilec/IR/Tile/Tfloat32.h).
Value GemmEmitter::withoutLowBits(Value v) {
  auto vector = dyn_cast<VectorType>(v.getType());
  auto bitsType = VectorType::get({vector ? vector.getNumElements() : 1}, b.getI32Type());
  Value bits = wave::BitcastOp::create(b, loc, bitsType, v);
  Value mask = arith::ConstantOp::create(
      b, loc,
      DenseElementsAttr::get(bitsType,
                             b.getI32IntegerAttr(static_cast<int32_t>(tfloat32Mask)).getValue()));
  bits = arith::AndIOp::create(b, loc, bits, mask);
  return wave::BitcastOp::create(b, loc, VectorType::get(bitsType.getShape(), b.getF32Type()),
                                 bits);
}

void GemmEmitter::multiply(int64_t m, int64_t n, Value left, Value right) {
  const FragmentPlace &c = e.fragments.find(gemm.getC())->second;
  int64_t slot = plan.slotOf(m, n);
  Value old = e.getSlot(c, slot);
  Type accumulator = old.getType();
  if (plan.swapped)
    std::swap(left, right);
  if (gemm.getTfloat32() && !plan.atom->isTfloat32) {
    left = withoutLowBits(left);
    right = withoutLowBits(right);
  }
  // An atom with one element a lane takes a vector of one.
  for (Value *operand : {&left, &right})
    if (!isa<VectorType>(operand->getType()))
      *operand =
          wave::BitcastOp::create(b, loc, VectorType::get({1}, operand->getType()), *operand);
  Value sum = wave::MmaOp::create(b, loc, accumulator, plan.atom->name, left, right, old);
  wave::SetOp::create(b, loc, sum, c.regs, slot);
}

/// Each lane adds up its part of C (GemmPlan::isOfLanes).
void GemmEmitter::multiplyLanes(const GemmOperand &left, const GemmOperand &right) {
  const FragmentPlace &c = e.fragments.find(gemm.getC())->second;
  OpBuilder::InsertionGuard guard(b);
  int64_t own = plan.atom->k, steps = plan.kSteps; // own: also rows and columns of a lane
  if (steps > laneSteps && steps % laneSteps == 0) {
    auto loop = scf::ForOp::create(b, loc, e.index(0), e.index(steps / laneSteps), e.index(1));
    b.setInsertionPointToStart(loop.getBody());
    wave::RolledOp::create(b, loc);
    kFrom = e.mulIndex(loop.getInductionVar(), laneSteps * own);
    steps = laneSteps;
  }
  std::vector<SmallVector<Value, 8>> sums;
  for (int64_t slot = 0; slot < c.slots(); ++slot)
    sums.push_back(e.unpack(e.getSlot(c, slot), c.slotRegs));
  for (int64_t step = 0; step < steps; ++step) {
    std::vector<SmallVector<Value, 8>> values[2];
    for (bool isB : {false, true})
      for (int64_t rep = 0; rep < (isB ? plan.repsN : plan.repsM); ++rep)
        values[isB].push_back(e.unpack(readShared(isB ? right : left, rep, step), own * own));
    auto valueOf = [&](bool isB, int64_t at, int64_t k) {
      bool kIsRow = (isB ? right : left).kIsRow;
      return values[isB][at / own][kIsRow ? at % own + own * k : k + own * (at % own)];
    };
    for (int64_t k = 0; k < own; ++k)
      for (int64_t m = 0; m < plan.repsM * own; ++m)
        for (int64_t n = 0; n < plan.repsN * own; ++n) {
          Value &sum = sums[plan.slotOf(m / own, n / own)][n % own + own * (m % own)];
          sum = math::FmaOp::create(b, loc, valueOf(false, m, k), valueOf(true, n, k), sum);
        }
  }
  for (auto [slot, parts] : llvm::enumerate(sums))
    wave::SetOp::create(b, loc, e.pack(parts), c.regs, slot);
  kFrom = nullptr;
}

uint64_t GemmEmitter::coverOf(const GemmOperand &operand, int64_t rep, int64_t step,
                              const CopyAssignment &copies) {
  const FragmentLayout &layout = *operand.layout;
  const SharedPlace &place = e.shared.find(boxRootOf(operand.buffer))->second;
  BufferBox box = boxOf(operand.buffer);
  int64_t group = layout.atomRegs();
  int64_t firstReg = (step + plan.kSteps * (rep / operand.together)) * group;
  int64_t elemBytes = bytesOf(place.dtype);
  uint64_t cover = 0;
  Coords point(place.layout.shape.size(), 0);
  for (int64_t wave = 0; wave < layout.numWaves(); ++wave)
    for (int64_t lane = 0; lane < layout.lanes(); ++lane)
      for (int64_t reg = 0; reg < group; ++reg) {
        Coords at = layout.coords(firstReg + reg, lane, wave);
        point[box.dims[operand.kIsRow ? 1 : 0]] = at[0];
        point[box.dims[operand.kIsRow ? 0 : 1]] = at[1];
        int64_t chunk = place.layout.offset(point) * elemBytes / copies.chunkBytes;
        cover |= uint64_t(1) << copies.copyOfChunk[chunk];
      }
  return cover;
}

LogicalResult GemmEmitter::runTemplates(const PipelineOperand (&copied)[2]) {
  auto c = e.fragments.find(gemm.getC());
  if (c == e.fragments.end() || !(c->second.layout == plan.c))
    return e.unsupported(*gemm, "a gemm whose C is no whole fragment");
  // The ops that `emit` adds are those of one step.
  auto named = [&](wave::StepAttr step, llvm::function_ref<void()> emit) {
    Block *block = b.getInsertionBlock();
    Operation *last = block->empty() ? nullptr : &block->back();
    emit();
    for (Operation *op = last ? last->getNextNode() : &block->front(); op; op = op->getNextNode())
      wave::setStep(op, step);
  };
  std::array<GemmOperand, 2> both = operands();
  for (int64_t step = 0; step < plan.kSteps; ++step) {
    SmallVector<Value> regs[2];
    for (int n : {0, 1}) {
      auto fetch = [&](int64_t rep, llvm::function_ref<void()> emit) {
        uint64_t cover = coverOf(both[n], rep, step, copied[n].copies);
        named(wave::StepAttr::get(b.getContext(),
                                  n == 0 ? wave::StepKind::ReadA : wave::StepKind::ReadB, rep,
                                  /*j=*/0, step, copied[n].slotBytes, /*advance=*/0, int64_t(cover),
                                  both[n].together),
              emit);
      };
      for (int64_t rep = 0; rep < (n == 0 ? plan.repsM : plan.repsN); rep = regs[n].size())
        if (both[n].isTurned())
          llvm::append_range(regs[n], readTurned(both[n], rep, step, fetch));
        else
          fetch(rep, [&] { regs[n].push_back(read(both[n], rep, step)); });
    }
    for (int64_t part = 0; part < plan.kPack; ++part)
      for (int64_t m = 0; m < plan.repsM; ++m)
        for (int64_t n = 0; n < plan.repsN; ++n) {
          Value left = partOf(regs[0][m], part), right = partOf(regs[1][n], part);
          named(wave::StepAttr::get(b.getContext(), wave::StepKind::Mma, m, n,
                                    step * plan.kPack + part, /*slot_bytes=*/0, /*advance=*/0,
                                    /*cover=*/0, /*together=*/1),
                [&] { multiply(m, n, left, right); });
        }
  }
  return success();
}

LogicalResult emitGemmTemplates(Emitter &e, tile::GemmOp gemm, const PipelineOperand (&operands)[2],
                                Elements &elements) {
  return GemmEmitter(e, gemm, e.planOf(gemm), elements).runTemplates(operands);
}

LogicalResult emitGemm(Emitter &e, tile::GemmOp gemm, Elements &elements) {
  GemmPlan plan = e.planOf(gemm);
  if (plan.warpGroup)
    return emitWarpGroupGemm(e, gemm, plan, elements);
  return GemmEmitter(e, gemm, std::move(plan), elements).run();
}

} // namespace tilec
