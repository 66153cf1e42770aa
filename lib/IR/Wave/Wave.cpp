//===- Wave.cpp - types, verifiers and syntax of the wave dialect ---------===//
//
// Says of types and ops of WaveOps.td what makes them invalid, and reads and prints those with a
// syntax of their own.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "tilec/IR/Wave/Wave.h"

#include "tilec/Target/Target.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/DialectImplementation.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

#include "tilec/IR/Wave/WaveDialect.cpp.inc"
#include "tilec/IR/Wave/WaveEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "tilec/IR/Wave/WaveAttrs.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "tilec/IR/Wave/WaveTypes.cpp.inc"

namespace tilec::wave {

void WaveDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "tilec/IR/Wave/WaveOps.cpp.inc"
      >();
  addTypes<
#define GET_TYPEDEF_LIST
#include "tilec/IR/Wave/WaveTypes.cpp.inc"
      >();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "tilec/IR/Wave/WaveAttrs.cpp.inc"
      >();
}

int64_t elementsOf(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  return vector ? vector.getNumElements() : 1;
}

Type elementOf(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  return vector ? vector.getElementType() : type;
}

bool startsCopies(Operation *op) {
  return op
      ->walk([](Operation *inner) {
        return isa<LoadToSharedOp, CpAsyncOp>(inner) ? WalkResult::interrupt()
                                                     : WalkResult::advance();
      })
      .wasInterrupted();
}

int64_t bitsOf(Type type) {
  Type element = elementOf(type);
  int64_t bits = element.isIndex() ? 32 : element.getIntOrFloatBitWidth();
  return bits * elementsOf(type);
}

//===----------------------------------------------------------------------===//
// !wave.regs
//===----------------------------------------------------------------------===//

LogicalResult RegsType::verify(function_ref<InFlightDiagnostic()> emitError, int64_t count,
                               Type elementType) {
  if (count < 1)
    return emitError() << "an array of " << count << " registers";
  Type element = elementOf(elementType);
  if (!element.isIntOrIndexOrFloat())
    return emitError() << elementType << " does not fit in registers";
  return success();
}

Type RegsType::parse(AsmParser &parser) {
  int64_t count;
  Type elementType;
  // The lexer would read `4x...` of a dimension list; the count stands apart.
  if (parser.parseLess() || parser.parseInteger(count) || parser.parseKeyword("x") ||
      parser.parseType(elementType) || parser.parseGreater())
    return {};
  return parser.getChecked<RegsType>(parser.getContext(), count, elementType);
}

void RegsType::print(AsmPrinter &printer) const {
  printer << '<' << getCount() << " x " << getElementType() << '>';
}

//===----------------------------------------------------------------------===//
// #wave.step
//===----------------------------------------------------------------------===//

LogicalResult StepAttr::verify(function_ref<InFlightDiagnostic()> emitError, StepKind kind,
                               int64_t i, int64_t j, int64_t k, int64_t slotBytes, int64_t advance,
                               int64_t cover, int64_t together) {
  bool isMma = kind == StepKind::Mma, isRead = kind == StepKind::ReadA || kind == StepKind::ReadB;
  auto said = [&] { return emitError() << "a step of kind `" << stringifyStepKind(kind) << "` "; };
  if (i < 0 || j < 0 || k < 0)
    return said() << "has the number " << std::min({i, j, k}) << "; they begin with 0";
  if (!isMma && j != 0)
    return said() << "has no `j`";
  if (!isMma && !isRead && k != 0)
    return said() << "has no `k`";
  if (isMma ? slotBytes != 0 : slotBytes < 1)
    return said() << "moves " << slotBytes << " bytes further per slot";
  if (!isRead ? cover != 0 : cover == 0)
    return said() << (isRead ? "is filled by no copy" : "is filled by copies");
  if (together < 1 || (!isRead && together != 1))
    return said() << "stands together with " << together << " of its kind";
  if (advance != 0 && (isMma || isRead))
    return said() << "moves " << advance << " bytes further per iteration";
  return success();
}

