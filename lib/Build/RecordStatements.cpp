//===- RecordStatements.cpp - calls, stores and frames of a recording -----===//
//
// Takes the calls that a host language makes of a recorder, leaves statements of the script's
// syntax tree: what a function's row says decides whether it is one, an expression or an object.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "RecorderState.h"

#include "tilec/Script/TracedKernel.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/raw_ostream.h"

namespace tilec::build {

namespace {

// Names of modules: no name of a kernel is spelled like them.
constexpr llvm::StringLiteral tileModule = "tile language", scheduleModule = "tile schedule";

/// What a call of a function leaves.
enum class Leaves { Expression, Object, Buffer, Nothing };

Leaves kindOf(llvm::StringRef name) {
  // Statements of the table have no result; those with one are evaluated where they stand.
  enum { Stmt, Value, Pure, Launch, Loop, Alloc, Scalar, Compat, Host, Hint, Library };
  struct Row {
    llvm::StringLiteral name;
    int kind;
  };
  static constexpr Row rows[] = {
#define TILEC_INTRINSIC(Id, Name, Kind, Signature) {Name, Kind},
#include "tilec/Script/Intrinsics.def"
#define TILEC_MATH(Id, Name, Arity) {Name, Pure},
#include "tilec/Script/Math.def"
  };
  name = llvm::StringSwitch<llvm::StringRef>(name)
#define TILEC_INTRINSIC_ALIAS(Name, Target) .Case(Name, Target)
#include "tilec/Script/Intrinsics.def"
             .Default(name);
  // Of those that work while tracing: what makes a buffer, what only tells something.
  Leaves host = llvm::StringSwitch<Leaves>(name)
                    .Cases({"alloc_shared", "alloc_fragment", "alloc_local", "alloc_var",
                            "alloc_global", "alloc_buffer", "alloc_reducer", "empty"},
                           Leaves::Buffer)
                    .Cases({"view", "reshape", "make_tensor"}, Leaves::Buffer)
                    .Cases({"reduce", "annotate_safe_value", "annotate_pass_configs", "loop_break",
                            "thread_return", "gemm_sp", "gemm_blockscaled", "rng_init"},
                           Leaves::Nothing)
                    .Cases({"rng_rand", "rng_rand_float"}, Leaves::Object)
                    .Cases({"TensorCoreIntrinEmitter", "MatrixCoreIntrinEmitter",
                            "MatrixCorePreshuffleIntrinEmitter"},
                           Leaves::Object)
                    .Default(Leaves::Expression);
  for (const Row &row : rows)
    if (row.name == name) {
      switch (row.kind) {
      case Stmt:
      case Hint:
        return Leaves::Nothing;
      case Value:
        return Leaves::Object;
      case Pure:
        return Leaves::Expression;
      default:
        return host;
      }
    }
  bool isInline = name.starts_with("schedule.") || parseDType(std::string_view(name));
  // A name that there is not: evaluated where it stands, so that it is a mistake in any case.
  return isInline ? Leaves::Expression : Leaves::Object;
}

/// What messages call an object whose host gives it no name.
llvm::StringRef defaultName(llvm::StringRef function) {
  return llvm::StringSwitch<llvm::StringRef>(function)
      .Case("alloc_shared", "shared")
      .Case("alloc_fragment", "fragment")
      .Case("alloc_local", "local")
      .Case("alloc_var", "variable")
      .Case("alloc_global", "workspace")
      .Case("alloc_reducer", "reducer")
      .Case("empty", "output")
      .Cases({"view", "reshape"}, "view")
      .Default("value");
}

} // namespace

void Recorder::append(const ast::Stmt *statement) { stack.back()->statements.push_back(statement); }

Recorder::Frame &Recorder::open(int kind, Span span) {
  auto &frame = *frames.emplace_back(std::make_unique<Frame>());
  frame.kind = static_cast<Frame::Kind>(kind);
  frame.span = span;
  frame.parent = stack.empty() ? nullptr : stack.back();
  stack.push_back(&frame);
  return frame;
}

void Recorder::close() {
  stack.back()->isOpen = false;
  stack.pop_back();
}

ast::Body Recorder::bodyOf(const Frame &frame) {
  std::vector<const ast::Stmt *> list(frame.statements.begin(), frame.statements.end());
  if (list.empty())
    list.push_back(make<ast::SimpleStmt>(ast::StmtKind::Pass, frame.span));
  return keep(llvm::ArrayRef<const ast::Stmt *>(list));
}

//===----------------------------------------------------------------------===//
// The kernel
//===----------------------------------------------------------------------===//

Recorder::Id Recorder::dim(llvm::StringRef name, llvm::StringRef dtype, Place place) {
  if (!isUsable(name, place))
    return 0;
  if (!names.insert(name).second) {
    mistake("the kernel has a name `" + name + "` already", place);
    return 0;
  }
  Span span = spanOf(place);
  const ast::Expr *args[] = {make<ast::StringExpr>(span, keep(name)),
                             make<ast::StringExpr>(span, keep(dtype))};
  llvm::ArrayRef<Arg> none;
  const ast::Expr *call = make<ast::CallExpr>(span, calleeOf("dynamic", none, span),
                                              keep(llvm::ArrayRef<const ast::Expr *>(args)),
                                              llvm::ArrayRef<ast::Keyword>());
  const ast::Expr *target = nameExpr(keep(name), span);
  stack.front()->statements.push_back(
      make<ast::AssignStmt>(span, keep(llvm::ArrayRef(target)), call));
  Id id = add(nameExpr(keep(name), span), {});
  values[id].frame = stack.front();
  return id;
}

Recorder::Id Recorder::parameter(llvm::StringRef name, Id type, Place place) {
  if (!check(type, place) || !isUsable(name, place))
    return 0;
  if (hasLaunch || stack.size() != 2) {
    mistake("parameter `" + name + "` comes after a launch; declare it before", place);
    return 0;
  }
  if (!names.insert(name).second) {
    mistake("the kernel has a name `" + name + "` already", place);
    return 0;
  }
  ast::Param param;
  param.name = keep(name);
  param.span = spanOf(place);
  // A scalar's dtype comes as text: `T.float32`.
  if (const auto *text = llvm::dyn_cast<ast::StringExpr>(values[type].expr)) {
    llvm::ArrayRef<Arg> none;
    param.annotation = calleeOf(text->value, none, param.span);
  } else {
    param.annotation = use(type);
  }
  params.push_back(param);
  Id id = add(nameExpr(param.name, param.span), {});
  values[id].frame = stack.back();
  values[id].root = static_cast<int>(writes.size());
  writes.push_back(0);
  return id;
}

void Recorder::output(Id tensor) {
  if (check(tensor, {}))
    outputs.push_back(tensor);
}

//===----------------------------------------------------------------------===//
// Calls and stores
//===----------------------------------------------------------------------===//

const ast::Expr *Recorder::calleeOf(llvm::StringRef function, llvm::ArrayRef<Arg> &args,
                                    Span span) {
  const ast::Expr *object = nullptr;
  if (function.consume_front(".") && !args.empty()) {
    object = use(args[0].value);
    args = args.drop_front();
  } else if (function.consume_front("schedule.")) {
    object = nameExpr(scheduleModule, span);
  } else {
    object = nameExpr(tileModule, span);
  }
  return make<ast::AttributeExpr>(span, object, keep(function), span);
}

Recorder::Id Recorder::call(llvm::StringRef function, llvm::ArrayRef<Arg> args,
                            llvm::StringRef name, Place place) {
  llvm::SmallVector<Id> operands;
  for (const Arg &arg : args)
    operands.push_back(arg.value);
  if (!check(operands, place))
    return 0;
  Span span = spanOf(place);
  llvm::ArrayRef<Arg> rest = args;
  const ast::Expr *callee = calleeOf(function, rest, span);
  llvm::SmallVector<const ast::Expr *> positional;
  llvm::SmallVector<ast::Keyword> keywords;
  for (const Arg &arg : rest)
    if (arg.keyword.empty())
      positional.push_back(use(arg.value));
    else
      keywords.push_back({keep(arg.keyword), use(arg.value), span});
  const ast::Expr *expr = make<ast::CallExpr>(span, callee, keep(llvm::ArrayRef(positional)),
                                              keep(llvm::ArrayRef(keywords)));
  Leaves leaves = function.starts_with(".") ? Leaves::Nothing : kindOf(function);
  if (leaves == Leaves::Expression) {
    Id id = add(expr, operands);
    // Loops, launches, types and layouts are objects; what is computed may become a name.
    bool isLower = llvm::isLower(function.front());
    values[id].isComputed = isLower && !function.starts_with("make_") &&
                            !function.starts_with("schedule.") && !values[id].loads.empty();
    return id;
  }
  if (leaves == Leaves::Nothing) {
    append(make<ast::ExprStmt>(span, expr));
    noteWrites(operands);
    return 0;
  }
  llvm::StringRef unique =
      keep(llvm::StringRef(uniqueName(name.empty() ? defaultName(function) : name)));
  const ast::Expr *target = nameExpr(unique, span);
  append(make<ast::AssignStmt>(span, keep(llvm::ArrayRef(target)), expr));
  noteWrites(operands);
  Id id = addName(unique, span);
  if (leaves == Leaves::Buffer) {
    // Another name for the same bytes is written with them.
    bool isView = function == "view" || function == "reshape";
    values[id].root = isView && !operands.empty() && values[operands[0]].root >= 0
                          ? values[operands[0]].root
                          : static_cast<int>(writes.size());
    if (values[id].root == static_cast<int>(writes.size()))
      writes.push_back(0);
  }
  return id;
}

Recorder::Id Recorder::let(Id value, llvm::StringRef name, Place place) {
  if (!check(value, place))
    return 0;
  Span span = spanOf(place);
  const ast::Expr *expr = use(value);
  llvm::StringRef unique = keep(llvm::StringRef(uniqueName(name.empty() ? "value" : name)));
  const ast::Expr *target = nameExpr(unique, span);
  append(make<ast::AssignStmt>(span, keep(llvm::ArrayRef(target)), expr));
  return addName(unique, span);
}

void Recorder::store(Id object, llvm::ArrayRef<Id> indices, Id value, Place place) {
  if (!check(object, place) || !check(indices, place) || !check(value, place))
    return;
  Span span = spanOf(place);
  const ast::Expr *base = use(object);
  const ast::Expr *at = indices.empty() ? use(integer(0)) : indexOf(indices, span);
  const ast::Expr *target = make<ast::SubscriptExpr>(span, base, at);
  const ast::Expr *what = use(value);
  append(make<ast::AssignStmt>(span, keep(llvm::ArrayRef(target)), what));
  noteWrites(object);
}

//===----------------------------------------------------------------------===//
// Frames
//===----------------------------------------------------------------------===//

void Recorder::declareVariables(Frame &frame, llvm::MutableArrayRef<Id> variables, Span span) {
  constexpr llvm::StringLiteral blocks[] = {"bx", "by", "bz"}, indices[] = {"i", "j", "k", "l"};
  llvm::SmallVector<const ast::Expr *> targets;
  for (size_t i = 0; i < variables.size(); ++i) {
    llvm::StringRef wish = frame.kind == Frame::Launch ? blocks[std::min<size_t>(i, 2)]
                                                       : indices[std::min<size_t>(i, 3)];
    llvm::StringRef name = keep(llvm::StringRef(uniqueName(wish)));
    targets.push_back(nameExpr(name, span));
    variables[i] = addName(name, span);
  }
  if (targets.empty())
    targets.push_back(nameExpr(keep(llvm::StringRef(uniqueName("unused"))), span));
  frame.target = targets.size() == 1 ? targets[0]
                                     : make<ast::SequenceExpr>(ast::ExprKind::Tuple, span,
                                                               keep(llvm::ArrayRef(targets)));
}

/// Whether the expression is a call of `T.Kernel`.
static bool isLaunch(const ast::Expr *head) {
  const auto *call = llvm::dyn_cast_or_null<ast::CallExpr>(head);
  const auto *callee = call ? llvm::dyn_cast<ast::AttributeExpr>(call->callee) : nullptr;
  return callee && callee->name == "Kernel";
}

void Recorder::begin(Id head, llvm::MutableArrayRef<Id> variables, Place place) {
  // A frame is opened in any case: its end will come.
  bool isGood = check(head, place);
  Span span = spanOf(place);
  const ast::Expr *expr = isGood ? use(head) : nullptr;
  Frame &frame = open(isLaunch(expr) ? Frame::Launch : Frame::Loop, span);
  frame.head = expr;
  hasLaunch |= frame.kind == Frame::Launch;
  declareVariables(frame, variables, span);
}

void Recorder::beginIf(Id condition, Place place) {
  const ast::Expr *expr = check(condition, place) ? use(condition) : nullptr;
  open(Frame::If, spanOf(place)).head = expr;
}

void Recorder::beginElse(Place place) {
  Frame &before = *stack.back();
  if (before.kind != Frame::If) {
    mistake("an else without its if", place);
    return;
  }
  ast::Body thenBody = bodyOf(before);
  close();
  Frame &frame = open(Frame::Else, before.span);
  frame.head = before.head;
  frame.thenBody = thenBody;
}

void Recorder::beginWhile(Id condition, Place place) {
  // Evaluated anew in every round: never a name.
  const ast::Expr *expr = check(condition, place) ? values[condition].expr : nullptr;
  open(Frame::While, spanOf(place)).head = expr;
}

void Recorder::jump(bool isBreak, Place place) {
  append(make<ast::SimpleStmt>(isBreak ? ast::StmtKind::Break : ast::StmtKind::Continue,
                               spanOf(place)));
}

void Recorder::end(Place place) {
  Frame &frame = *stack.back();
  if (frame.kind == Frame::Module || frame.kind == Frame::Function || frame.kind == Frame::Lambda) {
    mistake("an end without a loop, branch or launch", place);
    return;
  }
  ast::Body body = bodyOf(frame);
  close();
  if (!frame.head)
    return; // a message has said why
  switch (frame.kind) {
  case Frame::Launch: {
    ast::WithItem item{frame.head, frame.target};
    append(make<ast::WithStmt>(frame.span, keep(llvm::ArrayRef(item)), body));
    break;
  }
  case Frame::Loop:
    append(make<ast::ForStmt>(frame.span, frame.target, frame.head, body, ast::Body()));
    break;
  case Frame::While:
    append(make<ast::WhileStmt>(frame.span, frame.head, body, ast::Body()));
    break;
  case Frame::If:
    append(make<ast::IfStmt>(frame.span, frame.head, body, ast::Body()));
    break;
  default:
    append(make<ast::IfStmt>(frame.span, frame.head, frame.thenBody, body));
    break;
  }
}

void Recorder::beginFunction(llvm::MutableArrayRef<Id> indices, Place place) {
  Span span = spanOf(place);
  Frame &frame = open(Frame::Lambda, span);
  for (Id &index : indices) {
    ast::Param param;
    param.name = keep(llvm::StringRef(uniqueName("index")));
    param.span = span;
    frame.formals.push_back(param);
    index = addName(param.name, span);
  }
}

Recorder::Id Recorder::endFunction(llvm::ArrayRef<Id> results, Place place) {
  Frame &frame = *stack.back();
  if (frame.kind != Frame::Lambda) {
    mistake("the end of a function that was not begun", place);
    return 0;
  }
  bool isGood = check(results, place);
  if (isGood && !frame.statements.empty()) {
    mistake("a function of indices has expressions only", place);
    isGood = false;
  }
  ast::Exprs used = isGood ? use(results) : ast::Exprs();
  close();
  if (!isGood)
    return 0;
  const ast::Expr *body =
      used.size() == 1 ? used[0] : make<ast::SequenceExpr>(ast::ExprKind::Tuple, frame.span, used);
  return add(make<ast::LambdaExpr>(frame.span, keep(llvm::ArrayRef(frame.formals)), body), {});
}

//===----------------------------------------------------------------------===//
// The end
//===----------------------------------------------------------------------===//

std::shared_ptr<const Recording> Recorder::finish() {
  while (stack.size() > 2) {
    Span span = stack.back()->span;
    recording->mistakes.push_back(
        {DiagId::RecordedNotEnded, Severity::Error, span, formatOf(DiagId::RecordedNotEnded)});
    close();
  }
  if (!outputs.empty()) {
    ast::Exprs used = use(outputs);
    const ast::Expr *value = used.size() == 1
                                 ? used[0]
                                 : make<ast::SequenceExpr>(ast::ExprKind::Tuple, kernelSpan, used);
    append(make<ast::SimpleStmt>(ast::StmtKind::Return, kernelSpan, value));
  }
  Frame &module = *stack.front();
  llvm::ArrayRef<Arg> none;
  const ast::Expr *decorator = calleeOf("prim_func", none, kernelSpan);
  module.statements.push_back(
      make<ast::FunctionStmt>(kernelSpan, kernelName, kernelSpan, keep(llvm::ArrayRef(params)),
                              bodyOf(*stack.back()), keep(llvm::ArrayRef(decorator)), nullptr));
  auto import = [&](llvm::StringRef name, llvm::StringRef bound) {
    ast::ImportName item{name, bound, kernelSpan, /*hasAs=*/true};
    return make<ast::ImportStmt>(kernelSpan, /*isFrom=*/false, llvm::StringRef(),
                                 keep(llvm::ArrayRef(item)));
  };
  module.statements.push_front(import("tilec.schedule", scheduleModule));
  module.statements.push_front(import("tilelang.language", tileModule));
  recording->module.body = bodyOf(module);
  while (!stack.empty())
    close();
  return std::move(recording);
}

std::string Recorder::text() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  for (const Frame *frame : stack) {
    std::vector<const ast::Stmt *> list(frame->statements.begin(), frame->statements.end());
    ast::print(ast::Body(list), os);
  }
  return text;
}

} // namespace tilec::build
