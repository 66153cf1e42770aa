//===- Evaluator.h - compile-time Python that traces kernels --------------===//
//
// A tree-walking evaluator of pure Python. Inside `with T.Kernel(...)` runtime values
// are expressions and statements are appended to the kernel being traced.
//
// An error is kept in `failure` until someone asks for it (a module-level statement may
// fail without consequence); functions return an invalid Value or Flow::Error after one.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "ExprBuilder.h"
#include "HostPieces.h"
#include "Value.h"
#include "tilec/Base/Arch.h"
#include "tilec/Script/ModuleFiles.h"
#include "tilec/Support/Diagnostics.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FormatVariadic.h"

#include <set>
#include <tuple>

namespace tilec::script {

/// What bounds an evaluation. Far above what kernels need: the largest of upstream's examples take
/// some ten thousand steps.
struct Limits {
  uint64_t steps = 5'000'000;      ///< expressions and statements evaluated, elements copied
  uint64_t statements = 100'000;   ///< statements of a traced kernel, unrolled ones included
  uint64_t arenaBytes = 256 << 20; ///< of traced expressions
  uint64_t textBytes = 1 << 20;    ///< of one string
  unsigned depth = 350;            ///< nested expressions and statements
  unsigned calls = 60;             ///< nested calls of script functions
  unsigned exprDepth = 200;        ///< levels of one runtime expression
};

struct CallArgs {
  struct Keyword {
    std::string name;
    Value value;
    Span span;           ///< of `name=value`
    Span valueSpan = {}; ///< of the value, when known
    Span place() const { return valueSpan.isValid() ? valueSpan : span; }
  };
  llvm::SmallVector<Value> values; ///< positional
  llvm::SmallVector<Span> spans;
  llvm::SmallVector<Keyword> keywords;
  Span span, calleeSpan;
};

/// The arguments of an intrinsic, in its signature's order.
struct BoundArgs {
  IntrinsicId id{};
  llvm::SmallVector<Value> values;
  llvm::SmallVector<Span> spans; ///< the call's span where the default was taken
  llvm::SmallVector<bool> given;
  Span span, calleeSpan;

  size_t indexOf(llvm::StringRef name) const;
  const Value &operator[](llvm::StringRef name) const { return values[indexOf(name)]; }
  Span spanOf(llvm::StringRef name) const { return spans[indexOf(name)]; }
  bool isGiven(llvm::StringRef name) const { return given[indexOf(name)]; }
};

enum class Flow { Normal, Break, Continue, Return, Error };

class Evaluator {
public:
  Evaluator(const SourceManager &sources, const ast::Module &module, Arch arch, Program &program,
            ModuleFiles *files = nullptr, HostPieces *pieces = nullptr);
  ~Evaluator();

  /// Evaluates an expression of another file in the module's scope: `outer(args).inner` is a name
  /// that the function binds, on the way to its end.
  Value evaluateEntry(const ast::Expr *expression);
  /// The value of a name of the module level.
  Value evaluateName(llvm::StringRef name);
  /// Gives `name`, a name of the module level or the text of an opaque value, this value.
  void define(llvm::StringRef name, const ast::Expr *value);
  /// Definitions that nothing asked for.
  std::vector<std::string> unusedDefinitions() const;
  /// Kernels that functions of the entry made, in order.
  llvm::ArrayRef<Value> kernelsMade() const { return made; }
  /// Those in which there were errors: what could be traced of them.
  llvm::ArrayRef<Value> kernelsBegun() const { return begun; }
  /// What a function gives that is called without arguments; other values are what they are.
  Value callEntry(const Value &value, Span span);
  const std::optional<Failure> &error() const { return failure; }
  /// What the text, which need not have been evaluated, names behind `T.` and may not
  /// (Refusals.cpp).
  std::vector<Diagnostic> refusedNames(Span text);
  std::vector<Diagnostic> takeRemarks() { return std::move(remarks); }
  Limits limits;

private:
  friend struct FrameScope;

  Value call(const Value &callee, CallArgs &args);

