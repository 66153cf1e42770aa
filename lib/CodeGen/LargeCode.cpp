//===- LargeCode.cpp - code generation that stays linear ------------------===//
//
// Takes functions of thousands of blocks or instructions, cuts their blocks in parts, so that those
// passes of LLVM that take quadratic time see short ones.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "LargeCode.h"

#include "MatrixProducts.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Analysis/CycleAnalysis.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/Analysis/UniformityAnalysis.h"
#include "llvm/CodeGen/TargetPassConfig.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PassInstrumentation.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace tilec::codegen {

namespace {

/// What one block may hold, and what its parts hold if it has more. 1000 accesses in a block take
/// LLVM 22's machine scheduler about 1.5 s, 250 take 0.1 s (x86-64, 3 GHz).
/// Instructions are limited as tuned kernels do not reach it.
struct Size {
  unsigned accesses, instructions;
};
constexpr Size longest = {1024, 4096}, part = {256, 1024};
/// Instructions of a crowded block that are too many, and what its parts hold, and words that a
/// lane has registers for: register allocation tries all registers for each of a block's values
/// that finds none. 1024 pairs of sums of 256 words take LLVM 22 4.5 s in one block, 1 s in parts.
constexpr unsigned longestCrowded = 512, crowdedPart = 128, laneWords = 256;
/// Instructions or blocks of a function from which on it is large: some 500 loops or branches of a
/// statement. Of 400, LLVM's straight-line strength reduction takes half a second.
constexpr unsigned largeFunction = 2 * longest.instructions, manyBlocks = 512;
/// From here on it is huge, and vast: no kernel with loops is.
constexpr unsigned hugeFunction = 8 * longest.instructions, vastFunction = 2 * hugeFunction;

/// Loops of a function from which on it has many. For a fact about one, LLVM's scalar evolution
/// asks the conditions of all loops before it: of 100, that is most of the time.
constexpr unsigned manyLoops = 64;
/// Of so many loops one is marked.
constexpr unsigned loopsOfMark = 8;

/// Blocks with phis of which one has registers of its own: a chain of joined copies gets a live
/// range of some ten writes. A statement often has a power of two of blocks, each for a part of a
/// fragment: every eighth would be the same part's each time, and the others' chains stay whole.
constexpr unsigned phisTogether = 7;

/// Blocks of a part of a function of many blocks.
constexpr unsigned partBlocks = 64;

/// Uses from which on a value has a register in each part: of less, all pairs are no time.
constexpr unsigned manyUses = 256;

/// Whether more values are alive at once in the block than a lane of AMD has registers that any
/// instruction reads. What matrix instructions give is stored in turn: it finds room in an order of
/// its own.
bool isCrowded(const BasicBlock &block) {
  const Function &function = *block.getParent();
  if (function.getFnAttribute("amdgpu-agpr-alloc").getValueAsString() != "0" ||
      block.size() < longestCrowded || any_of(instructions(function), multipliesMatrices))
    return false;
  const DataLayout &layout = function.getDataLayout();
  auto wordsOf = [&](const Value &value) -> unsigned {
    Type *type = value.getType();
    return type->isSized() ? divideCeil(layout.getTypeSizeInBits(type).getFixedValue(), 32) : 0;
  };
  SmallPtrSet<const Value *, 32> alive;
  unsigned words = 0;
  auto use = [&](const Value &value) {
    if (isa<Instruction>(value) && alive.insert(&value).second)
      words += wordsOf(value);
  };
  for (const Instruction &instr : block)
    if (instr.isUsedOutsideOfBlock(&block))
      use(instr);
  for (const Instruction &instr : reverse(block)) {
    if (alive.erase(&instr))
      words -= wordsOf(instr);
    if (isa<PHINode>(instr))
      continue;
    for (const Use &operand : instr.operands())
      use(*operand);
    if (words > laneWords)
      return true;
  }
  return false;
}

/// Where the parts begin, but the first. None: the block is not long.
SmallVector<Instruction *> cutsOf(BasicBlock &block) {
  bool crowded = isCrowded(block);
  unsigned most = crowded ? crowdedPart : part.instructions;
  Size all = {0, 0}, since = {0, 0};
  SmallVector<Instruction *> cuts;
  for (Instruction &instr : make_range(block.getFirstNonPHIIt(), block.end())) {
    if (isa<AllocaInst>(instr))
      cuts.clear(); // they stay in the first block
    bool access = instr.mayReadOrWriteMemory();
    if (since.instructions >= most || since.accesses + access > part.accesses) {
      cuts.push_back(&instr);
      since = {0, 0};
    }
    for (Size *size : {&all, &since}) {
      size->accesses += access;
      ++size->instructions;
    }
  }
  bool isLong =
      crowded || all.accesses >= longest.accesses || all.instructions >= longest.instructions;
  return isLong ? cuts : SmallVector<Instruction *>();
}

/// Selection folds these into the instruction that uses them, if they are in its block.
bool isFolded(const Instruction &instr) {
  if (auto *address = dyn_cast<GetElementPtrInst>(&instr))
    return address->hasAllConstantIndices();
  if (instr.getOpcode() == Instruction::Add || instr.getOpcode() == Instruction::Or)
    return isa<ConstantInt>(instr.getOperand(1));
  return isa<BitCastInst, AddrSpaceCastInst, TruncInst, ZExtInst>(instr);
}

/// Whether the blocks of a function follow each other in one row.
bool isOneRow(const Function &function) {
  const BasicBlock *last = &function.front();
  size_t blocks = 1;
  for (; const BasicBlock *next = last->getSingleSuccessor(); last = next)
    if (++blocks > function.size())
      return false; // a loop
  return blocks == function.size() && succ_empty(last);
}

/// Which values vary between the lanes of a wave. LLVM's analysis looks at the whole function, more
/// than once in the memory of large code; where blocks follow each other in one row, lanes never
/// part, and a value varies that comes from one that does.
class Lanes {
public:
  Lanes(Function &function, TargetMachine &machine) {
    analyses.registerPass([] { return PassInstrumentationAnalysis(); });
    analyses.registerPass([] { return DominatorTreeAnalysis(); });
    analyses.registerPass([] { return CycleAnalysis(); });
    analyses.registerPass([] { return UniformityInfoAnalysis(); });
    analyses.registerPass([&] { return machine.getTargetIRAnalysis(); });
    if (isOneRow(function))
      target = &analyses.getResult<TargetIRAnalysis>(function);
    else
      uniformity = &analyses.getResult<UniformityInfoAnalysis>(function);
  }
  bool differAt(const Use &use) const {
    return uniformity ? uniformity->isDivergentUse(use) : varies(use.get());
  }

private:
  bool varies(const Value *value) const;

