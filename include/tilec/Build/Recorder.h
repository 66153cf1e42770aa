//===- Recorder.h - a kernel from calls of a host language ----------------===//
//
// The second front end: calls become a syntax tree as the parser makes it of a script,
// with places in the host's source. Trace and Import are those of scripts, so that
// meaning, checks and messages are theirs, and one recording compiles for every target.
// docs/deploy/embedding.md has the rules; tilec-c/Build.h is the interface on it.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/Script/Ast.h"
#include "tilec/Support/Diagnostics.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

#include <list>
#include <memory>
#include <string>
#include <vector>

namespace tilec::build {

/// A finished recording; never changes.
struct Recording {
  SourceManager sources;
  script::ast::Module module;
  std::string entry; ///< the kernel function
  std::vector<Diagnostic> mistakes;
};

struct Place {
  llvm::StringRef file;
  uint32_t line = 0, column = 0;
};

class Recorder {
public:
  /// A value of this recorder; 0 is none.
  using Id = uint32_t;
  struct Arg {
    llvm::StringRef keyword; ///< empty: positional
    Id value;
  };
  enum class Op {
    Add,
    Sub,
    Mul,
    Div,
    FloorDiv,
    Mod,
    Shl,
    Shr,
    BitAnd,
    BitOr,
    BitXor,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    And,
    Or,
    Neg,
    BitNot,
    Not
  };

  Recorder(llvm::StringRef name, Place place);
  ~Recorder();

  Id none();
  Id boolean(bool value);
  Id integer(int64_t value);
  Id real(double value);
  Id string(llvm::StringRef value);
  Id list(llvm::ArrayRef<Id> items);
  Id dict(llvm::ArrayRef<Id> keys, llvm::ArrayRef<Id> values);
  Id slice(Id begin, Id end);

  Id dim(llvm::StringRef name, llvm::StringRef dtype, Place place);
  Id parameter(llvm::StringRef name, Id type, Place place);
  void output(Id tensor);

  Id op(Op op, Id a, Id b, Place place);
  Id call(llvm::StringRef function, llvm::ArrayRef<Arg> args, llvm::StringRef name, Place place);
  /// An element or a box; `isTile`: the address of an element, which is no value.
  Id index(Id object, llvm::ArrayRef<Id> indices, bool isTile, Place place);
  Id let(Id value, llvm::StringRef name, Place place);
  void store(Id object, llvm::ArrayRef<Id> indices, Id value, Place place);

  void begin(Id frame, llvm::MutableArrayRef<Id> variables, Place place);
  void beginIf(Id condition, Place place);
  void beginElse(Place place);
  void beginWhile(Id condition, Place place);
  void jump(bool isBreak, Place place);
  void end(Place place);
  void beginFunction(llvm::MutableArrayRef<Id> indices, Place place);
  Id endFunction(llvm::ArrayRef<Id> results, Place place);

  /// A message of the recording; false when it is there already.
  bool mistake(const llvm::Twine &text, Place place);

  /// Ends the recording. The recorder has no values after it.
  std::shared_ptr<const Recording> finish();
  /// The statements so far.
  std::string text() const;

private:
  struct Frame;
  struct Value;
  struct Loads;

  template <typename T, typename... Args> T *make(Args &&...args) {
    return new (recording->module.arena.Allocate(sizeof(T), alignof(T)))
        T(std::forward<Args>(args)...);
  }
  template <typename T> llvm::ArrayRef<T> keep(llvm::ArrayRef<T> items) {
    return items.copy(recording->module.arena);
  }
  llvm::StringRef keep(llvm::StringRef text) { return text.copy(recording->module.arena); }

  Span spanOf(Place place);
  uint32_t fileOf(llvm::StringRef name);
  std::string uniqueName(llvm::StringRef wish);
  bool isUsable(llvm::StringRef name, Place place);

  Id add(const script::ast::Expr *expr, llvm::ArrayRef<Id> operands);
  Id addName(llvm::StringRef name, Span span);
  bool check(Id id, Place place);
  bool check(llvm::ArrayRef<Id> ids, Place place);
  const script::ast::Expr *use(Id id);
  script::ast::Exprs use(llvm::ArrayRef<Id> ids);
  const script::ast::Expr *indexOf(llvm::ArrayRef<Id> indices, Span span);
  bool canBind(const Value &value) const;
  void bindLate(Value &value);
  void settle(Id id);
  bool isStale(const Value &value) const;
  void noteWrites(llvm::ArrayRef<Id> ids);

  const script::ast::Expr *nameExpr(llvm::StringRef name, Span span);
  const script::ast::Expr *calleeOf(llvm::StringRef function, llvm::ArrayRef<Arg> &args, Span span);
  void append(const script::ast::Stmt *statement);
  Frame &open(int kind, Span span);
  void close();
  script::ast::Body bodyOf(const Frame &frame);
  void declareVariables(Frame &frame, llvm::MutableArrayRef<Id> variables, Span span);

  std::unique_ptr<Recording> recording;
  llvm::StringRef kernelName;
  Span kernelSpan;
  std::vector<Value> values;                  ///< by id
  std::vector<std::unique_ptr<Frame>> frames; ///< all there ever were; addresses stay
  std::vector<Frame *> stack; ///< open ones, outermost first: the module, the function
  std::vector<script::ast::Param> params;
  std::vector<Id> outputs;
  llvm::StringSet<> names;
  llvm::StringMap<uint32_t> files;
  std::vector<unsigned> writes; ///< by root buffer: how often it may have been written
  bool hasLaunch = false;
};

} // namespace tilec::build