  // Errors (Evaluator.cpp).
  template <typename... Args> Value fail(DiagId id, Span span, Args &&...args) {
    if (!failure)
      failure = Failure{{id, severityOf(id), span,
                         llvm::formatv(false, formatOf(id), std::forward<Args>(args)...).str()},
                        {}};
    return Value();
  }
  /// The value of `v` is needed, but its module is not evaluated.
  Value failOpaque(const Value &v, Span span);
  /// Fails without a word: what is wrong has been said.
  Value poison();
  template <typename... Args> void note(DiagId id, Span span, Args &&...args) {
    if (failure)
      failure->notes.push_back(makeNote(id, span, std::forward<Args>(args)...));
  }
  template <typename... Args> static Diagnostic makeNote(DiagId id, Span span, Args &&...args) {
    return {id, severityOf(id), span,
            llvm::formatv(false, formatOf(id), std::forward<Args>(args)...).str()};
  }
  template <typename... Args> void remark(DiagId id, Span span, Args &&...args) {
    remarks.push_back({id, severityOf(id), span,
                       llvm::formatv(false, formatOf(id), std::forward<Args>(args)...).str()});
  }
  /// The same, but not again of the same place.
  template <typename... Args> void remarkOnce(DiagId id, Span span, Args &&...args) {
    if (remarkedPlaces.insert({span.file, span.begin, span.end}).second)
      remark(id, span, std::forward<Args>(args)...);
  }
  bool step(Span span, uint64_t count = 1);
  /// Python's `==`; counts as steps what it compares.
  bool same(const Value &a, const Value &b);
  /// A str made of a value's text; fails when that is too long.
  Value text(std::string text, Span span);
  struct Deeper;
  struct Isolated;

  // Going on after an error (Recovery.cpp).
  struct Recovery;
  struct Attempt;
  bool canGoOn() const;
  bool postpone();
  void keep(Failure found);
  bool recover(const ast::Stmt *s, Flow &flow);
  void poisonName(llvm::StringRef name, Span span);
  Flow execAfterError(ast::Body body, const ast::Stmt *s);

  // Module level (Globals.cpp).
  void indexGlobals(ModuleScope &scope);
  void indexStatement(ModuleScope &scope, const ast::Stmt *s, size_t index);
  bool runGlobal(size_t statement);
  bool isMainGuard(const ast::Stmt *s) const;
  Value lookupGlobal(llvm::StringRef name, Span use, bool report = true);
  Value undefinedName(llvm::StringRef name, Span use, Env *env);
  void setGlobal(llvm::StringRef name, const Value &value);

  // Names (Evaluator.cpp).
  Value lookup(llvm::StringRef name, Span use);
  Binding *findBinding(Env *env, llvm::StringRef name);
  bool bind(llvm::StringRef name, const Value &value, Span span);
  void setBinding(Env *env, llvm::StringRef name, const Value &value, Span span);
  void nameBuffer(const Value &value, llvm::StringRef name, Span span);
  bool assign(const ast::Expr *target, const Value &value, Span valueSpan);
  bool mayStore(const ast::Expr *target) const;
  bool assignSequence(const ast::SequenceExpr *target, const Value &value, Span valueSpan);
  bool assignSubscript(const ast::SubscriptExpr *target, const Value &value, Span valueSpan);
  bool assignSlice(const Value &list, const SliceObject *slice, const Value &value, Span indexSpan,
                   Span valueSpan);
  bool deleteItem(const ast::SubscriptExpr *target);
  const llvm::DenseSet<llvm::StringRef> *localsOf(const FunctionObject *function);

  // Expressions (EvalExpr.cpp, EvalStrings.cpp).
  Value eval(const ast::Expr *e);
  Value evalRaw(const ast::Expr *e); ///< leaves a Var-scope buffer as a buffer
  Value evalKind(const ast::Expr *e);
  Value evalNumber(const ast::NumberExpr *e);
  Value evalJoined(const ast::JoinedExpr *e);
  std::optional<std::string> joinedText(llvm::ArrayRef<ast::JoinedPart> parts, Span span);
  Value evalSequence(const ast::SequenceExpr *e);
  Value evalDict(const ast::DictExpr *e);
  Value evalUnary(const ast::UnaryExpr *e);
  Value evalApart(const ast::Expr *e, std::vector<const Stmt *> &made);
  const Expr *chooseMade(const Expr *condition, std::vector<const Stmt *> &ofA, const Expr *a,
                         std::vector<const Stmt *> &ofB, const Expr *b, Span span);
  /// Python's: one of the operands, or, where only its truth counts (`isTested`), that.
  Value evalBool(const ast::BoolExpr *e, bool isTested);
  /// An expression of which only the truth counts.
  Value evalTested(const ast::Expr *e);
  Value evalCompare(const ast::CompareExpr *e);
  Value evalConditional(const ast::ConditionalExpr *e);
  Value evalLambda(const ast::LambdaExpr *e);
  Value evalCall(const ast::CallExpr *e);
  Value failWith(const ast::Expr *other);
  Value evalComprehension(const ast::ComprehensionExpr *e);
  bool comprehend(const ast::ComprehensionExpr *e, size_t level,
                  llvm::function_ref<bool()> element);
  Value evalSlice(const ast::SliceExpr *e);
  Value decay(const Value &v, Span span);