  FunctionAnalysisManager analyses;
  const UniformityInfo *uniformity = nullptr;
  const TargetTransformInfo *target = nullptr;
  mutable DenseMap<const Value *, bool> known;
};

bool Lanes::varies(const Value *value) const {
  SmallVector<const Value *> open = {value}, unknown;
  while (!open.empty()) {
    const Value *next = open.back();
    auto *instr = dyn_cast<Instruction>(next);
    auto kind = instr || isa<Argument>(next) ? target->getInstructionUniformity(next)
                                             : InstructionUniformity::AlwaysUniform;
    bool differs = kind == InstructionUniformity::NeverUniform;
    unknown.clear();
    if (instr && kind == InstructionUniformity::Default)
      for (const Value *operand : instr->operands()) {
        auto it = known.find(operand);
        if (it != known.end())
          differs |= it->second;
        else if (isa<Instruction, Argument>(operand))
          unknown.push_back(operand);
      }
    if (differs || unknown.empty()) {
      known[next] = differs;
      open.pop_back();
    } else {
      append_range(open, unknown);
    }
  }
  return known.lookup(value);
}

/// Of what other parts of a long block have computed and selection folds, gives each part copies.
class FoldedValues {
public:
  explicit FoldedValues(const SmallPtrSetImpl<BasicBlock *> &parts) : parts(parts) {}

