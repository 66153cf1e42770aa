//===- NvptxEmitter.cpp - instructions of NVIDIA GPUs ---------------------===//
//
// Signatures: LLVM 22, IntrinsicsNVVM.td; meanings: PTX ISA 9.0.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Elements.h"
#include "Emitter.h"
#include "NVPTX/Hopper.h"
#include "Types.h"

#include "tilec/Base/Math.h"
#include "tilec/CodeGen/CodeGen.h"
#include "tilec/Target/BlocksAtOnce.h"

#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/IntrinsicsNVPTX.h"

#include <map>

namespace tilec::lower {

namespace Id = llvm::Intrinsic;

/// All 32 lanes take part in an exchange.
constexpr uint32_t allLanes = 0xffffffff;
/// shfl's clamp operand: no sub-segments, last lane 31.
constexpr uint32_t wholeWarp = 0x1f;

class NvptxEmitter : public Emitter {
public:
  using Emitter::Emitter;

  void beginKernel(llvm::Function &function, const KernelTraits &traits) override;
  std::optional<mlir::LogicalResult> lowerOwn(mlir::Operation &op, KernelValues &kernel) override {
    return HopperLowering(*this, kernel, barrierBase).lower(op);
  }
  llvm::Value *threadId() override { return thread; }
  llvm::Value *freshLaneId() override;
  llvm::Value *blockId(unsigned dim) override;
  llvm::Value *readablePointer() override;
  llvm::Value *uniform(llvm::Value *value) override { return value; }
  llvm::Value *waveId(llvm::Value *threadId) override;

  bool barrier(bool raw, bool global) override;
  bool barrierOf(int64_t threads, int64_t id) override;
  void waveFence() override;
  void schedFence(int64_t mask = 0) override;

  llvm::Value *maskedLoad(llvm::Value *base, llvm::Value *offset, llvm::Value *mask,
                          llvm::Type *type, int64_t align, bool isConstant) override;
  bool maskedStore(llvm::Value *value, llvm::Value *base, llvm::Value *offset, llvm::Value *mask,
                   int64_t align) override;

  bool cpAsync(llvm::Value *sharedPointer, llvm::Value *source, int64_t bytes,
               llvm::Value *sourceBytes) override;
  bool cpAsyncCommit() override;
  bool cpAsyncWait(int64_t pending) override;

  llvm::Value *mma(const MmaAtom &atom, llvm::Value *a, llvm::Value *b, llvm::Value *c) override;
  llvm::Value *ldMatrix(llvm::Value *pointer, llvm::Type *result, bool transposed) override;

  llvm::Value *shuffleXor(llvm::Value *value, int64_t mask, int64_t equal) override;
  llvm::Value *shuffle(llvm::Value *value, llvm::Value *lane) override;
  llvm::Value *scanPartner(llvm::Value *value, llvm::Value *fill, unsigned step, unsigned width,
                           bool reverse) override;
  llvm::Value *bytePermute(llvm::Value *low, llvm::Value *high, uint32_t nibbles) override;
  llvm::Value *ballot(llvm::Value *predicate) override;
  llvm::Value *vote(llvm::Value *predicate, bool all) override;
  llvm::Value *matchAny(llvm::Value *value) override;
  llvm::Value *reduceWave(wave::AtomicKind kind, llvm::Value *value) override;
  llvm::Value *barrierCount(llvm::Value *predicate, llvm::Value *id, int64_t threads) override;
  llvm::Value *dot4(llvm::Value *a, llvm::Value *b, llvm::Value *c, bool isUnsigned) override;

  llvm::SyncScope::ID deviceScope() override;
  bool addVector(llvm::Value *vector, llvm::Value *pointer) override;
  llvm::SyncScope::ID blockScope() override;
  void trap() override { call("llvm.trap", {}, {}); }
  bool trapUnless(llvm::Value *condition) override;

  llvm::Value *approxExp2(llvm::Value *value) override;
  llvm::Value *approxLog2(llvm::Value *value) override;
  llvm::Value *approxRcp(llvm::Value *value) override;
  llvm::Value *reciprocal(llvm::Value *value) override;
  llvm::Value *approxRsqrt(llvm::Value *value) override;
  llvm::Value *exp2(llvm::Value *value) override;
  llvm::Value *exp(llvm::Value *value) override;
  llvm::Value *ldexp(llvm::Value *value, llvm::Value *exponent) override;