  // Operators (Operators.cpp).
  Value binary(ast::BinaryOp op, const Value &a, const Value &b, Span span, Span aSpan, Span bSpan);
  Value numeric(ast::BinaryOp op, const Value &a, const Value &b, Span span, Span bSpan);
  Value integerOp(ast::BinaryOp op, const Integer &a, const Integer &b, Span span, Span bSpan);
  Value floatOp(ast::BinaryOp op, double a, double b, Span span, Span bSpan);
  Value runtimeBinary(ast::BinaryOp op, const Value &a, const Value &b, Span span, Span aSpan,
                      Span bSpan);
  Value runtimePow(const Expr *a, const Value &exponent, Span span, Span bSpan);
  Value sequenceOp(ast::BinaryOp op, const Value &a, const Value &b, Span span);
  Value compare(ast::CompareOp op, const Value &a, const Value &b, Span span, Span aSpan,
                Span bSpan);
  Value contains(const Value &item, const Value &container, Span span, Span itemSpan);
  std::optional<int> order(const Value &a, const Value &b, Span span);
  /// Whether the value is true; nothing when it is a runtime value or after an error.
  std::optional<bool> truth(const Value &v, Span span);
  bool isRuntime(const Value &v) const;
  struct Operand {
    Value value;
    Span span;
  };
  /// An operation on numbers is asked of whole buffers: shows the loop.
  Value failWholeBuffer(llvm::StringRef what, Span span, llvm::ArrayRef<Operand> operands);
  /// Both operands as expressions; a literal takes the other's dtype.
  bool pairUp(const Value &a, const Value &b, Span aSpan, Span bSpan, const Expr *&x,
              const Expr *&y, llvm::StringRef what);
  bool hashable(const Value &v, Span span);

  // Conversions (Convert.cpp).
  const Expr *toExpr(const Value &v, Span span, std::optional<DType> wanted = std::nullopt);
  const Expr *toIndex(const Value &v, Span span);
  const Expr *toCondition(const Value &v, Span span);
  std::optional<int64_t> toInt(const Value &v, Span span, llvm::StringRef what);
  std::optional<double> toReal(const Value &v, Span span, llvm::StringRef what);
  std::optional<DType> toDType(const Value &v, Span span);
  bool toShape(const Value &v, Span span, llvm::SmallVectorImpl<const Expr *> &out,
               bool mustBeConstant);
  bool toIntList(const Value &v, Span span, llvm::StringRef what,
                 llvm::SmallVectorImpl<int64_t> &out);
  bool iterate(const Value &v, Span span, llvm::SmallVectorImpl<Value> &out);
  struct ArgumentRow;
  bool toArgument(const Value &v, Span span, Argument &out);
  bool listArgument(const Value &v, Span span, Argument &out);
  bool dictArgument(const Value &v, Span span, Argument &out);
  const Region *elementRegion(const Expr *load);
  const Region *wholeRegion(const Buffer *buffer, Span span);

  // Attributes, subscripts (Attributes.cpp).
  Value attribute(const Value &object, llvm::StringRef name, Span span, Span nameSpan);
  Value typeAttribute(const Value &object, llvm::StringRef name, Span nameSpan);
  Value builtinAttribute(const Value &object, llvm::StringRef name, Span span, Span nameSpan);
  Value valueAttribute(const Value &object, llvm::StringRef name, Span span, Span nameSpan);
  struct MethodCall;
  Value callMethod(const MethodObject *method, CallArgs &args);
  Value callMethod(const Value &self, llvm::StringRef name, CallArgs &args);
  bool wantStr(const CallArgs &args, size_t i);
  Value strFormat(llvm::StringRef format, CallArgs &args);
  Value strFormat(llvm::StringRef format, CallArgs &args, size_t &next, bool isSpec);
  Value formatField(llvm::StringRef field, CallArgs &args, size_t &next);
  Value percentFormat(const Value &format, const Value &values, Span span);
  Value subscript(const Value &object, const Value &index, Span span, Span indexSpan);
  Value sequenceItem(const Value &object, const Value &index, Span span, Span indexSpan);
  Value subscriptBuffer(const Buffer *buffer, const Value &index, Span span, Span indexSpan);
  bool sliceBounds(const SliceObject *slice, int64_t length, Span span, int64_t &start,
                   int64_t &stop, int64_t &step);
  Value *dictFind(DictObject *dict, const Value &key);
  bool dictSet(DictObject *dict, const Value &key, const Value &value, Span span);
  Value method(const Value &self, llvm::StringRef name);

