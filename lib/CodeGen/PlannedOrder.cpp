//===- PlannedOrder.cpp - the order of a loop, from its LLVM IR -----------===//
//
// Takes the LLVM IR of a planned loop, gives its reads, copies, matrix instructions, waits and
// barriers in order, with what they address: what the machine code is compared with.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "tilec/CodeGen/Order.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/ModuleSlotTracker.h"
#include "llvm/IR/Operator.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Support/raw_ostream.h"

#include <map>

using namespace llvm;

namespace tilec::codegen {

namespace {

constexpr unsigned globalSpace = 1, sharedSpace = 3; ///< AMDGPU's address spaces
constexpr int64_t widestSharedAccess = 16;           ///< bytes of a ds_read_b128

/// A value as a sum of other values times constants, plus a constant. Two addresses that differ by
/// a constant have the same terms, however the IR computes them.
struct LinearForm {
  std::map<const Value *, int64_t> terms;
  int64_t constant = 0;
};

void addTo(LinearForm &form, const Value *value, int64_t scale, const DataLayout &layout,
           unsigned depth = 0) {
  constexpr unsigned maxDepth = 16; // of a chain of additions
  const Value *a = nullptr, *b = nullptr;
  const APInt *constant = nullptr;
  auto follow = [&](const Value *part, int64_t partScale) {
    addTo(form, part, partScale, layout, depth + 1);
  };
  using namespace PatternMatch;
  if (match(value, m_APInt(constant))) {
    form.constant += scale * constant->getSExtValue();
  } else if (depth > maxDepth) {
    form.terms[value] += scale;
  } else if (auto *gep = dyn_cast<GEPOperator>(value)) {
    unsigned bits = layout.getIndexTypeSizeInBits(gep->getType());
    SmallMapVector<Value *, APInt, 4> variables;
    APInt offset(bits, 0);
    if (!gep->collectOffset(layout, bits, variables, offset)) {
      form.terms[value] += scale;
      return;
    }
    form.constant += scale * offset.getSExtValue();
    for (const auto &[index, step] : variables)
      follow(index, scale * step.getSExtValue());
    follow(gep->getPointerOperand(), scale);
  } else if (match(value, m_AddLike(m_Value(a), m_Value(b)))) {
    follow(a, scale);
    follow(b, scale);
  } else if (match(value, m_Sub(m_Value(a), m_Value(b)))) {
    follow(a, scale);
    follow(b, -scale);
  } else if (match(value, m_Shl(m_Value(a), m_APInt(constant))) && constant->ult(32)) {
    follow(a, scale << constant->getZExtValue());
  } else if (match(value, m_Mul(m_Value(a), m_APInt(constant)))) {
    follow(a, scale * constant->getSExtValue());
  } else if (match(value, m_Freeze(m_Value(a)))) {
    follow(a, scale);
  } else {
    form.terms[value] += scale;
  }
}

/// Numbers for the different sums of terms of one kernel.
using TermIds = std::map<std::map<const Value *, int64_t>, uint64_t>;

class LoopReader {
public:
  LoopReader(const Loop &loop, TermIds &ids, ModuleSlotTracker &names)
      : loop(loop), layout(loop.getHeader()->getModule()->getDataLayout()), ids(ids), names(names) {
  }

  LoopOrder read();

private:
  void visit(const Instruction &instr);
  void visitCall(const CallInst &call, StringRef name);
  void visitAccess(const Instruction &instr, const Value *pointer, bool isStore, const Type *type);
  void addDma(const CallInst &call, StringRef name);

  OrderedOp &add(OrderedOp::Kind kind, const Instruction &instr);
  AddressPart part(AddressPart::Role role, const Value *value);
  ValueSource sourceOf(const Value *value, unsigned dword, unsigned rounds, unsigned depth) const;
  unsigned dwordOfElement(const Type *vector, unsigned element) const;

