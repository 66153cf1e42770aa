//===- Modules.cpp - what imports give ------------------------------------===//
//
// Nothing is imported: the modules that kernels use are known by name here, those beside
// the script are read as source, everything else is opaque and only fails where its value
// matters.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "IntrinsicTable.h"
#include "Lanes.h"
#include "Library.h"
#include "Recovery.h"

#include "tilec/Target/Target.h"

#include "llvm/ADT/StringExtras.h"

#include <cmath>
#include <limits>

namespace tilec::script {

namespace {

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

/// A name of a module that is an object of one kind, called so.
struct ModuleName {
  llvm::StringLiteral module; ///< whole, or the package whose modules all have the name
  llvm::StringLiteral name;
  ValueKind kind;
  llvm::StringLiteral what = "";
};
// `T` stands for tilelang.language and its other spellings.
constexpr ModuleName moduleNames[] = {
    {"T", "prim_func", ValueKind::Builtin, "prim_func"},
    {"T", "macro", ValueKind::Builtin, "macro"},
    {"T", "inline", ValueKind::Builtin, "macro"},
    {"T", "GemmWarpPolicy", ValueKind::Type, "GemmWarpPolicy"},
    {"T", "dtype", ValueKind::Type, "dtype"},
    {"T", "PrimExpr", ValueKind::Type, "PrimExpr"},
    {"T", "Var", ValueKind::Type, "Var"},
    {"T", "Ref", ValueKind::Type, "Ref"},
    {"functools", "partial", ValueKind::Builtin, "partial"},
    {"functools", "reduce", ValueKind::Builtin, "reduce"},
    {"functools", "lru_cache", ValueKind::Builtin, "identity factory"},
    {"functools", "cache", ValueKind::Builtin, "identity factory"},
    {"functools", "wraps", ValueKind::Builtin, "identity factory"},
    {"tilec", "schedule", ValueKind::Module, "tilec.schedule"},
    {"tilec", "tiles", ValueKind::Module, "tilec.tiles"},
    {"tvm", "const", ValueKind::Builtin, "tir.const"},
    {"tvm", "tir", ValueKind::Module, "tvm.tir"},
    {"tvm", "tirx", ValueKind::Module, "tvm.tir"},
    // The same few names are reachable through many submodules.
    {"tilelang", "tvm", ValueKind::Module, "tvm"},
    {"tilelang", "DataType", ValueKind::Type, "dtype"},
    {"tilelang", "dtype", ValueKind::Type, "dtype"},
    {"tilelang", "jit", ValueKind::Builtin, "jit"},
    {"tilelang", "compile", ValueKind::Builtin, "compile"},
    {"tilelang", "PassConfigKey", ValueKind::Builtin, "PassConfigKey"},
    {"tilelang", "next_power_of_2", ValueKind::Builtin, "next_power_of_2"},
    {"tilelang", "language", ValueKind::Module, "tilelang.language"},
    {"tilelang", "autotune", ValueKind::Builtin, "autotune"},
    {"tilelang", "AutoTuner", ValueKind::Builtin, "AutoTuner"},
    {"tilelang", "simplify_prim_func", ValueKind::Builtin, "identity"},
};
constexpr llvm::StringRef submodules[] = {"layout",   "intrinsics", "utils", "math",
                                          "quantize", "transform",  "tools", "engine",
                                          "script",   "autotuner",  "rocm",  "cuda"};

const ModuleName *findName(llvm::StringRef module, llvm::StringRef name) {
  const ModuleName *row = llvm::find_if(
      moduleNames, [&](const ModuleName &n) { return n.module == module && n.name == name; });
  return row == std::end(moduleNames) ? nullptr : row;
}

constexpr std::pair<llvm::StringLiteral, double> mathConstants[] = {
    {"pi", 3.14159265358979323846},
    {"tau", 2 * 3.14159265358979323846},
    {"e", 2.71828182845904523536},
    {"inf", HUGE_VAL},
    {"nan", std::numeric_limits<double>::quiet_NaN()}};

} // namespace

/// What plans of T.annotate_ws_schedule are made of: the plan is a hint, and nothing reads it.
static constexpr llvm::StringRef warpSchedules[] = {
    "WSSchedule", "WSRole", "WSPipeline", "WSScope", "WSSync", "WSSyncKind", "WSOpRef", "WSInstr"};

bool isTileLanguage(llvm::StringRef module) {
  constexpr llvm::StringLiteral spellings[] = {"tilelang.language", "tilelang.rocm.language",
                                               "tilelang.cuda.language", "tvm.script.tir"};
  return llvm::is_contained(spellings, module);
}

Value Evaluator::tileAttribute(llvm::StringRef name, Span span, bool report) {
  llvm::StringRef instead = refusedIntrinsic(name, targetInfo(arch).hasMbarriers());
  if (!instead.empty())
    return heap.named(ValueKind::Refused, ("T." + name + "\n" + instead).str());
  if (std::optional<IntrinsicId> id = findIntrinsic(name))
    return Value::intrinsic(*id);
  if (std::optional<MathFn> fn = findMathFn(name))
    return Value::mathFn(*fn);
  if (name == "cdiv")
    return Value::intrinsic(IntrinsicId::CeilDiv);
  if (name == "tfloat32")
    return Value::tfloat32();
  bool isOfNumPy = name == "char" || name == "long"; // no names of `T.`
  if (std::optional<DType> type = parseDType(std::string_view(name)); type && !isOfNumPy)
    return Value::dtype(*type);
  if (const ModuleName *row = findName("T", name))
    return heap.named(row->kind, row->what.str());
  if (name == "WSID") // a key of annotations
    return heap.str("ws_id");
  if (llvm::is_contained(warpSchedules, name))
    return heap.named(ValueKind::Opaque, ("T." + name).str(), span);
  if (std::optional<VectorType> type = parseVectorType(name))
    return Value::vectorType(type->element, type->lanes);
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
  if (!isKnownModule(moduleName))
    if (ModuleScope *scope = moduleBeside(moduleName))
      return nameOfModuleBeside(*scope, name, span);
  if (isTileLanguage(moduleName))
    return tileAttribute(name, span);
  llvm::StringRef root = moduleName.split('.').first;
  if (moduleName == "math")
    return nameOfMath(name, span);
  if (moduleName == "itertools" && isOfItertools(name))
    return heap.named(ValueKind::Builtin, ("itertools." + name).str());
  if (moduleName == "torch")
    if (std::optional<DType> type = parseDType(std::string_view(name)))
      return Value::dtype(*type);
  if (moduleName == "tilec.schedule")
    return nameOfSchedule(name, span);
  if (moduleName == tilesModule)
    if (ModuleScope *scope = moduleBeside(tilesModule))
      return nameOfModuleBeside(*scope, name, span);
  if (root == "tilelang" || root == "tvm")
    return nameOfTilelang(moduleName, name, span);
  if (const ModuleName *row = findName(moduleName, name))
    return heap.named(row->kind, row->what.str(), span);
  return opaque((moduleName + "." + name).str(), span);
}

Value Evaluator::nameOfMath(llvm::StringRef name, Span span) {
  for (const auto &[constant, value] : mathConstants)
    if (constant == name)
      return Value::real(value);
  llvm::SmallVector<llvm::StringRef> functions = mathNames();
  if (llvm::is_contained(functions, name))
    return heap.named(ValueKind::Builtin, ("math." + name).str());
  return fail(DiagId::NoAttribute, span, "module math", name, suggestionOrList(name, functions));
}

Value Evaluator::nameOfSchedule(llvm::StringRef name, Span span) {
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

/// A name of a module of tilelang's or TVM's: TVM's own first, then what both reach, then `T.`.
Value Evaluator::nameOfTilelang(llvm::StringRef moduleName, llvm::StringRef name, Span span) {
  bool isTvm = moduleName.split('.').first == "tvm";
  const ModuleName *row = isTvm ? findName("tvm", name) : nullptr;
  if (!row)
    row = findName("tilelang", name);
  if (row)
    return heap.named(row->kind, row->what.str(), span);
  if (name == "cdiv")
    return Value::intrinsic(IntrinsicId::CeilDiv);
  if (llvm::is_contained(submodules, name))
    return heap.named(ValueKind::Module, (moduleName + "." + name).str(), span);
  Value value = tileAttribute(name, span, /*report=*/false);
  // `tvm.target` is a module of TVM's, not the refused function of `T.`.
  bool isOther = value.is(ValueKind::DType) || (isTvm && value.is(ValueKind::Refused));
  return value.ok() && !isOther ? value : opaque((moduleName + "." + name).str(), span);
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