  // Calls (Calls.cpp, Builtins.cpp, Modules.cpp).
  Value callFunction(const FunctionObject *function, CallArgs &args, bool traced);
  std::optional<CallArgs> evalArguments(const ast::CallExpr *e);
  std::optional<Value> innerName(const ast::AttributeExpr *e);
  void noteTaken(const FunctionObject *function, const CallArgs &args);
  bool bindParams(const FunctionObject *function, CallArgs &args, Env *env);
  Value makeFunction(const ast::FunctionStmt *def);
  FunctionObject *plainFunction(const ast::FunctionStmt *def);
  Value decorate(const Value &decorator, const Value &function, const ast::Expr *e);
  struct BuiltinCall;
  Value callBuiltin(llvm::StringRef name, const Value &callee, CallArgs &args);
  /// Of Python's own, whose names need no import.
  static bool isPythonFunction(llvm::StringRef name);
  struct TypeRow;
  static const TypeRow *typeOf(llvm::StringRef name);
  Value callType(llvm::StringRef name, CallArgs &args);
  Value makeSequence(ValueKind kind, llvm::StringRef name, CallArgs &args);
  Value makeDict(CallArgs &args);
  Value makeBool(CallArgs &args);
  Value makeFloat(CallArgs &args);
  Value builtinMinMax(bool isMin, CallArgs &args);
  Value builtinRange(CallArgs &args);
  Value builtinSorted(CallArgs &args);
  Value builtinIsInstance(CallArgs &args);
  Value builtinInt(CallArgs &args);
  Value builtinRound(CallArgs &args);
  Value roundInteger(const Integer &value, int64_t digits, int fraction, Span span);
  Value builtinPow(CallArgs &args);
  Value integerText(llvm::StringRef spec, CallArgs &args);
  Value builtinOrd(CallArgs &args);
  Value builtinChr(CallArgs &args);
  Value mathModule(llvm::StringRef name, CallArgs &args);
  struct MathCall;
  static llvm::SmallVector<llvm::StringRef> mathNames();
  bool hasNoRuntimeValue(llvm::StringRef name, const CallArgs &args);
  Value nextPowerOf2(CallArgs &args);
  struct IteratorCall;
  static bool isOfItertools(llvm::StringRef name);
  Value itertoolsModule(llvm::StringRef name, CallArgs &args);
  Value selections(llvm::ArrayRef<Value> items, int64_t count, bool ordered, Span span);
  Value reduce(CallArgs &args);
  Value callWith(const Value &callee, llvm::ArrayRef<Value> values, const CallArgs &args);
  Value product(CallArgs &args);
  bool arity(CallArgs &args, size_t least, size_t most, llvm::StringRef name);
  /// Fails on a keyword that `name` does not take.
  bool knownKeywords(CallArgs &args, llvm::StringRef name, llvm::ArrayRef<llvm::StringRef> known);
  Value builtinName(llvm::StringRef name);
  /// An opaque value, unless it is defined or a question about the target.
  Value opaque(std::string name, Span span);
  std::optional<Value> defined(llvm::StringRef name);
  std::optional<Value> targetFact(llvm::StringRef name);
  Value callOpaque(const Value &callee, const CallArgs &args);

  // The program around the script (HostNames.cpp).
  std::optional<Value> hostName(llvm::StringRef name, Span use);
  Value fromHost(const HostValue &given, std::string name, Span span);
  std::optional<HostValue> toHost(const Value &v);
  Value hostFunction(const HostValue &given, std::string name, Span use);
  Value hostModule(const HostValue &given, Span span);
  Value hostAttribute(const Value &object, llvm::StringRef name, Span span);
  Value hostCall(const Value &callee, const CallArgs &args, std::string full);
  Value hostCompare(ast::CompareOp op, const Value &a, const Value &b, Span span);
  std::optional<bool> hostTruth(const Value &object, llvm::StringRef question,
                                llvm::ArrayRef<Value> args, Span span);
  Value unknownToHost(std::string name, std::string reason, Span span);

