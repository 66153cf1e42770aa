//===- Importer.h - state of one import -----------------------------------===//
//
// Takes a traced program (script::Program), builds tile ops. One object imports one program; its
// functions are spread over the files of this folder by subject.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/IR/Tile/Tile.h"
#include "tilec/Script/TracedKernel.h"
#include "tilec/Support/Diagnostics.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringSet.h"

namespace tilec {

/// Inclusive bounds of an expression.
struct ExprRange {
  int64_t low, high;
};

/// Whether devices can hold it as an index.
bool fitsIndex(int64_t value);

/// What a shift by a constant, or a mask of the lower bits, is to whoever analyses indices: a
/// product with a power of two, or the quotient or rest of one.
std::optional<std::pair<script::ExprOp, int64_t>> withFactor(const script::Expr *e);

/// Builds the ops of one program. One run tells all that is wrong with it: a function that makes a
/// value returns null after an error, the statement is left out, and the next one is read. What a
/// statement that is left out would have bound is lost: its uses fail without a word.
class Importer {
public:
  Importer(mlir::MLIRContext &context, const script::Program &program, const SourceManager &sources,
           DiagnosticEngine &diags);

  mlir::OwningOpRef<mlir::ModuleOp> run();

private:
  using Value = mlir::Value;
  using Expr = script::Expr;
  using Buffer = script::Buffer;
  using Region = script::Region;
  using Call = script::Call;
  using Argument = script::Argument;

  template <typename... Args> std::nullptr_t fail(DiagId id, Span span, Args &&...args) {
    return fail({id, severityOf(id), span,
                 llvm::formatv(false, formatOf(id), std::forward<Args>(args)...).str()});
  }
  std::nullptr_t fail(Diagnostic error);
  /// Belongs to the last `fail`.
  template <typename... Args> void note(DiagId id, Span span, Args &&...args) {
    if (lastIsNew)
      diags.report(id, span, std::forward<Args>(args)...);
  }
  mlir::Location at(Span span);
  /// What `s` would have bound has no value.
  void lose(const script::Stmt *s);
  void lose(const Buffer *buffer) {
    failed = true;
    lostBuffers.insert(buffer);
  }

  // Programs (Import.cpp).
  void parameters();
  void recordPlaces();
  bool declareTensor(const Buffer *buffer, mlir::StringAttr name, bool isWorkspace);
  mlir::StringAttr uniqueName(llvm::StringRef name);
  void launch(const script::Launch &launch, size_t index);
  bool programExtents(llvm::ArrayRef<const Expr *> shape, Span span,
                      llvm::SmallVectorImpl<int64_t> &sizes, llvm::SmallVectorImpl<Value> &dims);

  // Scalars (Exprs.cpp).
  mlir::Type scalarType(DType type);
  Value constant(int64_t value, mlir::Type type, mlir::Location loc);
  Value indexConstant(int64_t value, Span span);
  /// The value in the scalar form of its dtype: f32 for narrow floats, signless integers, i1.
  Value value(const Expr *e);
  Value valueKind(const Expr *e);
  Value loadValue(const Expr *e);
  mlir::FloatAttr padOf(const Buffer *buf);
  Value unary(const Expr *e);
  Value binary(const Expr *e);
  Value wrapped(Value v, DType type, mlir::Location loc);
  Value integerBinary(script::ExprOp op, Value a, Value b, DType type, mlir::Location loc);
  Value floatBinary(script::ExprOp op, Value a, Value b, mlir::Location loc);
  Value flooredRemainder(Value x, Value y, mlir::Location loc);
  Value flooredQuotient(Value x, Value y, mlir::Location loc);
  Value comparison(const Expr *e);
  Value logical(const Expr *e);
  Value choose(const Expr *e);
  /// `fitsFloat32`: an integer that float32 holds.
  Value cast(Value v, DType from, DType to, mlir::Location loc, bool fitsFloat32 = false);
  Value reinterpret(const Expr *e);
  Value math(const Expr *e);
  Value nextAfter(Value x, Value y, mlir::Location loc);
  Value floorDivision(Value a, Value b, bool isMod, bool nonNegative, mlir::Location loc);
  /// The value as an index; computed in `index` where the expression allows it.
  Value index(const Expr *e);
  Value indexPart(const Expr *e);
  /// As an extent of a loop or grid, whose body is read even where there is none.
  Value extent(const Expr *e);
  /// + - * // % and kin of two values of one type, which `e` names.
  Value integerOf(const Expr *e, Value x, Value y, mlir::Location loc);
  /// Of operands that are both `positive`, or of any sign.
  Value integerOf(script::ExprOp op, Value x, Value y, DType type, bool positive,
                  mlir::Location loc);
  bool indices(const Buffer *buffer, llvm::ArrayRef<const Expr *> list, Span span,
               llvm::SmallVectorImpl<Value> &out);
  bool isIndexLike(const Expr *e) const;
  bool isNonNegative(const Expr *e) const;
  // More than 32 bits (Ranges.cpp).
  std::optional<ExprRange> rangeOf(const Expr *e) const;
  /// Whether index arithmetic may leave 32 bits on the way to its value.
  bool isWide(const Expr *e) const;
  /// Index arithmetic in i64.
  Value wide(const Expr *e);
  Value narrowed(Value v, const Expr *e);
  /// Whether evaluating it when it is not wanted could trap or read out of bounds.
  bool isSpeculatable(const Expr *e, unsigned &loads) const;
  /// The value of a dtype's own element, converted to the scalar form of `type`.
  Value convertTo(const Expr *e, DType type, Span span);