  bool convertsSmallFloat(DType format) const override;
  /// cvt.rn.satfinite (PTX ISA 9.0, cvt): NaN stays NaN.
  bool packSaturates() const override { return true; }
  llvm::Value *packSmallFloats(DType format, llvm::Value *low, llvm::Value *high) override;
  llvm::Value *unpackSmallFloat(DType format, llvm::Value *word, unsigned byte) override;

private:
  llvm::Value *words(llvm::Value *value);
  llvm::Value *guarded(std::string access, llvm::Value *mask, llvm::Value *base,
                       llvm::Value *offset, llvm::Type *result, llvm::ArrayRef<llvm::Value *> args,
                       bool isConstant = false);

  llvm::Value *thread = nullptr, *warp = nullptr;
  llvm::Value *barrierBase = nullptr; ///< of the kernel: HopperLowering
  /// Whether a scan's partner is in the lane's group, by the group, the distance and the direction.
  std::map<std::tuple<unsigned, unsigned, bool>, llvm::Instruction *> partners;
};

/// Reads may move over it, writes not: an index that the script asserts is one of theirs.
bool NvptxEmitter::trapUnless(llvm::Value *condition) {
  auto *type = llvm::FunctionType::get(b.getVoidTy(), {b.getInt1Ty()}, false);
  llvm::CallInst *call = b.CreateCall(
      llvm::InlineAsm::get(type, "@!$0 trap;", "b", /*hasSideEffects=*/true), {condition});
  call->addFnAttr(llvm::Attribute::NoUnwind);
  call->setMemoryEffects(llvm::MemoryEffects::readOnly() |
                         llvm::MemoryEffects::inaccessibleMemOnly());
  return true;
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

/// Whether no chip that runs the code, by PTX later ones as well, has shared memory for two blocks.
static bool hasMultiprocessorAlone(const KernelTraits &traits) {
  constexpr int64_t reservedBytes = 1024; // of each block (CUDA programming guide)
  int64_t most = targetInfo(Arch::Sm90a).sharedBytes + reservedBytes;
  return 2 * (traits.sharedBytes + reservedBytes) > most;
}

/// The blocks that are resident on a multiprocessor, where products may have their registers and
/// no block leaves for it (CodeGen/PreferRegisters.h).
static std::optional<int64_t> residentWithRegisters(const TargetInfo &target,
                                                    const KernelTraits &traits) {
  if (target.registersOfProducts == 0)
    return std::nullopt;
  int64_t most = blocksAtOnce(target, {traits.threads, traits.sharedBytes});
  if (traits.gridBlocks)
    most = std::min(most, std::max<int64_t>(*traits.gridBlocks, 1));
  int64_t resident = ceilDiv(most, target.units);
  // Accumulators of which two blocks do not fit leave room for one.
  if (resident == 1 || 2 * traits.threads * traits.arrayRegisters > target.registers.ofUnit)
    return 1;
  int64_t ofBlock = traits.threads * target.registersOfProducts;
  return resident * ofBlock <= target.registers.ofUnit ? std::optional(resident) : std::nullopt;
}

void NvptxEmitter::beginKernel(llvm::Function &function, const KernelTraits &traits) {
  barrierBase = nullptr;
  partners.clear();
  function.setCallingConv(llvm::CallingConv::PTX_Kernel);
  function.addFnAttr("target-cpu", llvm::StringRef(nameOf(target.arch)));
  function.addFnAttr("nvvm.reqntid", std::to_string(traits.threads));
  // ptxas ignores setmaxnreg when the number of resident blocks is open (C7508). It also saves
  // registers for a second block where shared memory has no room for one.
  if (traits.minBlocks > 1 || traits.hasRoles || hasMultiprocessorAlone(traits))
    function.addFnAttr("nvvm.minctasm", std::to_string(traits.minBlocks));
  else if (std::optional<int64_t> blocks = residentWithRegisters(target, traits))
    function.addFnAttr(codegen::residentBlocks, std::to_string(*blocks));
  if (target.registersOfProducts != 0 && traits.gridBlocks && *traits.gridBlocks <= target.units)
    function.addFnAttr(codegen::oneBlockOfGrid);
  if (target.registersOfProducts != 0) { // where registers were weighed against blocks
    int64_t ofBlock = traits.sharedBytes + target.sharedBytesKept;
    function.addFnAttr(codegen::blocksInShared, std::to_string(target.sharedBytesOfUnit / ofBlock));
  }
  if (traits.cluster > 1)
    function.addFnAttr("nvvm.cluster_dim", std::to_string(traits.cluster) + ",1,1");
  function.addFnAttr(llvm::Attribute::NoUnwind);
  // Tensors begin at multiples of 16 bytes (docs/deploy/launch-manifest.md).
  for (llvm::Argument &argument : function.args())
    if (argument.getType()->isPointerTy() && argument.getType()->getPointerAddressSpace() == 1)
      argument.addAttr(llvm::Attribute::getWithAlignment(function.getContext(), llvm::Align(16)));
  // Dynamic shared memory: the launch gives the size, and may give more than the 48 KiB that a
  // static array could have.
  constexpr const char *name = "tilec_shared";
  llvm::GlobalVariable *global = module.getGlobalVariable(name);
  if (!global) {
    global = new llvm::GlobalVariable(module, llvm::ArrayType::get(b.getInt8Ty(), 0), false,
                                      llvm::GlobalValue::ExternalLinkage, nullptr, name, nullptr,
                                      llvm::GlobalValue::NotThreadLocal, 3);
    global->setAlignment(llvm::Align(1024));
  }
  shared = global;
  llvm::CallInst *id = call("llvm.nvvm.read.ptx.sreg.tid.x", {}, {});
  id->addRangeRetAttr(llvm::ConstantRange(llvm::APInt(32, 0), llvm::APInt(32, traits.threads)));
  id->setName("thread");
  thread = id;
  warp = nullptr;
}

/// ptxas does not know what %laneid and %tid have to do with each other.
llvm::Value *NvptxEmitter::freshLaneId() {
  llvm::CallInst *id = call("llvm.nvvm.read.ptx.sreg.laneid", {}, {});
  id->addRangeRetAttr(llvm::ConstantRange(llvm::APInt(32, 0), llvm::APInt(32, 32)));
  return id;
}

llvm::Value *NvptxEmitter::readablePointer() {
  constexpr const char *name = "tilec_readable";
  constexpr unsigned bytes = 16;
  llvm::GlobalVariable *global = module.getGlobalVariable(name, /*AllowInternal=*/true);
  if (!global) {
    auto *array = llvm::ArrayType::get(b.getInt8Ty(), bytes);
    global = new llvm::GlobalVariable(module, array, /*isConstant=*/false,
                                      llvm::GlobalValue::InternalLinkage,
                                      llvm::ConstantAggregateZero::get(array), name, nullptr,
                                      llvm::GlobalValue::NotThreadLocal, 1);
    global->setAlignment(llvm::Align(bytes));
  }
  return global;
}

llvm::Value *NvptxEmitter::blockId(unsigned dim) {
  const char *names[] = {"llvm.nvvm.read.ptx.sreg.ctaid.x", "llvm.nvvm.read.ptx.sreg.ctaid.y",
                         "llvm.nvvm.read.ptx.sreg.ctaid.z"};
  return call(names[dim], {}, {});
}

/// A shuffle from lane 0 tells ptxas that the number is uniform, so that what depends on it lands
/// in uniform registers. Once, in the entry block, where all lanes are there.
llvm::Value *NvptxEmitter::waveId(llvm::Value *threadId) {
  if (warp)
    return warp;
  llvm::IRBuilderBase::InsertPointGuard guard(b);
  auto *id = llvm::cast<llvm::Instruction>(threadId);
  b.SetInsertPoint(id->getParent(), std::next(id->getIterator()));
  warp = shuffle(b.CreateLShr(threadId, 5), b.getInt32(0));
  return warp;
}

/// bar.sync orders the accesses of those that meet to all memory (PTX ISA, "bar").
bool NvptxEmitter::barrier(bool, bool) {
  call("llvm.nvvm.barrier.cta.sync.aligned.all", {}, {b.getInt32(0)});
  return true;
}

bool NvptxEmitter::barrierOf(int64_t threads, int64_t id) {
  call("llvm.nvvm.barrier.cta.sync.aligned.count", {}, {b.getInt32(id), b.getInt32(threads)});
  return true;
}

void NvptxEmitter::waveFence() { call("llvm.nvvm.bar.warp.sync", {}, {b.getInt32(allLanes)}); }

/// LLVM keeps the order of memory operations across; ptxas schedules as it likes.
void NvptxEmitter::schedFence(int64_t) {
  auto *type = llvm::FunctionType::get(b.getVoidTy(), false);
  b.CreateCall(llvm::InlineAsm::get(type, "", "~{memory}", /*hasSideEffects=*/true));
}

//===----------------------------------------------------------------------===//
// Global memory where a mask holds
//===----------------------------------------------------------------------===//

/// 32-bit words of a vector that one instruction moves; 0: none does.
static unsigned wordsOfAccess(llvm::Type *type, int64_t align) {
  unsigned bits = bitsOf(type);
  bool fits = type->isVectorTy() && (bits == 32 || bits == 64 || bits == 128) && align * 8 >= bits;
  return fits ? bits / 32 : 0;
}

static std::string operands(unsigned first, unsigned count) {
  std::string list;
  for (unsigned i = 0; i < count; ++i)
    list += (i ? ", $" : "$") + std::to_string(first + i);
  return count == 1 ? list : "{" + list + "}";
}

static const char *typeOfWords(unsigned count) {
  return count == 1 ? ".b32 " : count == 2 ? ".v2.b32 " : ".v4.b32 ";
}

/// How far from its register an instruction reaches (SASS: 24 bits with a sign).
constexpr uint64_t farthestImmediate = (1 << 23) - 1;

/// One predicated instruction. A branch around each access keeps ptxas from having several of them
/// in flight, and doubles what follows it. `access` has [@] for the address. Operands: results,
/// `args` (tied to the results where there are any), the address, the mask.
llvm::Value *NvptxEmitter::guarded(std::string access, llvm::Value *mask, llvm::Value *base,
                                   llvm::Value *offset, llvm::Type *result,
                                   llvm::ArrayRef<llvm::Value *> args, bool isConstant) {
  bool isLoad = !result->isVoidTy();
  std::string constraints;
  for (size_t i = 0; isLoad && i < args.size(); ++i)
    constraints += "=r,";
  for (size_t i = 0; i < args.size(); ++i)
    constraints += isLoad ? std::to_string(i) + "," : "r,";
  constraints += isConstant ? "l,r" : "l,r,~{memory}";
  size_t place = args.size() * (isLoad ? 2 : 1);
  std::string address = "$" + std::to_string(place);
  // A constant is the instruction's own: neighbours have one register.
  if (auto *sum = llvm::dyn_cast<llvm::BinaryOperator>(offset);
      sum && sum->getOpcode() == llvm::Instruction::Add && sum->hasNoUnsignedWrap())
    if (auto *constant = llvm::dyn_cast<llvm::ConstantInt>(sum->getOperand(1));
        constant && constant->getZExtValue() <= farthestImmediate) {
      address += "+" + std::to_string(constant->getZExtValue());
      offset = sum->getOperand(0);
    }
  access.replace(access.find('@'), 1, address);
  std::string text =
      "{ .reg .pred p; setp.ne.b32 p, $" + std::to_string(place + 1) + ", 0; @p " + access + "; }";
  llvm::SmallVector<llvm::Value *> all(args);
  all.push_back(b.CreateGEP(b.getInt8Ty(), base, b.CreateZExt(offset, b.getInt64Ty())));
  all.push_back(b.CreateZExt(mask, b.getInt32Ty()));
  llvm::SmallVector<llvm::Type *> types;
  for (llvm::Value *value : all)
    types.push_back(value->getType());
  auto *type = llvm::FunctionType::get(result, types, false);
  llvm::CallInst *asmCall = b.CreateCall(
      llvm::InlineAsm::get(type, text, constraints, /*hasSideEffects=*/!isConstant), all);
  asmCall->addFnAttr(llvm::Attribute::NoUnwind);
  if (isConstant)
    asmCall->setDoesNotAccessMemory();
  return asmCall;
}

llvm::Value *NvptxEmitter::maskedLoad(llvm::Value *base, llvm::Value *offset, llvm::Value *mask,
                                      llvm::Type *type, int64_t align, bool isConstant) {
  if (llvm::isa<llvm::Constant>(mask))
    return nullptr;
  std::string name = std::string("ld.global") + (isConstant ? ".nc" : "");
  // Other single elements are read where one may always be, and left out by a choice
  // (MemoryOps.cpp).
  if (unsigned bits = bitsOf(type);
      !type->isVectorTy() && (bits == 8 || bits == 16) && isConstant) {
    std::string access = name + (bits == 8 ? ".b8 $0, [@]" : ".b16 $0, [@]");
    llvm::Value *loaded =
        guarded(access, mask, base, offset, b.getInt32Ty(), b.getInt32(0), isConstant);
    return b.CreateBitCast(b.CreateTrunc(loaded, b.getIntNTy(bits)), type);
  }
  unsigned count = wordsOfAccess(type, align);
  if (count == 0)
    return nullptr;
  llvm::SmallVector<llvm::Value *> zeros(count, b.getInt32(0));
  llvm::SmallVector<llvm::Type *> parts(count, b.getInt32Ty());
  llvm::Type *result = count == 1 ? parts[0] : llvm::StructType::get(b.getContext(), parts);
  llvm::Value *loaded = guarded(name + typeOfWords(count) + operands(0, count) + ", [@]", mask,
                                base, offset, result, zeros, isConstant);
  if (count == 1)
    return b.CreateBitCast(loaded, type);
  llvm::Value *vector = llvm::PoisonValue::get(llvm::FixedVectorType::get(b.getInt32Ty(), count));
  for (unsigned i = 0; i < count; ++i)
    vector = b.CreateInsertElement(vector, b.CreateExtractValue(loaded, i), i);
  return b.CreateBitCast(vector, type);
}

bool NvptxEmitter::maskedStore(llvm::Value *value, llvm::Value *base, llvm::Value *offset,
                               llvm::Value *mask, int64_t align) {
  unsigned count = wordsOfAccess(value->getType(), align);
  if (count == 0 || llvm::isa<llvm::Constant>(mask))
    return false;
  llvm::Value *packed = words(value);
  llvm::SmallVector<llvm::Value *> parts;
  for (unsigned i = 0; i < count; ++i)
    parts.push_back(b.CreateExtractElement(packed, i));
  guarded(std::string("st.global") + typeOfWords(count) + "[@], " + operands(0, count), mask, base,
          offset, b.getVoidTy(), parts);
  return true;
}

//===----------------------------------------------------------------------===//
// Copies and matrices
//===----------------------------------------------------------------------===//

bool NvptxEmitter::cpAsync(llvm::Value *sharedPointer, llvm::Value *source, int64_t bytes,
                           llvm::Value *sourceBytes) {
  // .cg, past L1, exists for 16 bytes only.
  std::string name = bytes == 16 ? "llvm.nvvm.cp.async.cg.shared.global.16"
                                 : "llvm.nvvm.cp.async.ca.shared.global." + std::to_string(bytes);
  if (sourceBytes)
    call(name + ".s", {}, {sharedPointer, source, sourceBytes});
  else
    call(name, {}, {sharedPointer, source});
  return true;
}

bool NvptxEmitter::cpAsyncCommit() {
  call("llvm.nvvm.cp.async.commit.group", {}, {});
  return true;
}

bool NvptxEmitter::cpAsyncWait(int64_t pending) {
  call("llvm.nvvm.cp.async.wait.group", {}, {b.getInt32(pending)});
  return true;
}

/// A value as a vector of 32-bit words.
llvm::Value *NvptxEmitter::words(llvm::Value *value) {
  unsigned count = bitsOf(value->getType()) / 32;
  return bitsAs(b, value, llvm::FixedVectorType::get(b.getInt32Ty(), count));
}

llvm::Value *NvptxEmitter::mma(const MmaAtom &atom, llvm::Value *a, llvm::Value *right,
                               llvm::Value *c) {
  llvm::Function *intrinsic =
      Id::getOrInsertDeclaration(&module, Id::lookupIntrinsicID(atom.intrinsic));
  llvm::FunctionType *type = intrinsic->getFunctionType();
  // One 32-bit register a parameter: those of a, then of b, then of c.
  llvm::SmallVector<llvm::Value *> args;
  for (llvm::Value *operand : {a, right, c}) {
    llvm::Value *parts = words(operand);
    for (unsigned i = 0; i < bitsOf(operand->getType()) / 32; ++i)
      args.push_back(bitsAs(b, elementOf(b, parts, i), type->getParamType(args.size())));
  }
  llvm::Value *results = b.CreateCall(intrinsic, args);
  unsigned count = llvm::cast<llvm::StructType>(type->getReturnType())->getNumElements();
  llvm::Value *packed = llvm::PoisonValue::get(llvm::FixedVectorType::get(b.getInt32Ty(), count));
  for (unsigned i = 0; i < count; ++i)
    packed = b.CreateInsertElement(
        packed, b.CreateBitCast(b.CreateExtractValue(results, i), b.getInt32Ty()), i);
  return b.CreateBitCast(packed, c->getType());
}

llvm::Value *NvptxEmitter::ldMatrix(llvm::Value *pointer, llvm::Type *result, bool transposed) {
  unsigned count = bitsOf(result) / 32;
  if (bitsOf(result) % 32 != 0 || (count != 1 && count != 2 && count != 4))
    return nullptr;
  std::string name = "llvm.nvvm.ldmatrix.sync.aligned.m8n8.x" + std::to_string(count) +
                     (transposed ? ".trans" : "") + ".b16";
  llvm::Value *loaded = call(name, {pointer->getType()}, {pointer});
  if (count == 1)
    return b.CreateBitCast(loaded, result);
  llvm::Value *packed = llvm::PoisonValue::get(llvm::FixedVectorType::get(b.getInt32Ty(), count));
  for (unsigned i = 0; i < count; ++i)
    packed = b.CreateInsertElement(packed, b.CreateExtractValue(loaded, i), i);
  return b.CreateBitCast(packed, result);
}

//===----------------------------------------------------------------------===//
// Lanes
//===----------------------------------------------------------------------===//

llvm::Value *NvptxEmitter::shuffleXor(llvm::Value *value, int64_t mask, int64_t) {
  return call("llvm.nvvm.shfl.sync.bfly.i32", {},
              {b.getInt32(allLanes), value, b.getInt32(mask), b.getInt32(wholeWarp)});
}

llvm::Value *NvptxEmitter::shuffle(llvm::Value *value, llvm::Value *lane) {
  return call("llvm.nvvm.shfl.sync.idx.i32", {},
              {b.getInt32(allLanes), value, lane, b.getInt32(wholeWarp)});
}

llvm::Value *NvptxEmitter::scanPartner(llvm::Value *value, llvm::Value *fill, unsigned step,
                                       unsigned width, bool reverse) {
  constexpr unsigned row = 16;
  auto lane = [&] { return b.CreateAnd(threadId(), uint64_t(target.waveLanes - 1)); };
  unsigned distance = 1u << step;
  if (distance >= row) {
    llvm::Value *own = lane();
    llvm::Value *other = shuffle(value, b.getInt32(reverse ? row : row - 1));
    llvm::Value *isUpper = b.CreateICmpUGE(own, b.getInt32(row));
    return reverse ? b.CreateSelect(isUpper, fill, other) : b.CreateSelect(isUpper, other, fill);
  }
  unsigned group = std::min(width, row);
  // One comparison a block: LLVM looks through all users of one for each other like it.
  auto *&has = partners[{group, distance, reverse}];
  bool isKnown = has && has->getParent() == b.GetInsertBlock();
  llvm::Value *inGroup = isKnown ? nullptr : b.CreateAnd(lane(), uint64_t(group - 1));
  // Lanes that would ask beyond the warp get their own value.
  llvm::Value *other = call(
      reverse ? "llvm.nvvm.shfl.sync.down.i32" : "llvm.nvvm.shfl.sync.up.i32", {},
      {b.getInt32(allLanes), value, b.getInt32(distance), b.getInt32(reverse ? wholeWarp : 0)});
  if (!isKnown)
    has = llvm::cast<llvm::Instruction>(reverse
                                            ? b.CreateICmpULT(inGroup, b.getInt32(group - distance))
                                            : b.CreateICmpUGE(inGroup, b.getInt32(distance)));
  return b.CreateSelect(has, other, fill);
}

llvm::Value *NvptxEmitter::bytePermute(llvm::Value *low, llvm::Value *high, uint32_t nibbles) {
  return call("llvm.nvvm.prmt", {}, {low, high, b.getInt32(nibbles)});
}

llvm::Value *NvptxEmitter::ballot(llvm::Value *predicate) {
  return call("llvm.nvvm.vote.ballot.sync", {}, {b.getInt32(allLanes), predicate});
}

llvm::Value *NvptxEmitter::vote(llvm::Value *predicate, bool all) {
  return call(all ? "llvm.nvvm.vote.all.sync" : "llvm.nvvm.vote.any.sync", {},
              {b.getInt32(allLanes), predicate});
}

llvm::Value *NvptxEmitter::matchAny(llvm::Value *value) {
  return call(bitsOf(value->getType()) == 64 ? "llvm.nvvm.match.any.sync.i64"
                                             : "llvm.nvvm.match.any.sync.i32",
              {}, {b.getInt32(allLanes), value});
}

llvm::Value *NvptxEmitter::reduceWave(wave::AtomicKind kind, llvm::Value *value) {
  const char *name = nullptr;
  switch (kind) {
  case wave::AtomicKind::Add:
    name = "llvm.nvvm.redux.sync.add";
    break;
  case wave::AtomicKind::Max:
    name = "llvm.nvvm.redux.sync.max";
    break;
  case wave::AtomicKind::Min:
    name = "llvm.nvvm.redux.sync.min";
    break;
  case wave::AtomicKind::UMax:
    name = "llvm.nvvm.redux.sync.umax";
    break;
  case wave::AtomicKind::UMin:
    name = "llvm.nvvm.redux.sync.umin";
    break;
  case wave::AtomicKind::And:
    name = "llvm.nvvm.redux.sync.and";
    break;
  case wave::AtomicKind::Or:
    name = "llvm.nvvm.redux.sync.or";
    break;
  case wave::AtomicKind::Xor:
    name = "llvm.nvvm.redux.sync.xor";
    break;
  case wave::AtomicKind::Exchange:
    return nullptr;
  }
  return call(name, {}, {value, b.getInt32(allLanes)});
}

llvm::Value *NvptxEmitter::barrierCount(llvm::Value *predicate, llvm::Value *id, int64_t threads) {
  if (threads == 0)
    return call("llvm.nvvm.barrier.cta.red.popc.aligned.all", {}, {id, predicate});
  return call("llvm.nvvm.barrier.cta.red.popc.aligned.count", {},
              {id, b.getInt32(uint32_t(threads)), predicate});
}

llvm::Value *NvptxEmitter::dot4(llvm::Value *a, llvm::Value *right, llvm::Value *c,
                                bool isUnsigned) {
  return call(isUnsigned ? "llvm.nvvm.idp4a.u.u" : "llvm.nvvm.idp4a.s.s", {}, {a, right, c});
}

/// red.add.{v2, v4}.f32 and red.add.noftz.{, v2, v4}.{f16x2, bf16x2} (PTX ISA 8.1, sm_90), which
/// LLVM has no intrinsics for.
bool NvptxEmitter::addVector(llvm::Value *vector, llvm::Value *pointer) {
  auto *type = llvm::dyn_cast<llvm::FixedVectorType>(vector->getType());
  llvm::Type *element = type ? type->getElementType() : nullptr;
  bool isHalf = element && (element->isHalfTy() || element->isBFloatTy());
  if (!element || (!isHalf && !element->isFloatTy()) ||
      int64_t(bitsOf(type)) / 8 > (isHalf ? target.halfAddBytes : target.vectorAddBytes))
    return false;
  llvm::Value *parts = isHalf ? words(vector) : vector;
  unsigned count = bitsOf(type) / 32;
  llvm::SmallVector<llvm::Value *> all;
  std::string constraints;
  for (unsigned i = 0; i < count; ++i) {
    all.push_back(b.CreateExtractElement(parts, i));
    constraints += isHalf ? "r," : "f,";
  }
  all.push_back(pointer);
  llvm::SmallVector<llvm::Type *> types;
  for (llvm::Value *value : all)
    types.push_back(value->getType());
  const char *name = !isHalf ? ".f32" : element->isHalfTy() ? ".f16x2" : ".bf16x2";
  std::string text = std::string("red.relaxed.gpu.global.add") + (isHalf ? ".noftz" : "") +
                     (count == 1 ? "" : ".v" + std::to_string(count)) + name + " [$" +
                     std::to_string(count) + "], " + operands(0, count) + ";";
  auto *function = llvm::FunctionType::get(b.getVoidTy(), types, false);
  b.CreateCall(llvm::InlineAsm::get(function, text, constraints + "l,~{memory}", true), all)
      ->addFnAttr(llvm::Attribute::NoUnwind);
  return true;
}

llvm::SyncScope::ID NvptxEmitter::deviceScope() {
  return module.getContext().getOrInsertSyncScopeID("device");
}
llvm::SyncScope::ID NvptxEmitter::blockScope() {
  return module.getContext().getOrInsertSyncScopeID("block");
}

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

llvm::Value *NvptxEmitter::approxExp2(llvm::Value *value) {
  return call("llvm.nvvm.ex2.approx.ftz", {value->getType()}, {value});
}
llvm::Value *NvptxEmitter::approxLog2(llvm::Value *value) {
  return call("llvm.nvvm.lg2.approx.f", {}, {value});
}
llvm::Value *NvptxEmitter::approxRcp(llvm::Value *value) {
  return call("llvm.nvvm.rcp.approx.ftz.f", {}, {value});
}
/// div.full.f32: 2 ulp, denormals included (PTX ISA, div).
llvm::Value *NvptxEmitter::reciprocal(llvm::Value *value) {
  return call("llvm.nvvm.div.full", {}, {llvm::ConstantFP::get(value->getType(), 1.0), value});
}
llvm::Value *NvptxEmitter::approxRsqrt(llvm::Value *value) {
  return call("llvm.nvvm.rsqrt.approx.f", {}, {value});
}
/// ex2.approx.f32 takes and gives denormals; its error is below 2 ulp (PTX ISA, ex2).
llvm::Value *NvptxEmitter::exp2(llvm::Value *value) {
  return call("llvm.nvvm.ex2.approx", {value->getType()}, {value});
}

/// 2^n * 2^r with x log2(e) = n + r, where n is from -126 to 127 and so 2^n an f32. Below that r
/// grows, and the second power and the product become what the result does: a denormal or 0; above,
/// 2^r is 2 at least where the result is an infinity. n is found within [0, 1], to which a sum is
/// clamped for nothing (.sat), and stands in the last bits of a large number, one above the
/// exponent's field.
llvm::Value *NvptxEmitter::exp(llvm::Value *value) {
  constexpr double log2e = 1.44269504088896340736;
  constexpr float high = log2e;
  constexpr double low = log2e - high; // positive: an infinity stays what it is
  constexpr double least = -126, most = 127, magic = 0x1.8p23 + 1;
  auto fma = [&](llvm::Value *x, double y, llvm::Value *z) {
    llvm::Value *factor = llvm::ConstantFP::get(x->getType(), y);
    return b.CreateIntrinsic(llvm::Intrinsic::fma, {x->getType()}, {x, factor, z});
  };
  auto number = [&](double x) { return llvm::ConstantFP::get(value->getType(), x); };
  constexpr double wide = most - least;
  llvm::Value *place = fma(value, log2e / wide, number(-least / wide));
  llvm::Value *shifted = fma(call("llvm.nvvm.saturate.f", {}, {place}), wide, number(magic));
  llvm::Value *whole = b.CreateFAdd(shifted, number(least - magic));
  llvm::Value *rest = fma(value, low, fma(value, high, b.CreateFNeg(whole)));
  llvm::Value *power = b.CreateShl(b.CreateBitCast(shifted, b.getInt32Ty()), 23);
  return b.CreateFMul(approxExp2(rest), b.CreateBitCast(power, b.getFloatTy()));
}

/// There is no such instruction: two products with powers of two, of which the first is exact.
llvm::Value *NvptxEmitter::ldexp(llvm::Value *value, llvm::Value *exponent) {
  llvm::Value *half = b.CreateAShr(exponent, 1);
  auto power = [&](llvm::Value *n) {
    return b.CreateBitCast(b.CreateShl(b.CreateAdd(n, b.getInt32(127)), 23), b.getFloatTy());
  };
  llvm::Value *scaled = b.CreateFMul(value, power(half));
  return b.CreateFMul(scaled, power(b.CreateSub(exponent, half)));
}

bool NvptxEmitter::convertsSmallFloat(DType format) const {
  return target.convertsFp8 && (format == DType::E4M3FN || format == DType::E5M2);
}

llvm::Value *NvptxEmitter::packSmallFloats(DType format, llvm::Value *low, llvm::Value *high) {
  const char *name =
      format == DType::E4M3FN ? "llvm.nvvm.ff.to.e4m3x2.rn" : "llvm.nvvm.ff.to.e5m2x2.rn";
  return b.CreateZExt(call(name, {}, {high, low}), b.getInt32Ty()); // the first operand lands high
}

llvm::Value *NvptxEmitter::unpackSmallFloat(DType format, llvm::Value *word, unsigned byte) {
  const char *name =
      format == DType::E4M3FN ? "llvm.nvvm.e4m3x2.to.f16x2.rn" : "llvm.nvvm.e5m2x2.to.f16x2.rn";
  llvm::Value *pair = b.CreateTrunc(b.CreateLShr(word, byte / 2 * 16), b.getInt16Ty());
  llvm::Value *halves = call(name, {}, {pair});
  return b.CreateFPExt(b.CreateExtractElement(halves, byte % 2), b.getFloatTy());
}

std::unique_ptr<Emitter> makeNvptxEmitter(llvm::Module &module, const TargetInfo &target) {
  return std::make_unique<NvptxEmitter>(module, target);
}

} // namespace tilec::lower