  // Tensors of the host code (Tensors.cpp).
  bool isTensor(const Value &v) const;
  Value tensor(std::string name, llvm::ArrayRef<int64_t> shape, Value type, Span span);
  std::optional<Value> tensorOfList(const std::string &text, const Value &list, const Value *type,
                                    Span span);
  std::optional<Value> tensorFactory(llvm::StringRef name, const CallArgs &args);
  Value tensorAttribute(const Value &self, llvm::StringRef name, Span span);
  struct TensorCall;
  Value tensorMethod(const Value &callee, const CallArgs &args);
  std::optional<Value> tensorArithmetic(const Value &a, const Value &b, Span span);
  ModuleScope *moduleBeside(llvm::StringRef name);
  std::string moduleOfImport(const ModuleScope &importer, llvm::StringRef name) const;
  Value nameOfModuleBeside(ModuleScope &scope, llvm::StringRef name, Span span);
  Value importModule(llvm::StringRef name, Span span);
  Value moduleAttribute(llvm::StringRef module, llvm::StringRef name, Span span);
  Value nameOfMath(llvm::StringRef name, Span span);
  Value nameOfSchedule(llvm::StringRef name, Span span);
  Value nameOfTilelang(llvm::StringRef module, llvm::StringRef name, Span span);
  Value tileAttribute(llvm::StringRef name, Span span, bool report = true);
  bool execImport(const ast::ImportStmt *s);

  // Statements (EvalStmt.cpp).
  Flow exec(ast::Body body);
  Flow exec(const ast::Stmt *s);
  Flow execKind(const ast::Stmt *s);
  Flow execFor(const ast::ForStmt *s);
  Flow execWhile(const ast::WhileStmt *s);
  Flow execRounds(ast::Body body, ast::Body orElse, llvm::function_ref<std::optional<bool>()> next);
  Flow execIf(const ast::IfStmt *s);
  Flow execWith(const ast::WithStmt *s);
  Flow execAugAssign(const ast::AugAssignStmt *s);
  Flow execAnnAssign(const ast::AnnAssignStmt *s);
  Flow execAssert(const ast::AssertStmt *s);
  Flow execRaise(const ast::SimpleStmt *s);
  Flow execTry(const ast::TryStmt *s);
  Flow execDelete(const ast::DeleteStmt *s);
  Flow execReturn(const ast::SimpleStmt *s);
  Flow execJump(const ast::Stmt *s, bool isBreak);

  // Tracing (Tracer.cpp): runtime statements and frames.
  bool inLaunch() const { return launch != nullptr; }
  void emit(const Stmt *s);
  bool emitStore(const Buffer *buffer, llvm::ArrayRef<const Expr *> indices, const Value &value,
                 Span span, Span targetSpan, Span valueSpan);
  Value bindLet(llvm::StringRef name, const Expr *e, Span span);
  const Var *newVar(llvm::StringRef name, DType type, VarKind kind, Span span);
  Buffer *newBuffer(llvm::StringRef name, DType type, Scope scope,
                    llvm::ArrayRef<const Expr *> shape, Span span);
  /// Runs `trace` in a new runtime frame; names assigned in `bodies` that are bound to scalars
  /// outside become variables first. `before` runs after that and before the frame.
  bool runtimeFrame(llvm::ArrayRef<ast::Body> bodies, llvm::ArrayRef<const ast::Expr *> exclude,
                    Span span, llvm::function_ref<bool()> trace);
  /// Traces one body of a runtime frame into a statement list.
  bool traceBody(ast::Body body, Span span, Body &out);
  void closeFrame(size_t journalMark);
  Flow traceLoop(const ast::ForStmt *s, LoopObject *loop);
  Flow traceParallel(const ast::ForStmt *s, LoopObject *loop);
  bool isBarrierOfBlock(const ast::Stmt *s);
  Flow tracePersistent(const ast::ForStmt *s, LoopObject *loop);
  Flow traceIf(const ast::IfStmt *s, const Expr *condition);
  Flow traceWhile(const ast::Expr *condition, ast::Body body, Span span);
  Flow execLaunch(const ast::WithStmt *s, LaunchObject *frame, const ast::Expr *target);