StepAttr stepOf(Operation *op) {
  return TypeSwitch<Operation *, StepAttr>(op)
      .Case<LoadToSharedOp, SharedReadOp, SharedReadTrOp, MmaOp, SetOp>(
          [](auto own) { return own.getStepAttr(); })
      .Default(StepAttr());
}

void setStep(Operation *op, StepAttr step) {
  TypeSwitch<Operation *>(op).Case<LoadToSharedOp, SharedReadOp, SharedReadTrOp, MmaOp, SetOp>(
      [&](auto own) { own.setStepAttr(step); });
}

/// An op that has a step stands in a pipeline, and the step is one that it can be.
static LogicalResult checkStep(Operation *op) {
  StepAttr step = stepOf(op);
  if (!step)
    return success();
  if (!isa_and_present<PipelineOp>(op->getParentOp()))
    return op->emitOpError("is a step, and stands in no wave.pipeline");
  bool isCopy = isa<LoadToSharedOp>(op), isRead = isa<SharedReadOp, SharedReadTrOp>(op);
  if (step.isCopy() != isCopy || step.isRead() != isRead)
    return op->emitOpError() << "cannot be a step of kind `" << stringifyStepKind(step.getKind())
                             << "`";
  return success();
}

//===----------------------------------------------------------------------===//
// Verifiers
//===----------------------------------------------------------------------===//

LogicalResult KernelOp::verify() {
  unsigned arguments = getBody().getNumArguments();
  if (getArgNames().size() != arguments || getArgAccess().size() != arguments)
    return emitOpError() << "has " << arguments << " arguments, " << getArgNames().size()
                         << " names and " << getArgAccess().size() << " access modes";
  if (getThreads() < 1 || getThreads() > largestBlock)
    return emitOpError() << "has " << getThreads() << " threads; 1 to " << largestBlock
                         << " are possible";
  if (int64_t cluster = getCluster(); cluster < 1 || cluster > largestCluster)
    return emitOpError() << "has clusters of " << cluster << " blocks; 1 to " << largestCluster
                         << " are possible";
  int64_t sharedBytes = getSharedBytes(), minBlocks = getMinBlocks();
  if (sharedBytes < 0 || minBlocks < 1)
    return emitOpError() << "asks for " << sharedBytes << " bytes of shared memory and "
                         << minBlocks << " blocks at once";
  size_t planned = getSchedules() ? getSchedules()->size() : 0;
  size_t parts = getScheduleParts() ? getScheduleParts()->size() : 0;
  if (planned != parts)
    return emitOpError() << "has " << planned << " schedules and the parts of " << parts;
  for (Attribute access : getArgAccess()) {
    StringRef text = cast<StringAttr>(access).getValue();
    if (!text.empty() && text != "r" && text != "w" && text != "rw")
      return emitOpError() << "has the access mode \"" << text
                           << "\"; there are \"r\", \"w\", \"rw\" and \"\"";
  }
  return success();
}

void KernelOp::getAsmBlockArgumentNames(Region &region, OpAsmSetValueNameFn setName) {
  for (BlockArgument argument : region.getArguments())
    if (argument.getArgNumber() < getArgNames().size())
      setName(argument, cast<StringAttr>(getArgNames()[argument.getArgNumber()]).getValue());
}

static LogicalResult checkSlot(Operation *op, RegsType regs, int64_t slot, Type value) {
  if (slot < 0 || slot >= regs.getCount())
    return op->emitOpError() << "names register " << slot << " of " << regs.getCount();
  if (value != regs.getElementType())
    return op->emitOpError() << "a register of this array holds " << regs.getElementType()
                             << ", not " << value;
  return success();
}

LogicalResult GetOp::verify() {
  return checkSlot(*this, getRegs().getType(), getSlot(), getResult().getType());
}

LogicalResult SetOp::verify() {
  if (failed(checkStep(*this)))
    return failure();
  return checkSlot(*this, getRegs().getType(), getSlot(), getValue().getType());
}