  // One rounding of wide numbers (Rounding.cpp).
  /// An f64 as f32, from where it is rounded to a narrower format as it would be at once.
  Value oddFloat32(Value v, mlir::Location loc);
  /// An integer that f32 holds, and that is rounded to bfloat16 as `v` is.
  Value gathered(Value v, bool isUnsigned, mlir::Location loc);
  bool fitsFloat32(const Expr *e) const;

  // Statements (Statements.cpp).
  void body(script::Body list);
  bool statement(const script::Stmt *s);
  bool alloc(const script::AllocStmt *s);
  bool store(const script::StoreStmt *s);
  bool forLoop(const script::ForStmt *s);
  /// Checks `order`, `stage` and `group` (PipelineLists.cpp); gives the stages of the loop.
  void pipelineLists(const script::ForStmt *s, int64_t &stages);
  void remarkLists(const script::ForStmt *s, std::optional<int64_t> ahead);
  bool threadLoop(const script::ForStmt *s);
  bool branch(const script::IfStmt *s, script::Body rest);
  bool whileLoop(const script::WhileStmt *s);
  bool isAlive(Value v);
  Value buffer(const Buffer *b, Span use);
  Value allocBuffer(llvm::StringRef name, llvm::ArrayRef<int64_t> shape, DType type,
                    tile::Scope scope, Span span);
  Value threadIndex(unsigned axis, Span span);

  // Tile operations (TileCalls.cpp, Atomics.cpp, Emitters.cpp).
  bool tileCall(const script::TileCallStmt *s);
  bool isElement(const Argument &a) const { return a.region && a.region->extents.empty(); }
  /// The region as a buffer. `other` gives the extents of an element form.
  Value box(const Region *region, llvm::ArrayRef<int64_t> other, bool dropScalars);
  Value tile(const Argument &a, bool dropScalars = false);
  bool constantExtents(const Region *region, llvm::SmallVectorImpl<int64_t> &out);
  bool checkBox(const Region *region, llvm::ArrayRef<int64_t> extents);
  bool copy(const Call *call);
  bool fill(const Call *call, bool isClear);
  bool gemm(const Call *call);
  Value matrix(const Argument &a);
  bool matchOperands(Value &a, Value &b, const Call *call);
  /// The argument `dim` of a call about `src`, from 0 on; nothing, and an error, where `src` has no
  /// such dimension.
  std::optional<int64_t> dimension(const Call *call, const Argument &src, tile::BufferType type);
  Value widened(Value from, const Argument &src, DType type);
  bool reduce(const Call *call, tile::ReduceKind kind);
  bool scan(const Call *call, tile::ReduceKind kind);
  bool transpose(const Call *call);
  bool im2col(const Call *call);
  bool anyAll(const script::TileCallStmt *s, bool isAll);
  bool reducerCall(const Call *call);
  bool fillIdentity(Value buffer, script::ReducerOp op, Span span);
  Value combine(script::ReducerOp op, Value a, Value b, DType type, mlir::Location loc);
  bool atomic(const script::TileCallStmt *s);
  bool atomicElement(const Call *call, const script::Var *result, tile::AtomicKind kind);
  bool atomicRead(const Call *call, const script::Var *result);
  bool atomicTile(const Call *call, tile::AtomicKind kind);
  bool atomicVector(const Call *call, int64_t lanes);
  bool print(const Call *call);
  bool rasterize(const Call *call);
  bool annotateLayout(const Call *call);
  bool checkLayout(const script::LayoutSpec &layout, const Buffer *buf, Span span);
  // Layouts of tensors (TensorLayouts.cpp).
  /// The shape that a layout of a tensor gives it; nothing where it stays row-major.
  std::optional<llvm::SmallVector<int64_t>> boxOfLayout(const Buffer *buf,
                                                        const script::LayoutSpec &layout);
  Value placeIn(const script::LayoutSpec &layout, const Expr *e, llvm::ArrayRef<Value> indices,
                mlir::Location loc);
  mlir::Value elementOf(mlir::Value box, llvm::ArrayRef<mlir::Value> indices, mlir::Location loc);
  void copyElements(tile::CopyOp copy, Span span);
  /// Gives the kernel's accesses their indices in these.
  void placeTensors();

