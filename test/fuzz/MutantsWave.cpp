//===- MutantsWave.cpp - faults in Wave IR --------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Mutants.h"

#include "tilec/IR/Wave/Wave.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"

using namespace mlir;

namespace tilec::fuzz {
namespace {

template <typename Op> bool all(ModuleOp module, llvm::function_ref<bool(Op)> change) {
  SmallVector<Op> ops;
  module.walk([&](Op op) { ops.push_back(op); });
  bool any = false;
  for (Op op : ops)
    any |= change(op);
  return any;
}

/// The access happens in all lanes.
template <typename Op> bool dropMask(ModuleOp module) {
  return all<Op>(module, [](Op op) {
    bool changes = op.getMask() != nullptr;
    op.getMaskMutable().clear();
    return changes;
  });
}

/// -inf becomes 0: right for sums, wrong for a maximum of negative numbers.
bool zeroIdentity(ModuleOp module) {
  return all<arith::ConstantOp>(module, [](arith::ConstantOp constant) {
    auto value = dyn_cast<FloatAttr>(constant.getValue());
    if (!value || !value.getValue().isInfinity() || !value.getValue().isNegative())
      return false;
    constant.setValueAttr(FloatAttr::get(value.getType(), 0.0));
    return true;
  });
}

/// A swizzle that one side forgets: the first xor of an index in each kernel.
bool dropSwizzle(ModuleOp module) {
  bool any = false;
  module.walk([&](wave::KernelOp kernel) {
    arith::XOrIOp found;
    kernel.walk([&](arith::XOrIOp op) {
      if (op.getType().isIndex() && !found)
        found = op;
    });
    if (!found)
      return;
    any = true;
    found.replaceAllUsesWith(found.getLhs());
    found.erase();
  });
  return any;
}

std::vector<Mutant> atWave() {
  auto on = [](const char *name, const char *text, std::function<bool(ModuleOp)> rewrite) {
    return Mutant{name, text, Stage::Wave,
                  [rewrite](ModuleOp module, llvm::Module *) { return rewrite(module); }};
  };
  return {
      on("read-guard-dropped", "reads past the end of a tensor are not masked",
         dropMask<wave::GlobalReadOp>),
      on("write-guard-dropped", "writes past the end of a tensor are not masked",
         dropMask<wave::GlobalWriteOp>),
      on("atomic-guard-dropped", "atomics past the end of a tensor, or of other copies, happen",
         dropMask<wave::GlobalAtomicOp>),
      on("wrong-swizzle", "one address forgets the swizzle of shared memory", dropSwizzle),
      on("reduction-identity", "a maximum starts from zero", zeroIdentity),
      on("shuffle-step-dropped", "one step of a reduction over lanes is missing",
         [](ModuleOp module) {
           bool done = false;
           return all<wave::ShuffleXorOp>(module, [&](wave::ShuffleXorOp shuffle) {
             if (done)
               return false;
             done = true;
             shuffle.replaceAllUsesWith(shuffle.getValue());
             shuffle.erase();
             return true;
           });
         }),
      on("operands-swapped", "A and B of a matrix instruction change places",
         [](ModuleOp module) {
           return all<wave::MmaOp>(module, [](wave::MmaOp mma) {
             if (mma.getA().getType() != mma.getB().getType())
               return false;
             Value a = mma.getA();
             mma.getAMutable().set(mma.getB());
             mma.getBMutable().set(a);
             return true;
           });
         }),
      on("accumulator-dropped", "a matrix instruction starts from zero",
         [](ModuleOp module) {
           return all<wave::MmaOp>(module, [](wave::MmaOp mma) {
             OpBuilder b(mma);
             mma.getCMutable().set(
                 arith::ConstantOp::create(b, mma.getLoc(), b.getZeroAttr(mma.getC().getType())));
             return true;
           });
         }),
      on("lower-bound-forgotten", "an index below zero counts as inside",
         [](ModuleOp module) {
           return all<arith::CmpIOp>(module, [](arith::CmpIOp compare) {
             if (compare.getPredicate() != arith::CmpIPredicate::ult ||
                 !compare.getLhs().getType().isIndex())
               return false;
             compare.setPredicate(arith::CmpIPredicate::slt);
             return true;
           });
         }),
      on("guard-off-by-one", "the first index past the end counts as inside",
         [](ModuleOp module) {
           return all<arith::CmpIOp>(module, [](arith::CmpIOp compare) {
             if (compare.getPredicate() != arith::CmpIPredicate::ult)
               return false;
             compare.setPredicate(arith::CmpIPredicate::ule);
             return true;
           });
         }),
  };
}

std::vector<Mutant> atWaveScheduled() {
  auto on = [](const char *name, const char *text, std::function<bool(ModuleOp)> rewrite) {
    return Mutant{name, text, Stage::WaveScheduled,
                  [rewrite](ModuleOp module, llvm::Module *) { return rewrite(module); }};
  };
  return {
      on("copy-not-waited-for", "the first wait for copies to shared memory is missing",
         [](ModuleOp module) {
           bool done = false;
           return all<wave::WaitOp>(module, [&](wave::WaitOp wait) {
             if (done || !wait.getMemory())
               return false;
             done = true;
             wait.erase();
             return true;
           });
         }),
  };
}

} // namespace

std::vector<Mutant> waveMutants() {
  std::vector<Mutant> out = atWave();
  llvm::append_range(out, atWaveScheduled());
  return out;
}

} // namespace tilec::fuzz
