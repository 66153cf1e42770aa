//===- TracedKernel.h - a script's kernel with compile time resolved ------===//
//
// What the script front end yields and Import reads: plain structs, all owned by
// one Program. Everything the metaprogram decides is decided here (sizes, dtypes,
// compile-time branches); what is left runs on the device. No semantic check
// beyond the language's own typing has been made: shapes, scopes and bounds are
// Import's.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/Base/Arch.h"
#include "tilec/Base/DType.h"
#include "tilec/Support/Source.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Allocator.h"
#include "llvm/Support/Casting.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace llvm {
class raw_ostream;
}

namespace tilec::script {

struct Buffer;
struct Call;
struct Expr;
struct LayoutSpec;

enum class VarKind : uint8_t {
  Dim,         ///< symbolic dimension; a hidden parameter after the script's
  ScalarParam, ///< runtime scalar parameter
  BlockIndex,
  ThreadIndex,
  Loop,
  Let,    ///< bound once by a LetStmt
  Formal, ///< an index of a layout function
};

struct Var {
  llvm::StringRef name;
  DType type = DType::I32;
  VarKind kind = VarKind::Let;
  Span span;
  unsigned id = 0;   ///< unique in the program
  unsigned axis = 0; ///< BlockIndex, ThreadIndex: 0 is x
};

enum class Scope : uint8_t { Global, Shared, Fragment, Local, Var };
enum class ReducerOp : uint8_t { Sum, Max, Min, BitAnd, BitOr, BitXor };

struct Buffer {
  llvm::StringRef name;
  DType type = DType::F32;
  Scope scope = Scope::Global;
  llvm::ArrayRef<const Expr *> shape; ///< Var scope: empty
  /// In elements; empty is row-major without padding.
  llvm::ArrayRef<const Expr *> strides;
  /// Set when this is another name, shape or dtype for the row-major bytes of `viewOf`.
  const Buffer *viewOf = nullptr;
  /// Set for `T.tfloat32`: products ignore the low 13 bits.
  bool isTfloat32 = false;
  /// Set for `T.alloc_reducer`.
  std::optional<ReducerOp> reducer;
  /// Value of a read outside the tensor (`T.annotate_safe_value`); null is zero.
  const Expr *safeValue = nullptr;
  /// A parameter that may share bytes with others (`T.annotate_restrict_buffers`).
  bool mayOverlap = false;
  Span span;
  unsigned id = 0; ///< unique in the program
};

enum class ExprOp : uint8_t {
  // Leaves.
  ConstInt,   ///< intValue; also bool
  ConstFloat, ///< floatValue: of a narrow `type` in float32's precision; Cast and stores round
  Var,
  Load, ///< buffer, args = indices
  // Unary.
  Neg,
  BitNot,
  LogicalNot,
  // Binary; both operands have the same dtype. Floor* round to minus infinity, Trunc* to zero,
  // Ceil* to infinity.
  Add,
  Sub,
  Mul,
  Div, ///< floats only
  FloorDiv,
  FloorMod,
  TruncDiv,
  TruncMod,
  CeilDiv,
  Min,
  Max,
  Shl,
  Shr, ///< arithmetic for signed types
  BitAnd,
  BitOr,
  BitXor,
  LogicalAnd, ///< the right side is evaluated only when needed
  LogicalOr,
  // Comparisons: operands share a dtype, the result is bool.
  Eq,
  Ne,
  Lt,
  Le,
  Gt,
  Ge,
  IfThenElse, ///< condition, then, else: only the taken side is evaluated
  Select,     ///< condition, then, else: both sides are evaluated
  Cast,       ///< value conversion to `type`, rounded as docs/language/expressions.md says
  Promote,    ///< the operand beside a narrow float: has its dtype and keeps the float32 value
  Reinterpret,
  Math,      ///< fn
  Intrinsic, ///< call: a value-returning intrinsic without side effects on order
};

enum class MathFn : uint8_t {
#define TILEC_MATH(Id, Name, Arity) Id,
#include "tilec/Script/Math.def"
};

struct Expr {
  ExprOp op = ExprOp::ConstInt;
  DType type = DType::I32;
  MathFn fn = MathFn::Exp;
  Span span;
  llvm::ArrayRef<const Expr *> args;
  union {
    int64_t intValue = 0; ///< unsigned 64-bit constants are held as their bits
    double floatValue;
    const Var *var;
    const Buffer *buffer;
    const Call *call;
  };

