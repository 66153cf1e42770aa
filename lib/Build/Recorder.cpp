//===- Recorder.cpp - values of a recording -------------------------------===//
//
// Scalars are recorded as expressions and put where they are used, as people write
// scripts. That must not change what they are: an expression that reads an element
// becomes a name at the place where it was made when the buffer may have been written
// since, or when it is used in another frame; and one that is large and used again does,
// so that the tree does not grow with the powers of two.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "RecorderState.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>

namespace tilec::build {

namespace {

/// Larger expressions that are used twice become names.
constexpr unsigned maxRepeatedSize = 32;
constexpr uint64_t maxSourceBytes = 16 << 20;

bool isIdentifier(llvm::StringRef name) {
  auto isFirst = [](char c) { return llvm::isAlpha(c) || c == '_'; };
  return !name.empty() && isFirst(name[0]) &&
         llvm::all_of(name, [&](char c) { return isFirst(c) || llvm::isDigit(c); });
}

/// Stands for a file that cannot be read: lines and columns without text.
std::string blankText() {
  constexpr unsigned lines = 1 << 15, columns = 100;
  std::string line(columns, ' ');
  line += '\n';
  std::string text;
  text.reserve(lines * line.size());
  for (unsigned i = 0; i < lines; ++i)
    text += line;
  return text;
}

std::string readSource(llvm::StringRef name) {
  auto buffer = llvm::MemoryBuffer::getFile(name, /*IsText=*/true);
  if (!buffer || (*buffer)->getBufferSize() > maxSourceBytes)
    return blankText();
  return (*buffer)->getBuffer().str();
}

} // namespace

Recorder::Recorder(llvm::StringRef name, Place place) : recording(std::make_unique<Recording>()) {
  kernelSpan = spanOf(place);
  kernelName = keep(name);
  recording->entry = name.str();
  values.emplace_back(); // no value
  open(Frame::Module, kernelSpan);
  open(Frame::Function, kernelSpan);
  if (isUsable(name, place))
    names.insert(name);
}

Recorder::~Recorder() = default;

//===----------------------------------------------------------------------===//
// Places, names, messages
//===----------------------------------------------------------------------===//

uint32_t Recorder::fileOf(llvm::StringRef name) {
  auto [it, isNew] = files.try_emplace(name, 0);
  if (isNew)
    it->second = recording->sources.add(name.str(), readSource(name));
  return it->second;
}

Span Recorder::spanOf(Place place) {
  if (place.file.empty() || place.line == 0)
    return {};
  uint32_t index = fileOf(place.file);
  const SourceFile &file = recording->sources.file(index);
  uint32_t begin = file.offsetOf({place.line, place.column});
  // The host says where a call begins; messages underline its name.
  llvm::StringRef rest = file.text().substr(begin);
  size_t length = rest.take_while([](char c) { return llvm::isAlnum(c) || c == '_'; }).size();
  return {index, begin, begin + static_cast<uint32_t>(length)};
}

bool Recorder::mistake(const llvm::Twine &text, Place place) {
  // An element that is assigned to is read first, with the same mistakes.
  Diagnostic made{DiagId::RecordedCall, Severity::Error, spanOf(place), text.str()};
  for (const Diagnostic &d : recording->mistakes)
    if (d.message == made.message && d.span.file == made.span.file &&
        d.span.begin == made.span.begin)
      return false;
  recording->mistakes.push_back(std::move(made));
  return true;
}

std::string Recorder::uniqueName(llvm::StringRef wish) {
  std::string name = wish.str();
  for (unsigned i = 2; !names.insert(name).second; ++i)
    name = (wish + "_" + llvm::Twine(i)).str();
  return name;
}

bool Recorder::isUsable(llvm::StringRef name, Place place) {
  if (isIdentifier(name))
    return true;
  mistake("`" + name + "` is no name: a letter or `_`, then letters, digits and `_`", place);
  return false;
}

//===----------------------------------------------------------------------===//
// Making and using values
//===----------------------------------------------------------------------===//

/// The deeper one of two open frames.
static unsigned depthIn(const std::vector<void *> &stack, const void *frame) {
  for (size_t i = stack.size(); i-- > 0;)
    if (stack[i] == frame)
      return static_cast<unsigned>(i);
  return 0;
}

Recorder::Id Recorder::add(const ast::Expr *expr, llvm::ArrayRef<Id> operands) {
  Value value;
  value.expr = expr;
  value.frame = stack.front();
  value.madeIn = stack.back();
  value.hasStatement = !stack.back()->statements.empty();
  if (value.hasStatement)
    value.after = std::prev(stack.back()->statements.end());
  std::vector<void *> open(stack.begin(), stack.end());
  for (Id id : operands) {
    const Value &operand = values[id];
    value.size += operand.size;
    if (depthIn(open, operand.frame) > depthIn(open, value.frame))
      value.frame = operand.frame;
    value.loads.append(operand.loads.begin(), operand.loads.end());
  }
  values.push_back(std::move(value));
  return static_cast<Id>(values.size() - 1);
}

Recorder::Id Recorder::addName(llvm::StringRef name, Span span) {
  Id id = add(make<ast::NameExpr>(span, name), {});
  values[id].frame = stack.back();
  return id;
}

const ast::Expr *Recorder::nameExpr(llvm::StringRef name, Span span) {
  return make<ast::NameExpr>(span, name);
}

/// False for no value, without a word, and for one that cannot be used here, with a message.
bool Recorder::check(Id id, Place place) {
  if (id == 0)
    return false;
  if (id >= values.size() || !values[id].expr) {
    mistake("this is no value of the kernel that is being recorded", place);
    return false;
  }
  if (values[id].frame->isOpen)
    return true;
  constexpr llvm::StringLiteral what[] = {"recording", "recording", "launch", "loop",
                                          "branch",    "branch",    "loop",   "function"};
  if (!mistake("a value is used after its " + llvm::Twine(what[values[id].frame->kind]) +
                   " has ended; keep it in a buffer or a variable that is made before",
               place))
    return false;
  Span begun = values[id].frame->span;
  recording->mistakes.push_back(
      {DiagId::IrNote, Severity::Note, begun,
       ("the " + llvm::Twine(what[values[id].frame->kind]) + " begins here").str()});
  return false;
}

bool Recorder::check(llvm::ArrayRef<Id> ids, Place place) {
  return llvm::all_of(ids, [&](Id id) { return check(id, place); });
}

bool Recorder::isStale(const Value &value) const {
  return llvm::any_of(value.loads,
                      [&](const Loads &load) { return writes[load.root] != load.writes; });
}

/// Makes a name of a value, where it was made.
void Recorder::bindLate(Value &value) {
  llvm::StringRef name = keep(llvm::StringRef(uniqueName("value")));
  Span span = value.expr->span;
  const ast::Expr *target = nameExpr(name, span);
  auto *statement = make<ast::AssignStmt>(span, keep(llvm::ArrayRef(target)), value.expr);
  auto &list = value.madeIn->statements;
  list.insert(value.hasStatement ? std::next(value.after) : list.begin(), statement);
  value.expr = nameExpr(name, span);
  value.frame = value.madeIn;
  value.size = 1;
  value.loads.clear();
  value.isComputed = false;
}

bool Recorder::canBind(const Value &value) const {
  return value.isComputed && value.madeIn->isOpen && value.madeIn->kind != Frame::Lambda &&
         value.madeIn->kind != Frame::Module;
}

const ast::Expr *Recorder::use(Id id) {
  Value &value = values[id];
  bool isElsewhere = value.madeIn != stack.back() && !value.loads.empty();
  bool isRepeated = value.uses > 0 && value.size > maxRepeatedSize;
  if (canBind(value) && (isElsewhere || isRepeated || isStale(value)))
    bindLate(value);
  ++value.uses;
  return value.expr;
}

ast::Exprs Recorder::use(llvm::ArrayRef<Id> ids) {
  llvm::SmallVector<const ast::Expr *> list;
  for (Id id : ids)
    list.push_back(use(id));
  return keep(llvm::ArrayRef(list));
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

Recorder::Id Recorder::none() {
  return add(make<ast::ConstantExpr>(Span(), ast::ConstantExpr::None), {});
}

Recorder::Id Recorder::boolean(bool value) {
  return add(
      make<ast::ConstantExpr>(Span(), value ? ast::ConstantExpr::True : ast::ConstantExpr::False),
      {});
}

Recorder::Id Recorder::integer(int64_t value) {
  auto *number = make<ast::NumberExpr>(Span(), /*isFloat=*/false);
  uint64_t magnitude = value < 0 ? 0 - static_cast<uint64_t>(value) : static_cast<uint64_t>(value);
  number->digits = keep(llvm::StringRef(std::to_string(magnitude)));
  if (value >= 0)
    return add(number, {});
  return add(make<ast::UnaryExpr>(Span(), ast::UnaryOp::Neg, number), {});
}

Recorder::Id Recorder::real(double value) {
  auto *number = make<ast::NumberExpr>(Span(), /*isFloat=*/true);
  number->value = std::fabs(value);
  if (!std::signbit(value))
    return add(number, {});
  return add(make<ast::UnaryExpr>(Span(), ast::UnaryOp::Neg, number), {});
}

Recorder::Id Recorder::string(llvm::StringRef value) {
  return add(make<ast::StringExpr>(Span(), keep(value)), {});
}

Recorder::Id Recorder::list(llvm::ArrayRef<Id> items) {
  if (!check(items, {}))
    return 0;
  return add(make<ast::SequenceExpr>(ast::ExprKind::Tuple, Span(), use(items)), items);
}

Recorder::Id Recorder::dict(llvm::ArrayRef<Id> keys, llvm::ArrayRef<Id> items) {
  if (!check(keys, {}) || !check(items, {}))
    return 0;
  llvm::SmallVector<Id> all(keys);
  all.append(items.begin(), items.end());
  return add(make<ast::DictExpr>(Span(), use(keys), use(items)), all);
}

/// Where a tile begins is read when the tile is named: a tile itself cannot become a name later.
void Recorder::settle(Id id) {
  if (canBind(values[id]) && !values[id].loads.empty())
    bindLate(values[id]);
}

Recorder::Id Recorder::slice(Id begin, Id end) {
  llvm::SmallVector<Id> given;
  for (Id id : {begin, end})
    if (id != 0)
      given.push_back(id);
  if (!check(given, {}))
    return 0;
  llvm::for_each(given, [&](Id id) { settle(id); });
  return add(
      make<ast::SliceExpr>(Span(), begin ? use(begin) : nullptr, end ? use(end) : nullptr, nullptr),
      given);
}

//===----------------------------------------------------------------------===//
// Expressions
//===----------------------------------------------------------------------===//

Recorder::Id Recorder::op(Op op, Id a, Id b, Place place) {
  bool isUnary = op >= Op::Neg;
  llvm::SmallVector<Id, 2> operands{a};
  if (!isUnary)
    operands.push_back(b);
  if (!check(operands, place))
    return 0;
  Span span = spanOf(place);
  ast::Exprs used = use(operands);
  const ast::Expr *expr = nullptr;
  if (isUnary) {
    ast::UnaryOp which = op == Op::Neg      ? ast::UnaryOp::Neg
                         : op == Op::BitNot ? ast::UnaryOp::Invert
                                            : ast::UnaryOp::Not;
    expr = make<ast::UnaryExpr>(span, which, used[0]);
  } else if (op == Op::And || op == Op::Or) {
    expr = make<ast::BoolExpr>(span, op == Op::And, used);
  } else if (op >= Op::Eq) {
    constexpr ast::CompareOp compares[] = {ast::CompareOp::Eq, ast::CompareOp::Ne,
                                           ast::CompareOp::Lt, ast::CompareOp::Le,
                                           ast::CompareOp::Gt, ast::CompareOp::Ge};
    ast::CompareOp which = compares[static_cast<int>(op) - static_cast<int>(Op::Eq)];
    expr = make<ast::CompareExpr>(span, used, keep(llvm::ArrayRef(which)));
  } else {
    constexpr ast::BinaryOp binaries[] = {
        ast::BinaryOp::Add,      ast::BinaryOp::Sub,   ast::BinaryOp::Mul,   ast::BinaryOp::Div,
        ast::BinaryOp::FloorDiv, ast::BinaryOp::Mod,   ast::BinaryOp::Shl,   ast::BinaryOp::Shr,
        ast::BinaryOp::BitAnd,   ast::BinaryOp::BitOr, ast::BinaryOp::BitXor};
    expr = make<ast::BinaryExpr>(span, binaries[static_cast<int>(op)], used[0], used[1]);
  }
  Id id = add(expr, operands);
  values[id].isComputed = true;
  return id;
}

const ast::Expr *Recorder::indexOf(llvm::ArrayRef<Id> indices, Span span) {
  ast::Exprs used = use(indices);
  return used.size() == 1 ? used[0] : make<ast::SequenceExpr>(ast::ExprKind::Tuple, span, used);
}

Recorder::Id Recorder::index(Id object, llvm::ArrayRef<Id> indices, bool isTile, Place place) {
  if (!check(object, place) || !check(indices, place))
    return 0;
  Span span = spanOf(place);
  bool isBox =
      llvm::any_of(indices, [&](Id i) { return llvm::isa<ast::SliceExpr>(values[i].expr); });
  if (isTile || isBox)
    llvm::for_each(indices, [&](Id id) { settle(id); });
  llvm::SmallVector<Id> operands{object};
  operands.append(indices.begin(), indices.end());
  const ast::Expr *base = use(object);
  Id zero = indices.empty() ? integer(0) : 0; // of a variable
  const ast::Expr *at = indices.empty() ? use(zero) : indexOf(indices, span);
  Id id = add(make<ast::SubscriptExpr>(span, base, at), operands);
  Value &value = values[id];
  int root = values[object].root;
  if (root >= 0) {
    value.root = root;
    if (!isBox && !isTile) {
      value.isComputed = true;
      value.loads.push_back({static_cast<unsigned>(root), writes[root]});
    }
  }
  return id;
}

/// What any of these names may be written by the statement that takes them.
void Recorder::noteWrites(llvm::ArrayRef<Id> ids) {
  for (Id id : ids)
    if (id && values[id].root >= 0)
      ++writes[values[id].root];
}

} // namespace tilec::build
