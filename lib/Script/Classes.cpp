//===- Classes.cpp - classes under @dataclass -----------------------------===//
//
// Scripts keep the parameters of a kernel in such classes: fields with defaults, and
// properties and methods that compute from them. Other classes belong to host code (an
// autograd function, a module of torch): they are opaque, and so is one that does what
// is not followed here.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "EvaluatorScopes.h"

namespace tilec::script {
namespace {

/// `dataclass`, `dataclasses.dataclass(frozen=True)`.
bool isNamed(const ast::Expr *decorator, llvm::StringRef name) {
  if (const auto *call = llvm::dyn_cast<CallExpr>(decorator))
    decorator = call->callee;
  if (const auto *attribute = llvm::dyn_cast<AttributeExpr>(decorator))
    return attribute->name == name;
  const auto *plain = llvm::dyn_cast<NameExpr>(decorator);
  return plain && plain->name == name;
}

const ClassObject::Member *findMember(const ClassObject *type, llvm::StringRef name) {
  for (const ClassObject::Member &m : type->members)
    if (m.name == name)
      return &m;
  return nullptr;
}

} // namespace

/// False after an error, and where the statement is none that is followed.
bool Evaluator::addToClass(ClassObject *made, const ast::Stmt *s,
                           llvm::SmallVectorImpl<ast::Param> &fields) {
  if (const auto *field = llvm::dyn_cast<AnnAssignStmt>(s)) {
    const auto *name = llvm::dyn_cast<NameExpr>(field->target);
    Value value = name && field->value ? eval(field->value) : Value();
    bool isMade = value.is(ValueKind::Opaque) && value.str().ends_with("field(...)");
    if (!name || isMade || (field->value && !value.ok()))
      return false;
    auto known = llvm::find_if(fields, [&](const ast::Param &p) { return p.name == name->name; });
    if (known == fields.end()) {
      fields.push_back({name->name, name->span});
      made->maker->defaults.push_back(value);
    } else {
      made->maker->defaults[known - fields.begin()] = value;
    }
    return true;
  }
  if (const auto *constant = llvm::dyn_cast<AssignStmt>(s)) {
    const auto *name = llvm::dyn_cast<NameExpr>(constant->targets[0]);
    Value value = name && constant->targets.size() == 1 ? eval(constant->value) : Value();
    if (value.ok())
      made->members.insert(made->members.begin(), {name->name, value});
    return value.ok();
  }
  if (const auto *function = llvm::dyn_cast<FunctionStmt>(s)) {
    bool isProperty = llvm::any_of(function->decorators, [](const ast::Expr *e) {
      return isNamed(e, "property") || isNamed(e, "cached_property");
    });
    if (function->decorators.size() > size_t(isProperty))
      return false;
    FunctionObject *f = plainFunction(function);
    if (f)
      made->members.insert(made->members.begin(),
                           {function->name, Value::object(ValueKind::Function, f), isProperty});
    return f != nullptr;
  }
  const auto *text = llvm::dyn_cast<ExprStmt>(s); // what the class is for
  return s->kind == ast::StmtKind::Pass || (text && text->value->kind == ast::ExprKind::String);
}

Value Evaluator::makeClass(const ast::ClassStmt *def) {
  Value unknown = heap.named(ValueKind::Opaque, "class " + def->name.str(), def->span);
  if (llvm::none_of(def->decorators, [](const ast::Expr *e) { return isNamed(e, "dataclass"); }))
    return unknown;
  auto *made = heap.make<ClassObject>();
  made->name = def->name;
  made->maker = heap.make<FunctionObject>();
  made->maker->name = def->name;
  made->maker->home = home;
  made->maker->span = def->nameSpan;
  llvm::SmallVector<ast::Param> fields;
  for (const ast::Expr *e : def->bases) {
    Value base = eval(e);
    if (!base.ok())
      return Value();
    if (!base.is(ValueKind::Class))
      return unknown;
    const auto *object = base.as<ClassObject>();
    made->bases.push_back(object);
    for (auto [field, value] : llvm::zip(object->maker->params, object->maker->defaults)) {
      fields.push_back(field);
      made->maker->defaults.push_back(value);
    }
    llvm::append_range(made->members, object->members);
  }
  for (const ast::Stmt *s : def->body)
    if (!addToClass(made, s, fields))
      return failure ? Value() : unknown;
  made->maker->params = program.copy(llvm::ArrayRef<ast::Param>(fields));
  return Value::object(ValueKind::Class, made);
}

Value Evaluator::callClass(const ClassObject *type, CallArgs &args) {
  auto *made = heap.make<InstanceObject>();
  made->type = type;
  made->fields = heap.make<Env>();
  if (!bindParams(type->maker, args, made->fields))
    return Value();
  Value instance = Value::object(ValueKind::Instance, made);
  if (findMember(type, "__post_init__")) {
    CallArgs none;
    none.span = none.calleeSpan = args.span;
    if (!callOfInstance(instance, "__post_init__", none).ok())
      return Value();
  }
  return instance;
}

/// An attribute of a class, or of what it has made.
Value Evaluator::instanceAttribute(const Value &object, llvm::StringRef name, Span span,
                                   Span nameSpan) {
  const auto *instance = object.is(ValueKind::Instance) ? object.as<InstanceObject>() : nullptr;
  const ClassObject *type = instance ? instance->type : object.as<ClassObject>();
  if (instance)
    if (auto field = instance->fields->names.find(name); field != instance->fields->names.end())
      return field->second.value;
  const ClassObject::Member *member = findMember(type, name);
  bool isFunction = member && member->value.is(ValueKind::Function);
  if (member && member->isProperty && instance) {
    CallArgs none;
    none.span = none.calleeSpan = span;
    return callOfInstance(object, name, none);
  }
  if (member)
    return isFunction && instance ? method(object, name) : member->value;
  llvm::SmallVector<llvm::StringRef> known;
  for (auto [field, value] : llvm::zip(type->maker->params, type->maker->defaults)) {
    if (!instance && field.name == name && value.ok())
      return value;
    known.push_back(field.name);
  }
  for (const ClassObject::Member &m : type->members)
    known.push_back(m.name);
  if (!instance && name == "__name__")
    return heap.str(type->name.str());
  return fail(DiagId::NoAttribute, nameSpan, typeName(object), name, suggestionOrList(name, known));
}

Value Evaluator::callOfInstance(const Value &self, llvm::StringRef name, CallArgs &args) {
  const ClassObject::Member *member = findMember(self.as<InstanceObject>()->type, name);
  CallArgs withSelf = args;
  withSelf.values.insert(withSelf.values.begin(), self);
  withSelf.spans.insert(withSelf.spans.begin(), args.calleeSpan);
  return callFunction(member->value.as<FunctionObject>(), withSelf, /*traced=*/false);
}

/// dataclasses.replace(object, field=value)
Value Evaluator::replaceFields(const CallArgs &args) {
  if (args.values.size() != 1 || !args.values[0].is(ValueKind::Instance))
    return fail(DiagId::WantedOther, args.span, "an object of a dataclass",
                args.values.empty() ? "nothing" : typeName(args.values[0]));
  const auto *old = args.values[0].as<InstanceObject>();
  CallArgs forward;
  forward.span = args.span;
  forward.calleeSpan = args.calleeSpan;
  forward.keywords = args.keywords;
  for (const ast::Param &field : old->type->maker->params)
    if (llvm::none_of(args.keywords, [&](auto &k) { return k.name == field.name; }))
      forward.keywords.push_back(
          {field.name.str(), old->fields->names.lookup(field.name).value, args.span});
  return callClass(old->type, forward);
}

} // namespace tilec::script
