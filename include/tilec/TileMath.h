//===- tilec/TileMath.h - what `T.` computes with numbers, for C++ --------===//
//
// Written by tools/dev/tile_functions.py from the tables of the language
// (include/tilec/Script/Intrinsics.def, Math.def); a test compares. What each one does
// is in docs/language/README.md. Options that are left out have the defaults named there.
// Include tilec/Tile.h.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/Tile.h"

namespace tilec::tile {

/// T.MatrixCorePreshuffleIntrinEmitter(a_dtype='float16', b_dtype='float16', accum_dtype='float16',
/// a_transposed=False, b_transposed=False, block_row_warps=2, block_col_warps=2, warp_row_tiles=8,
/// warp_col_tiles=8, chunk=16, reduce_k=1, num_elems_per_byte=1, k_pack=None, a_preshuffle=False,
/// b_preshuffle=False, mfma_shape=None)
struct MatrixCorePreshuffleIntrinEmitterOptions {
  Option aDtype = {}, bDtype = {}, accumDtype = {}, aTransposed = {}, bTransposed = {},
         blockRowWarps = {}, blockColWarps = {}, warpRowTiles = {}, warpColTiles = {}, chunk = {},
         reduceK = {}, numElemsPerByte = {}, kPack = {}, aPreshuffle = {}, bPreshuffle = {},
         mfmaShape = {};
};
inline Value
MatrixCorePreshuffleIntrinEmitter(const MatrixCorePreshuffleIntrinEmitterOptions &options = {},
                                  Loc loc = Loc::current()) {
  return detail::call("MatrixCorePreshuffleIntrinEmitter", {},
                      {{"a_dtype", options.aDtype},
                       {"b_dtype", options.bDtype},
                       {"accum_dtype", options.accumDtype},
                       {"a_transposed", options.aTransposed},
                       {"b_transposed", options.bTransposed},
                       {"block_row_warps", options.blockRowWarps},
                       {"block_col_warps", options.blockColWarps},
                       {"warp_row_tiles", options.warpRowTiles},
                       {"warp_col_tiles", options.warpColTiles},
                       {"chunk", options.chunk},
                       {"reduce_k", options.reduceK},
                       {"num_elems_per_byte", options.numElemsPerByte},
                       {"k_pack", options.kPack},
                       {"a_preshuffle", options.aPreshuffle},
                       {"b_preshuffle", options.bPreshuffle},
                       {"mfma_shape", options.mfmaShape}},
                      loc);
}

/// T.ceildiv(lhs, rhs)
inline Value ceildiv(const Arg &lhs, const Arg &rhs, Loc loc = Loc::current()) {
  return detail::call("ceildiv", {&lhs, &rhs}, {}, loc);
}

/// T.align_up(x, y)
inline Value alignUp(const Arg &x, const Arg &y, Loc loc = Loc::current()) {
  return detail::call("align_up", {&x, &y}, {}, loc);
}

/// T.floordiv(a, b)
inline Value floordiv(const Arg &a, const Arg &b, Loc loc = Loc::current()) {
  return detail::call("floordiv", {&a, &b}, {}, loc);
}

/// T.floormod(a, b)
inline Value floormod(const Arg &a, const Arg &b, Loc loc = Loc::current()) {
  return detail::call("floormod", {&a, &b}, {}, loc);
}

/// T.truncdiv(a, b)
inline Value truncdiv(const Arg &a, const Arg &b, Loc loc = Loc::current()) {
  return detail::call("truncdiv", {&a, &b}, {}, loc);
}

/// T.truncmod(a, b)
inline Value truncmod(const Arg &a, const Arg &b, Loc loc = Loc::current()) {
  return detail::call("truncmod", {&a, &b}, {}, loc);
}

/// T.div(a, b)
inline Value div(const Arg &a, const Arg &b, Loc loc = Loc::current()) {
  return detail::call("div", {&a, &b}, {}, loc);
}

/// T.min(a, b)
inline Value min(const Arg &a, const Arg &b, Loc loc = Loc::current()) {
  return detail::call("min", {&a, &b}, {}, loc);
}

/// T.max(a, b)
inline Value max(const Arg &a, const Arg &b, Loc loc = Loc::current()) {
  return detail::call("max", {&a, &b}, {}, loc);
}

/// T.clamp(dst, min_val, max_val)
inline Value clamp(const Arg &dst, const Arg &minVal, const Arg &maxVal, Loc loc = Loc::current()) {
  return detail::call("clamp", {&dst, &minVal, &maxVal}, {}, loc);
}

/// T.shift_left(x, y)
inline Value shiftLeft(const Arg &x, const Arg &y, Loc loc = Loc::current()) {
  return detail::call("shift_left", {&x, &y}, {}, loc);
}

/// T.shift_right(x, y)
inline Value shiftRight(const Arg &x, const Arg &y, Loc loc = Loc::current()) {
  return detail::call("shift_right", {&x, &y}, {}, loc);
}

/// T.bitwise_and(x, y)
inline Value bitwiseAnd(const Arg &x, const Arg &y, Loc loc = Loc::current()) {
  return detail::call("bitwise_and", {&x, &y}, {}, loc);
}

/// T.bitwise_or(x, y)
inline Value bitwiseOr(const Arg &x, const Arg &y, Loc loc = Loc::current()) {
  return detail::call("bitwise_or", {&x, &y}, {}, loc);
}

/// T.bitwise_xor(x, y)
inline Value bitwiseXor(const Arg &x, const Arg &y, Loc loc = Loc::current()) {
  return detail::call("bitwise_xor", {&x, &y}, {}, loc);
}

/// T.bitwise_not(x)
inline Value bitwiseNot(const Arg &x, Loc loc = Loc::current()) {
  return detail::call("bitwise_not", {&x}, {}, loc);
}

/// T.And(a, b)
inline Value And(const Arg &a, const Arg &b, Loc loc = Loc::current()) {
  return detail::call("And", {&a, &b}, {}, loc);
}

/// T.Or(a, b)
inline Value Or(const Arg &a, const Arg &b, Loc loc = Loc::current()) {
  return detail::call("Or", {&a, &b}, {}, loc);
}

/// T.Not(a)
inline Value Not(const Arg &a, Loc loc = Loc::current()) {
  return detail::call("Not", {&a}, {}, loc);
}

/// T.if_then_else(cond, t, f)
inline Value ifThenElse(const Arg &cond, const Arg &t, const Arg &f, Loc loc = Loc::current()) {
  return detail::call("if_then_else", {&cond, &t, &f}, {}, loc);
}

/// T.Select(condition, true_value, false_value)
inline Value select(const Arg &condition, const Arg &trueValue, const Arg &falseValue,
                    Loc loc = Loc::current()) {
  return detail::call("Select", {&condition, &trueValue, &falseValue}, {}, loc);
}

/// T.cast(value, dtype, round='', sat=True, rbits=None)
struct CastOptions {
  Option round = {}, sat = {}, rbits = {};
};
inline Value cast(const Arg &value, const Arg &dtype, const CastOptions &options = {},
                  Loc loc = Loc::current()) {
  return detail::call("cast", {&value, &dtype},
                      {{"round", options.round}, {"sat", options.sat}, {"rbits", options.rbits}},
                      loc);
}

/// T.reinterpret(value, dtype)
inline Value reinterpret(const Arg &value, const Arg &dtype, Loc loc = Loc::current()) {
  return detail::call("reinterpret", {&value, &dtype}, {}, loc);
}

/// T.infinity(dtype)
inline Value infinity(const Arg &dtype, Loc loc = Loc::current()) {
  return detail::call("infinity", {&dtype}, {}, loc);
}

/// T.max_value(dtype)
inline Value maxValue(const Arg &dtype, Loc loc = Loc::current()) {
  return detail::call("max_value", {&dtype}, {}, loc);
}

/// T.min_value(dtype)
inline Value minValue(const Arg &dtype, Loc loc = Loc::current()) {
  return detail::call("min_value", {&dtype}, {}, loc);
}

/// T.round(x, rounding_mode='ties-to-even')
struct RoundOptions {
  Option roundingMode = {};
};
inline Value round(const Arg &x, const RoundOptions &options = {}, Loc loc = Loc::current()) {
  return detail::call("round", {&x}, {{"rounding_mode", options.roundingMode}}, loc);
}

/// T.pow_of_int(x, y)
inline Value powOfInt(const Arg &x, const Arg &y, Loc loc = Loc::current()) {
  return detail::call("pow_of_int", {&x, &y}, {}, loc);
}

/// T.fast_rcp(x)
inline Value fastRcp(const Arg &x, Loc loc = Loc::current()) {
  return detail::call("fast_rcp", {&x}, {}, loc);
}

/// T.ieee_add(x, y, rounding_mode='rn')
struct IeeeAddOptions {
  Option roundingMode = {};
};
inline Value ieeeAdd(const Arg &x, const Arg &y, const IeeeAddOptions &options = {},
                     Loc loc = Loc::current()) {
  return detail::call("ieee_add", {&x, &y}, {{"rounding_mode", options.roundingMode}}, loc);
}

/// T.ieee_sub(x, y, rounding_mode='rn')
struct IeeeSubOptions {
  Option roundingMode = {};
};
inline Value ieeeSub(const Arg &x, const Arg &y, const IeeeSubOptions &options = {},
                     Loc loc = Loc::current()) {
  return detail::call("ieee_sub", {&x, &y}, {{"rounding_mode", options.roundingMode}}, loc);
}

/// T.ieee_mul(x, y, rounding_mode='rn')
struct IeeeMulOptions {
  Option roundingMode = {};
};
inline Value ieeeMul(const Arg &x, const Arg &y, const IeeeMulOptions &options = {},
                     Loc loc = Loc::current()) {
  return detail::call("ieee_mul", {&x, &y}, {{"rounding_mode", options.roundingMode}}, loc);
}

/// T.ieee_fdiv(x, y, rounding_mode='rn')
struct IeeeFdivOptions {
  Option roundingMode = {};
};
inline Value ieeeFdiv(const Arg &x, const Arg &y, const IeeeFdivOptions &options = {},
                      Loc loc = Loc::current()) {
  return detail::call("ieee_fdiv", {&x, &y}, {{"rounding_mode", options.roundingMode}}, loc);
}

/// T.ieee_fmaf(x, y, z, rounding_mode='rn')
struct IeeeFmafOptions {
  Option roundingMode = {};
};
inline Value ieeeFmaf(const Arg &x, const Arg &y, const Arg &z, const IeeeFmafOptions &options = {},
                      Loc loc = Loc::current()) {
  return detail::call("ieee_fmaf", {&x, &y, &z}, {{"rounding_mode", options.roundingMode}}, loc);
}

/// T.ieee_frcp(x, rounding_mode='rn')
struct IeeeFrcpOptions {
  Option roundingMode = {};
};
inline Value ieeeFrcp(const Arg &x, const IeeeFrcpOptions &options = {}, Loc loc = Loc::current()) {
  return detail::call("ieee_frcp", {&x}, {{"rounding_mode", options.roundingMode}}, loc);
}

/// T.ieee_fsqrt(x, rounding_mode='rn')
struct IeeeFsqrtOptions {
  Option roundingMode = {};
};
inline Value ieeeFsqrt(const Arg &x, const IeeeFsqrtOptions &options = {},
                       Loc loc = Loc::current()) {
  return detail::call("ieee_fsqrt", {&x}, {{"rounding_mode", options.roundingMode}}, loc);
}

/// T.ieee_frsqrt(x)
inline Value ieeeFrsqrt(const Arg &x, Loc loc = Loc::current()) {
  return detail::call("ieee_frsqrt", {&x}, {}, loc);
}

/// T.__ffs(x)
inline Value Ffs(const Arg &x, Loc loc = Loc::current()) {
  return detail::call("__ffs", {&x}, {}, loc);
}

/// T.__fns(mask, base, offset)
inline Value Fns(const Arg &mask, const Arg &base, const Arg &offset, Loc loc = Loc::current()) {
  return detail::call("__fns", {&mask, &base, &offset}, {}, loc);
}

/// T.index_to_coordinates(index, shape)
inline Value indexToCoordinates(const Arg &index, const Arg &shape, Loc loc = Loc::current()) {
  return detail::call("index_to_coordinates", {&index, &shape}, {}, loc);
}

/// T.likely(cond)
inline Value likely(const Arg &cond, Loc loc = Loc::current()) {
  return detail::call("likely", {&cond}, {}, loc);
}

/// T.PersistentTileScheduler(num_m_tiles, num_n_tiles, num_workers=None, swizzle_size=1,
/// column_major=True, cluster_size=1, stateful=True, name=None)
struct PersistentTileSchedulerOptions {
  Option numWorkers = {}, swizzleSize = {}, columnMajor = {}, clusterSize = {}, stateful = {},
         name = {};
};
inline Value PersistentTileScheduler(const Arg &numMTiles, const Arg &numNTiles,
                                     const PersistentTileSchedulerOptions &options = {},
                                     Loc loc = Loc::current()) {
  return detail::call("PersistentTileScheduler", {&numMTiles, &numNTiles},
                      {{"num_workers", options.numWorkers},
                       {"swizzle_size", options.swizzleSize},
                       {"column_major", options.columnMajor},
                       {"cluster_size", options.clusterSize},
                       {"stateful", options.stateful},
                       {"name", options.name}},
                      loc);
}

/// T.async_copy(src, dst, *, coalesced_width=None, loop_layout=None)
struct AsyncCopyOptions {
  Option coalescedWidth = {}, loopLayout = {};
};
inline Value asyncCopy(const Arg &src, const Arg &dst, const AsyncCopyOptions &options = {},
                       Loc loc = Loc::current()) {
  return detail::call(
      "async_copy", {&src, &dst},
      {{"coalesced_width", options.coalescedWidth}, {"loop_layout", options.loopLayout}}, loc);
}

/// T.tma_copy(src, dst, *, barrier=None, cluster_mask=None, leader_scope_threads=None,
/// eviction_policy=None)
struct TmaCopyOptions {
  Option barrier = {}, clusterMask = {}, leaderScopeThreads = {}, evictionPolicy = {};
};
inline Value tmaCopy(const Arg &src, const Arg &dst, const TmaCopyOptions &options = {},
                     Loc loc = Loc::current()) {
  return detail::call("tma_copy", {&src, &dst},
                      {{"barrier", options.barrier},
                       {"cluster_mask", options.clusterMask},
                       {"leader_scope_threads", options.leaderScopeThreads},
                       {"eviction_policy", options.evictionPolicy}},
                      loc);
}

/// T.wgmma_gemm(A, B, C, transpose_A=False, transpose_B=False, policy='Square', clear_accum=False)
struct WgmmaGemmOptions {
  Option transposeA = {}, transposeB = {}, policy = {}, clearAccum = {};
};
inline Value wgmmaGemm(const Arg &A, const Arg &B, const Arg &C,
                       const WgmmaGemmOptions &options = {}, Loc loc = Loc::current()) {
  return detail::call("wgmma_gemm", {&A, &B, &C},
                      {{"transpose_A", options.transposeA},
                       {"transpose_B", options.transposeB},
                       {"policy", options.policy},
                       {"clear_accum", options.clearAccum}},
                      loc);
}

/// T.barrier_arrive(mbarrier, cta_id=None)
struct BarrierArriveOptions {
  Option ctaId = {};
};
inline Value barrierArrive(const Arg &mbarrier, const BarrierArriveOptions &options = {},
                           Loc loc = Loc::current()) {
  return detail::call("barrier_arrive", {&mbarrier}, {{"cta_id", options.ctaId}}, loc);
}

/// T.barrier_wait(mbarrier, parity=0)
struct BarrierWaitOptions {
  Option parity = {};
};
inline Value barrierWait(const Arg &mbarrier, const BarrierWaitOptions &options = {},
                         Loc loc = Loc::current()) {
  return detail::call("barrier_wait", {&mbarrier}, {{"parity", options.parity}}, loc);
}

/// T.mbarrier_expect_tx(mbarrier, tx)
inline Value mbarrierExpectTx(const Arg &mbarrier, const Arg &tx, Loc loc = Loc::current()) {
  return detail::call("mbarrier_expect_tx", {&mbarrier, &tx}, {}, loc);
}

/// T.wait_wgmma(id=0)
struct WaitWgmmaOptions {
  Option id = {};
};
inline Value waitWgmma(const WaitWgmmaOptions &options = {}, Loc loc = Loc::current()) {
  return detail::call("wait_wgmma", {}, {{"id", options.id}}, loc);
}

/// T.tma_store_wait(count=0, read=True)
struct TmaStoreWaitOptions {
  Option count = {}, read = {};
};
inline Value tmaStoreWait(const TmaStoreWaitOptions &options = {}, Loc loc = Loc::current()) {
  return detail::call("tma_store_wait", {}, {{"count", options.count}, {"read", options.read}},
                      loc);
}

/// T.tma_store_arrive()
inline Value tmaStoreArrive(Loc loc = Loc::current()) {
  return detail::call("tma_store_arrive", {}, {}, loc);
}

/// T.fence_proxy_async()
inline Value fenceProxyAsync(Loc loc = Loc::current()) {
  return detail::call("fence_proxy_async", {}, {}, loc);
}

/// T.exp(x)
inline Value exp(const Arg &x, Loc loc = Loc::current()) {
  return detail::call("exp", {&x}, {}, loc);
}

/// T.exp2(x)
inline Value exp2(const Arg &x, Loc loc = Loc::current()) {
  return detail::call("exp2", {&x}, {}, loc);
}

/// T.exp10(x)
inline Value exp10(const Arg &x, Loc loc = Loc::current()) {
  return detail::call("exp10", {&x}, {}, loc);
}

/// T.log(x)
inline Value log(const Arg &x, Loc loc = Loc::current()) {
  return detail::call("log", {&x}, {}, loc);
}

/// T.log2(x)
inline Value log2(const Arg &x, Loc loc = Loc::current()) {
  return detail::call("log2", {&x}, {}, loc);
}

/// T.log10(x)
inline Value log10(const Arg &x, Loc loc = Loc::current()) {
  return detail::call("log10", {&x}, {}, loc);
}

/// T.log1p(x)
inline Value log1p(const Arg &x, Loc loc = Loc::current()) {
  return detail::call("log1p", {&x}, {}, loc);
}

/// T.sqrt(x)
inline Value sqrt(const Arg &x, Loc loc = Loc::current()) {
  return detail::call("sqrt", {&x}, {}, loc);
}

/// T.rsqrt(x)
inline Value rsqrt(const Arg &x, Loc loc = Loc::current()) {
  return detail::call("rsqrt", {&x}, {}, loc);
}

/// T.sin(x)
inline Value sin(const Arg &x, Loc loc = Loc::current()) {
  return detail::call("sin", {&x}, {}, loc);
}

/// T.cos(x)
inline Value cos(const Arg &x, Loc loc = Loc::current()) {
  return detail::call("cos", {&x}, {}, loc);
}

/// T.tan(x)
inline Value tan(const Arg &x, Loc loc = Loc::current()) {
  return detail::call("tan", {&x}, {}, loc);
}

/// T.sinh(x)
inline Value sinh(const Arg &x, Loc loc = Loc::current()) {
  return detail::call("sinh", {&x}, {}, loc);
}

/// T.cosh(x)
inline Value cosh(const Arg &x, Loc loc = Loc::current()) {
  return detail::call("cosh", {&x}, {}, loc);
}

/// T.tanh(x)
inline Value tanh(const Arg &x, Loc loc = Loc::current()) {
  return detail::call("tanh", {&x}, {}, loc);
}

/// T.asin(x)
inline Value asin(const Arg &x, Loc loc = Loc::current()) {
  return detail::call("asin", {&x}, {}, loc);
}

/// T.acos(x)
inline Value acos(const Arg &x, Loc loc = Loc::current()) {
  return detail::call("acos", {&x}, {}, loc);
}

/// T.atan(x)
inline Value atan(const Arg &x, Loc loc = Loc::current()) {
  return detail::call("atan", {&x}, {}, loc);
}

/// T.asinh(x)
inline Value asinh(const Arg &x, Loc loc = Loc::current()) {
  return detail::call("asinh", {&x}, {}, loc);
}

/// T.acosh(x)
inline Value acosh(const Arg &x, Loc loc = Loc::current()) {
  return detail::call("acosh", {&x}, {}, loc);
}

/// T.atanh(x)
inline Value atanh(const Arg &x, Loc loc = Loc::current()) {
  return detail::call("atanh", {&x}, {}, loc);
}

/// T.atan2(x, y)
inline Value atan2(const Arg &x, const Arg &y, Loc loc = Loc::current()) {
  return detail::call("atan2", {&x, &y}, {}, loc);
}

/// T.erf(x)
inline Value erf(const Arg &x, Loc loc = Loc::current()) {
  return detail::call("erf", {&x}, {}, loc);
}

/// T.sigmoid(x)
inline Value sigmoid(const Arg &x, Loc loc = Loc::current()) {
  return detail::call("sigmoid", {&x}, {}, loc);
}

/// T.pow(x, y)
inline Value pow(const Arg &x, const Arg &y, Loc loc = Loc::current()) {
  return detail::call("pow", {&x, &y}, {}, loc);
}

/// T.fmod(x, y)
inline Value fmod(const Arg &x, const Arg &y, Loc loc = Loc::current()) {
  return detail::call("fmod", {&x, &y}, {}, loc);
}

/// T.hypot(x, y)
inline Value hypot(const Arg &x, const Arg &y, Loc loc = Loc::current()) {
  return detail::call("hypot", {&x, &y}, {}, loc);
}

/// T.copysign(x, y)
inline Value copysign(const Arg &x, const Arg &y, Loc loc = Loc::current()) {
  return detail::call("copysign", {&x, &y}, {}, loc);
}

/// T.nextafter(x, y)
inline Value nextafter(const Arg &x, const Arg &y, Loc loc = Loc::current()) {
  return detail::call("nextafter", {&x, &y}, {}, loc);
}

/// T.ldexp(x, y)
inline Value ldexp(const Arg &x, const Arg &y, Loc loc = Loc::current()) {
  return detail::call("ldexp", {&x, &y}, {}, loc);
}

/// T.fma(x, y, z)
inline Value fma(const Arg &x, const Arg &y, const Arg &z, Loc loc = Loc::current()) {
  return detail::call("fma", {&x, &y, &z}, {}, loc);
}

/// T.floor(x)
inline Value floor(const Arg &x, Loc loc = Loc::current()) {
  return detail::call("floor", {&x}, {}, loc);
}

/// T.ceil(x)
inline Value ceil(const Arg &x, Loc loc = Loc::current()) {
  return detail::call("ceil", {&x}, {}, loc);
}

/// T.trunc(x)
inline Value trunc(const Arg &x, Loc loc = Loc::current()) {
  return detail::call("trunc", {&x}, {}, loc);
}

/// T.round_away(x)
inline Value roundAway(const Arg &x, Loc loc = Loc::current()) {
  return detail::call("round_away", {&x}, {}, loc);
}

/// T.abs(x)
inline Value abs(const Arg &x, Loc loc = Loc::current()) {
  return detail::call("abs", {&x}, {}, loc);
}

/// T.popcount(x)
inline Value popcount(const Arg &x, Loc loc = Loc::current()) {
  return detail::call("popcount", {&x}, {}, loc);
}

/// T.clz(x)
inline Value clz(const Arg &x, Loc loc = Loc::current()) {
  return detail::call("clz", {&x}, {}, loc);
}

/// T.isnan(x)
inline Value isnan(const Arg &x, Loc loc = Loc::current()) {
  return detail::call("isnan", {&x}, {}, loc);
}

/// T.isinf(x)
inline Value isinf(const Arg &x, Loc loc = Loc::current()) {
  return detail::call("isinf", {&x}, {}, loc);
}

/// T.isfinite(x)
inline Value isfinite(const Arg &x, Loc loc = Loc::current()) {
  return detail::call("isfinite", {&x}, {}, loc);
}

} // namespace tilec::tile
