//===- Hopper.cpp - TMA, mbarriers and warp-group matrices of sm_90a ------===//
//
// Everything but wgmma.mma_async is an intrinsic of LLVM 22. A group of wgmma is one
// block of inline PTX whose accumulators are tied operands, and so is the wait that
// makes them readable: LLVM knows of no other tie between the two, and would move uses
// above the wait. Facts and traps: docs/machine-code/hopper.md.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "NVPTX/Hopper.h"
#include "Types.h"

#include "llvm/ADT/TypeSwitch.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/IntrinsicsNVPTX.h"

namespace tilec::lower {

using mlir::LogicalResult;
using mlir::success;

namespace {

/// The accumulators of a warp group's instructions as the scalars that inline PTX takes.
class ScalarRegs {
public:
  ScalarRegs(Builder &b, llvm::ArrayRef<llvm::Value *> slots) : b(b) {
    for (llvm::Value *slot : slots) {
      slotTypes.push_back(slot->getType());
      unsigned count = bitsOf(slot->getType()) / 32;
      llvm::Type *word = scalarOf(slot->getType());
      llvm::Value *parts = count == 1
                               ? b.CreateBitCast(slot, word)
                               : b.CreateBitCast(slot, llvm::FixedVectorType::get(word, count));
      for (unsigned i = 0; i < count; ++i)
        scalars.push_back(count == 1 ? parts : b.CreateExtractElement(parts, i));
    }
  }

  size_t size() const { return scalars.size(); }
  llvm::ArrayRef<llvm::Value *> values() const { return scalars; }

  /// The slots again, from the results of the assembly: element `first + i` of `results`.
  llvm::SmallVector<llvm::Value *> rebuild(llvm::Value *results, unsigned first) {
    llvm::SmallVector<llvm::Value *> slots;
    unsigned at = first;
    auto next = [&] {
      return results->getType()->isStructTy() ? b.CreateExtractValue(results, at++)
                                              : (++at, results);
    };
    for (llvm::Type *type : slotTypes) {
      unsigned count = bitsOf(type) / 32;
      llvm::Type *word = scalarOf(type);
      if (count == 1) {
        slots.push_back(b.CreateBitCast(next(), type));
        continue;
      }
      llvm::Value *vector = llvm::PoisonValue::get(llvm::FixedVectorType::get(word, count));
      for (unsigned i = 0; i < count; ++i)
        vector = b.CreateInsertElement(vector, next(), i);
      slots.push_back(b.CreateBitCast(vector, type));
    }
    return slots;
  }

private:
  llvm::Type *scalarOf(llvm::Type *type) const {
    return type->getScalarType()->isFloatTy() ? b.getFloatTy() : b.getInt32Ty();
  }

  Builder &b;
  llvm::SmallVector<llvm::Type *> slotTypes;
  llvm::SmallVector<llvm::Value *> scalars;
};

/// A call of inline PTX with `outputs` tied to its last inputs.
class InlinePtx {
public:
  explicit InlinePtx(Builder &b) : b(b) {}

