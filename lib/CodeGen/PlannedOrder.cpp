//===- PlannedOrder.cpp - the order of a loop, from its LLVM IR -----------===//
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "tilec/CodeGen/Order.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace tilec::codegen {

namespace {

constexpr unsigned globalSpace = 1, sharedSpace = 3; ///< AMDGPU's address spaces
constexpr int64_t widestSharedAccess = 16;           ///< bytes of a ds_read_b128

class LoopReader {
public:
  LoopReader(const Loop &loop, DenseMap<const Value *, uint64_t> &ids)
      : loop(loop), layout(loop.getHeader()->getModule()->getDataLayout()), ids(ids) {}

  LoopOrder read();

private:
  void visit(const Instruction &instr);
  void visitCall(const CallInst &call, StringRef name);
  void visitAccess(const Instruction &instr, const Value *pointer, bool isStore, const Type *type);
  void addDma(const CallInst &call, StringRef name);

  OrderedOp &add(OrderedOp::Kind kind, const Instruction &instr);
  AddressPart part(AddressPart::Role role, const Value *value);
  AddressPart pointerPart(AddressPart::Role role, const Value *pointer);
  ValueSource sourceOf(const Value *value, unsigned dword, unsigned rounds, unsigned depth) const;
  unsigned dwordOfElement(const Type *vector, unsigned element) const;

  const Loop &loop;
  const DataLayout &layout;
  DenseMap<const Value *, uint64_t> &ids;
  DenseMap<const Value *, unsigned> readOrdinals, mfmaOrdinals;
  std::vector<std::pair<unsigned, const CallInst *>> mfmas; ///< op index; sources come last
  unsigned reads = 0;
  LoopOrder order;
};

OrderedOp &LoopReader::add(OrderedOp::Kind kind, const Instruction &instr) {
  OrderedOp &op = order.ops.emplace_back();
  op.kind = kind;
  raw_string_ostream os(op.text);
  instr.print(os);
  op.text = StringRef(op.text).trim().str();
  return op;
}

/// A value as one that is computed elsewhere plus the constants that are added to it here.
AddressPart LoopReader::part(AddressPart::Role role, const Value *value) {
  int64_t offset = 0;
  while (auto *sum = dyn_cast<BinaryOperator>(value)) {
    auto *constant = dyn_cast<ConstantInt>(sum->getOperand(1));
    if (sum->getOpcode() != Instruction::Add || !constant)
      break;
    offset += constant->getSExtValue();
    value = sum->getOperand(0);
  }
  if (auto *constant = dyn_cast<ConstantInt>(value)) {
    offset += constant->getSExtValue();
    value = nullptr;
  }
  return {role, ids.try_emplace(value, ids.size()).first->second, offset};
}

AddressPart LoopReader::pointerPart(AddressPart::Role role, const Value *pointer) {
  APInt offset(layout.getIndexTypeSizeInBits(pointer->getType()), 0);
  const Value *base =
      pointer->stripAndAccumulateConstantOffsets(layout, offset, /*AllowNonInbounds=*/true);
  return {role, ids.try_emplace(base, ids.size()).first->second, offset.getSExtValue()};
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
    op.address.push_back(pointerPart(AddressPart::SharedAddress, pointer));
    op.address.back().offset += at;
    reads += !isStore;
  }
}

void LoopReader::addDma(const CallInst &call, StringRef name) {
  OrderedOp &op = add(OrderedOp::SharedDma, call);
  if (!name.starts_with("raw.ptr.buffer.load.lds")) {
    op.address.push_back(pointerPart(AddressPart::DmaTarget, call.getArgOperand(1)));
    return;
  }
  // (descriptor, LDS pointer, bytes, lane offset, uniform offset, immediate, flags)
  int64_t immediate = cast<ConstantInt>(call.getArgOperand(5))->getSExtValue();
  op.address.push_back(pointerPart(AddressPart::DmaTarget, call.getArgOperand(1)));
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
  if (auto *call = dyn_cast<CallInst>(instr))
    if (auto *assembly = dyn_cast<InlineAsm>(call->getCalledOperand()))
      if (assembly->getAsmString().empty() && call->arg_size() == 1)
        return follow(call->getArgOperand(0), dword);
  return other;
}

LoopOrder LoopReader::read() {
  for (const BasicBlock *block : loop.blocks())
    for (const Instruction &instr : *block)
      visit(instr);
  constexpr unsigned inputs = 3; // a, b, c lead the operands of every MFMA intrinsic
  for (auto [index, mfma] : mfmas)
    for (unsigned i = 0; i < inputs; ++i)
      order.ops[index].sources.push_back(sourceOf(mfma->getArgOperand(i), 0, 0, 0));
  return std::move(order);
}

} // namespace

std::vector<KernelOrder> plannedOrder(Module &module) {
  std::vector<KernelOrder> result;
  for (Function &function : module) {
    if (function.isDeclaration() || function.getCallingConv() != CallingConv::AMDGPU_KERNEL)
      continue;
    DominatorTree dominators(function);
    LoopInfo loops(dominators);
    KernelOrder kernel{function.getName().str(), {}};
    DenseMap<const Value *, uint64_t> ids;
    for (const BasicBlock &block : function) {
      const Loop *loop = loops.getLoopFor(&block);
      if (!loop || loop->getHeader() != &block || !loop->isInnermost())
        continue;
      LoopOrder order = LoopReader(*loop, ids).read();
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