  // Thread-level code (Threads.cpp).
  int64_t warpLanes() const;
  void bindThreads(const script::Launch &launch);
  bool threadCall(const script::TileCallStmt *s);
  Value threadNumber();
  Value placeInWarp(const Expr *e);
  Value predicate(const Argument &a);
  bool takesPart(const Call *call, Value &active);
  bool shuffle(const script::TileCallStmt *s, tile::ShuffleKind kind);
  bool vote(const script::TileCallStmt *s);
  bool warpReduce(const script::TileCallStmt *s, tile::ReduceKind kind);
  bool blockVote(const script::TileCallStmt *s, tile::VoteKind kind);
  bool elect(const script::TileCallStmt *s);
  Value fourBytes(const Argument &a);
  bool headOf(const Region *region, llvm::SmallVectorImpl<Value> &list);
  bool dp4a(const Call *call);
  bool scheduleCall(const Call *call);
  mlir::Value gridCounter(mlir::Location loc);
  bool gridSync(const Call *call);

  void findEmitterLocals(script::Body list);
  bool emitterCall(const Call *call);
  bool loadStep(const Call *call, mlir::Value into, bool isTiled, bool kFirst);
  bool loadPart(const Call *call, mlir::Value into, mlir::Value source, mlir::Value step,
                mlir::Value tile, bool kFirst);
  bool loadTiles(const Call *call, mlir::Value into, mlir::Value source, mlir::Value step,
                 mlir::Value tile, bool kFirst);
  bool stmatrix(const Call *call);

  llvm::SmallVector<Value> sameElement(llvm::ArrayRef<int64_t> from, llvm::ArrayRef<Value> indices,
                                       llvm::ArrayRef<int64_t> to, Span span);
  /// Runs `fn(indices)` in a `tile.parallel` over the extents of a shape.
  bool overTile(llvm::ArrayRef<int64_t> shape, Span span,
                llvm::function_ref<bool(llvm::ArrayRef<Value>)> fn);
  void bindResult(const script::TileCallStmt *s, Value v);

  mlir::MLIRContext &context;
  const script::Program &program;
  const SourceManager &sources;
  DiagnosticEngine &diags;
  mlir::OpBuilder b;
  bool failed = false;
  bool lastIsNew = false;   ///< the last error has been reported, and not before
  llvm::StringSet<> errors; ///< by id and place: unrolled code and macros meet one place often
  llvm::DenseSet<const Buffer *> lostBuffers;
  llvm::DenseSet<const script::Var *> lostVars;

  llvm::StringSet<> usedNames; ///< of tensors, scalars, dimensions, workspaces
  llvm::SmallVector<mlir::StringAttr> paramNames;
  llvm::DenseMap<const Buffer *, Value> buffers;
  llvm::DenseMap<const script::Var *, Value> vars; ///< scalar form, or index
  llvm::DenseMap<const script::Var *, bool> nonNegative;
  llvm::DenseMap<const script::Var *, ExprRange> ranges; ///< of index variables, where known
  /// Locals that only emitters use, with the shape of the tile they stand for.
  llvm::DenseMap<const Buffer *, llvm::SmallVector<int64_t, 2>> emitterLocals;
  struct PlacedTensor {
    const Buffer *buffer;
    const script::LayoutSpec *layout;
    llvm::SmallVector<int64_t> box; ///< of the layout's places
    Span span;                      ///< of the annotation
  };
  llvm::MapVector<Value, PlacedTensor> placedTensors;
  const script::Launch *current = nullptr;
  tile::KernelOp kernelOp;
  Span statementSpan;        ///< of the statement being imported: where a value of no place is used
  mlir::Value gridCounterOp; ///< of T.sync_grid, for all launches; null: not asked for yet
  Value thread;              ///< of the launch, at its top; null: not asked for yet
  unsigned parallelDepth = 0;
  unsigned restCopies = 0; ///< branches with a `continue` that something follows
  unsigned loopDepth = 0;  ///< serial loops inside of the innermost parallel
};

/// Whether a conversion by way of float32 would round there, and once more, with another result.
/// Integers beyond 2^24 are too large for the other narrow formats.
inline bool roundsTwice(DType from, DType to) {
  bool isWide = isInteger(from) && bitsOf(from) >= 32;
  return (from == DType::F64 && isHalfOrLess(to)) ||
         (isWide && (to == DType::BF16 || to == DType::E8M0));
}

inline tile::BufferType typeOf(mlir::Value buffer) {
  return mlir::cast<tile::BufferType>(buffer.getType());
}
/// `[128, 32]` for messages.
std::string shapeText(llvm::ArrayRef<int64_t> shape);
llvm::SmallVector<int64_t> withoutOnes(llvm::ArrayRef<int64_t> shape);
llvm::StringRef dtypeText(DType type);

} // namespace tilec
