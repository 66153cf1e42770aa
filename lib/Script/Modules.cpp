//===- Modules.cpp - what imports give ------------------------------------===//
//
// Nothing is imported: the modules that kernels use are known by name here, everything
// else is opaque and only fails where its value matters.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "EvaluatorScopes.h"
#include "IntrinsicTable.h"

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

bool isTileLanguage(llvm::StringRef module) {
  return module == "tilelang.language" || module == "tilelang.rocm.language" ||
         module == "tilelang.cuda.language" || module == "tvm.script.tir";
}

} // namespace

Value Evaluator::tileAttribute(llvm::StringRef name, Span span, bool report) {
  if (std::optional<IntrinsicId> id = findIntrinsic(name))
    return Value::intrinsic(*id);
  if (std::optional<MathFn> fn = findMathFn(name))
    return Value::mathFn(*fn);
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
  if (report)
    fail(DiagId::UnknownIntrinsic, span, name, suggestionOrList(name, intrinsicNames()));
  return Value();
}

Value Evaluator::importModule(llvm::StringRef name, Span span) {
  llvm::StringRef root = name.split('.').first;
  constexpr llvm::StringRef known[] = {"tilelang", "math",   "itertools", "functools",
                                       "torch",    "typing", "tilec",     "tvm"};
  if (llvm::is_contained(known, root))
    return heap.named(ValueKind::Module, name.str(), span);
  return heap.named(ValueKind::Opaque, name.str(), span);
}

Value Evaluator::moduleAttribute(llvm::StringRef moduleName, llvm::StringRef name, Span span) {
  auto opaque = [&] {
    return heap.named(ValueKind::Opaque, (moduleName + "." + name).str(), span);
  };
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
      names.append({"sched_barrier", "setprio"});
      return fail(DiagId::NoAttribute, span, "module tilec.schedule", name,
                  suggestionOrList(name, names));
    }
    return opaque();
  }
  if (root != "tilelang" && root != "tvm")
    return opaque();
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
  return value.ok() && !value.is(ValueKind::DType) ? value : opaque();
}

bool Evaluator::execImport(const ast::ImportStmt *s) {
  for (const ast::ImportName &n : s->names) {
    Value value;
    if (!s->isFrom) {
      // `import a.b` binds `a`, `import a.b as c` binds the submodule.
      value = importModule(n.hasAs ? n.name : n.bound, n.span);
    } else if (n.name == "*") {
      continue; // found by lookupGlobal
    } else if (s->module.starts_with("__future__")) {
      continue;
    } else {
      Value from = importModule(s->module, s->span);
      value = from.is(ValueKind::Module)
                  ? moduleAttribute(s->module, n.name, n.span)
                  : heap.named(ValueKind::Opaque, (s->module + "." + n.name).str(), n.span);
    }
    if (!value.ok() || !bind(n.bound, value, n.span))
      return false;
  }
  return true;
}

} // namespace tilec::script