  bool isConst() const { return op == ExprOp::ConstInt || op == ExprOp::ConstFloat; }
  /// Whether an expression of a narrow float surely has that dtype's precision.
  bool isRounded() const;
  std::optional<int64_t> constInt() const {
    return op == ExprOp::ConstInt ? std::optional<int64_t>(intValue) : std::nullopt;
  }
};

/// A box of a buffer. In element form (`A[i, j]` given where a tile is wanted) `extents` is empty:
/// the offsets are the head address and the other operand gives the extents. Otherwise there is
/// one extent per dimension; an index that was no slice has extent 1 and its bit in `scalarDims`.
struct Region {
  const Buffer *buffer = nullptr;
  llvm::ArrayRef<const Expr *> offsets;
  llvm::ArrayRef<const Expr *> extents;
  uint64_t scalarDims = 0;
  /// The buffer was named without subscripts.
  bool whole = false;
  Span span;
};

/// The configuration of one of upstream's ...IntrinEmitter classes.
struct Emitter {
  bool isMatrixCore = false;
  DType aType = DType::F16, bType = DType::F16, accumType = DType::F32;
  bool aTransposed = false, bTransposed = false;
  int64_t blockRowWarps = 2, blockColWarps = 2;
  int64_t warpRowTiles = 8, warpColTiles = 8, chunk = 16;
  int64_t kPack = 1;
  /// Rows, columns and K of one instruction; K 0: 256 bits of elements.
  int64_t microX = 16, microY = 16, instructionK = 0;
  /// The operand lies as its instructions read it: tiles of microX (microY) by microK, one after
  /// another.
  bool aPreshuffle = false, bPreshuffle = false;
  Span span;

  /// Of the formula for the lengths of arrays, whatever waves the target has.
  int64_t lanes() const { return isMatrixCore ? 64 : 32; }
  /// K of one step: `kPack` instructions.
  int64_t microK() const {
    return kPack * (instructionK ? instructionK : 256 / static_cast<int64_t>(bitsOf(aType)));
  }
};

struct Argument;
struct DictEntry;

/// An argument of an intrinsic call, bound to its parameter.
struct Argument {
  enum Kind : uint8_t {
    Absent, ///< None, or not given and the default is None
    Bool,
    Int,
    Float,
    String,
    Type,
    Value, ///< runtime value: expr
    Tile,  ///< region
    List,
    Dict,
    Layout,
    EmitterConfig,
  };
  Kind kind = Absent;
  Span span; ///< of the argument, or of the call when it was not given
  bool boolValue = false;
  int64_t intValue = 0;
  double floatValue = 0;
  llvm::StringRef string;
  DType type = DType::F32;
  const Expr *expr = nullptr; ///< Value; also set for Bool, Int and Float (as constants)
  const Region *region = nullptr;
  llvm::ArrayRef<Argument> list;
  llvm::ArrayRef<DictEntry> dict;
  const LayoutSpec *layout = nullptr;
  const Emitter *emitter = nullptr;