  // Kernels (Kernels.cpp): prim_func, jit.
  Value tracePrimFunc(FunctionObject *function, Span span);
  Value callJit(JitObject *jit, CallArgs &args);
  Value traceEager(JitObject *jit, CallArgs &args);
  /// Parameters in the order of the function's; of a body that was not traced whole, those that
  /// are known.
  struct EagerState;
  bool takeParams(EagerState &state, KernelObject *made, bool isTraced);
  bool declareParam(llvm::StringRef name, Span span, const Value &annotation, Span annotationSpan,
                    Value &bound);
  Value makeJit(FunctionObject *function, CallArgs *options, Span span);
  bool applyOutputs(KernelObject *kernel, const JitObject *jit);
  bool looksEager(const FunctionObject *function) const;
  Value failMissing(llvm::StringRef name, Span span, DiagId alone);
  Value failTensorGiven(llvm::StringRef name, Span span);
  bool returnOutputs(const Value &result, Span span);

  // Intrinsics (Intrinsics*.cpp).
  std::optional<BoundArgs> bindIntrinsic(IntrinsicId id, CallArgs &args);
  /// Whether the intrinsic has such a parameter, or one that is ignored; fails else.
  bool isKeywordOf(IntrinsicId id, llvm::StringRef keyword, Span span);
  // Hints that change nothing (IgnoredHints.cpp).
  Value defaultOf(llvm::StringRef text); ///< of a signature
  void remarkIgnored(const BoundArgs &args);
  void remarkAnnotations(const Value &value, Span span);
  void remarkIgnoredOption(llvm::StringRef name, const Value &value, Span span);
  void remarkIgnoredConfig(llvm::StringRef key, const Value &value, Span span);
  Value callIntrinsic(IntrinsicId id, CallArgs &args, const Value *self = nullptr);
  Value reduceByName(const BoundArgs &args);
  Value annotateConfigs(const BoundArgs &args);
  Value emitIntrinsic(BoundArgs &args);
  const Call *makeCall(BoundArgs &args);
  std::optional<DType> resultType(const Call *call);
  void noteThreadIdentity(const Call *call);
  bool checkTiles(const Call *call);
  Value callMath(MathFn fn, CallArgs &args);
  struct ScalarCall;
  Value scalarIntrinsic(BoundArgs &args);
  Value directedCast(const BoundArgs &args, DType type);
  Value atomicVectorPrev(const BoundArgs &args);
  bool storeItems(const Region *region, llvm::ArrayRef<Value> items, Span span, Span targetSpan,
                  Span valueSpan);
  bool checkDirective(BoundArgs &args);
  bool checkMemoryOrder(const BoundArgs &args);
  Value tileScheduler(const BoundArgs &args);
  Value schedulerAttribute(const Value &scheduler, llvm::StringRef name, Span span, Span nameSpan);
  Value callScheduler(const Value &scheduler, llvm::StringRef name, CallArgs &args);
  Value clampIntrinsic(BoundArgs &args);
  Value reinterpretIntrinsic(BoundArgs &args);
  Value castIntrinsic(const Value &value, Span valueSpan, DType type, Span span);
  Value limitIntrinsic(BoundArgs &args);
  Value compatIntrinsic(const BoundArgs &args);
  Value findFirstSet(const BoundArgs &args);
  Value indexToCoordinates(const BoundArgs &args);
  Value swizzlePlace(const BoundArgs &args);
  Value callByName(const BoundArgs &args);
  Value kernelIntrinsic(BoundArgs &args);
  Value makeLaunch(BoundArgs &args);
  Value threadIndex(int64_t axis, Span span);
  Value loopIntrinsic(BoundArgs &args);
  Value loopBounds(BoundArgs &args, LoopKind kind);
  Value parallelLoop(BoundArgs &args);
  Value pipelinedLoop(BoundArgs &args);
  Value persistentLoop(BoundArgs &args);
  Value allocIntrinsic(BoundArgs &args);
  Value allocate(BoundArgs &args, Scope scope);
  Value allocVar(BoundArgs &args);
  Value allocReducer(BoundArgs &args);
  Value tensorType(BoundArgs &args);
  Value emptyTensor(BoundArgs &args);
  Value makeTensor(BoundArgs &args);
  Value dynamicDims(BoundArgs &args, bool isConst);
  Value viewIntrinsic(BoundArgs &args);
  bool hasPlainStrides(const BoundArgs &args, llvm::ArrayRef<const Expr *> shape);
  Value layoutIntrinsic(BoundArgs &args);
  Value replicatedLayout(const BoundArgs &args);
  const LayoutSpec *functionLayout(const Value &fn, Span span, llvm::ArrayRef<int64_t> shape,
                                   LayoutSpec::Kind kind, const Value *threadFn = nullptr);
  Value emitterIntrinsic(BoundArgs &args);
  bool emitterShape(BoundArgs &args, Emitter &e);
  Value annotateSafeValue(BoundArgs &args);
  Value annotateOverlaps(BoundArgs &args);
  Value scheduleFunction(llvm::StringRef name, CallArgs &args);