  void of(BasicBlock &part) {
    copies.clear();
    for (auto at = part.getFirstNonPHIIt(); at != part.end(); ++at)
      inputsOf(*at);
  }

private:
  /// Copies stand before their first use, so that they are there for the later ones, too.
  void inputsOf(Instruction &user);

  const SmallPtrSetImpl<BasicBlock *> &parts;
  DenseMap<Value *, Instruction *> copies;
};

void FoldedValues::inputsOf(Instruction &user) {
  for (Use &use : user.operands()) {
    auto *input = dyn_cast<Instruction>(use.get());
    if (!input || input->getParent() == user.getParent() || !isFolded(*input) ||
        !parts.contains(input->getParent()))
      continue;
    Instruction *&copy = copies[input];
    if (!copy) {
      copy = input->clone();
      copy->insertBefore(user.getIterator());
      use.set(copy);
      inputsOf(*std::prev(user.getIterator()));
    } else {
      use.set(copy);
    }
  }
}

/// Which values get registers of their own.
enum class Hidden {
  Integers, ///< of which analyses ask all users
  Registers ///< all: passes of machine code ask all uses of one
};

/// Gives values of very many uses a register in each part of the function: time by the square of
/// the uses. Machine passes (on AMD) look at all uses of a register for each copy that they fold or
/// join, and for each instruction that they schedule; passes of the IR ask all comparisons with an
/// integer what they say about it, and replace what a comparison decides in all its uses.
class OwnRegisters {
public:
  OwnRegisters(Function &function, TargetMachine &machine, Hidden hidden)
      : hidden(hidden), layout(function.getDataLayout()), tree(function), loops(tree) {
    if (machine.getTargetTriple().isAMDGCN())
      lanes.emplace(function, machine);
    for (BasicBlock &block : function)
      places[&block] = places.size();
  }

  void of(ArrayRef<BasicBlock *> part);
  /// Keeps what `block` of `part` computes for other parts from being moved there.
  void anchor(BasicBlock &block, ArrayRef<BasicBlock *> part) const;

private:
  bool hasManyUses(const Value &value) { return usesOf(value) >= manyUses; }
  /// Of `value`, also by what is folded; not all, where they are many.
  unsigned usesOf(const Value &value);
  bool isRegister(Type *type) const;
  /// A copy of `value` at `place` that no pass looks through.
  Value *copyOf(Value *value, ArrayRef<Use *> users, Instruction *place) const;
  /// Where a register for these uses is written, null where no place in or shortly before the part
  /// is before all: it would live for long.
  Instruction *placeFor(ArrayRef<Use *> users, ArrayRef<BasicBlock *> part) const;

  /// The asm constraints of a copy for `users`.
  StringRef constraintsOf(Type *type, ArrayRef<Use *> users) const;