  const Loop &loop;
  const DataLayout &layout;
  TermIds &ids;
  ModuleSlotTracker &names; ///< numbers the values of the function once, not for each text
  DenseMap<const Value *, unsigned> readOrdinals, mfmaOrdinals;
  std::vector<std::pair<unsigned, const CallInst *>> mfmas; ///< op index; sources come last
  unsigned reads = 0;
  LoopOrder order;
};

OrderedOp &LoopReader::add(OrderedOp::Kind kind, const Instruction &instr) {
  OrderedOp &op = order.ops.emplace_back();
  op.kind = kind;
  raw_string_ostream os(op.text);
  instr.print(os, names);
  op.text = StringRef(op.text).trim().str();
  return op;
}

AddressPart LoopReader::part(AddressPart::Role role, const Value *value) {
  LinearForm form;
  addTo(form, value, 1, layout);
  return {role, ids.try_emplace(form.terms, ids.size()).first->second, form.constant};
}

void LoopReader::visitAccess(const Instruction &instr, const Value *pointer, bool isStore,
                             const Type *type) {
  unsigned space = pointer->getType()->getPointerAddressSpace();
  if (space != sharedSpace) {
    order.hasPlainGlobalAccesses |= space == globalSpace || space == 0;
    return;
  }
  int64_t bytes = layout.getTypeStoreSize(const_cast<Type *>(type));
  if (!isStore)
    readOrdinals[&instr] = reads;
  for (int64_t at = 0; at < bytes; at += widestSharedAccess) {
    OrderedOp &op = add(isStore ? OrderedOp::SharedWrite : OrderedOp::SharedRead, instr);
    op.address.push_back(part(AddressPart::SharedAddress, pointer));
    op.address.back().offset += at;
    reads += !isStore;
  }
}

void LoopReader::addDma(const CallInst &call, StringRef name) {
  OrderedOp &op = add(OrderedOp::SharedDma, call);
  if (!name.starts_with("raw.ptr.buffer.load.lds")) {
    op.address.push_back(part(AddressPart::DmaTarget, call.getArgOperand(1)));
    return;
  }
  // (descriptor, LDS pointer, bytes, lane offset, uniform offset, immediate, flags)
  int64_t immediate = cast<ConstantInt>(call.getArgOperand(5))->getSExtValue();
  op.address.push_back(part(AddressPart::DmaTarget, call.getArgOperand(1)));
  op.address.push_back(part(AddressPart::Descriptor, call.getArgOperand(0)));
  op.address.push_back(part(AddressPart::LaneOffset, call.getArgOperand(3)));
  op.address.back().offset += immediate;
  op.address.push_back(part(AddressPart::UniformOffset, call.getArgOperand(4)));
}

void LoopReader::visitCall(const CallInst &call, StringRef name) {
  if (name.starts_with("mfma.") || name.starts_with("smfmac.")) {
    mfmaOrdinals[&call] = mfmas.size();
    mfmas.push_back({static_cast<unsigned>(order.ops.size()), &call});
    add(OrderedOp::Mfma, call);
  } else if (name.starts_with("ds.read.tr")) {
    visitAccess(call, call.getArgOperand(0), /*isStore=*/false, call.getType());
  } else if (name.contains("load.lds") || name.starts_with("load.to.lds")) {
    addDma(call, name);
  } else if (name.starts_with("raw.ptr.buffer.load")) {
    add(OrderedOp::GlobalLoad, call);
  } else if (name.starts_with("raw.ptr.buffer.store")) {
    add(OrderedOp::GlobalStore, call);
  } else if (name == "s.barrier") {
    add(OrderedOp::Barrier, call);
  } else if (name == "s.setprio") {
    add(OrderedOp::Priority, call).level = cast<ConstantInt>(call.getArgOperand(0))->getSExtValue();
  } else if (name == "s.waitcnt") {
    add(OrderedOp::Wait, call).waits =
        decodeWaitCounts(cast<ConstantInt>(call.getArgOperand(0))->getSExtValue());
  }
}

void LoopReader::visit(const Instruction &instr) {
  if (auto *call = dyn_cast<CallInst>(&instr)) {
    const Function *callee = call->getCalledFunction();
    StringRef name = callee ? callee->getName() : "";
    if (name.consume_front("llvm.amdgcn."))
      visitCall(*call, name);
  } else if (auto *load = dyn_cast<LoadInst>(&instr)) {
    visitAccess(instr, load->getPointerOperand(), /*isStore=*/false, load->getType());
  } else if (auto *store = dyn_cast<StoreInst>(&instr)) {
    visitAccess(instr, store->getPointerOperand(), /*isStore=*/true,
                store->getValueOperand()->getType());
  }
}

unsigned LoopReader::dwordOfElement(const Type *vector, unsigned element) const {
  auto *type = cast<VectorType>(const_cast<Type *>(vector));
  return element * layout.getTypeSizeInBits(type->getElementType()).getFixedValue() / 32;
}

/// Where dword `dword` of a value comes from: through casts, shuffles, the loop's phis and empty
/// asm statements.
ValueSource LoopReader::sourceOf(const Value *value, unsigned dword, unsigned rounds,
                                 unsigned depth) const {
  constexpr unsigned maxDepth = 64; // enough for any chain of casts; ends cycles of phis
  const ValueSource other{ValueSource::Other};
  if (depth > maxDepth || rounds > 1)
    return other;
  auto follow = [&](const Value *next, unsigned nextDword, unsigned moreRounds = 0) {
    return sourceOf(next, nextDword, rounds + moreRounds, depth + 1);
  };
  auto *instr = dyn_cast<Instruction>(value);
  if (!instr || !loop.contains(instr))
    return {};
  if (auto it = readOrdinals.find(value); it != readOrdinals.end())
    return {ValueSource::Read, it->second + dword * 4 / unsigned(widestSharedAccess), rounds,
            dword % (unsigned(widestSharedAccess) / 4)};
  if (auto it = mfmaOrdinals.find(value); it != mfmaOrdinals.end())
    return {ValueSource::Mfma, it->second, rounds, dword};
  if (auto *phi = dyn_cast<PHINode>(instr)) {
    if (phi->getParent() != loop.getHeader() || !loop.getLoopLatch())
      return other;
    return follow(phi->getIncomingValueForBlock(loop.getLoopLatch()), dword, 1);
  }
  if (isa<BitCastInst, FreezeInst>(instr))
    return follow(instr->getOperand(0), dword);
  if (auto *shuffle = dyn_cast<ShuffleVectorInst>(instr)) {
    // The element that holds the first bit of the dword, and the side that it comes from.
    auto *type = cast<FixedVectorType>(shuffle->getType());
    unsigned bits = layout.getTypeSizeInBits(type->getElementType()).getFixedValue();
    int element = shuffle->getMaskValue(dword * 32 / bits);
    unsigned width = cast<FixedVectorType>(shuffle->getOperand(0)->getType())->getNumElements();
    if (element < 0)
      return other;
    bool isSecond = unsigned(element) >= width;
    return follow(shuffle->getOperand(isSecond),
                  dwordOfElement(type, isSecond ? element - width : element));
  }
  if (auto *extract = dyn_cast<ExtractElementInst>(instr))
    if (auto *index = dyn_cast<ConstantInt>(extract->getIndexOperand()))
      return follow(extract->getVectorOperand(),
                    dwordOfElement(extract->getVectorOperandType(), index->getZExtValue()) + dword);
  if (auto *insert = dyn_cast<InsertElementInst>(instr))
    if (auto *index = dyn_cast<ConstantInt>(insert->getOperand(2)))
      return dwordOfElement(insert->getType(), index->getZExtValue()) == dword
                 ? follow(insert->getOperand(1), 0)
                 : follow(insert->getOperand(0), dword);
  if (isa<ZExtInst>(instr) && dword == 0)
    return follow(instr->getOperand(0), 0);
  // Of a permutation of bytes the source of the low ones stands for all.
  constexpr unsigned lowBytes = 1;
  if (auto *call = dyn_cast<CallInst>(instr);
      call && call->getCalledFunction() &&
      call->getCalledFunction()->getName() == "llvm.amdgcn.perm")
    return follow(call->getArgOperand(lowBytes), 0);
  if (auto *call = dyn_cast<CallInst>(instr))
    if (auto *assembly = dyn_cast<InlineAsm>(call->getCalledOperand()))
      if (assembly->getAsmString().empty() && call->arg_size() == 1)
        return follow(call->getArgOperand(0), dword);
  return other;
}

/// The id that most of a loop's instructions have (lib/Lower/DebugLines.h): values that it only
/// uses may have been moved in.
static unsigned sourceLoopOf(const Loop &loop) {
  std::map<unsigned, unsigned> counts;
  for (const BasicBlock *block : loop.blocks())
    for (const Instruction &instr : *block)
      if (const DebugLoc &place = instr.getDebugLoc(); place && place->getDiscriminator() != 0)
        ++counts[place->getDiscriminator()];
  auto most =
      llvm::max_element(counts, [](const auto &a, const auto &b) { return a.second < b.second; });
  return most == counts.end() ? 0 : most->first;
}

LoopOrder LoopReader::read() {
  order.sourceLoop = sourceLoopOf(loop);
  for (const BasicBlock *block : loop.blocks())
    for (const Instruction &instr : *block)
      visit(instr);
  constexpr unsigned inputs = 3; // a, b, c lead the operands of every MFMA intrinsic
  for (auto [index, mfma] : mfmas) {
    llvm::SmallVector<ValueSource, 5> &sources = order.ops[index].sources;
    for (unsigned i = 0; i < inputs; ++i)
      sources.push_back(sourceOf(mfma->getArgOperand(i), 0, 0, 0));
    for (unsigned i : {0u, 1u}) {
      Value *operand = mfma->getArgOperand(i);
      unsigned dwords = layout.getTypeSizeInBits(operand->getType()).getFixedValue() / 32;
      sources.push_back(sourceOf(operand, dwords / 2, 0, 0));
    }
  }
  return std::move(order);
}

} // namespace

std::vector<KernelOrder> plannedOrder(Module &module) {
  std::vector<KernelOrder> result;
  ModuleSlotTracker names(&module);
  for (Function &function : module) {
    if (function.isDeclaration() || function.getCallingConv() != CallingConv::AMDGPU_KERNEL)
      continue;
    DominatorTree dominators(function);
    LoopInfo loops(dominators);
    KernelOrder kernel{function.getName().str(), {}};
    TermIds ids;
    names.incorporateFunction(function);
    for (const BasicBlock &block : function) {
      const Loop *loop = loops.getLoopFor(&block);
      if (!loop || loop->getHeader() != &block || !loop->isInnermost())
        continue;
      LoopOrder order = LoopReader(*loop, ids, names).read();
      bool isScheduled = llvm::any_of(order.ops, [](const OrderedOp &op) {
        return op.kind == OrderedOp::Mfma || op.kind == OrderedOp::SharedDma;
      });
      if (isScheduled)
        kernel.loops.push_back(std::move(order));
    }
    result.push_back(std::move(kernel));
  }
  return result;
}

WaitCounts decodeWaitCounts(int64_t immediate) {
  // Source: AMD CDNA3 ISA document, S_WAITCNT: vmcnt 3:0 and 15:14, expcnt 6:4, lgkmcnt 11:8.
  constexpr unsigned allVm = 63, allLgkm = 15, allExp = 7;
  unsigned vm = (immediate & 0xf) | ((immediate >> 14) & 3) << 4;
  unsigned exp = (immediate >> 4) & 7, lgkm = (immediate >> 8) & 0xf;
  WaitCounts counts;
  if (vm != allVm)
    counts.vmcnt = vm;
  if (lgkm != allLgkm)
    counts.lgkmcnt = lgkm;
  if (exp != allExp)
    counts.expcnt = exp;
  return counts;
}

std::string toString(const WaitCounts &counts) {
  std::string text;
  auto add = [&text](const char *name, std::optional<unsigned> value) {
    if (value)
      text += (text.empty() ? "" : " ") + std::string(name) + "(" + std::to_string(*value) + ")";
  };
  add("vmcnt", counts.vmcnt);
  add("expcnt", counts.expcnt);
  add("lgkmcnt", counts.lgkmcnt);
  return text;
}

} // namespace tilec::codegen