  // Classes under @dataclass (Classes.cpp).
  Value makeClass(const ast::ClassStmt *def);
  bool addToClass(ClassObject *made, const ast::Stmt *s, llvm::SmallVectorImpl<ast::Param> &fields);
  Value callClass(const ClassObject *type, CallArgs &args);
  Value instanceAttribute(const Value &object, llvm::StringRef name, Span span, Span nameSpan);
  Value callOfInstance(const Value &self, llvm::StringRef name, CallArgs &args);
  Value replaceFields(const CallArgs &args);

  // What authors of asynchronous code write (IntrinsicsAsync.cpp).
  Value asyncIntrinsic(const BoundArgs &args);
  Value asyncCopy(const BoundArgs &args);
  Value copyElements(const BoundArgs &args);
  Value allocBarrier(const BoundArgs &args);
  Value evalLet(const ast::CallExpr *e);

  // Tuned kernels (Tuner.cpp).
  const DictObject *firstConfig(Value configs, Span span);
  void takeFirstConfig(const FunctionObject *f, llvm::MutableArrayRef<Value> values, Span span);
  Value tunerAttribute(const Value &object, llvm::StringRef name, Span span);
  Value makeTuner(const CallArgs &args);
  Value callTuner(const Value &tuner, llvm::StringRef name, const CallArgs &args);
  Value compileEach(const Value &jit, const CallArgs &args);

  // Vectors (Lanes.cpp).
  using LaneFn = llvm::function_ref<Value(llvm::ArrayRef<Value>)>;
  Value lanes(std::vector<Value> items);
  Value eachLane(llvm::ArrayRef<Value> operands, Span span, LaneFn f);
  Value scalarOfLanes(const BoundArgs &args);
  Value repack(llvm::ArrayRef<const Expr *> from, DType type, Span span);
  Value reinterpretLanes(const Value &value, const Value &type, Span span);
  Value settle(const Value &vector, Span span);
  bool storeLanes(const Value &places, const Value &value, Span span, Span targetSpan,
                  Span valueSpan);
  Value lanesOfRegion(const Region *region, Span span);
  Value allocLanes(const VectorType &type, const Value &init, Span span, Span initSpan);
  Value makeLanes(const VectorType &type, CallArgs &args);
  Value laneIntrinsic(const BoundArgs &args);
  std::optional<int64_t> laneCount(const BoundArgs &args);
  Value rampIntrinsic(const BoundArgs &args);
  Value shuffleIntrinsic(const BoundArgs &args);
  Value partOfLanes(const BoundArgs &args);
  Value packedIntrinsic(const BoundArgs &args);
  const Region *wordsAt(const BoundArgs &args, llvm::StringRef name, unsigned bits);
  Value wordsIntrinsic(const BoundArgs &args);
  Value atomicOfLanes(const BoundArgs &args);

  // Functions in tile language (Library.cpp).
  Value callLibrary(llvm::StringRef name, llvm::ArrayRef<Value> values, Span span,
                    llvm::ArrayRef<Span> spans = {});
  Value libraryIntrinsic(const BoundArgs &args);
  bool takesSparse(const BoundArgs &args) const;
  Value randomIntrinsic(const BoundArgs &args);
  Value attrIntrinsic(const BoundArgs &args);
  Value threadAllReduce(const BoundArgs &args);
  Value importSource(const Value &source);
  Value pointerIntrinsic(const BoundArgs &args);
  std::optional<Value> callForeign(llvm::StringRef name, llvm::ArrayRef<Value> values,
                                   const BoundArgs &args);

  const SourceManager &sources;
  ModuleFiles *files; ///< modules beside the script; null when there are none
  HostPieces *pieces; ///< of the program around it; null when there is none
  llvm::StringMap<std::optional<Value>> hostNames; ///< what it gave, by scope and name
  ModuleScope script;
  ModuleScope *home = &script;                          ///< the file of what is evaluated
  llvm::StringMap<std::unique_ptr<ModuleScope>> beside; ///< by dotted name; null: no such module
  llvm::StringSet<> imported;                           ///< modules beside the script, by `import`
  llvm::StringMap<Failure> whyOpaque; ///< of values that a module beside the script could not give
  struct Definition {
    const ast::Expr *expression;
    std::optional<Value> value;
    bool isUsed = false;
  };
  Value valueOf(Definition &definition);
  llvm::StringMap<Definition> definitions;
  Arch arch;
  Program &program;
  ExprBuilder build;
  Heap heap;