  Hidden hidden;
  std::optional<Lanes> lanes; ///< where registers of lanes and of waves differ
  const DataLayout &layout;
  DominatorTree tree;
  LoopInfo loops;
  DenseMap<const BasicBlock *, size_t> places; ///< in the order of the function
  DenseMap<const Value *, unsigned> uses;      ///< as they were
};

unsigned OwnRegisters::usesOf(const Value &value) {
  auto [it, isNew] = uses.try_emplace(&value, 0);
  if (!isNew)
    return it->second;
  unsigned all = 0;
  for (const User *user : value.users()) {
    auto *folded = dyn_cast<Instruction>(user);
    all += folded && isFolded(*folded) ? usesOf(*folded) : 1;
    if (all >= manyUses)
      break;
  }
  return uses[&value] = all;
}

bool OwnRegisters::isRegister(Type *type) const {
  if (hidden == Hidden::Integers)
    return type->isIntegerTy(32) || type->isIntegerTy(64);
  if (type->isIntegerTy(1))
    return true; // a mask
  Type *element = type->getScalarType();
  if (!element->isIntOrPtrTy() && !element->isFloatingPointTy())
    return false;
  uint64_t bits = layout.getTypeSizeInBits(type);
  bool isWhole = isPowerOf2_64(bits) && bits >= 32 && bits <= 512;
  return isWhole && (!type->isVectorTy() || element->getScalarSizeInBits() >= 16);
}

BasicBlock *blockOf(const Use &use) {
  if (auto *phi = dyn_cast<PHINode>(use.getUser()))
    return phi->getIncomingBlock(use);
  return cast<Instruction>(use.getUser())->getParent();
}

Instruction *OwnRegisters::placeFor(ArrayRef<Use *> users, ArrayRef<BasicBlock *> part) const {
  BasicBlock *place = blockOf(*users.front());
  for (Use *use : users)
    place = tree.findNearestCommonDominator(place, blockOf(*use));
  // What a loop writes anew is no register of lanes that have left it.
  auto isOutside = [&](const Loop *loop) {
    return any_of(users, [&](Use *use) { return !loop->contains(blockOf(*use)); });
  };
  for (const Loop *loop; (loop = loops.getLoopFor(place)) && isOutside(loop);)
    place = tree.getNode(place)->getIDom()->getBlock();
  if (places.at(place) + partBlocks < places.at(part.front()))
    return nullptr;
  Instruction *first = place->getTerminator();
  for (Use *use : users) {
    auto *user = cast<Instruction>(use->getUser());
    if (!isa<PHINode>(user) && user->getParent() == place && user->comesBefore(first))
      first = user;
  }
  return first;
}

StringRef OwnRegisters::constraintsOf(Type *type, ArrayRef<Use *> users) const {
  if (!lanes)
    return type->isIntegerTy(32) ? "=r,0" : "=l,0";
  return any_of(users, [&](Use *use) { return lanes->differAt(*use); }) ? "=v,0" : "=s,0";
}

Value *OwnRegisters::copyOf(Value *value, ArrayRef<Use *> users, Instruction *place) const {
  IRBuilder<> builder(place);
  // A mask is made anew from a number of each lane.
  bool isMask = value->getType()->isIntegerTy(1);
  Value *number = isMask ? builder.CreateZExt(value, builder.getInt32Ty()) : value;
  Type *type = number->getType();
  auto *hide = InlineAsm::get(FunctionType::get(type, {type}, false), "",
                              constraintsOf(type, users), /*hasSideEffects=*/false);
  CallInst *copy = builder.CreateCall(hide, {number});
  if (auto *from = dyn_cast<CallBase>(value))
    if (std::optional<ConstantRange> range = from->getRange())
      if (!isMask)
        copy->addRangeRetAttr(*range);
  return isMask ? builder.CreateICmpNE(copy, builder.getInt32(0)) : copy;
}

void OwnRegisters::of(ArrayRef<BasicBlock *> part) {
  MapVector<Value *, SmallVector<Use *>> users;
  for (BasicBlock *block : part)
    for (Instruction &instr : *block)
      for (Use &use : instr.operands()) {
        auto *input = dyn_cast<Instruction>(use.get());
        bool isOutside = input ? !is_contained(part, input->getParent()) : isa<Argument>(use.get());
        if (isOutside && isRegister(use->getType()) && hasManyUses(*use.get()) &&
            is_contained(part, blockOf(use)) && tree.isReachableFromEntry(blockOf(use)))
          users[use.get()].push_back(&use);
      }
  for (auto &[value, own] : users) {
    Instruction *place = placeFor(own, part);
    bool isMask = value->getType()->isIntegerTy(1);
    if (!place || (isMask && none_of(own, [&](Use *use) { return lanes->differAt(*use); })))
      continue;
    Value *copy = copyOf(value, own, place);
    for (Use *use : own)
      use->set(copy);
  }
}

void OwnRegisters::anchor(BasicBlock &block, ArrayRef<BasicBlock *> part) const {
  SmallVector<std::pair<Instruction *, SmallVector<Use *>>> kept;
  for (Instruction &instr : block) {
    auto *call = dyn_cast<CallBase>(&instr);
    bool stays = isa<PHINode>(instr) || instr.mayReadOrWriteMemory() || isFolded(instr) ||
                 (call && call->isConvergent());
    if (stays || !isRegister(instr.getType()) || instr.getType()->isIntegerTy(1))
      continue;
    SmallVector<Use *> users;
    for (Use &use : instr.uses())
      if (!is_contained(part, blockOf(use)))
        users.push_back(&use);
    // What is the same in all lanes may be in either kind of register.
    if (any_of(users, [&](Use *use) { return lanes->differAt(*use); }))
      kept.emplace_back(&instr, std::move(users));
  }
  for (auto &[value, users] : kept) {
    Value *copy = copyOf(value, users, block.getTerminator());
    cast<CallInst>(copy)->setConvergent(); // `sink` moves none
    for (Use *use : users)
      use->set(copy);
  }
}

/// Cuts `block` and adds its parts, the last one first.
void cut(BasicBlock &block, bool isAmd, SmallVectorImpl<BasicBlock *> &parts) {
  SmallVector<Instruction *> cuts = cutsOf(block);
  for (Instruction *at : reverse(cuts)) { // a split moves what is behind it
    parts.push_back(block.splitBasicBlock(at));
    // The parts are one block again when AMD's second scheduler runs.
    IRBuilder<> builder(at);
    if (isAmd)
      builder.CreateIntrinsic(builder.getVoidTy(), Intrinsic::amdgcn_sched_barrier,
                              {builder.getInt32(0)});
  }
  if (!cuts.empty())
    parts.push_back(&block);
}

/// The parts of a function: those of its long blocks, and, if it has many, runs of other blocks.
SmallVector<SmallVector<BasicBlock *>> partsOf(Function &function,
                                               const SmallPtrSetImpl<BasicBlock *> &cutBlocks) {
  SmallVector<SmallVector<BasicBlock *>> parts;
  bool hasMany = function.size() >= manyBlocks;
  unsigned instructions = part.instructions; // of the last run
  for (BasicBlock &block : function) {
    if (cutBlocks.contains(&block)) {
      parts.push_back({&block});
      instructions = part.instructions;
    } else if (hasMany) {
      if (instructions >= part.instructions || parts.back().size() >= partBlocks) {
        parts.emplace_back();
        instructions = 0;
      }
      parts.back().push_back(&block);
      instructions += block.size();
    }
  }
  return parts;
}

/// A copy of registers of lanes that the register coalescer does not join: it takes time by the
/// length of both live ranges.
Value *moved(IRBuilder<> &builder, Value *value, bool isAmd) {
  Type *type = value->getType(), *word = builder.getInt32Ty();
  unsigned words = type->getPrimitiveSizeInBits() / 32;
  auto *move = InlineAsm::get(FunctionType::get(word, {word}, false),
                              isAmd ? "v_mov_b32 $0, $1" : "mov.b32 $0, $1;",
                              isAmd ? "=v,v" : "=r,r", /*hasSideEffects=*/false);
  if (words == 1)
    return builder.CreateBitCast(builder.CreateCall(move, {builder.CreateBitCast(value, word)}),
                                 type);
  auto *wordsType = FixedVectorType::get(word, words);
  Value *from = builder.CreateBitCast(value, wordsType), *to = PoisonValue::get(wordsType);
  for (unsigned i = 0; i < words; ++i)
    to = builder.CreateInsertElement(
        to, builder.CreateCall(move, {builder.CreateExtractElement(from, i)}), i);
  return builder.CreateBitCast(to, type);
}

/// Moves what phis carry: in front of a loop what it starts with, elsewhere what has come together.
void movePhis(BasicBlock &block, const LoopInfo &loops, const Lanes *lanes) {
  const Loop *loop = loops.getLoopFor(&block);
  bool isHeader = loop && loop->getHeader() == &block;
  BasicBlock *before = isHeader ? loop->getLoopPreheader() : nullptr;
  if (isHeader && !before)
    return;
  for (PHINode &phi : block.phis()) {
    unsigned bits = phi.getType()->getPrimitiveSizeInBits();
    bool differs = !lanes || any_of(phi.uses(), [&](Use &use) { return lanes->differAt(use); });
    if (!bits || bits % 32 != 0 || !differs)
      continue;
    if (isHeader) {
      Value *start = phi.getIncomingValueForBlock(before);
      IRBuilder<> builder(before->getTerminator());
      if (isa<Instruction>(start))
        phi.setIncomingValueForBlock(before, moved(builder, start, lanes != nullptr));
      continue;
    }
    SmallVector<Use *> uses(make_pointer_range(phi.uses()));
    IRBuilder<> builder(&block, block.getFirstInsertionPt());
    Value *copy = moved(builder, &phi, lanes != nullptr);
    for (Use *use : uses)
      use->set(copy);
  }
}

/// Where very many blocks with phis follow each other, as loops and branches over the same fragment
/// do, no register lives through all of them.
void cutChains(Function &function, TargetMachine &machine) {
  SmallVector<BasicBlock *> blocks;
  for (BasicBlock &block : function)
    if (!block.phis().empty())
      blocks.push_back(&block);
  if (blocks.size() < manyLoops)
    return;
  DominatorTree tree(function);
  LoopInfo loops(tree);
  std::optional<Lanes> lanes;
  if (machine.getTargetTriple().isAMDGCN())
    lanes.emplace(function, machine);
  for (size_t i = 0; i < blocks.size(); i += phisTogether)
    movePhis(*blocks[i], loops, lanes ? &*lanes : nullptr);
}

/// `value` from an asm without text.
Value *hidden(IRBuilder<> &builder, Value *value, bool isAmd, bool differs) {
  Type *type = value->getType();
  StringRef constraints = isAmd                   ? (differs ? "=v,0" : "=s,0")
                          : type->isIntegerTy(32) ? "=r,0"
                                                  : "=l,0";
  auto *hide = InlineAsm::get(FunctionType::get(type, {type}, false), "", constraints,
                              /*hasSideEffects=*/false);
  return builder.CreateCall(hide, {value});
}

/// All users of `counter`, but the one that steps it, take it from an asm without text, and so does
/// the counter what another loop starts it with.
void hideCounter(PHINode &counter, const BasicBlock &latch, BasicBlock *before,
                 const Lanes *lanes) {
  Type *type = counter.getType();
  if (!type->isIntegerTy(32) && !type->isIntegerTy(64))
    return;
  const Value *step = counter.getIncomingValueForBlock(&latch);
  bool differs = lanes && any_of(counter.uses(), [&](Use &use) { return lanes->differAt(use); });
  BasicBlock &header = *counter.getParent();
  IRBuilder<> inside(&header, header.getFirstInsertionPt());
  Value *inLoop = hidden(inside, &counter, lanes != nullptr, differs);
  counter.replaceUsesWithIf(inLoop, [&](Use &use) {
    return use.getUser() != inLoop && use.getUser() != step && !isa<PHINode>(use.getUser());
  });
  Value *start = before ? counter.getIncomingValueForBlock(before) : nullptr;
  if (isa_and_nonnull<PHINode>(start)) {
    IRBuilder<> outside(before->getTerminator());
    counter.setIncomingValueForBlock(before, hidden(outside, start, lanes != nullptr, differs));
  }
}

} // namespace