LogicalResult ExtractOp::verify() {
  Type vector = getVector().getType(), result = getResult().getType();
  int64_t position = getPosition();
  if (elementOf(vector) != elementOf(result) || position < 0 ||
      position + elementsOf(result) > elementsOf(vector))
    return emitOpError() << "takes " << result << " from position " << position << " of " << vector;
  return success();
}

LogicalResult PackOp::verify() {
  int64_t count = 0;
  for (Value part : getParts()) {
    count += elementsOf(part.getType());
    if (elementOf(part.getType()) != elementOf(getResult().getType()))
      return emitOpError("packs elements of one type");
  }
  if (count != elementsOf(getResult().getType()))
    return emitOpError() << "packs " << count << " elements into " << getResult().getType();
  return success();
}

LogicalResult BitcastOp::verify() {
  if (bitsOf(getValue().getType()) != bitsOf(getResult().getType()))
    return emitOpError() << "turns " << bitsOf(getValue().getType()) << " bits into "
                         << bitsOf(getResult().getType());
  return success();
}

LogicalResult BytePermuteOp::verify() {
  auto isByte = [](int64_t byte) { return byte >= 0 && byte < 8; };
  if (getBytes().size() != 4 || !llvm::all_of(getBytes(), isByte))
    return emitOpError("takes four bytes of 0 to 7");
  return success();
}

LogicalResult RolledOp::verify() {
  if (!isa_and_present<scf::ForOp>((*this)->getParentOp()))
    return emitOpError("stands in no scf.for");
  return success();
}