  bool isAbsent() const { return kind == Absent; }
  /// The compile-time truth of a Bool or Int argument.
  bool isTrue() const { return (kind == Bool && boolValue) || (kind == Int && intValue != 0); }
};

struct DictEntry {
  Argument key, value;
};

struct LayoutSpec {
  enum Kind : uint8_t {
    Swizzled, ///< `make_swizzled_layout(buffer)` and its old names
    Linear,   ///< row-major
    Function, ///< `T.Layout(shape, fn)` or a bare lambda
    Fragment, ///< `T.Fragment(...)`
  };
  Kind kind = Swizzled;
  const Buffer *buffer = nullptr; ///< the buffer it was made from, if any
  bool kMajor = true, allowPad = true;
  llvm::ArrayRef<int64_t> shape;
  llvm::ArrayRef<const Var *> indices;  ///< Formal variables, one per dimension
  const Var *replica = nullptr;         ///< Fragment: the replication index, if used
  int64_t replicate = 1;                ///< Fragment
  llvm::ArrayRef<const Expr *> forward; ///< physical index of `indices`
  const Expr *thread = nullptr;         ///< Fragment: thread of `indices`
  Span span;
};

/// Every name of `T.`; see Intrinsics.def. The arguments of a call follow its signature.
enum class IntrinsicId : uint16_t {
#define TILEC_INTRINSIC(Id, Name, Kind, Signature) Id,
#include "tilec/Script/Intrinsics.def"
};

struct Call {
  IntrinsicId id{};
  llvm::ArrayRef<Argument> args; ///< in the signature's order, defaults filled in
  Span span;                     ///< of the call
  Span calleeSpan;               ///< of `T.copy`
};

/// The name of the intrinsic as in scripts, without `T.`.
llvm::StringRef nameOf(IntrinsicId id);
/// The names of its parameters, in the order of Call::args.
llvm::ArrayRef<llvm::StringRef> parametersOf(IntrinsicId id);
/// The argument of that name; asserts that the signature has it.
const Argument &argument(const Call &call, llvm::StringRef name);
llvm::StringRef nameOf(MathFn fn);

enum class StmtKind : uint8_t { Alloc, Let, Store, For, If, While, Break, Continue, TileCall };

struct Stmt {
  StmtKind kind;
  Span span;

protected:
  Stmt(StmtKind kind, Span span) : kind(kind), span(span) {}
};
using Body = llvm::ArrayRef<const Stmt *>;

/// Brings a buffer to life, uninitialised, until the end of the enclosing body. In a
/// parallel body it is private to the iteration. Views are allocated like their own buffers.
struct AllocStmt : Stmt {
  const Buffer *buffer;
  AllocStmt(Span span, const Buffer *buffer) : Stmt(StmtKind::Alloc, span), buffer(buffer) {}
  static bool classof(const Stmt *s) { return s->kind == StmtKind::Alloc; }
};

/// Evaluates once, here.
struct LetStmt : Stmt {
  const Var *var;
  const Expr *value;
  LetStmt(Span span, const Var *var, const Expr *value)
      : Stmt(StmtKind::Let, span), var(var), value(value) {}
  static bool classof(const Stmt *s) { return s->kind == StmtKind::Let; }
};

/// Stores one element; `value` is cast to the buffer's dtype already.
struct StoreStmt : Stmt {
  const Buffer *buffer;
  llvm::ArrayRef<const Expr *> indices;
  const Expr *value;
  Span targetSpan;
  StoreStmt(Span span, const Buffer *buffer, llvm::ArrayRef<const Expr *> indices,
            const Expr *value, Span targetSpan)
      : Stmt(StmtKind::Store, span), buffer(buffer), indices(indices), value(value),
        targetSpan(targetSpan) {}
  static bool classof(const Stmt *s) { return s->kind == StmtKind::Store; }
};

enum class LoopKind : uint8_t {
  Serial,
  Unroll,     ///< serial; a hint
  Vectorized, ///< serial; a hint
  Parallel,   ///< iterations in any order; the only kind with several variables
  Pipelined,  ///< serial; iterations may overlap
  Threads,    ///< T.thread_binding: one iteration per thread of an axis
};

struct LoopRange {
  const Var *var = nullptr;
  const Expr *begin = nullptr, *end = nullptr; ///< end is not visited
  int64_t step = 1;                            ///< never 0
};

struct LoopHints {
  int64_t numStages = 0;
  llvm::ArrayRef<int64_t> order, stage; ///< Pipelined; empty when not given
  llvm::ArrayRef<llvm::ArrayRef<int64_t>> group;
  int64_t coalescedWidth = 0; ///< Parallel; 0 is unset
  llvm::StringRef strategy;   ///< of tilec.schedule; empty is unset
  unsigned threadAxis = 0;    ///< Threads
};

struct ForStmt : Stmt {
  LoopKind loop;
  llvm::ArrayRef<LoopRange> ranges;
  LoopHints hints;
  Body body;
  Span headSpan; ///< `T.Parallel(...)`
  ForStmt(Span span, LoopKind loop) : Stmt(StmtKind::For, span), loop(loop) {}
  static bool classof(const Stmt *s) { return s->kind == StmtKind::For; }
};

struct IfStmt : Stmt {
  const Expr *condition; ///< bool
  Body thenBody, elseBody;
  IfStmt(Span span, const Expr *condition) : Stmt(StmtKind::If, span), condition(condition) {}
  static bool classof(const Stmt *s) { return s->kind == StmtKind::If; }
};

struct WhileStmt : Stmt {
  const Expr *condition; ///< bool, evaluated before each round
  Body body;
  WhileStmt(Span span, const Expr *condition) : Stmt(StmtKind::While, span), condition(condition) {}
  static bool classof(const Stmt *s) { return s->kind == StmtKind::While; }
};

/// Leaves (Break) or starts the next round of (Continue) the innermost loop.
struct JumpStmt : Stmt {
  JumpStmt(Span span, bool isBreak) : Stmt(isBreak ? StmtKind::Break : StmtKind::Continue, span) {}
  static bool classof(const Stmt *s) {
    return s->kind == StmtKind::Break || s->kind == StmtKind::Continue;
  }
};

/// An intrinsic that is a statement: copy, gemm, reduce_sum, atomics, sync_threads, emitter calls
/// ... `result`, when set, is bound to the value it returns (`return_prev=True`, shuffles).
struct TileCallStmt : Stmt {
  const Call *call;
  const Var *result = nullptr;
  TileCallStmt(Span span, const Call *call) : Stmt(StmtKind::TileCall, span), call(call) {}
  static bool classof(const Stmt *s) { return s->kind == StmtKind::TileCall; }
};

/// One `with T.Kernel(...)`.
struct Launch {
  llvm::ArrayRef<const Expr *> grid;      ///< 1 to 3 extents, x first
  llvm::ArrayRef<const Var *> blockVars;  ///< one per grid extent
  llvm::ArrayRef<int64_t> threads;        ///< 1 to 3 extents, x first
  llvm::ArrayRef<const Var *> threadVars; ///< one per axis; unused ones may be null
  bool threadsGiven = false;              ///< else `threads` is the default, 128
  bool usesThreadIdentity = false;        ///< lockstep SPMD mode
  bool readsThreadCount = false;          ///< T.get_thread_extent: `threads` must stay
  Body body;
  Span span;        ///< of `T.Kernel(...)`
  Span threadsSpan; ///< of the `threads` argument, else of the call
};

struct Param {
  llvm::StringRef name;
  const Buffer *buffer = nullptr; ///< tensors
  const Var *scalar = nullptr;    ///< runtime scalars
  Span span;
};

struct PassConfig {
  llvm::StringRef key;
  Argument value;
};

/// What one entry of a script compiles to. Owns everything reachable from it.
struct Program {
  std::string name;
  Arch arch = Arch::Gfx950; ///< whose questions were answered while tracing
  Span span;                ///< of the function's name
  std::vector<Param> params;
  std::vector<const Var *> dims; ///< symbolic dims, by first appearance
  std::vector<unsigned> outputs; ///< indices into params, in the order they are returned
  std::vector<const Buffer *> workspaces;
  std::vector<const Expr *> assumptions; ///< host-level facts that hold for every launch
  std::vector<const Launch *> launches;
  std::vector<PassConfig> passConfigs;
  /// Errors have been reported, and what they are about is missing here: there are names that
  /// nothing binds, and loops that have left their bodies behind.
  bool isPartial = false;

  Program() = default;
  Program(const Program &) = delete;
  Program &operator=(const Program &) = delete;

  /// For whoever builds or rewrites the tree. Nothing allocated here is destroyed.
  template <typename T, typename... Args> T *make(Args &&...args) {
    return new (arena.Allocate(sizeof(T), alignof(T))) T(std::forward<Args>(args)...);
  }
  template <typename T> llvm::ArrayRef<T> copy(llvm::ArrayRef<T> items) {
    return items.copy(arena);
  }
  llvm::StringRef copy(llvm::StringRef text) { return text.copy(arena); }
  unsigned nextId() { return idCount++; }
  size_t bytesAllocated() const { return arena.getBytesAllocated(); }

private:
  llvm::BumpPtrAllocator arena;
  unsigned idCount = 0;
};

/// A readable listing, for tests and `--emit` of nobody: the format is not an interface.
void dump(const Program &program, llvm::raw_ostream &os);
void dump(const Expr &expr, llvm::raw_ostream &os);

} // namespace tilec::script