bool isLarge(const Function &function) {
  return function.getInstructionCount() >= largeFunction || function.size() >= manyBlocks;
}

bool isLarge(const Module &module) {
  return any_of(module, [](const Function &function) { return isLarge(function); });
}

bool hasManyBlocks(const Module &module) {
  return any_of(module, [](const Function &f) { return f.size() >= manyBlocks; });
}

bool hasManyLoops(const Function &function, const LoopInfo &loops) {
  return function.size() >= 2 * manyLoops && loops.getLoopsInPreorder().size() >= manyLoops;
}

bool isCrowded(const Module &module) {
  return any_of(module, [](const Function &function) {
    return any_of(function, [](const BasicBlock &block) { return isCrowded(block); });
  });
}

bool isHuge(const Function &function) { return function.getInstructionCount() >= hugeFunction; }

bool isHuge(const Module &module) {
  return any_of(module, [](const Function &function) { return isHuge(function); });
}

bool isVast(const Module &module) {
  return any_of(module, [](const Function &f) { return f.getInstructionCount() >= vastFunction; });
}

/// Whether `value` is a comparison of integers or made of such: a guard often asks for two things.
static bool isCondition(const Value *value) {
  auto *both = dyn_cast<BinaryOperator>(value);
  return isa<ICmpInst>(value) || (both && both->getType()->isIntegerTy(1) &&
                                  isa<ICmpInst, BinaryOperator>(both->getOperand(0)) &&
                                  isa<ICmpInst, BinaryOperator>(both->getOperand(1)));
}