LogicalResult ScanPartnerOp::verify() {
  if ((getWidth() & (getWidth() - 1)) != 0 || uint64_t(1) << getStep() >= getWidth())
    return emitOpError() << "has no step " << getStep() << " in groups of " << getWidth()
                         << " lanes";
  return success();
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

static LogicalResult checkAccess(Operation *op, Type type) {
  int64_t bits = bitsOf(type);
  if (bits % 8 != 0 || bits > 128)
    return op->emitOpError() << "moves " << bits << " bits; whole bytes, at most 16, are possible";
  return success();
}

static LogicalResult checkGlobalAccess(Operation *op, Type type, int64_t align) {
  if (align < 1 || (align & (align - 1)) != 0)
    return op->emitOpError() << "is aligned to " << align << " bytes, which is no power of two";
  return checkAccess(op, type);
}

LogicalResult SharedReadOp::verify() {
  if (failed(checkStep(*this)))
    return failure();
  return checkAccess(*this, getResult().getType());
}
LogicalResult SharedWriteOp::verify() { return checkAccess(*this, getValue().getType()); }
LogicalResult GlobalReadOp::verify() {
  return checkGlobalAccess(*this, getResult().getType(), getAlign());
}
LogicalResult GlobalWriteOp::verify() {
  return checkGlobalAccess(*this, getValue().getType(), getAlign());
}

static LogicalResult checkAtomic(Operation *op, AtomicKind kind, Type type) {
  bool isFloat = isa<FloatType>(elementOf(type));
  bool isBits = kind == AtomicKind::And || kind == AtomicKind::Or || kind == AtomicKind::Xor;
  bool isUnsigned = kind == AtomicKind::UMax || kind == AtomicKind::UMin;
  if (isFloat && (isBits || isUnsigned))
    return op->emitOpError() << "`" << stringifyAtomicKind(kind) << "` updates integers, not "
                             << type;
  int64_t bits = bitsOf(type);
  bool isVector = isFloat && kind == AtomicKind::Add && elementsOf(type) > 1;
  if (bits != 8 && bits != 16 && bits != 32 && bits != 64 && !(isVector && bits == 128))
    return op->emitOpError() << "updates " << bits
                             << " bits; 8, 16, 32 and 64 are possible, and 128 of added floats";
  return success();
}

LogicalResult SharedAtomicOp::verify() {
  return checkAtomic(*this, getKind(), getValue().getType());
}
LogicalResult GlobalAtomicOp::verify() {
  return checkAtomic(*this, getKind(), getValue().getType());
}

LogicalResult LdMatrixOp::verify() {
  int64_t bits = bitsOf(getResult().getType());
  if (bits != 32 && bits != 64 && bits != 128)
    return emitOpError() << "gives a lane " << bits
                         << " bits; 1, 2 or 4 matrices give 32, 64 or 128";
  return success();
}

LogicalResult SharedReadTrOp::verify() {
  Type type = getResult().getType();
  int64_t bits = bitsOf(elementOf(type));
  if (bitsOf(type) != 64 || (bits != 16 && bits != 8 && bits != 4))
    return emitOpError() << "gives a lane 8 bytes of 16, 8 or 4-bit elements, not " << type;
  return checkStep(*this);
}

LogicalResult LoadToSharedOp::verify() {
  int64_t bytes = getBytes(), imm = getImm();
  if (bytes != 1 && bytes != 2 && bytes != 4 && bytes != 12 && bytes != 16)
    return emitOpError() << "moves " << bytes << " bytes a lane; 1, 2, 4, 12 and 16 are possible";
  if (imm < 0 || imm > 4095)
    return emitOpError() << "adds " << imm << " bytes; the instruction has 0 to 4095";
  return checkStep(*this);
}

LogicalResult MmaOp::verify() { return checkStep(*this); }

LogicalResult CpAsyncOp::verify() {
  int64_t bytes = getBytes();
  if (bytes != 4 && bytes != 8 && bytes != 16)
    return emitOpError() << "moves " << bytes << " bytes a lane; 4, 8 and 16 are possible";
  return success();
}

//===----------------------------------------------------------------------===//
// Warp groups
//===----------------------------------------------------------------------===//

LogicalResult TmaLoadOp::verify() {
  if (!getOffsets().empty() && getOffsets().size() + 2 != getCoords().size())
    return emitOpError() << "has " << getOffsets().size() << " offsets for " << getCoords().size()
                         << " coordinates: two fewer are offset";
  return success();
}

LogicalResult GroupMmaOp::verify() {
  int64_t slabs = getSlabs(), steps = getSteps(), n = getN();
  if (slabs < 1 || steps < 1 || n < 1 || n % groupColumns != 0)
    return emitOpError() << "multiplies " << slabs << " slabs and " << n << " columns in " << steps
                         << " steps; n is a multiple of " << groupColumns;
  RegsType c = getC().getType();
  if (elementsOf(c.getElementType()) != 4 * slabs || c.getCount() * groupColumns % n != 0)
    return emitOpError() << "accumulates " << slabs << " slabs of " << n << " columns in " << c;
  int64_t pieces = c.getCount() * groupColumns / n;
  if (bool(getA()) == bool(getARegs()))
    return emitOpError("takes A from shared memory or from registers");
  if (getA() && int64_t(getAStarts().size()) != steps * slabs)
    return emitOpError() << "has " << getAStarts().size() << " places of A, " << steps * slabs
                         << " are read";
  if (getARegs() &&
      (slabs != 1 || getTransA() || cast<RegsType>(getARegs().getType()).getCount() != steps ||
       bitsOf(cast<RegsType>(getARegs().getType()).getElementType()) != 128))
    return emitOpError("takes A from registers as one slab, 16 bytes a lane and step");
  if (!getPlaces().empty() && (!getA() || getTransA() || steps % 2 != 0 ||
                               int64_t(getPlaces().size()) != steps / 2 * slabs ||
                               getAType().getIntOrFloatBitWidth() != 16))
    return emitOpError()
           << "has " << getPlaces().size() << " words of places; a sparse A is of "
           << "16-bit elements in shared memory, and has one for each two steps of a slab";
  if (int64_t(getBStarts().size()) != steps * pieces)
    return emitOpError() << "has " << getBStarts().size() << " places of B, " << steps * pieces
                         << " are read";
  return success();
}

} // namespace tilec::wave

#define GET_OP_CLASSES
#include "tilec/IR/Wave/WaveOps.cpp.inc"
