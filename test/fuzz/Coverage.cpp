//===- Coverage.cpp - what the generated programs use ---------------------===//
//
// Counted on the text that the compiler gets, not on what the generator meant.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Coverage.h"

#include "Program.h"

#include "tilec/Base/DType.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include <map>
#include <set>

namespace tilec::fuzz {
namespace {

/// The core and the extended tile language (S0 and S1 of the survey of
/// TileLang, a35008a42), as names of `T.`. Thread-level code and what tilec
/// refuses (packed arithmetic of vector dtypes) are not here.
constexpr llvm::StringLiteral operations[] = {
    // S0: kernels, buffers, loops
    "Kernel", "Tensor", "prim_func", "const", "empty", "dynamic", "alloc_shared", "alloc_fragment",
    "alloc_local", "alloc_var", "alloc_global", "Parallel", "Pipelined", "serial", "unroll", "grid",
    "loop_break", "symbolic", "ceildiv",
    // S0: tile operations
    "copy", "gemm", "clear", "fill", "transpose", "reduce_sum", "reduce_max", "reduce_min",
    "reduce_absmax", "reduce_abssum", "reduce", "reduce_bitand", "reduce_bitor", "reduce_bitxor",
    // S0: values
    "if_then_else", "Select", "cast", "Cast", "max", "min", "clamp", "abs", "infinity", "max_value",
    "min_value", "floordiv", "floormod", "truncdiv", "truncmod", "shift_left", "shift_right",
    "bitwise_and", "bitwise_or", "bitwise_xor", "bitwise_not", "And", "Or", "Not", "exp", "exp2",
    "exp10", "log", "log2", "log10", "log1p", "sqrt", "rsqrt", "sin", "cos", "tan", "sinh", "cosh",
    "tanh", "asin", "acos", "atan", "asinh", "acosh", "atanh", "atan2", "erf", "sigmoid", "pow",
    "fmod", "hypot", "copysign", "ldexp", "fma", "floor", "ceil", "trunc", "round", "round_away",
    "popcount", "clz", "isnan", "isinf", "isfinite", "align_up", "pow_of_int", "div", "indexdiv",
    "indexmod", "minimum", "maximum", "fabs", "nearbyint", "nextafter",
    // S0: annotations, which change nothing
    "annotate_layout", "Layout", "Fragment", "use_swizzle", "GemmWarpPolicy",
    "annotate_l2_hit_ratio", "annotate_restrict_buffers", "annotate_min_blocks_per_sm",
    "annotate_compile_flags", "annotate_pass_configs", "disable_warp_group_reg_alloc",
    "set_max_nreg",
    // S1
    "atomic_add", "atomic_max", "atomic_min", "atomic_or", "atomic_addx2", "atomic_addx4",
    "atomic_load", "atomic_store", "vectorized", "macro", "cumsum", "cummax", "alloc_reducer",
    "reducer_init", "reducer_update", "finalize_reducer", "Persistent", "view", "reshape",
    "StridedTensor", "annotate_safe_value", "reinterpret", "im2col", "any_of", "all_of", "print",
    "device_assert", "assume", "ieee_add", "ieee_sub", "ieee_mul", "ieee_fdiv", "ieee_fmaf",
    "ieee_frcp", "ieee_fsqrt", "ieee_frsqrt", "fast_rcp", "__exp", "__exp10", "__log", "__log2",
    "__log10", "__sin", "__cos", "__tan", "c2d_im2col"};

/// Statements, operators and arguments that reach the kernel.
constexpr llvm::StringLiteral phrases[] = {"while ",
                                           "break",
                                           "continue",
                                           "if ",
                                           "elif ",
                                           "else:",
                                           " if ",
                                           "for c in [",
                                           " += ",
                                           ".astype(",
                                           " and ",
                                           " or ",
                                           "T.Tensor[",
                                           ".data)",
                                           "strides=",
                                           "num_stages=3",
                                           "transpose_A",
                                           "transpose_B",
                                           "clear_accum=",
                                           "policy=",
                                           "k_pack=",
                                           "clear=False",
                                           "clear=True",
                                           "dim=-1",
                                           "nan_propagate=True",
                                           "reverse=True",
                                           "replication=",
                                           "return_prev=",
                                           "group_size=",
                                           "memory_order=",
                                           "disable_tma=",
                                           "coalesced_width=",
                                           "prefer_instruction=",
                                           "rounding_mode=",
                                           "out_idx="};

constexpr DType dtypes[] = {
    DType::Bool, DType::I8,     DType::I16,  DType::I32,      DType::I64,      DType::U8,
    DType::U16,  DType::U32,    DType::U64,  DType::F16,      DType::BF16,     DType::F32,
    DType::F64,  DType::E4M3FN, DType::E5M2, DType::E4M3FNUZ, DType::E5M2FNUZ, DType::E8M0,
    DType::I4,   DType::U4,     DType::E2M1};

/// What share of the programs must have a trait, in percent.
constexpr std::pair<llvm::StringLiteral, unsigned> shares[] = {
    {"gemm", 30}, {"pipelined", 30}, {"ragged", 25}, {"nonpow2", 10}};

/// Of 500 programs this many use each operation.
constexpr unsigned minUses = 20;

/// Names of `T.` in a text.
std::set<std::string> namesIn(llvm::StringRef text) {
  std::set<std::string> out;
  for (size_t at = 0; (at = text.find("T.", at)) != llvm::StringRef::npos; at += 2)
    if (at == 0 || !(llvm::isAlnum(text[at - 1]) || text[at - 1] == '_'))
      out.insert(text.substr(at + 2)
                     .take_while([](char c) { return llvm::isAlnum(c) || c == '_'; })
                     .str());
  return out;
}

class Table {
public:
  explicit Table(size_t programs) : programs(programs) {}