/// Gives each part comparisons of its own: what is live from part to part is no register where
/// lanes differ but a mask, and AMD's pass for these looks at all blocks between a mask and its
/// users. Their integers are hidden next, so that they are not found to be the same again.
static void compareInEachPart(ArrayRef<BasicBlock *> part) {
  DenseMap<Value *, Instruction *> copies;
  auto compare = [&](auto &&self, Instruction &user) -> void {
    for (Use &use : user.operands()) {
      auto *condition = dyn_cast<Instruction>(use.get());
      if (!condition || !isCondition(condition) || isa<PHINode>(user) ||
          is_contained(part, condition->getParent()))
        continue;
      Instruction *&known = copies[condition];
      if (!known) {
        Instruction *copy = known = condition->clone();
        copy->insertBefore(user.getIterator());
        self(self, *copy); // `known` may be gone
        use.set(copy);
      } else {
        use.set(known);
      }
    }
  };
  for (BasicBlock *block : part) {
    copies.clear();
    for (Instruction &instr : *block)
      compare(compare, instr);
  }
}

void hideIntegers(Module &module, TargetMachine &machine) {
  for (Function &function : module) {
    if (function.size() < manyBlocks)
      continue;
    SmallVector<SmallVector<BasicBlock *>> parts =
        partsOf(function, SmallPtrSet<BasicBlock *, 1>());
    for (ArrayRef<BasicBlock *> part : parts)
      compareInEachPart(part);
    OwnRegisters registers(function, machine, Hidden::Integers);
    for (ArrayRef<BasicBlock *> part : parts)
      registers.of(part);
  }
}

