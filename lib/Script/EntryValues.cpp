//===- EntryValues.cpp - what an eager function wants to know -------------===//
//
// A function under `@tilelang.jit` that launches kernels itself declares its tensors in
// its body; the entry gives the rest, and the dimensions of `T.const` by their names.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "EvaluatorScopes.h"

#include "llvm/ADT/StringExtras.h"

namespace tilec::script {
namespace {

/// The name of what `e` calls, without its module.
llvm::StringRef calledName(const ast::Expr *e) {
  if (const auto *call = llvm::dyn_cast_or_null<CallExpr>(e))
    e = call->callee;
  else if (const auto *subscript = llvm::dyn_cast_or_null<SubscriptExpr>(e))
    e = subscript->value;
  else
    return {};
  if (const auto *a = llvm::dyn_cast<AttributeExpr>(e))
    return a->name;
  const auto *n = llvm::dyn_cast<NameExpr>(e);
  return n ? n->name : llvm::StringRef();
}

struct Declared {
  llvm::DenseSet<llvm::StringRef> names;
  std::vector<std::string> dims;
  llvm::StringMap<llvm::StringRef> dimOfName; ///< `m, n = T.const("M, N")`
  std::vector<TensorDeclaration> tensors;
};

/// `T.Tensor((M, K), dtype)`, `T.Tensor[[M, K], dtype]`.
const SequenceExpr *shapeOfAnnotation(const ast::Expr *annotation) {
  const ast::Expr *shape = nullptr;
  if (const auto *call = llvm::dyn_cast_or_null<CallExpr>(annotation))
    shape = call->args.empty() ? nullptr : call->args[0];
  else if (const auto *subscript = llvm::dyn_cast_or_null<SubscriptExpr>(annotation))
    if (const auto *pair = llvm::dyn_cast<SequenceExpr>(subscript->index))
      shape = pair->items.empty() ? nullptr : pair->items[0];
  return llvm::dyn_cast_or_null<SequenceExpr>(shape);
}

void declareTensor(llvm::StringRef name, const ast::Expr *annotation, Declared &out) {
  const SequenceExpr *shape = shapeOfAnnotation(annotation);
  if (!declaresTensor(annotation) || !shape)
    return;
  TensorDeclaration tensor{name, {}};
  for (const ast::Expr *extent : shape->items) {
    const auto *n = llvm::dyn_cast<NameExpr>(extent);
    tensor.dims.push_back(n ? out.dimOfName.lookup(n->name) : llvm::StringRef());
  }
  out.tensors.push_back(std::move(tensor));
}

void collectDeclared(ast::Body body, Declared &out) {
  for (const ast::Stmt *s : body) {
    if (const auto *a = llvm::dyn_cast<AnnAssignStmt>(s)) {
      if (const auto *name = llvm::dyn_cast<NameExpr>(a->target); name && !a->value) {
        out.names.insert(name->name);
        declareTensor(name->name, a->annotation, out);
      }
    } else if (const auto *a = llvm::dyn_cast<AssignStmt>(s)) {
      const auto *call = llvm::dyn_cast<CallExpr>(a->value);
      const auto *text = call && calledName(call) == "const" && !call->args.empty()
                             ? llvm::dyn_cast<StringExpr>(call->args[0])
                             : nullptr;
      llvm::SmallVector<llvm::StringRef> names;
      if (text)
        llvm::SplitString(text->value, names, ", \t\n");
      llvm::SmallVector<const ast::Expr *> targets(a->targets.begin(), a->targets.end());
      if (const auto *list = llvm::dyn_cast<SequenceExpr>(a->targets[0]))
        targets.assign(list->items.begin(), list->items.end());
      for (size_t i = 0; i < names.size(); ++i) {
        out.dims.push_back(names[i].trim().str());
        if (const auto *target =
                i < targets.size() ? llvm::dyn_cast<NameExpr>(targets[i]) : nullptr)
          out.dimOfName[target->name] = names[i].trim();
      }
    } else if (const auto *i = llvm::dyn_cast<ast::IfStmt>(s)) {
      collectDeclared(i->thenBody, out);
      collectDeclared(i->elseBody, out);
    }
  }
}

} // namespace

bool declaresTensor(const ast::Expr *annotation) {
  return llvm::is_contained({"Tensor", "StridedTensor", "Buffer"}, calledName(annotation));
}

EagerValues eagerValues(const FunctionStmt *def) {
  Declared declared;
  collectDeclared(def->body, declared);
  EagerValues out;
  for (const ast::Param &p : def->params)
    if (p.annotation)
      declareTensor(p.name, p.annotation, declared);
  out.dims = std::move(declared.dims);
  out.tensors = std::move(declared.tensors);
  for (const ast::Param &p : def->params)
    if (p.kind != ast::Param::VarArgs && p.kind != ast::Param::VarKeywords &&
        !declared.names.contains(p.name) && !declaresTensor(p.annotation))
      out.params.push_back(&p);
  return out;
}

/// The entry lacks the value of `name`: tells all that it lacks, once. `alone` is for one name.
Value Evaluator::failMissing(llvm::StringRef name, Span span, DiagId alone) {
  llvm::StringRef function = eager ? eager->function->name : "f";
  if (!eager || !eager->function->def)
    return fail(alone, span, name, function);
  if (eager->isIncomplete)
    return poison();
  eager->isIncomplete = true;
  std::vector<std::string> missing;
  EagerValues values = eagerValues(eager->function->def);
  for (auto [i, p] : llvm::enumerate(eager->function->params)) {
    bool isGiven = i < eager->given->values.size() || p.defaultValue ||
                   llvm::any_of(eager->given->keywords, [&](auto &k) { return k.name == p.name; });
    if (llvm::is_contained(values.params, &p) && !isGiven)
      missing.push_back(p.name.str());
  }
  for (const std::string &dim : values.dims)
    if (llvm::none_of(eager->consts, [&](auto &k) { return k.name == dim; }))
      missing.push_back(dim);
  if (!llvm::is_contained(missing, name))
    missing.push_back(name.str());
  if (missing.size() == 1)
    fail(alone, span, name, function);
  else
    fail(DiagId::ValuesNotGiven, span, llvm::join(missing, "`, `"), function,
         llvm::join(missing, "=..., ") + "=...");
  noteTaken(eager->function, *eager->given);
  return Value();
}

/// A number stands where the function has a tensor.
Value Evaluator::failTensorGiven(llvm::StringRef name, Span span) {
  if (eager->isIncomplete)
    return poison();
  eager->isIncomplete = true;
  std::vector<std::string> names;
  EagerValues values = eagerValues(eager->function->def);
  for (const ast::Param *p : values.params)
    if (!p->defaultValue)
      names.push_back(p->name.str());
  names.insert(names.end(), values.dims.begin(), values.dims.end());
  fail(DiagId::TensorGiven, span, name, eager->function->name,
       names.empty() ? "" : llvm::join(names, "=..., ") + "=...");
  noteTaken(eager->function, *eager->given);
  return Value();
}

} // namespace tilec::script
