//===- Modules.cpp - what imports give ------------------------------------===//
//
// Nothing is imported: the modules that kernels use are known by name here, those beside
// the script are read as source, everything else is opaque and only fails where its value
// matters.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "IntrinsicTable.h"
#include "Library.h"
#include "Recovery.h"

#include "llvm/ADT/StringExtras.h"

#include <cmath>

namespace tilec::script {

namespace {

constexpr llvm::StringRef mathFunctions[] = {
    "ceil",      "floor", "trunc",    "sqrt",  "cbrt",    "exp",     "exp2",     "expm1",
    "log",       "log2",  "log10",    "log1p", "sin",     "cos",     "tan",      "sinh",
    "cosh",      "tanh",  "asin",     "acos",  "atan",    "erf",     "fabs",     "pow",
    "fmod",      "atan2", "hypot",    "ldexp", "isclose", "modf",    "frexp",    "copysign",
    "isinf",     "isnan", "isfinite", "gcd",   "lcm",     "prod",    "isqrt",    "dist",
    "factorial", "comb",  "perm",     "fsum",  "degrees", "radians", "remainder"};
constexpr llvm::StringRef itertoolsFunctions[] = {"product", "chain", "combinations",
                                                  "permutations", "accumulate"};
constexpr llvm::StringRef scheduleFunctions[] = {"ping_pong",
                                                 "interleave",
                                                 "single",
                                                 "producer_consumer",
                                                 "cluster_m",
                                                 "cluster_n",
                                                 "ping_pong_cluster_m",
                                                 "ping_pong_cluster_n",
                                                 "overlap",
                                                 "exact",
                                                 "auto"};

} // namespace

bool isTileLanguage(llvm::StringRef module) {
  return module == "tilelang.language" || module == "tilelang.rocm.language" ||
         module == "tilelang.cuda.language" || module == "tvm.script.tir";
}

Value Evaluator::tileAttribute(llvm::StringRef name, Span span, bool report) {
  if (std::optional<IntrinsicId> id = findIntrinsic(name))
    return Value::intrinsic(*id);
  if (std::optional<MathFn> fn = findMathFn(name))
    return Value::mathFn(*fn);
  if (name == "tfloat32")
    return Value::tfloat32();
  if (name != "char" && name != "long")
    if (std::optional<DType> type = parseDType(std::string_view(name)))
      return Value::dtype(*type);
  if (name == "prim_func" || name == "macro")
    return heap.named(ValueKind::Builtin, name.str());
  if (name == "inline")
    return heap.named(ValueKind::Builtin, "macro");
  if (name == "GemmWarpPolicy" || name == "dtype" || name == "PrimExpr" || name == "Var" ||
      name == "Ref")
    return heap.named(ValueKind::Type, name.str());
  if (llvm::StringRef instead = refusedIntrinsic(name); !instead.empty())
    return heap.named(ValueKind::Refused, ("T." + name + "\n" + instead).str());
  // `T.float16x4`
  auto [element, lanes] = name.rsplit('x');
  bool isVector = !lanes.empty() && llvm::all_of(lanes, llvm::isDigit);
  if (isVector && parseDType(std::string_view(element)))
    return report ? fail(DiagId::VectorDType, span, name, "T." + element.str()) : Value();
  if (!report)
    return Value();
  llvm::SmallVector<llvm::StringRef> known(knownNames());
  llvm::append_range(known, dtypeNames());
  known.append({"prim_func", "macro"});
  return fail(DiagId::UnknownIntrinsic, span, name, suggestionOrList(name, known));
}

Value Evaluator::importModule(llvm::StringRef name, Span span) {
  if (isKnownModule(name) || moduleBeside(name))
    return heap.named(ValueKind::Module, name.str(), span);
  return opaque(name.str(), span);
}

/// The module `name` beside the script, read when it is first asked for; null when there is none.
ModuleScope *Evaluator::moduleBeside(llvm::StringRef name) {
  if (!files)
    return nullptr;
  auto [it, isNew] = beside.try_emplace(name);
  if (!isNew)
    return it->second.get();
  const ModuleFiles::Parsed *parsed = files->find(name);
  if (parsed && parsed->error)
    whyOpaque[name] = Failure{*parsed->error, {}};
  if (!parsed || !parsed->module)
    return nullptr;
  auto scope = std::make_unique<ModuleScope>();
  scope->module = parsed->module.get();
  scope->name = name.str();
  scope->isPackage = parsed->isPackage;
  indexGlobals(*scope);
  return (beside[name] = std::move(scope)).get();
}

/// The dotted name of a module in an import statement of `importer`; as it is written when it leads
/// out of the script's folder.
std::string Evaluator::moduleOfImport(const ModuleScope &importer, llvm::StringRef name) const {
  return absoluteModule(importer.name, importer.isPackage, name).value_or(name.str());
}

/// A name of a module beside the script. One whose value cannot be had is opaque: it may not
/// matter.
Value Evaluator::nameOfModuleBeside(ModuleScope &scope, llvm::StringRef name, Span span) {
  std::string full = scope.name + "." + name.str();
  if (std::optional<Value> value = defined(full))
    return *value;
  if (imported.contains(full) && moduleBeside(full))
    return heap.named(ValueKind::Module, full, span);
  Value value;
  {
    Attempt attempt(*this);
    llvm::SaveAndRestore savedHome(home, &scope);
    Isolated isolated(*this, nullptr, nullptr);
    llvm::SaveAndRestore<Env *> savedEnv(env, nullptr);
    value = lookupGlobal(name, span, /*report=*/false);
  }
  if (value.ok())
    return value;
  if (failure &&
      (failure->error.id == DiagId::TooManySteps || failure->error.id == DiagId::EvaluationTooDeep))
    return Value();
  if (!failure) {
    llvm::SmallVector<llvm::StringRef> names;
    for (auto &entry : scope.binders)
      names.push_back(entry.first());
    return fail(DiagId::NoAttribute, span, "module `" + scope.name + "`", name,
                suggestionOrList(name, names));
  }
  whyOpaque[full] = *std::exchange(failure, std::nullopt);
  return heap.named(ValueKind::Opaque, full, span);
}

Value Evaluator::moduleAttribute(llvm::StringRef moduleName, llvm::StringRef name, Span span) {
  auto opaque = [&] { return this->opaque((moduleName + "." + name).str(), span); };
  if (!isKnownModule(moduleName))
    if (ModuleScope *scope = moduleBeside(moduleName))
      return nameOfModuleBeside(*scope, name, span);
  if (isTileLanguage(moduleName))
    return tileAttribute(name, span);
  llvm::StringRef root = moduleName.split('.').first;
  if (moduleName == "math") {
    if (name == "pi" || name == "tau")
      return Value::real((name == "pi" ? 1 : 2) * 3.14159265358979323846);
    if (name == "e")
      return Value::real(2.71828182845904523536);
    if (name == "inf")
      return Value::real(HUGE_VAL);
    if (name == "nan")
      return Value::real(std::nan(""));
    if (llvm::is_contained(mathFunctions, name))
      return heap.named(ValueKind::Builtin, ("math." + name).str());
    return fail(DiagId::NoAttribute, span, "module math", name,
                suggestionOrList(name, mathFunctions));
  }
  if (moduleName == "itertools")
    return llvm::is_contained(itertoolsFunctions, name)
               ? heap.named(ValueKind::Builtin, ("itertools." + name).str())
               : opaque();
  if (moduleName == "functools") {
    if (name == "partial" || name == "reduce")
      return heap.named(ValueKind::Builtin, name.str());
    if (name == "lru_cache" || name == "cache" || name == "wraps")
      return heap.named(ValueKind::Builtin, "identity factory");
    return opaque();
  }
  if (root == "torch") {
    if (moduleName == "torch")
      if (std::optional<DType> type = parseDType(std::string_view(name)))
        return Value::dtype(*type);
    return opaque();
  }
  if (root == "tilec") {
    if (name == "schedule" && moduleName == "tilec")
      return heap.named(ValueKind::Module, "tilec.schedule", span);
    if (moduleName == "tilec.schedule") {
      if (llvm::is_contained(scheduleFunctions, name))
        return heap.named(ValueKind::Builtin, ("schedule." + name).str());
      if (std::optional<IntrinsicId> id = findIntrinsic(("schedule." + name).str()))
        return Value::intrinsic(*id);
      llvm::SmallVector<llvm::StringRef> names(std::begin(scheduleFunctions),
                                               std::end(scheduleFunctions));
      names.append({"sched_barrier", "setprio", "directive"});
      return fail(DiagId::NoAttribute, span, "module tilec.schedule", name,
                  suggestionOrList(name, names));
    }
    return opaque();
  }
  if (root != "tilelang" && root != "tvm")
    return opaque();
  if (name == "tvm")
    return heap.named(ValueKind::Module, "tvm", span);
  if (name == "DataType" || name == "dtype")
    return heap.named(ValueKind::Type, "dtype");
  if (root == "tvm" && name == "const")
    return heap.named(ValueKind::Builtin, "tir.const");
  if (root == "tvm" && (name == "tir" || name == "tirx"))
    return heap.named(ValueKind::Module, "tvm.tir", span);
  // The tilelang package: the same few names are reachable through many submodules.
  if (name == "jit" || name == "compile" || name == "PassConfigKey" || name == "next_power_of_2")
    return heap.named(ValueKind::Builtin, name.str());
  if (name == "language")
    return heap.named(ValueKind::Module, "tilelang.language", span);
  if (name == "autotune" || name == "simplify_prim_func")
    return heap.named(ValueKind::Builtin, name == "autotune" ? "identity factory" : "identity");
  if (name == "cdiv")
    return Value::intrinsic(IntrinsicId::CeilDiv);
  constexpr llvm::StringRef submodules[] = {"layout",   "intrinsics", "utils", "math",
                                            "quantize", "transform",  "tools", "engine",
                                            "script",   "autotuner",  "rocm",  "cuda"};
  if (llvm::is_contained(submodules, name))
    return heap.named(ValueKind::Module, (moduleName + "." + name).str(), span);
  Value value = tileAttribute(name, span, /*report=*/false);
  // `tvm.target` is a module of TVM's, not the refused function of `T.`.
  bool isOther = value.is(ValueKind::DType) || (root == "tvm" && value.is(ValueKind::Refused));
  return value.ok() && !isOther ? value : opaque();
}

bool Evaluator::execImport(const ast::ImportStmt *s) {
  // A conversion of upstream's quantisation helpers, where the script has no source of them, is the
  // library's.
  auto conversion = [&](llvm::StringRef module, const ast::ImportName &n) {
    module.consume_back(".quantization");
    bool isQuantize = module == "tilelang.quantize" || module.ends_with("dequantize_gemm.quantize");
    ModuleScope *library = isQuantize && n.name.starts_with("_tir_") && !moduleBeside(module)
                               ? moduleBeside(libraryModule)
                               : nullptr;
    if (!library || !library->binders.contains(n.name))
      return Value();
    llvm::SaveAndRestore savedHome(home, library);
    Isolated isolated(*this, nullptr, nullptr);
    llvm::SaveAndRestore<Env *> savedEnv(env, nullptr);
    return lookupGlobal(n.name, n.span);
  };
  for (const ast::ImportName &n : s->names) {
    Value value;
    if (!s->isFrom) {
      // `import a.b` binds `a`, `import a.b as c` binds the submodule.
      // A folder is a package without an __init__.py, too.
      if (n.name != n.bound && moduleBeside(n.name) && !moduleBeside(n.bound)) {
        static const ast::Module empty;
        auto package = std::make_unique<ModuleScope>();
        package->module = &empty;
        package->name = n.bound.str();
        beside[n.bound] = std::move(package);
      }
      value = importModule(n.hasAs ? n.name : n.bound, n.span);
      imported.insert(n.name);
    } else if (n.name == "*") {
      continue; // found by lookupGlobal
    } else if (s->module.starts_with("__future__")) {
      continue;
    } else {
      std::string module = moduleOfImport(*home, s->module);
      // `from package import module`; a name of the package comes first.
      std::string full = module.empty() ? n.name.str() : module + "." + n.name.str();
      ModuleScope *package = isKnownModule(module) ? nullptr : moduleBeside(module);
      bool isModule = !isKnownModule(full) && !(package && package->binders.contains(n.name)) &&
                      moduleBeside(full);
      Value from = isModule ? Value() : importModule(module, s->span);
      Value ours = conversion(module, n);
      value = ours.ok()                    ? ours
              : isModule                   ? heap.named(ValueKind::Module, full, n.span)
              : from.is(ValueKind::Module) ? moduleAttribute(module, n.name, n.span)
                                           : opaque(full, n.span);
    }
    if (!value.ok() || !bind(n.bound, value, n.span))
      return false;
  }
  return true;
}

} // namespace tilec::script
