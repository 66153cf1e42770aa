//===- AmdgpuEmitter.cpp - instructions of CDNA ---------------------------===//
//
// What LLVM 22 must be given so that it adds no wait and moves nothing was measured;
// docs/machine-code/lowering.md has the reasons.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "AMDGPU/AmdgpuEmitter.h"

#include "Types.h"

#include "tilec/CodeGen/CodeGen.h"

#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"
#include "llvm/IR/MDBuilder.h"

#include <algorithm>

namespace tilec::lower {

using llvm::Intrinsic::getOrInsertDeclaration;
namespace Id = llvm::Intrinsic;

/// Raw buffers in bounds-checked 32-bit mode: DST_SEL x y z w, format 32 (CDNA3 ISA 9.1.8, word 3).
constexpr uint32_t rawBufferFlags = 0x27000;
/// The largest size a descriptor can state.
constexpr uint64_t maxRecords = 0xffffffff;
/// Beyond the range of wholeMemory by all of up to 16 bytes, without a carry out of 32 bits: buffer
/// instructions load zero there and store nothing (CDNA3 ISA 9.1.5).
constexpr uint32_t outOfRange = 0xfffffff0;
/// The instruction's own offset has 12 bits (CDNA3 ISA, MUBUF).
constexpr int64_t maxBufferImm = 4095;
/// s_waitcnt of gfx9: vm[3:0], exp[6:4], lgkm[11:8], vm[15:14]; all ones: not waited for.
constexpr int64_t maxVm = 63, maxExp = 7, maxLgkm = 15;

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

void AmdgpuEmitter::beginKernel(llvm::Function &function, const KernelTraits &traits) {
  llvm::LLVMContext &context = module.getContext();
  function.setCallingConv(llvm::CallingConv::AMDGPU_KERNEL);
  int64_t waves = (traits.threads + target.waveLanes - 1) / target.waveLanes;
  // A compute unit has four SIMDs; the waves that must fit on one share its registers.
  int64_t wavesPerSimd = std::max<int64_t>((waves * traits.minBlocks + 3) / 4, 1);
  // Arrays that leave no room for addresses in one pool of 256 registers lie in the other 256 where
  // the order is planned. Else LLVM's allocator finds it what it spills: told that matrix
  // instructions add there, it puts the results of all of them there, and runs out of them first.
  constexpr int64_t pool = 256, addressRegisters = 64;
  bool fillsPool = traits.arrayRegisters + addressRegisters > pool;
  usesAgprs = wavesPerSimd == 1 && fillsPool && traits.keepOrder;
  // In one pool a second block's wave can run beside: a register more than the pool would cost it.
  bool holdsTwo = 2 * traits.sharedBytes <= target.sharedBytes;
  if (!fillsPool && !traits.keepOrder && wavesPerSimd == 1 && waves > 2 && holdsTwo)
    wavesPerSimd = 2;
  std::string threads = std::to_string(traits.threads), perSimd = std::to_string(wavesPerSimd);
  keepsOrder = traits.keepOrder;
  descriptors.clear();
  function.addFnAttr("target-cpu", llvm::StringRef(nameOf(target.arch)));
  function.addFnAttr("amdgpu-flat-work-group-size", threads + "," + threads);
  // The fewest only: of a most, LLVM pads the descriptor's register count, so that no more waves
  // fit than that. A planned order needs none: no scheduler of LLVM's runs.
  function.addFnAttr("amdgpu-waves-per-eu", perSimd);
  function.addFnAttr("uniform-work-group-size", "true");
  function.addFnAttr("denormal-fp-math", "ieee,ieee");
  function.addFnAttr("denormal-fp-math-f32", "ieee,ieee");
  // Else each operand of a minimum or maximum that might be a signaling NaN is quieted by an
  // instruction of its own. Without the mode such a NaN loses against a number, as a quiet one
  // does.
  function.addFnAttr("amdgpu-ieee", "false");
  function.addFnAttr(llvm::Attribute::NoUnwind);
  if (!usesAgprs)
    function.addFnAttr("amdgpu-agpr-alloc", "0");
  // LLVM's own analysis of these is no part of code generation.
  for (const char *unused :
       {"amdgpu-no-implicitarg-ptr", "amdgpu-no-dispatch-ptr", "amdgpu-no-queue-ptr",
        "amdgpu-no-dispatch-id", "amdgpu-no-workitem-id-y", "amdgpu-no-workitem-id-z",
        "amdgpu-no-lds-kernel-id", "amdgpu-no-hostcall-ptr", "amdgpu-no-heap-ptr",
        "amdgpu-no-multigrid-sync-arg", "amdgpu-no-default-queue", "amdgpu-no-completion-action"})
    function.addFnAttr(unused);
  const char *noBlockId[] = {"amdgpu-no-workgroup-id-x", "amdgpu-no-workgroup-id-y",
                             "amdgpu-no-workgroup-id-z"};
  for (unsigned dim = 0; dim < 3; ++dim)
    if (!traits.usesBlockId[dim])
      function.addFnAttr(noBlockId[dim]);

  // Shared memory has a known size, and LLVM would read it in front of a branch for the threads
  // inside: for others that is a race with what threads write. (No code is added for this.)
  function.addFnAttr(llvm::Attribute::SanitizeThread);
  shared = nullptr;
  if (traits.sharedBytes > 0) {
    auto *array = llvm::ArrayType::get(b.getInt8Ty(), traits.sharedBytes);
    auto *global = new llvm::GlobalVariable(
        module, array, false, llvm::GlobalValue::InternalLinkage, llvm::PoisonValue::get(array),
        traits.name + ".shared", nullptr, llvm::GlobalValue::NotThreadLocal, 3);
    global->setAlignment(llvm::Align(1024));
    shared = global;
  } else {
    shared = llvm::ConstantPointerNull::get(llvm::PointerType::get(context, 3));
  }
  thread = call("llvm.amdgcn.workitem.id.x", {}, {});
  thread->addRangeRetAttr(llvm::ConstantRange(llvm::APInt(32, 0), llvm::APInt(32, traits.threads)));
  thread->setName("thread");
  if (!sharedScope) {
    llvm::MDBuilder metadata(context);
    llvm::MDNode *domain = metadata.createAnonymousAliasScopeDomain("shared");
    sharedScope =
        llvm::MDNode::get(context, {metadata.createAnonymousAliasScope(domain, "access")});
  }
}

/// The kernel's arguments, one of which is a pointer.
llvm::Value *AmdgpuEmitter::readablePointer() {
  return b.CreateAddrSpaceCast(call("llvm.amdgcn.kernarg.segment.ptr", {}, {}), b.getPtrTy(1));
}

/// Behind a branch around a read LLVM waits for everything in flight, and to choose zero behind the
/// read is to wait for it.
llvm::Value *AmdgpuEmitter::zeroMemory(int64_t bytes) {
  constexpr int64_t mostBytes = 16;
  if (bytes > mostBytes)
    return nullptr;
  constexpr const char *name = "tilec.zeros";
  llvm::GlobalVariable *zeros = module.getNamedGlobal(name);
  if (!zeros) {
    auto *type = llvm::ArrayType::get(b.getInt8Ty(), mostBytes);
    zeros = new llvm::GlobalVariable(module, type, /*isConstant=*/true,
                                     llvm::GlobalValue::InternalLinkage,
                                     llvm::ConstantAggregateZero::get(type), name, nullptr,
                                     llvm::GlobalValue::NotThreadLocal, /*AddressSpace=*/1);
    zeros->setAlignment(llvm::Align(mostBytes));
  }
  return zeros;
}

llvm::Value *AmdgpuEmitter::blockId(unsigned dim) {
  const char *names[] = {"llvm.amdgcn.workgroup.id.x", "llvm.amdgcn.workgroup.id.y",
                         "llvm.amdgcn.workgroup.id.z"};
  return call(names[dim], {}, {});
}

llvm::Value *AmdgpuEmitter::uniform(llvm::Value *value) {
  return call("llvm.amdgcn.readfirstlane", {value->getType()}, {value});
}

/// LLVM derives no range through a readfirstlane, and takes shifts out of it: without a range of
/// its own an address that a wave's number is part of may wrap, and keeps its constants.
llvm::Value *AmdgpuEmitter::waveId(llvm::Value *threadId) {
  llvm::CallInst *first = call("llvm.amdgcn.readfirstlane", {threadId->getType()}, {threadId});
  first->addRangeRetAttr(*thread->getRange());
  return b.CreateLShr(first, llvm::Log2_64(target.waveLanes));
}

//===----------------------------------------------------------------------===//
// What LLVM must not see through
//===----------------------------------------------------------------------===//

llvm::Value *AmdgpuEmitter::pin(llvm::Value *value, const char *constraint) {
  llvm::Type *type = value->getType();
  auto *function = llvm::FunctionType::get(type, {type}, false);
  return b.CreateCall(llvm::InlineAsm::get(function, "", constraint, /*hasSideEffects=*/true),
                      {value});
}

llvm::Value *AmdgpuEmitter::pinAddress(llvm::Value *value) { return pin(value, "=v,0"); }

llvm::Value *AmdgpuEmitter::opaque(llvm::Value *value, bool isUniform) {
  return pin(value, isUniform ? "=s,0" : "=v,0");
}

/// AMDGPUCodeGenPrepare splits a phi of a vector with a constant input into scalars, which then
/// land in the wrong register file.
llvm::Value *AmdgpuEmitter::pinAccumulator(llvm::Value *value) {
  unsigned bits = bitsOf(value->getType());
  if (bits < 64 || bits > 512 || value->getType()->getScalarSizeInBits() < 32)
    return value;
  return pin(value, usesAgprs ? "=a,0" : "=v,0");
}

/// Any alias tag on the read or write, with none on the copies into shared memory, keeps LLVM from
/// adding vmcnt waits of its own; the schedule, or the pipeliner, has placed them.
void AmdgpuEmitter::markSharedAccess(llvm::Instruction &access) {
  access.setMetadata(llvm::LLVMContext::MD_alias_scope, sharedScope);
}

//===----------------------------------------------------------------------===//
// Order
//===----------------------------------------------------------------------===//

bool AmdgpuEmitter::wait(std::optional<int64_t> vm, std::optional<int64_t> lgkm, bool ofGroups) {
  // A count that is given is a wait: it may not become the encoding of none.
  int64_t v = vm ? std::clamp<int64_t>(*vm, 0, maxVm - 1) : maxVm;
  int64_t l = lgkm ? std::clamp<int64_t>(*lgkm, 0, maxLgkm - 1) : maxLgkm;
  int64_t encoding = (v & 15) | maxExp << 4 | l << 8 | (v >> 4) << 14;
  llvm::CallInst *call = this->call("llvm.amdgcn.s.waitcnt", {}, {b.getInt32(encoding)});
  if (ofGroups)
    call->setMetadata(codegen::waitOfGroups, llvm::MDNode::get(module.getContext(), {}));
  return true;
}

bool AmdgpuEmitter::barrier(bool raw, bool global) {
  // LLVM 22 adds nothing to s_barrier on gfx9: the wave's own accesses are waited for here. A
  // workgroup fence would also wait for the copies in flight. To LLVM s_barrier touches no memory:
  // only fences keep it from moving accesses across. LLVM's do not wait for stores to global
  // memory, trusting that the waves of a compute unit see its cache in order; the ISA documents
  // promise that only behind vmcnt(0).
  if (global) {
    b.CreateFence(llvm::AtomicOrdering::Release, blockScope());
    wait(0, 0, /*ofGroups=*/false);
  } else if (!raw)
    wait(std::nullopt, 0, /*ofGroups=*/false);
  call("llvm.amdgcn.s.barrier", {}, {});
  if (global)
    b.CreateFence(llvm::AtomicOrdering::Acquire, blockScope());
  return true;
}

/// 64 clocks.
void AmdgpuEmitter::pause() { call("llvm.amdgcn.s.sleep", {}, {b.getInt32(1)}); }

/// LLVM reads what no store of the kernel seems to reach through the scalar cache, which no fence
/// of its memory model looks at.
void AmdgpuEmitter::dropScalars() { call("llvm.amdgcn.s.dcache.inv", {}, {}); }

/// No instruction: a wave's accesses are done in order.
void AmdgpuEmitter::waveFence() {
  llvm::SyncScope::ID scope = module.getContext().getOrInsertSyncScopeID("wavefront");
  b.CreateFence(llvm::AtomicOrdering::AcquireRelease, scope);
  call("llvm.amdgcn.wave.barrier", {}, {});
}

bool AmdgpuEmitter::setPriority(int64_t level) {
  call("llvm.amdgcn.s.setprio", {}, {b.getInt16(level)});
  return true;
}

void AmdgpuEmitter::schedFence(int64_t mask) {
  call("llvm.amdgcn.sched.barrier", {}, {b.getInt32(static_cast<uint32_t>(mask))});
}

bool AmdgpuEmitter::directive(llvm::StringRef name, llvm::ArrayRef<int64_t> numbers) {
  std::string intrinsic = ("llvm.amdgcn." + name).str();
  std::replace(intrinsic.begin(), intrinsic.end(), '_', '.');
  llvm::SmallVector<llvm::Value *> arguments;
  for (int64_t number : numbers)
    arguments.push_back(b.getInt32(static_cast<uint32_t>(number)));
  call(intrinsic, {}, arguments);
  return true;
}

void AmdgpuEmitter::trap() { call("llvm.trap", {}, {}); }

/// The wave's, so that the branch is uniform: of lanes that part each branch keeps a mask, for as
/// long as the trap's way has not come back.
llvm::Value *AmdgpuEmitter::trapCondition(llvm::Value *condition) { return vote(condition, true); }

//===----------------------------------------------------------------------===//
// Copies and matrices
//===----------------------------------------------------------------------===//

llvm::Value *AmdgpuEmitter::bufferDesc(llvm::Value *base, llvm::Value *bytes) {
  llvm::Value *records =
      b.CreateBinaryIntrinsic(llvm::Intrinsic::umin, bytes, b.getInt64(maxRecords));
  llvm::Type *overloads[] = {llvm::PointerType::get(module.getContext(), 8), base->getType()};
  return call("llvm.amdgcn.make.buffer.rsrc", overloads,
              {base, b.getInt16(0), records, b.getInt32(rawBufferFlags)});
}

/// A descriptor over the 4 GiB from `base` but for the last 16 bytes, made where the base is.
llvm::Value *AmdgpuEmitter::wholeMemory(llvm::Value *base) {
  llvm::Value *&known = descriptors[base];
  if (!known) {
    llvm::IRBuilderBase::InsertPointGuard guard(b);
    if (auto *instruction = llvm::dyn_cast<llvm::Instruction>(base))
      b.SetInsertPoint(instruction->getParent(), std::next(instruction->getIterator()));
    else
      b.SetInsertPoint(llvm::cast<llvm::Instruction>(thread));
    known = bufferDesc(base, b.getInt64(outOfRange));
  }
  return known;
}

llvm::Value *AmdgpuEmitter::maskedOffset(llvm::Value *offset, llvm::Value *mask) {
  return b.CreateSelect(mask, offset, b.getInt32(outOfRange));
}

/// What a buffer instruction moves at once; its address must be a multiple of 4 for whole words.
static bool isBufferAccess(llvm::Type *type, int64_t align) {
  unsigned bits = bitsOf(type);
  if (bits == 8 || bits == 16)
    return align >= bits / 8;
  return (bits == 32 || bits == 64 || bits == 96 || bits == 128) && align >= 4;
}

static llvm::Type *bufferType(llvm::Type *type) {
  unsigned bits = bitsOf(type);
  auto *word = llvm::Type::getInt32Ty(type->getContext());
  return bits <= 32 ? llvm::Type::getIntNTy(type->getContext(), bits)
                    : static_cast<llvm::Type *>(llvm::FixedVectorType::get(word, bits / 32));
}

llvm::Value *AmdgpuEmitter::maskedLoad(llvm::Value *base, llvm::Value *offset, llvm::Value *mask,
                                       llvm::Type *type, int64_t align, bool isConstant) {
  if (!isBufferAccess(type, align))
    return nullptr;
  llvm::Value *loaded =
      call("llvm.amdgcn.raw.ptr.buffer.load", {bufferType(type)},
           {wholeMemory(base), maskedOffset(offset, mask), b.getInt32(0), b.getInt32(0)});
  return b.CreateBitCast(loaded, type);
}

bool AmdgpuEmitter::maskedStore(llvm::Value *value, llvm::Value *base, llvm::Value *offset,
                                llvm::Value *mask, int64_t align) {
  if (!isBufferAccess(value->getType(), align))
    return false;
  llvm::Type *type = bufferType(value->getType());
  call("llvm.amdgcn.raw.ptr.buffer.store", {type},
       {b.CreateBitCast(value, type), wholeMemory(base), maskedOffset(offset, mask), b.getInt32(0),
        b.getInt32(0)});
  return true;
}

bool AmdgpuEmitter::loadToShared(llvm::Value *desc, llvm::Value *laneOffset,
                                 llvm::Value *uniformOffset, llvm::Value *sharedPointer,
                                 int64_t imm, int64_t bytes) {
  if (imm < 0 || imm > maxBufferImm)
    return false;
  call("llvm.amdgcn.raw.ptr.buffer.load.lds", {},
       {desc, sharedPointer, b.getInt32(bytes), laneOffset, uniformOffset, b.getInt32(imm),
        b.getInt32(0)});
  return true;
}

/// What cbsz and blgp call a format (CDNA4 ISA 7.3).
static uint32_t formatCode(DType dtype) {
  return dtype == DType::E5M2 ? 1 : dtype == DType::E2M1 ? 4 : 0;
}

llvm::Value *AmdgpuEmitter::mma(const MmaAtom &atom, llvm::Value *a, llvm::Value *bOperand,
                                llvm::Value *c) {
  if (atom.intrinsic.contains(".scale.")) {
    // Scales that are zero constants: LLVM takes the instruction without scales.
    auto words = [&](llvm::Value *operand) {
      auto *type = llvm::FixedVectorType::get(b.getInt32Ty(), bitsOf(operand->getType()) / 32);
      return b.CreateBitCast(operand, type);
    };
    llvm::Value *left = words(a), *right = words(bOperand), *none = b.getInt32(0);
    return call(atom.intrinsic, {left->getType(), right->getType()},
                {left, right, c, b.getInt32(formatCode(atom.a)), b.getInt32(formatCode(atom.b)),
                 none, none, none, none});
  }
  llvm::Function *intrinsic =
      getOrInsertDeclaration(&module, Id::lookupIntrinsicID(atom.intrinsic));
  llvm::FunctionType *type = intrinsic->getFunctionType();
  llvm::Value *zero = b.getInt32(0); // cbsz, abid, blgp: no broadcast, no permutation
  llvm::Value *result =
      b.CreateCall(intrinsic, {b.CreateBitCast(a, type->getParamType(0)),
                               b.CreateBitCast(bOperand, type->getParamType(1)),
                               b.CreateBitCast(c, type->getParamType(2)), zero, zero, zero});
  return b.CreateBitCast(result, c->getType());
}

llvm::Value *AmdgpuEmitter::sharedReadTr(llvm::Value *pointer, llvm::Type *result) {
  if (target.arch != Arch::Gfx950 || bitsOf(result) != 64)
    return nullptr;
  auto *pair = llvm::FixedVectorType::get(b.getInt32Ty(), 2);
  unsigned elementBits = result->getScalarSizeInBits();
  const char *name = elementBits == 16  ? "llvm.amdgcn.ds.read.tr16.b64"
                     : elementBits == 8 ? "llvm.amdgcn.ds.read.tr8.b64"
                                        : "llvm.amdgcn.ds.read.tr4.b64";
  llvm::CallInst *read = call(name, {elementBits == 16 ? result : pair}, {pointer});
  markSharedAccess(*read);
  // Such reads cannot be volatile; LLVM would reorder them among themselves.
  if (keepsOrder)
    schedFence();
  return b.CreateBitCast(read, result);
}

//===----------------------------------------------------------------------===//
// Atomics
//===----------------------------------------------------------------------===//

llvm::SyncScope::ID AmdgpuEmitter::deviceScope() {
  return module.getContext().getOrInsertSyncScopeID("agent");
}
llvm::SyncScope::ID AmdgpuEmitter::blockScope() {
  return module.getContext().getOrInsertSyncScopeID("workgroup");
}

/// Tensors are ordinary device memory, and hardware float atomics keep denormals on CDNA3
/// (LLVM AMDGPU usage guide, "LLVM IR Metadata").
void AmdgpuEmitter::markAtomic(llvm::AtomicRMWInst &atomic) {
  llvm::MDNode *empty = llvm::MDNode::get(module.getContext(), {});
  atomic.setMetadata("amdgpu.no.fine.grained.memory", empty);
  atomic.setMetadata("amdgpu.no.remote.memory", empty);
  if (atomic.getType()->isFloatTy())
    atomic.setMetadata("amdgpu.ignore.denormal.mode", empty);
}

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

llvm::Value *AmdgpuEmitter::approxExp2(llvm::Value *value) {
  return call("llvm.amdgcn.exp2", {value->getType()}, {value});
}
llvm::Value *AmdgpuEmitter::approxLog2(llvm::Value *value) {
  // v_log_f32 behind a scaling of what it takes for zero.
  return b.CreateUnaryIntrinsic(llvm::Intrinsic::log2, value);
}
llvm::Value *AmdgpuEmitter::approxRcp(llvm::Value *value) {
  return call("llvm.amdgcn.rcp", {value->getType()}, {value});
}
static bool isCallOf(const llvm::Value *value, llvm::Intrinsic::ID id) {
  auto *call = llvm::dyn_cast<llvm::IntrinsicInst>(value);
  return call && call->getIntrinsicID() == id;
}
bool AmdgpuEmitter::isApproxExp2(const llvm::Value *value) const {
  return isCallOf(value, llvm::Intrinsic::amdgcn_exp2);
}
bool AmdgpuEmitter::isApproxRcp(const llvm::Value *value) const {
  return isCallOf(value, llvm::Intrinsic::amdgcn_rcp);
}
bool AmdgpuEmitter::isApproxSine(const llvm::Value *value, bool isCosine) const {
  return isCallOf(value, isCosine ? llvm::Intrinsic::amdgcn_cos : llvm::Intrinsic::amdgcn_sin);
}
/// To 1 ulp, denormals included: LLVM takes v_rcp_f32 of the mantissa and puts the exponent back.
llvm::Value *AmdgpuEmitter::reciprocal(llvm::Value *value) {
  llvm::MDNode *oneUlp = llvm::MDBuilder(module.getContext()).createFPMath(1.0F);
  return b.CreateFDiv(llvm::ConstantFP::get(value->getType(), 1.0), value, "", oneUlp);
}
llvm::Value *AmdgpuEmitter::approxRsqrt(llvm::Value *value) {
  return call("llvm.amdgcn.rsq", {value->getType()}, {value});
}
/// The instructions count in turns. Of x / 2 pi the nearest integer n is taken away before anything
/// is rounded; 1 / 2 pi has two parts of 24 bits. Beyond 2^24 n is the nearest that f32 has.
llvm::Value *AmdgpuEmitter::approxSine(llvm::Value *value, bool isCosine) {
  constexpr double turnsOfRadian = 0.15915494309189533577;
  constexpr double high = static_cast<float>(turnsOfRadian), low = turnsOfRadian - high;
  llvm::Type *type = value->getType();
  auto number = [&](double x) { return llvm::ConstantFP::get(type, x); };
  auto fma = [&](double factor, llvm::Value *sum) {
    return b.CreateIntrinsic(Id::fma, {type}, {value, number(factor), sum});
  };
  // Added to this, a number is rounded to an integer.
  llvm::Value *magic = number(0x1.8p23);
  llvm::Value *n = b.CreateFSub(fma(high, magic), magic);
  llvm::Value *turns = fma(low, fma(high, b.CreateFNeg(n)));
  const char *name = isCosine ? "llvm.amdgcn.cos" : "llvm.amdgcn.sin";
  auto *vector = llvm::dyn_cast<llvm::FixedVectorType>(type);
  if (!vector)
    return call(name, {type}, {turns});
  llvm::Value *result = llvm::PoisonValue::get(type);
  for (unsigned i = 0; i < vector->getNumElements(); ++i) {
    llvm::Value *one = call(name, {b.getFloatTy()}, {b.CreateExtractElement(turns, i)});
    result = b.CreateInsertElement(result, one, i);
  }
  return result;
}
llvm::Value *AmdgpuEmitter::exp2(llvm::Value *value) {
  return b.CreateUnaryIntrinsic(llvm::Intrinsic::exp2, value);
}
llvm::Value *AmdgpuEmitter::ldexp(llvm::Value *value, llvm::Value *exponent) {
  return b.CreateIntrinsic(llvm::Intrinsic::ldexp, {value->getType(), exponent->getType()},
                           {value, exponent});
}

bool AmdgpuEmitter::convertsSmallFloat(DType format) const {
  return format == target.nativeE4M3 || format == target.nativeE5M2;
}

llvm::Value *AmdgpuEmitter::packSmallFloats(DType format, llvm::Value *low, llvm::Value *high) {
  const char *name =
      format == target.nativeE4M3 ? "llvm.amdgcn.cvt.pk.fp8.f32" : "llvm.amdgcn.cvt.pk.bf8.f32";
  return call(name, {}, {low, high, llvm::PoisonValue::get(b.getInt32Ty()), b.getFalse()});
}

llvm::Value *AmdgpuEmitter::unpackSmallFloat(DType format, llvm::Value *word, unsigned byte) {
  const char *name =
      format == target.nativeE4M3 ? "llvm.amdgcn.cvt.f32.fp8" : "llvm.amdgcn.cvt.f32.bf8";
  return call(name, {}, {word, b.getInt32(byte)});
}

std::unique_ptr<Emitter> makeAmdgpuEmitter(llvm::Module &module, const TargetInfo &target) {
  return std::make_unique<AmdgpuEmitter>(module, target);
}

} // namespace tilec::lower