void separateReturns(Module &module) {
  for (Function &function : module) {
    if (function.size() < manyBlocks)
      continue;
    SmallVector<BasicBlock *> blocks(make_pointer_range(function));
    for (BasicBlock *block : blocks)
      if (isa<ReturnInst>(block->getTerminator()))
        block->splitBasicBlock(block->getTerminator());
  }
}

void cutBeforePreparing(Module &module) {
  for (Function &function : module) {
    if (!isLarge(function))
      continue;
    SmallVector<BasicBlock *> blocks(make_pointer_range(function));
    for (BasicBlock *block : blocks) {
      SmallVector<Instruction *> cuts = cutsOf(*block);
      for (Instruction *at : reverse(cuts)) {
        BasicBlock *next = block->splitBasicBlock(at);
        // A branch both ways to one block ends a block there until the pass is done.
        Instruction *end = block->getTerminator();
        IRBuilder<>(end).CreateCondBr(ConstantInt::getTrue(module.getContext()), next, next);
        end->eraseFromParent();
      }
    }
  }
}

void hideCounters(Module &module, TargetMachine &machine) {
  for (Function &function : module) {
    if (function.size() < 2 * manyLoops)
      continue;
    DominatorTree tree(function);
    LoopInfo loops(tree);
    if (!hasManyLoops(function, loops))
      continue;
    std::optional<Lanes> lanes;
    if (module.getTargetTriple().isAMDGCN())
      lanes.emplace(function, machine);
    for (Loop *loop : loops.getLoopsInPreorder())
      if (BasicBlock *latch = loop->getLoopLatch())
        for (PHINode &counter : loop->getHeader()->phis())
          hideCounter(counter, *latch, loop->getLoopPreheader(), lanes ? &*lanes : nullptr);
  }
}