  /// `wanted` scales with the number of programs, but something is always
  /// wanted.
  void row(llvm::StringRef name, unsigned count, unsigned wanted) {
    bool ok = count >= std::max<size_t>(1, wanted * programs / 500);
    llvm::outs() << llvm::formatv("{0,-20} {1,5}{2}\n", name, count, ok ? "" : "  too few");
    isComplete &= ok;
  }
  bool isComplete = true;

private:
  size_t programs;
};

} // namespace

bool checkCoverage(const std::vector<uint64_t> &seeds) {
  std::map<std::string, unsigned> uses, traits;
  for (uint64_t seed : seeds) {
    std::string text = generateProgram(seed);
    for (const std::string &name : namesIn(text))
      ++uses[name];
    for (llvm::StringRef phrase : phrases)
      uses[phrase.str()] += llvm::StringRef(text).contains(phrase);
    uses["several launches"] += llvm::StringRef(text).count("with T.Kernel(") > 1;
    for (DType type : dtypes)
      uses[std::string(nameOf(type)) + " "] +=
          llvm::StringRef(text).contains("\"" + std::string(nameOf(type)) + "\"") ||
          llvm::StringRef(text).contains(", T." + std::string(nameOf(type)) + ")");
    rt::Result<Program> program = parseProgram(text);
    if (!program)
      return llvm::errs() << "seed " << seed << ": " << program.error().message << '\n', false;
    for (const std::string &trait : program->traits)
      ++traits[trait];
  }
  Table table(seeds.size());
  for (llvm::StringRef name : operations)
    table.row(name, uses[name.str()], minUses);
  for (llvm::StringRef name : phrases)
    table.row(name, uses[name.str()], minUses);
  table.row("several launches", uses["several launches"], minUses);
  for (DType type : dtypes)
    table.row(nameOf(type), uses[std::string(nameOf(type)) + " "], minUses);
  for (auto [trait, percent] : shares)
    table.row(trait, traits[trait.str()], percent * 5);
  llvm::outs() << seeds.size() << " programs: " << (table.isComplete ? "all" : "not all")
               << " is used often enough\n";
  return table.isComplete;
}

} // namespace tilec::fuzz