  std::string text;
  /// `tied` become outputs $0.. and inputs; `inputs` follow the outputs in numbering.
  llvm::Value *emit(llvm::ArrayRef<llvm::Value *> tied, llvm::ArrayRef<llvm::Value *> inputs) {
    llvm::SmallVector<llvm::Type *> results, parameters;
    llvm::SmallVector<llvm::Value *> args(inputs);
    std::string constraints;
    auto add = [&](const std::string &one) {
      constraints += (constraints.empty() ? "" : ",") + one;
    };
    for (llvm::Value *value : tied) {
      results.push_back(value->getType());
      add(value->getType()->isFloatTy() ? "=f" : "=r");
    }
    for (size_t i = 0; i < inputs.size(); ++i)
      add("r");
    for (size_t i = 0; i < tied.size(); ++i)
      add(std::to_string(i));
    add("~{memory}");
    args.append(tied.begin(), tied.end());
    for (llvm::Value *value : args)
      parameters.push_back(value->getType());
    llvm::Type *result = results.empty()       ? b.getVoidTy()
                         : results.size() == 1 ? results[0]
                                               : llvm::StructType::get(b.getContext(), results);
    auto *type = llvm::FunctionType::get(result, parameters, false);
    llvm::CallInst *call =
        b.CreateCall(llvm::InlineAsm::get(type, text, constraints, /*hasSideEffects=*/true), args);
    call->addFnAttr(llvm::Attribute::Convergent);
    call->addFnAttr(llvm::Attribute::NoUnwind);
    return call;
  }

private:
  Builder &b;
};

std::string registerList(unsigned first, unsigned count) {
  std::string text = "{";
  for (unsigned i = 0; i < count; ++i)
    text += (i ? ", $" : "$") + std::to_string(first + i);
  return text + "}";
}

/// The name of an operand type in the instruction.
const char *ptxType(mlir::Type type) {
  if (type.isF16())
    return "f16";
  if (type.isBF16())
    return "bf16";
  if (type.isF32())
    return "tf32"; // the low bits of f32 are ignored
  if (std::optional<DType> format = smallFloat(type))
    return *format == DType::E4M3FN ? "e4m3" : *format == DType::E5M2 ? "e5m2" : nullptr;
  if (type.isInteger(8))
    return type.isUnsignedInteger() ? "u8" : "s8";
  return nullptr;
}

llvm::CallInst *intrinsic(Emitter &e, llvm::StringRef name, llvm::ArrayRef<llvm::Value *> args) {
  llvm::Intrinsic::ID id = llvm::Intrinsic::lookupIntrinsicID(name);
  assert(id != llvm::Intrinsic::not_intrinsic && "a misspelt intrinsic");
  return e.b.CreateCall(llvm::Intrinsic::getOrInsertDeclaration(&e.module, id), args);
}

constexpr unsigned clusterSpace = 7; // shared::cluster
/// Bits of a shared address that a descriptor has room for (PTX ISA, matrix-descriptor).
constexpr uint32_t descriptorAddresses = 0x3ffff;

/// K of one instruction: 32 bytes.
unsigned stepElems(mlir::Type type) { return 256 / type.getIntOrFloatBitWidth(); }

/// The instruction without its operands; `types` are those of D, A and B.
std::string groupMmaName(wave::GroupMmaOp op, const std::string &types) {
  bool isSparse = !op.getPlaces().empty();
  return ("wgmma.mma_async." + llvm::Twine(isSparse ? "sp." : "") + "sync.aligned.m64n" +
          llvm::Twine(op.getN()) + "k" +
          llvm::Twine(stepElems(op.getAType()) * (isSparse ? 2 : 1)) + "." + types)
      .str();
}

/// Its last operands: the sign of A and B, then the transpositions that 16-bit operands may have.
std::string groupMmaTail(wave::GroupMmaOp op) {
  std::string tail = op.getAType().isInteger(8) ? "" : ", 1, 1";
  if (op.getAType().isF16() || op.getAType().isBF16()) {
    if (op.getA())
      tail += op.getTransA() ? ", 1" : ", 0";
    tail += op.getTransB() ? ", 1" : ", 0";
  }
  return tail;
}

} // namespace

/// The shared address as a number: what descriptors and inline PTX take.
llvm::Value *HopperLowering::sharedAddress(mlir::Value offset, int64_t imm) {
  return b.CreatePtrToInt(sharedPointer(offset, imm), b.getInt32Ty());
}

LogicalResult HopperLowering::lowerGroupMma(wave::GroupMmaOp op) {
  std::vector<llvm::Value *> &accumulated = kernel.registersOf(op.getC());
  ScalarRegs c(b, accumulated);
  const char *a = ptxType(op.getAType()), *bType = ptxType(op.getBType());
  mlir::Type element = wave::elementOf(op.getC().getType().getElementType());
  const char *d = element.isF32() ? "f32" : element.isF16() ? "f16" : "s32";
  if (!a || !bType)
    return kernel.fail(*op, "multiplies types that wgmma does not");
  unsigned slabs = op.getSlabs(), n = op.getN(), steps = op.getSteps();
  unsigned groups = n / 8; // columns of 8 a piece
  unsigned pieces = accumulated.size() / groups;
  // 32-bit registers of 8 columns of one slab; f16 accumulators are packed in pairs.
  unsigned perGroup = 4 * bitsOf(kernel.typeOf(element)) / 32;

  llvm::SmallVector<llvm::Value *> inputs;
  unsigned next = c.size();
  auto input = [&](llvm::Value *value) { return inputs.push_back(value), next++; };
  // Low words of the descriptors: address / 16, and the leading dimension's stride above it.
  auto descriptor = [&](mlir::Value offset, uint64_t rest) {
    llvm::Value *address = sharedAddress(offset, 0);
    // In a cluster, ptxas gives shared addresses the block's rank in bits 24 and up.
    if (kernel.kernelTraits().cluster > 1)
      address = b.CreateAnd(address, descriptorAddresses);
    llvm::Value *low = b.CreateLShr(address, 4);
    return input(b.CreateOr(low, b.getInt32(rest & 0xffff0000u)));
  };
  std::string text = "{\n.reg .pred p;\n.reg .b32 ra, rb, ha, hb;\n.reg .b64 da, db;\n";
  auto line = [&](const llvm::Twine &more) { text += (more + "\n").str(); };
  std::optional<ScalarRegs> aRegs;
  unsigned aInput = 0;
  if (op.getA()) {
    aInput = descriptor(op.getA(), op.getADesc());
    line("mov.b32 ha, " + llvm::Twine(uint64_t(op.getADesc()) >> 32) + ";");
  } else {
    aRegs.emplace(b, kernel.registersOf(op.getARegs()));
    aInput = next;
    for (llvm::Value *value : aRegs->values())
      input(b.CreateBitCast(value, b.getInt32Ty()));
  }
  unsigned bInput = descriptor(op.getB(), op.getBDesc());
  bool isSparse = !op.getPlaces().empty();
  unsigned placesInput = next;
  for (mlir::Value word : op.getPlaces())
    input(at(word));
  line("mov.b32 hb, " + llvm::Twine(uint64_t(op.getBDesc()) >> 32) + ";");
  std::string first = "1";
  auto *known =
      op.getAccumulate() ? llvm::dyn_cast<llvm::ConstantInt>(at(op.getAccumulate())) : nullptr;
  llvm::SmallVector<llvm::Value *> before(c.values());
  if (known) {
    first = known->isZero() ? "0" : "1";
    // What the accumulators held is not read: it need not live until here.
    if (known->isZero())
      for (llvm::Value *&value : before)
        value = llvm::PoisonValue::get(value->getType());
  } else if (op.getAccumulate()) {
    unsigned p = input(b.CreateZExt(at(op.getAccumulate()), b.getInt32Ty()));
    line("setp.ne.b32 p, $" + llvm::Twine(p) + ", 0;");
    first = "p";
  }
  line("wgmma.fence.sync.aligned;");
  std::string name = groupMmaName(op, (llvm::Twine(d) + "." + a + "." + bType).str());
  std::string tail = groupMmaTail(op);
  for (unsigned step = 0; step < steps; ++step)
    for (unsigned slab = 0; slab < slabs; ++slab)
      for (unsigned piece = 0; piece < pieces; ++piece) {
        std::string left = "da";
        if (aRegs) {
          left = registerList(aInput + 4 * step, 4);
        } else {
          line("add.u32 ra, $" + llvm::Twine(aInput) + ", " +
               llvm::Twine(op.getAStarts()[step * slabs + slab] / 16) + ";");
          line("mov.b64 da, {ra, ha};");
        }
        line("add.u32 rb, $" + llvm::Twine(bInput) + ", " +
             llvm::Twine(op.getBStarts()[step * pieces + piece] / 16) + ";");
        line("mov.b64 db, {rb, hb};");
        std::string accumulators = "{";
        for (unsigned g = 0; g < groups; ++g)
          for (unsigned i = 0; i < perGroup; ++i)
            accumulators += (g + i ? ", $" : "$") +
                            std::to_string(((piece * groups + g) * slabs + slab) * perGroup + i);
        // A word of places is of two steps: which of the lanes' the selector says.
        std::string places;
        if (isSparse)
          places = "$" + std::to_string(placesInput + step / 2 * slabs + slab) + ", " +
                   std::to_string(step % 2) + ", ";
        line(name + " " + accumulators + "}, " + left + ", db, " + places +
             (step == 0 ? first : "1") + tail + ";");
      }
  text += "wgmma.commit_group.sync.aligned;\n}";
  InlinePtx ptx(b);
  ptx.text = text;
  llvm::Value *results = ptx.emit(before, inputs);
  llvm::SmallVector<llvm::Value *> slots = c.rebuild(results, 0);
  accumulated.assign(slots.begin(), slots.end());
  return success();
}

LogicalResult HopperLowering::lowerGroupMmaWait(wave::GroupMmaWaitOp op) {
  llvm::SmallVector<ScalarRegs> groups;
  llvm::SmallVector<llvm::Value *> tied;
  for (mlir::Value regs : op.getRegs()) {
    groups.emplace_back(b, kernel.registersOf(regs));
    llvm::append_range(tied, groups.back().values());
  }
  InlinePtx ptx(b);
  ptx.text = "wgmma.wait_group.sync.aligned " + std::to_string(op.getPending()) + ";";
  llvm::Value *results = ptx.emit(tied, {});
  unsigned first = 0;
  for (auto [regs, group] : llvm::zip_equal(op.getRegs(), groups)) {
    llvm::SmallVector<llvm::Value *> slots = group.rebuild(results, first);
    kernel.registersOf(regs).assign(slots.begin(), slots.end());
    first += group.size();
  }
  return success();
}

/// The mbarrier's address, from a base that is computed once in the kernel: ptxas would read the
/// block's rank in its cluster (S2UR, some 50 clocks) for it in every round of a loop, between two
/// wgmma. Through a shuffle it does not see where the base comes from.
llvm::Value *HopperLowering::barrierPointer(mlir::Value offset, int64_t imm) {
  if (!barrierBase) {
    llvm::IRBuilderBase::InsertPointGuard guard(b);
    llvm::BasicBlock &entry = b.GetInsertBlock()->getParent()->getEntryBlock();
    b.SetInsertPoint(&entry, entry.getFirstInsertionPt());
    llvm::Value *base = b.CreatePtrToInt(e.shared, b.getInt32Ty());
    llvm::Value *shuffled = intrinsic(e, "llvm.nvvm.shfl.sync.idx.i32",
                                      {b.getInt32(~0u), base, b.getInt32(0), b.getInt32(31)});
    barrierBase = b.CreateIntToPtr(shuffled, e.shared->getType());
  }
  return kernel.pointerFrom(barrierBase, offset, imm);
}

/// One predicated instruction: a branch in a loop of wgmma costs more. At another block the form
/// without a scope: `.release.cluster` costs two memory barriers (docs/machine-code/hopper.md).
void HopperLowering::lowerMBarrierArrive(wave::MBarrierArriveOp op) {
  InlinePtx ptx(b);
  llvm::Value *barrier =
      b.CreatePtrToInt(barrierPointer(op.getOffset(), op.getImm()), b.getInt32Ty());
  llvm::SmallVector<llvm::Value *, 3> inputs = {barrier,
                                                b.CreateZExt(at(op.getMask()), b.getInt32Ty())};
  if (op.getRank()) {
    inputs.push_back(at(op.getRank()));
    ptx.text = "{\n.reg .pred p;\n.reg .b32 ra;\nsetp.ne.b32 p, $1, 0;\n"
               "@p mapa.shared::cluster.u32 ra, $0, $2;\n"
               "@p mbarrier.arrive.shared::cluster.b64 _, [ra];\n}";
  } else {
    ptx.text = "{\n.reg .pred p;\nsetp.ne.b32 p, $1, 0;\n"
               "@p mbarrier.arrive.shared::cta.b64 _, [$0];\n}";
  }
  ptx.emit({}, inputs);
}

/// Spins on try_wait, which sleeps in hardware for a while by itself.
void HopperLowering::lowerMBarrierWait(wave::MBarrierWaitOp op) {
  llvm::Value *pointer = barrierPointer(op.getOffset(), op.getImm());
  llvm::BasicBlock *test = kernel.newBlock("wait"), *done = kernel.newBlock("arrived");
  b.CreateBr(test);
  b.SetInsertPoint(test);
  llvm::Value *isDone = intrinsic(e, "llvm.nvvm.mbarrier.try.wait.parity.scope.cta.space.cta",
                                  {pointer, at(op.getParity())});
  b.CreateCondBr(isDone, done, test);
  b.SetInsertPoint(done);
}

LogicalResult HopperLowering::lowerTma(mlir::Operation &op) {
  auto load = mlir::dyn_cast<wave::TmaLoadOp>(op);
  auto store = mlir::dyn_cast<wave::TmaStoreOp>(op);
  mlir::ValueRange coords = load ? load.getCoords() : store.getCoords();
  std::string rank = std::to_string(coords.size()) + "d";
  llvm::Value *noHint = b.getInt64(0);
  llvm::SmallVector<llvm::Value *> args;
  if (load) {
    args = {sharedPointer(load.getShared(), 0), sharedPointer(load.getBarrier(), 0),
            at(load.getMap())};
  } else {
    args = {sharedPointer(store.getShared(), 0), at(store.getMap())};
  }
  for (mlir::Value coord : coords)
    args.push_back(at(coord));
  bool isIm2col = load && !load.getOffsets().empty();
  for (mlir::Value offset : isIm2col ? load.getOffsets() : mlir::ValueRange())
    args.push_back(b.CreateTrunc(at(offset), b.getInt16Ty()));
  std::string mode = (isIm2col ? "im2col." : "tile.") + rank;
  if (int64_t blocks = load ? load.getMulticast() : 0) {
    args[0] = b.CreateAddrSpaceCast(args[0], b.getPtrTy(clusterSpace));
    args.append({b.getInt16(uint16_t(blocks)), noHint, b.getTrue(), b.getFalse(), b.getInt32(0)});
    intrinsic(e, "llvm.nvvm.cp.async.bulk.tensor.g2s." + mode, args);
    return success();
  }
  args.append({noHint, b.getFalse()});
  std::string name = load ? "g2s.cta." : store.getAdd() ? "reduce.add." : "s2g.";
  intrinsic(e, "llvm.nvvm.cp.async.bulk.tensor." + name + mode, args);
  return success();
}

LogicalResult HopperLowering::lowerStMatrix(wave::StMatrixOp op) {
  ScalarRegs words(b, {at(op.getValue())});
  std::string count = std::to_string(words.size());
  llvm::SmallVector<llvm::Value *> args = {sharedPointer(op.getOffset(), op.getImm())};
  for (llvm::Value *word : words.values())
    args.push_back(b.CreateBitCast(word, b.getInt32Ty()));
  std::string name =
      "llvm.nvvm.stmatrix.sync.aligned.m8n8.x" + count + (op.getTrans() ? ".trans.b16" : ".b16");
  llvm::Intrinsic::ID id = llvm::Intrinsic::lookupIntrinsicID(name);
  b.CreateCall(llvm::Intrinsic::getOrInsertDeclaration(&e.module, id, {args[0]->getType()}), args);
  return success();
}

LogicalResult HopperLowering::lowerReadOfBlock(wave::SharedReadOp op) {
  llvm::Value *own = sharedPointer(op.getOffset(), op.getImm());
  int64_t blocks = kernel.kernelTraits().cluster;
  llvm::Value *rank = intrinsic(e, "llvm.nvvm.read.ptx.sreg.cluster.ctarank", {});
  llvm::Value *block = b.CreateURem(b.CreateAdd(rank, b.getInt32(uint32_t(*op.getBlock()))),
                                    b.getInt32(uint32_t(blocks)));
  llvm::Value *there = intrinsic(e, "llvm.nvvm.mapa.shared.cluster", {own, block});
  llvm::Type *type = kernel.typeOf(op.getResult().getType());
  uint64_t bytes = wave::bitsOf(op.getResult().getType()) / 8;
  llvm::Value *load = b.CreateAlignedLoad(carrierType(type), there, llvm::Align(bytes));
  return kernel.done(*op, b.CreateBitCast(load, type));
}

std::optional<LogicalResult> HopperLowering::lower(mlir::Operation &op) {
  if (auto read = mlir::dyn_cast<wave::SharedReadOp>(op); read && read.getBlock())
    return e.target.hasMbarriers() ? lowerReadOfBlock(read) : kernel.unsupported(op);
  bool isOurs = mlir::isa<wave::MBarrierInitOp, wave::MBarrierFenceOp, wave::MBarrierExpectOp,
                          wave::MBarrierArriveOp, wave::MBarrierWaitOp, wave::ClusterBarrierOp,
                          wave::GridWaitOp, wave::GridReleaseOp, wave::TmaPrefetchOp, wave::ElectOp,
                          wave::SetMaxRegsOp, wave::TmaLoadOp, wave::TmaStoreOp, wave::BulkCommitOp,
                          wave::BulkWaitOp, wave::AsyncFenceOp, wave::StMatrixOp, wave::GroupMmaOp,
                          wave::GroupMmaWaitOp, wave::NamedBarrierOp>(op);
  if (!isOurs)
    return std::nullopt;
  bool needsFeatures = mlir::isa<wave::GroupMmaOp, wave::GroupMmaWaitOp, wave::SetMaxRegsOp>(op);
  if (!e.target.hasMbarriers() || (needsFeatures && e.target.groups.empty()))
    return kernel.unsupported(op);
  return lowerOurs(op);
}

LogicalResult HopperLowering::lowerOurs(mlir::Operation &op) {
  auto plain = [&](llvm::StringRef name, llvm::ArrayRef<llvm::Value *> args = {}) {
    intrinsic(e, name, args);
    return success();
  };
  return llvm::TypeSwitch<mlir::Operation *, LogicalResult>(&op)
      .Case([&](wave::MBarrierInitOp init) {
        return plain("llvm.nvvm.mbarrier.init.shared",
                     {sharedPointer(init.getOffset(), init.getImm()), b.getInt32(init.getCount())});
      })
      .Case([&](wave::MBarrierFenceOp) {
        intrinsic(e, "llvm.nvvm.fence.mbarrier_init.release.cluster", {});
        return plain("llvm.nvvm.fence.proxy.async.shared_cta");
      })
      .Case([&](wave::MBarrierExpectOp expect) {
        return plain(
            "llvm.nvvm.mbarrier.arrive.expect.tx.scope.cta.space.cta",
            {sharedPointer(expect.getOffset(), expect.getImm()), b.getInt32(expect.getBytes())});
      })
      .Case([&](wave::MBarrierArriveOp arrive) {
        lowerMBarrierArrive(arrive);
        return success();
      })
      .Case([&](wave::MBarrierWaitOp wait) {
        lowerMBarrierWait(wait);
        return success();
      })
      .Case([&](wave::ClusterBarrierOp) {
        intrinsic(e, "llvm.nvvm.barrier.cluster.arrive.aligned", {});
        return plain("llvm.nvvm.barrier.cluster.wait.aligned");
      })
      .Case([&](wave::GridWaitOp) {
        // LLVM takes the intrinsic for one that touches no memory.
        InlinePtx ptx(b);
        ptx.text = "griddepcontrol.wait;";
        ptx.emit({}, {});
        return success();
      })
      .Case(
          [&](wave::GridReleaseOp) { return plain("llvm.nvvm.griddepcontrol.launch.dependents"); })
      .Case([&](wave::TmaPrefetchOp prefetch) {
        llvm::Value *map = at(prefetch.getMap());
        llvm::Intrinsic::ID id = llvm::Intrinsic::lookupIntrinsicID("llvm.nvvm.prefetch.tensormap");
        b.CreateCall(llvm::Intrinsic::getOrInsertDeclaration(&e.module, id, {map->getType()}), map);
        return success();
      })
      .Case([&](wave::ElectOp) {
        llvm::Value *elected = intrinsic(e, "llvm.nvvm.elect.sync", {b.getInt32(~0u)});
        return kernel.done(op, b.CreateExtractValue(elected, 1));
      })
      .Case([&](wave::SetMaxRegsOp set) {
        return plain(set.getMore() ? "llvm.nvvm.setmaxnreg.inc.sync.aligned.u32"
                                   : "llvm.nvvm.setmaxnreg.dec.sync.aligned.u32",
                     {b.getInt32(set.getRegisters())});
      })
      .Case<wave::TmaLoadOp, wave::TmaStoreOp>([&](mlir::Operation *) { return lowerTma(op); })
      .Case([&](wave::BulkCommitOp) { return plain("llvm.nvvm.cp.async.bulk.commit.group"); })
      .Case([&](wave::BulkWaitOp wait) {
        return plain(wait.getRead() ? "llvm.nvvm.cp.async.bulk.wait.group.read"
                                    : "llvm.nvvm.cp.async.bulk.wait.group",
                     {b.getInt32(wait.getPending())});
      })
      .Case([&](wave::NamedBarrierOp barrier) {
        return plain(barrier.getArrive() ? "llvm.nvvm.barrier.cta.arrive.aligned.count"
                                         : "llvm.nvvm.barrier.cta.sync.aligned.count",
                     {at(barrier.getId()), b.getInt32(barrier.getThreads())});
      })
      .Case([&](wave::AsyncFenceOp) { return plain("llvm.nvvm.fence.proxy.async.shared_cta"); })
      .Case([&](wave::StMatrixOp store) { return lowerStMatrix(store); })
      .Case([&](wave::GroupMmaOp wgmma) { return lowerGroupMma(wgmma); })
      .Case([&](wave::GroupMmaWaitOp wait) { return lowerGroupMmaWait(wait); })
      .Default([&](mlir::Operation *) { return kernel.unsupported(op); });
}

} // namespace tilec::lower