PreservedAnalyses MarkLoops::run(Function &function, FunctionAnalysisManager &analyses) {
  LoopInfo &loops = analyses.getResult<LoopAnalysis>(function);
  if (!hasManyLoops(function, loops))
    return PreservedAnalyses::all();
  LoopSimplifyPass().run(function, analyses); // each loop has a block in front of it
  unsigned unmarked = 0;
  for (Loop *loop : loops.getLoopsInPreorder()) {
    BasicBlock *before = loop->getLoopPreheader();
    if (!loop->isOutermost() || !before || ++unmarked < loopsOfMark)
      continue;
    IRBuilder<>(before->getTerminator()).CreateIntrinsic(Intrinsic::sideeffect, {});
    unmarked = 0;
  }
  return PreservedAnalyses::none();
}

PreservedAnalyses UnmarkLoops::run(Function &function, FunctionAnalysisManager &) {
  bool changed = false;
  for (Instruction &instr : make_early_inc_range(instructions(function)))
    if (match(&instr, m_Intrinsic<Intrinsic::sideeffect>())) {
      instr.eraseFromParent();
      changed = true;
    }
  return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

char CutLongBlocks::ID = 0;

void CutLongBlocks::getAnalysisUsage(AnalysisUsage &usage) const {
  usage.addRequired<TargetPassConfig>();
}

bool CutLongBlocks::runOnFunction(Function &function) {
  bool isAmd = function.getParent()->getTargetTriple().isAMDGCN();
  SmallVector<BasicBlock *> blocks(make_pointer_range(function)), parts;
  for (BasicBlock *block : blocks)
    cut(*block, isAmd, parts);
  SmallPtrSet<BasicBlock *, 16> set(llvm::from_range, parts);
  FoldedValues folded(set);
  for (BasicBlock *part : parts)
    folded.of(*part);
  auto &machine = getAnalysis<TargetPassConfig>().getTM<TargetMachine>();
  if (isAmd || isLarge(function)) // ptxas joins shorter ones itself
    cutChains(function, machine);
  if (!isAmd)
    return true;
  SmallVector<SmallVector<BasicBlock *>> all = partsOf(function, set);
  if (all.empty())
    return true;
  if (isLarge(function)) {
    OwnRegisters anchors(function, machine, Hidden::Registers);
    for (ArrayRef<BasicBlock *> part : all) {
      bool isCut = set.contains(part.front());
      BasicBlock *next = part.front()->getSingleSuccessor();
      if (isCut && !(next && set.contains(next)))
        continue;
      for (BasicBlock *block : part)
        anchors.anchor(*block, part);
    }
  }
  // An analysis of its own: that of the anchors does not know them.
  OwnRegisters registers(function, machine, Hidden::Registers);
  for (ArrayRef<BasicBlock *> part : all)
    registers.of(part);
  return true;
}

} // namespace tilec::codegen