  std::optional<Failure> failure;
  std::vector<Diagnostic> remarks;
  std::set<std::tuple<uint32_t, uint32_t, uint32_t>> remarkedPlaces; ///< of remarkOnce
  uint64_t stepCount = 0;
  uint64_t statementCount = 0;
  unsigned depth = 0, callDepth = 0;

  // Errors that an evaluation went on after.
  std::vector<Failure> kept;
  bool recovers = false; ///< statements that fail are left out, and the next one is evaluated

  // The entry.
  std::vector<Value> made;     ///< kernels
  std::vector<Value> begun;    ///< kernels with errors
  uint32_t entryFile = ~0u;    ///< where `f(x).name` means a name of the function
  const Env *stopIn = nullptr; ///< a call that ends once it has bound ...
  llvm::StringRef stopAt;      ///< ... this name
  llvm::StringRef wantedInner; ///< for the next call of a function

  Env *env = nullptr;
  Value returned;
  Span lastSpan;     ///< of the last step
  Span returnedSpan; ///< of that value
  llvm::DenseMap<const void *, std::unique_ptr<llvm::DenseSet<llvm::StringRef>>> localsCache;
  llvm::StringMap<const Var *> dims;

  // Tracing.
  struct JournalEntry {
    Env *env;
    std::string name;
    std::optional<Binding> old;
  };
  struct Promoted {
    DType type;  ///< of the variable
    DType wider; ///< what it would have to be
  };
  struct LoopContext {
    bool isRuntime;
    unsigned frames; ///< runtime frames open when it began
  };
  KernelObject *kernel = nullptr; ///< prim_func or eager function being traced
  Launch *launch = nullptr;
  std::vector<const Stmt *> *statements = nullptr;
  std::vector<const Stmt *> prologue; ///< what stands before the launch's statements
  std::vector<JournalEntry> journal;
  llvm::DenseMap<const Buffer *, Promoted> promoted;
  std::vector<LoopContext> loops;
  unsigned frames = 0;         ///< open runtime frames
  unsigned branches = 0;       ///< of these, `if`s
  unsigned functionFrames = 0; ///< those open when the running function was called
  unsigned parallelDepth = 0;  ///< open T.Parallel loops
  llvm::DenseMap<const Buffer *, Buffer *> mutableBuffers; ///< all buffers, to annotate them later
  llvm::DenseSet<const Buffer *> unnamedBuffers;           ///< not bound to a name yet
  Value threadReducer;                                     ///< of the `with T.attr(...)` around
  Value randomState;                                       ///< of the random numbers of ...
  const Launch *randomLaunch = nullptr;                    ///< ... this launch
  bool drawsRandom = false;                                ///< since someone reset it
  llvm::StringSet<> foreign; ///< C++ functions of the library that sources define

  // Eager functions.
  struct EagerState {
    llvm::SmallVector<CallArgs::Keyword> consts; ///< values for T.const
    llvm::StringMap<bool> used;
    llvm::StringMap<Param> params; ///< by name, annotated so far
    std::vector<const Buffer *> empties;
    const FunctionObject *function = nullptr;
    const CallArgs *given = nullptr; ///< as in the call
    Span callSpan;
    bool isIncomplete = false; ///< what the call lacks has been told
  };
  EagerState *eager = nullptr;
  void solveConsts(EagerState &state, const CallArgs &args);
};

/// Names that statements of `body` bind, nested functions and classes excluded; `loopTargets` says
/// whether the targets of `for` count.
void collectAssigned(ast::Body body, llvm::DenseSet<llvm::StringRef> &out, bool loopTargets);
void collectTargets(const ast::Expr *target, llvm::DenseSet<llvm::StringRef> &out);
/// The candidate nearest to `name`, when one is near enough to be a misspelling.
std::string nearest(llvm::StringRef name, llvm::ArrayRef<llvm::StringRef> candidates);
/// The dtypes, for suggestions.
llvm::ArrayRef<llvm::StringRef> dtypeNames();
/// `; did you mean `x`?` or nothing.
std::string suggestion(llvm::StringRef name, llvm::ArrayRef<llvm::StringRef> candidates);
/// The same, or the candidates when they are few.
std::string suggestionOrList(llvm::StringRef name, llvm::ArrayRef<llvm::StringRef> candidates);

} // namespace tilec::script
