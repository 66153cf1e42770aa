//===- tilec/TileFunctions.h - what `T.` does with tiles and threads, for C++ ===//
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

/// T.copy(src, dst, *, coalesced_width=None, disable_tma=False, eviction_policy=None,
/// prefer_instruction=None, annotations=None, loop_layout=None)
struct CopyOptions {
  Option coalescedWidth = {}, disableTma = {}, evictionPolicy = {}, preferInstruction = {},
         annotations = {}, loopLayout = {};
};
inline Value copy(const Arg &src, const Arg &dst, const CopyOptions &options = {},
                  Loc loc = Loc::current()) {
  return detail::call("copy", {&src, &dst},
                      {{"coalesced_width", options.coalescedWidth},
                       {"disable_tma", options.disableTma},
                       {"eviction_policy", options.evictionPolicy},
                       {"prefer_instruction", options.preferInstruction},
                       {"annotations", options.annotations},
                       {"loop_layout", options.loopLayout}},
                      loc);
}

/// T.fill(buffer, value)
inline Value fill(const Arg &buffer, const Arg &value, Loc loc = Loc::current()) {
  return detail::call("fill", {&buffer, &value}, {}, loc);
}

/// T.clear(buffer)
inline Value clear(const Arg &buffer, Loc loc = Loc::current()) {
  return detail::call("clear", {&buffer}, {}, loc);
}

/// T.gemm(A, B, C, transpose_A=False, transpose_B=False, policy='Square', clear_accum=False,
/// k_pack=1, mbar=None, wg_wait=0)
struct GemmOptions {
  Option transposeA = {}, transposeB = {}, policy = {}, clearAccum = {}, kPack = {}, mbar = {},
         wgWait = {};
};
inline Value gemm(const Arg &A, const Arg &B, const Arg &C, const GemmOptions &options = {},
                  Loc loc = Loc::current()) {
  return detail::call("gemm", {&A, &B, &C},
                      {{"transpose_A", options.transposeA},
                       {"transpose_B", options.transposeB},
                       {"policy", options.policy},
                       {"clear_accum", options.clearAccum},
                       {"k_pack", options.kPack},
                       {"mbar", options.mbar},
                       {"wg_wait", options.wgWait}},
                      loc);
}

/// T.gemm_sp(A_sparse, E, B, C, transpose_A=False, transpose_E=False, transpose_B=False,
/// policy='Square', clear_accum=False, k_pack=1, wg_wait=0)
struct GemmSpOptions {
  Option transposeA = {}, transposeE = {}, transposeB = {}, policy = {}, clearAccum = {},
         kPack = {}, wgWait = {};
};
inline Value gemmSp(const Arg &ASparse, const Arg &E, const Arg &B, const Arg &C,
                    const GemmSpOptions &options = {}, Loc loc = Loc::current()) {
  return detail::call("gemm_sp", {&ASparse, &E, &B, &C},
                      {{"transpose_A", options.transposeA},
                       {"transpose_E", options.transposeE},
                       {"transpose_B", options.transposeB},
                       {"policy", options.policy},
                       {"clear_accum", options.clearAccum},
                       {"k_pack", options.kPack},
                       {"wg_wait", options.wgWait}},
                      loc);
}

/// T.gemm_blockscaled(A, B, C, SFA, SFB, transpose_A=False, transpose_B=False, policy='Square',
/// clear_accum=False, k_start=0, sf_a_granularity_k=None, sf_b_granularity_k=None)
struct GemmBlockscaledOptions {
  Option transposeA = {}, transposeB = {}, policy = {}, clearAccum = {}, kStart = {},
         sfAGranularityK = {}, sfBGranularityK = {};
};
inline Value gemmBlockscaled(const Arg &A, const Arg &B, const Arg &C, const Arg &SFA,
                             const Arg &SFB, const GemmBlockscaledOptions &options = {},
                             Loc loc = Loc::current()) {
  return detail::call("gemm_blockscaled", {&A, &B, &C, &SFA, &SFB},
                      {{"transpose_A", options.transposeA},
                       {"transpose_B", options.transposeB},
                       {"policy", options.policy},
                       {"clear_accum", options.clearAccum},
                       {"k_start", options.kStart},
                       {"sf_a_granularity_k", options.sfAGranularityK},
                       {"sf_b_granularity_k", options.sfBGranularityK}},
                      loc);
}

/// T.transpose(src, dst)
inline Value transpose(const Arg &src, const Arg &dst, Loc loc = Loc::current()) {
  return detail::call("transpose", {&src, &dst}, {}, loc);
}

/// T.im2col(img, col, nhw_step, c_step, kernel, stride, dilation, pad, eviction_policy=None)
struct Im2colOptions {
  Option evictionPolicy = {};
};
inline Value im2col(const Arg &img, const Arg &col, const Arg &nhwStep, const Arg &cStep,
                    const Arg &kernel, const Arg &stride, const Arg &dilation, const Arg &pad,
                    const Im2colOptions &options = {}, Loc loc = Loc::current()) {
  return detail::call("im2col", {&img, &col, &nhwStep, &cStep, &kernel, &stride, &dilation, &pad},
                      {{"eviction_policy", options.evictionPolicy}}, loc);
}

/// T.reduce_sum(buffer, out, dim=-1, clear=True, batch=1)
struct ReduceSumOptions {
  Option dim = {}, clear = {}, batch = {};
};
inline Value reduceSum(const Arg &buffer, const Arg &out, const ReduceSumOptions &options = {},
                       Loc loc = Loc::current()) {
  return detail::call("reduce_sum", {&buffer, &out},
                      {{"dim", options.dim}, {"clear", options.clear}, {"batch", options.batch}},
                      loc);
}

/// T.reduce_max(buffer, out, dim=-1, clear=True, batch=1, nan_propagate=False)
struct ReduceMaxOptions {
  Option dim = {}, clear = {}, batch = {}, nanPropagate = {};
};
inline Value reduceMax(const Arg &buffer, const Arg &out, const ReduceMaxOptions &options = {},
                       Loc loc = Loc::current()) {
  return detail::call("reduce_max", {&buffer, &out},
                      {{"dim", options.dim},
                       {"clear", options.clear},
                       {"batch", options.batch},
                       {"nan_propagate", options.nanPropagate}},
                      loc);
}

/// T.reduce_min(buffer, out, dim=-1, clear=True, batch=1, nan_propagate=False)
struct ReduceMinOptions {
  Option dim = {}, clear = {}, batch = {}, nanPropagate = {};
};
inline Value reduceMin(const Arg &buffer, const Arg &out, const ReduceMinOptions &options = {},
                       Loc loc = Loc::current()) {
  return detail::call("reduce_min", {&buffer, &out},
                      {{"dim", options.dim},
                       {"clear", options.clear},
                       {"batch", options.batch},
                       {"nan_propagate", options.nanPropagate}},
                      loc);
}

/// T.reduce_absmax(buffer, out, dim=-1, clear=True, batch=1, nan_propagate=False)
struct ReduceAbsmaxOptions {
  Option dim = {}, clear = {}, batch = {}, nanPropagate = {};
};
inline Value reduceAbsmax(const Arg &buffer, const Arg &out,
                          const ReduceAbsmaxOptions &options = {}, Loc loc = Loc::current()) {
  return detail::call("reduce_absmax", {&buffer, &out},
                      {{"dim", options.dim},
                       {"clear", options.clear},
                       {"batch", options.batch},
                       {"nan_propagate", options.nanPropagate}},
                      loc);
}

/// T.reduce_abssum(buffer, out, dim=-1, batch=1)
struct ReduceAbssumOptions {
  Option dim = {}, batch = {};
};
inline Value reduceAbssum(const Arg &buffer, const Arg &out,
                          const ReduceAbssumOptions &options = {}, Loc loc = Loc::current()) {
  return detail::call("reduce_abssum", {&buffer, &out},
                      {{"dim", options.dim}, {"batch", options.batch}}, loc);
}

/// T.reduce_bitand(buffer, out, dim=-1, clear=True, batch=1)
struct ReduceBitandOptions {
  Option dim = {}, clear = {}, batch = {};
};
inline Value reduceBitand(const Arg &buffer, const Arg &out,
                          const ReduceBitandOptions &options = {}, Loc loc = Loc::current()) {
  return detail::call("reduce_bitand", {&buffer, &out},
                      {{"dim", options.dim}, {"clear", options.clear}, {"batch", options.batch}},
                      loc);
}

/// T.reduce_bitor(buffer, out, dim=-1, clear=True, batch=1)
struct ReduceBitorOptions {
  Option dim = {}, clear = {}, batch = {};
};
inline Value reduceBitor(const Arg &buffer, const Arg &out, const ReduceBitorOptions &options = {},
                         Loc loc = Loc::current()) {
  return detail::call("reduce_bitor", {&buffer, &out},
                      {{"dim", options.dim}, {"clear", options.clear}, {"batch", options.batch}},
                      loc);
}

/// T.reduce_bitxor(buffer, out, dim=-1, clear=True, batch=1)
struct ReduceBitxorOptions {
  Option dim = {}, clear = {}, batch = {};
};
inline Value reduceBitxor(const Arg &buffer, const Arg &out,
                          const ReduceBitxorOptions &options = {}, Loc loc = Loc::current()) {
  return detail::call("reduce_bitxor", {&buffer, &out},
                      {{"dim", options.dim}, {"clear", options.clear}, {"batch", options.batch}},
                      loc);
}

/// T.cumsum(src, dst=None, dim=0, reverse=False)
struct CumsumOptions {
  Option dst = {}, dim = {}, reverse = {};
};
inline Value cumsum(const Arg &src, const CumsumOptions &options = {}, Loc loc = Loc::current()) {
  return detail::call("cumsum", {&src},
                      {{"dst", options.dst}, {"dim", options.dim}, {"reverse", options.reverse}},
                      loc);
}

/// T.cummax(src, dst=None, dim=0, reverse=False)
struct CummaxOptions {
  Option dst = {}, dim = {}, reverse = {};
};
inline Value cummax(const Arg &src, const CummaxOptions &options = {}, Loc loc = Loc::current()) {
  return detail::call("cummax", {&src},
                      {{"dst", options.dst}, {"dim", options.dim}, {"reverse", options.reverse}},
                      loc);
}

/// T.reducer_init(reducer, init=None)
struct ReducerInitOptions {
  Option init = {};
};
inline Value reducerInit(const Arg &reducer, const ReducerInitOptions &options = {},
                         Loc loc = Loc::current()) {
  return detail::call("reducer_init", {&reducer}, {{"init", options.init}}, loc);
}

/// T.reducer_update(target, value)
inline Value reducerUpdate(const Arg &target, const Arg &value, Loc loc = Loc::current()) {
  return detail::call("reducer_update", {&target, &value}, {}, loc);
}

/// T.finalize_reducer(reducer, dst=None, batch=1)
struct FinalizeReducerOptions {
  Option dst = {}, batch = {};
};
inline Value finalizeReducer(const Arg &reducer, const FinalizeReducerOptions &options = {},
                             Loc loc = Loc::current()) {
  return detail::call("finalize_reducer", {&reducer},
                      {{"dst", options.dst}, {"batch", options.batch}}, loc);
}

/// T.any_of(buffer)
inline Value anyOf(const Arg &buffer, Loc loc = Loc::current()) {
  return detail::call("any_of", {&buffer}, {}, loc);
}

/// T.all_of(buffer)
inline Value allOf(const Arg &buffer, Loc loc = Loc::current()) {
  return detail::call("all_of", {&buffer}, {}, loc);
}

/// T.atomic_add(dst, value, memory_order=None, return_prev=False, use_tma=False)
struct AtomicAddOptions {
  Option memoryOrder = {}, returnPrev = {}, useTma = {};
};
inline Value atomicAdd(const Arg &dst, const Arg &value, const AtomicAddOptions &options = {},
                       Loc loc = Loc::current()) {
  return detail::call("atomic_add", {&dst, &value},
                      {{"memory_order", options.memoryOrder},
                       {"return_prev", options.returnPrev},
                       {"use_tma", options.useTma}},
                      loc);
}

/// T.atomic_max(dst, value, memory_order=None, return_prev=False)
struct AtomicMaxOptions {
  Option memoryOrder = {}, returnPrev = {};
};
inline Value atomicMax(const Arg &dst, const Arg &value, const AtomicMaxOptions &options = {},
                       Loc loc = Loc::current()) {
  return detail::call("atomic_max", {&dst, &value},
                      {{"memory_order", options.memoryOrder}, {"return_prev", options.returnPrev}},
                      loc);
}

/// T.atomic_min(dst, value, memory_order=None, return_prev=False)
struct AtomicMinOptions {
  Option memoryOrder = {}, returnPrev = {};
};
inline Value atomicMin(const Arg &dst, const Arg &value, const AtomicMinOptions &options = {},
                       Loc loc = Loc::current()) {
  return detail::call("atomic_min", {&dst, &value},
                      {{"memory_order", options.memoryOrder}, {"return_prev", options.returnPrev}},
                      loc);
}

/// T.atomic_or(dst, value, memory_order=None, return_prev=False)
struct AtomicOrOptions {
  Option memoryOrder = {}, returnPrev = {};
};
inline Value atomicOr(const Arg &dst, const Arg &value, const AtomicOrOptions &options = {},
                      Loc loc = Loc::current()) {
  return detail::call("atomic_or", {&dst, &value},
                      {{"memory_order", options.memoryOrder}, {"return_prev", options.returnPrev}},
                      loc);
}

/// T.atomic_addx2(dst, value, return_prev=False)
struct AtomicAddx2Options {
  Option returnPrev = {};
};
inline Value atomicAddx2(const Arg &dst, const Arg &value, const AtomicAddx2Options &options = {},
                         Loc loc = Loc::current()) {
  return detail::call("atomic_addx2", {&dst, &value}, {{"return_prev", options.returnPrev}}, loc);
}

/// T.atomic_addx4(dst, value, return_prev=False)
struct AtomicAddx4Options {
  Option returnPrev = {};
};
inline Value atomicAddx4(const Arg &dst, const Arg &value, const AtomicAddx4Options &options = {},
                         Loc loc = Loc::current()) {
  return detail::call("atomic_addx4", {&dst, &value}, {{"return_prev", options.returnPrev}}, loc);
}

/// T.atomic_load(src, memory_order='seq_cst')
struct AtomicLoadOptions {
  Option memoryOrder = {};
};
inline Value atomicLoad(const Arg &src, const AtomicLoadOptions &options = {},
                        Loc loc = Loc::current()) {
  return detail::call("atomic_load", {&src}, {{"memory_order", options.memoryOrder}}, loc);
}

/// T.atomic_store(dst, src, memory_order='seq_cst')
struct AtomicStoreOptions {
  Option memoryOrder = {};
};
inline Value atomicStore(const Arg &dst, const Arg &src, const AtomicStoreOptions &options = {},
                         Loc loc = Loc::current()) {
  return detail::call("atomic_store", {&dst, &src}, {{"memory_order", options.memoryOrder}}, loc);
}

/// T.use_swizzle(panel_size, order='row', enable=True)
struct UseSwizzleOptions {
  Option order = {}, enable = {};
};
inline Value useSwizzle(const Arg &panelSize, const UseSwizzleOptions &options = {},
                        Loc loc = Loc::current()) {
  return detail::call("use_swizzle", {&panelSize},
                      {{"order", options.order}, {"enable", options.enable}}, loc);
}

/// T.assume(condition)
inline Value assume(const Arg &condition, Loc loc = Loc::current()) {
  return detail::call("assume", {&condition}, {}, loc);
}

/// T.device_assert(condition, msg='', no_stack_info=False)
struct DeviceAssertOptions {
  Option msg = {}, noStackInfo = {};
};
inline Value deviceAssert(const Arg &condition, const DeviceAssertOptions &options = {},
                          Loc loc = Loc::current()) {
  return detail::call("device_assert", {&condition},
                      {{"msg", options.msg}, {"no_stack_info", options.noStackInfo}}, loc);
}

/// T.print(obj=None, msg='', warp_group_id=0, warp_id=0)
struct PrintOptions {
  Option obj = {}, msg = {}, warpGroupId = {}, warpId = {};
};
inline Value print(const PrintOptions &options = {}, Loc loc = Loc::current()) {
  return detail::call("print", {},
                      {{"obj", options.obj},
                       {"msg", options.msg},
                       {"warp_group_id", options.warpGroupId},
                       {"warp_id", options.warpId}},
                      loc);
}

/// T.sync_threads(barrier_id=None, arrive_count=None)
struct SyncThreadsOptions {
  Option barrierId = {}, arriveCount = {};
};
inline Value syncThreads(const SyncThreadsOptions &options = {}, Loc loc = Loc::current()) {
  return detail::call("sync_threads", {},
                      {{"barrier_id", options.barrierId}, {"arrive_count", options.arriveCount}},
                      loc);
}

/// T.sync_warp(mask=None)
struct SyncWarpOptions {
  Option mask = {};
};
inline Value syncWarp(const SyncWarpOptions &options = {}, Loc loc = Loc::current()) {
  return detail::call("sync_warp", {}, {{"mask", options.mask}}, loc);
}

/// T.sync_grid()
inline Value syncGrid(Loc loc = Loc::current()) { return detail::call("sync_grid", {}, {}, loc); }

/// T.shfl_sync(value, srcLane, width=None, mask=None)
struct ShflSyncOptions {
  Option width = {}, mask = {};
};
inline Value shflSync(const Arg &value, const Arg &srcLane, const ShflSyncOptions &options = {},
                      Loc loc = Loc::current()) {
  return detail::call("shfl_sync", {&value, &srcLane},
                      {{"width", options.width}, {"mask", options.mask}}, loc);
}

/// T.shfl_xor(value, delta, width=None, mask=None)
struct ShflXorOptions {
  Option width = {}, mask = {};
};
inline Value shflXor(const Arg &value, const Arg &delta, const ShflXorOptions &options = {},
                     Loc loc = Loc::current()) {
  return detail::call("shfl_xor", {&value, &delta},
                      {{"width", options.width}, {"mask", options.mask}}, loc);
}

/// T.shfl_down(value, delta, width=None, mask=None)
struct ShflDownOptions {
  Option width = {}, mask = {};
};
inline Value shflDown(const Arg &value, const Arg &delta, const ShflDownOptions &options = {},
                      Loc loc = Loc::current()) {
  return detail::call("shfl_down", {&value, &delta},
                      {{"width", options.width}, {"mask", options.mask}}, loc);
}

/// T.shfl_up(value, delta, width=None, mask=None)
struct ShflUpOptions {
  Option width = {}, mask = {};
};
inline Value shflUp(const Arg &value, const Arg &delta, const ShflUpOptions &options = {},
                    Loc loc = Loc::current()) {
  return detail::call("shfl_up", {&value, &delta},
                      {{"width", options.width}, {"mask", options.mask}}, loc);
}

/// T.any_sync(predicate, mask=None)
struct AnySyncOptions {
  Option mask = {};
};
inline Value anySync(const Arg &predicate, const AnySyncOptions &options = {},
                     Loc loc = Loc::current()) {
  return detail::call("any_sync", {&predicate}, {{"mask", options.mask}}, loc);
}

/// T.all_sync(predicate, mask=None)
struct AllSyncOptions {
  Option mask = {};
};
inline Value allSync(const Arg &predicate, const AllSyncOptions &options = {},
                     Loc loc = Loc::current()) {
  return detail::call("all_sync", {&predicate}, {{"mask", options.mask}}, loc);
}

/// T.ballot_sync(predicate, mask=None)
struct BallotSyncOptions {
  Option mask = {};
};
inline Value ballotSync(const Arg &predicate, const BallotSyncOptions &options = {},
                        Loc loc = Loc::current()) {
  return detail::call("ballot_sync", {&predicate}, {{"mask", options.mask}}, loc);
}

/// T.ballot(predicate)
inline Value ballot(const Arg &predicate, Loc loc = Loc::current()) {
  return detail::call("ballot", {&predicate}, {}, loc);
}

/// T.activemask()
inline Value activemask(Loc loc = Loc::current()) {
  return detail::call("activemask", {}, {}, loc);
}

/// T.syncthreads_count(predicate)
inline Value syncthreadsCount(const Arg &predicate, Loc loc = Loc::current()) {
  return detail::call("syncthreads_count", {&predicate}, {}, loc);
}

/// T.syncthreads_and(predicate)
inline Value syncthreadsAnd(const Arg &predicate, Loc loc = Loc::current()) {
  return detail::call("syncthreads_and", {&predicate}, {}, loc);
}

/// T.syncthreads_or(predicate)
inline Value syncthreadsOr(const Arg &predicate, Loc loc = Loc::current()) {
  return detail::call("syncthreads_or", {&predicate}, {}, loc);
}

/// T.match_any_sync(value, mask=None)
struct MatchAnySyncOptions {
  Option mask = {};
};
inline Value matchAnySync(const Arg &value, const MatchAnySyncOptions &options = {},
                          Loc loc = Loc::current()) {
  return detail::call("match_any_sync", {&value}, {{"mask", options.mask}}, loc);
}

/// T.match_all_sync(value, mask=None)
struct MatchAllSyncOptions {
  Option mask = {};
};
inline Value matchAllSync(const Arg &value, const MatchAllSyncOptions &options = {},
                          Loc loc = Loc::current()) {
  return detail::call("match_all_sync", {&value}, {{"mask", options.mask}}, loc);
}

/// T.warp_reduce_sum(value)
inline Value warpReduceSum(const Arg &value, Loc loc = Loc::current()) {
  return detail::call("warp_reduce_sum", {&value}, {}, loc);
}

/// T.warp_reduce_max(value)
inline Value warpReduceMax(const Arg &value, Loc loc = Loc::current()) {
  return detail::call("warp_reduce_max", {&value}, {}, loc);
}

/// T.warp_reduce_min(value)
inline Value warpReduceMin(const Arg &value, Loc loc = Loc::current()) {
  return detail::call("warp_reduce_min", {&value}, {}, loc);
}

/// T.warp_reduce_bitand(value)
inline Value warpReduceBitand(const Arg &value, Loc loc = Loc::current()) {
  return detail::call("warp_reduce_bitand", {&value}, {}, loc);
}

/// T.warp_reduce_bitor(value)
inline Value warpReduceBitor(const Arg &value, Loc loc = Loc::current()) {
  return detail::call("warp_reduce_bitor", {&value}, {}, loc);
}

/// T.shuffle_elect(thread_extent)
inline Value shuffleElect(const Arg &threadExtent, Loc loc = Loc::current()) {
  return detail::call("shuffle_elect", {&threadExtent}, {}, loc);
}

/// T.get_lane_idx(warp_size=None)
struct GetLaneIdxOptions {
  Option warpSize = {};
};
inline Value getLaneIdx(const GetLaneIdxOptions &options = {}, Loc loc = Loc::current()) {
  return detail::call("get_lane_idx", {}, {{"warp_size", options.warpSize}}, loc);
}

/// T.get_warp_idx(warp_size=None)
struct GetWarpIdxOptions {
  Option warpSize = {};
};
inline Value getWarpIdx(const GetWarpIdxOptions &options = {}, Loc loc = Loc::current()) {
  return detail::call("get_warp_idx", {}, {{"warp_size", options.warpSize}}, loc);
}

/// T.get_warp_group_idx(warp_size=None, warps_per_group=None)
struct GetWarpGroupIdxOptions {
  Option warpSize = {}, warpsPerGroup = {};
};
inline Value getWarpGroupIdx(const GetWarpGroupIdxOptions &options = {}, Loc loc = Loc::current()) {
  return detail::call("get_warp_group_idx", {},
                      {{"warp_size", options.warpSize}, {"warps_per_group", options.warpsPerGroup}},
                      loc);
}

/// T.dp4a(A, B, C)
inline Value dp4a(const Arg &A, const Arg &B, const Arg &C, Loc loc = Loc::current()) {
  return detail::call("dp4a", {&A, &B, &C}, {}, loc);
}

/// schedule.sched_barrier(mask=0)
struct SchedBarrierOptions {
  Option mask = {};
};
inline Value schedBarrier(const SchedBarrierOptions &options = {}, Loc loc = Loc::current()) {
  return detail::call("schedule.sched_barrier", {}, {{"mask", options.mask}}, loc);
}

/// schedule.setprio(priority)
inline Value setprio(const Arg &priority, Loc loc = Loc::current()) {
  return detail::call("schedule.setprio", {&priority}, {}, loc);
}

/// T.get_thread_binding(dim=0)
struct GetThreadBindingOptions {
  Option dim = {};
};
inline Value getThreadBinding(const GetThreadBindingOptions &options = {},
                              Loc loc = Loc::current()) {
  return detail::call("get_thread_binding", {}, {{"dim", options.dim}}, loc);
}

/// T.get_block_binding(dim=0)
struct GetBlockBindingOptions {
  Option dim = {};
};
inline Value getBlockBinding(const GetBlockBindingOptions &options = {}, Loc loc = Loc::current()) {
  return detail::call("get_block_binding", {}, {{"dim", options.dim}}, loc);
}

/// T.get_thread_extent(dim=0)
struct GetThreadExtentOptions {
  Option dim = {};
};
inline Value getThreadExtent(const GetThreadExtentOptions &options = {}, Loc loc = Loc::current()) {
  return detail::call("get_thread_extent", {}, {{"dim", options.dim}}, loc);
}

/// T.get_block_extent(dim=0)
struct GetBlockExtentOptions {
  Option dim = {};
};
inline Value getBlockExtent(const GetBlockExtentOptions &options = {}, Loc loc = Loc::current()) {
  return detail::call("get_block_extent", {}, {{"dim", options.dim}}, loc);
}

/// T.make_swizzled_layout(buffer, k_major=True, allow_pad=True)
struct MakeSwizzledLayoutOptions {
  Option kMajor = {}, allowPad = {};
};
inline Value makeSwizzledLayout(const Arg &buffer, const MakeSwizzledLayoutOptions &options = {},
                                Loc loc = Loc::current()) {
  return detail::call("make_swizzled_layout", {&buffer},
                      {{"k_major", options.kMajor}, {"allow_pad", options.allowPad}}, loc);
}

/// T.__ldg(load_or_buf, index=None)
struct LdgOptions {
  Option index = {};
};
inline Value Ldg(const Arg &loadOrBuf, const LdgOptions &options = {}, Loc loc = Loc::current()) {
  return detail::call("__ldg", {&loadOrBuf}, {{"index", options.index}}, loc);
}

/// T.get_swizzle_layout(row_idx, col_idx, row_size, dtype, swizzle_bytes=None)
struct GetSwizzleLayoutOptions {
  Option swizzleBytes = {};
};
inline Value getSwizzleLayout(const Arg &rowIdx, const Arg &colIdx, const Arg &rowSize,
                              const Arg &dtype, const GetSwizzleLayoutOptions &options = {},
                              Loc loc = Loc::current()) {
  return detail::call("get_swizzle_layout", {&rowIdx, &colIdx, &rowSize, &dtype},
                      {{"swizzle_bytes", options.swizzleBytes}}, loc);
}

/// T.evaluate(value)
inline Value evaluate(const Arg &value, Loc loc = Loc::current()) {
  return detail::call("evaluate", {&value}, {}, loc);
}

/// T.let(var, value)
inline Value let(const Arg &var, const Arg &value, Loc loc = Loc::current()) {
  return detail::call("let", {&var, &value}, {}, loc);
}

/// T.tvm_warp_shuffle(mask, value, warp_id, width, warp_size)
inline Value tvmWarpShuffle(const Arg &mask, const Arg &value, const Arg &warpId, const Arg &width,
                            const Arg &warpSize, Loc loc = Loc::current()) {
  return detail::call("tvm_warp_shuffle", {&mask, &value, &warpId, &width, &warpSize}, {}, loc);
}

/// T.tvm_warp_shuffle_up(mask, value, offset, width, warp_size)
inline Value tvmWarpShuffleUp(const Arg &mask, const Arg &value, const Arg &offset,
                              const Arg &width, const Arg &warpSize, Loc loc = Loc::current()) {
  return detail::call("tvm_warp_shuffle_up", {&mask, &value, &offset, &width, &warpSize}, {}, loc);
}

/// T.tvm_warp_shuffle_down(mask, value, offset, width, warp_size)
inline Value tvmWarpShuffleDown(const Arg &mask, const Arg &value, const Arg &offset,
                                const Arg &width, const Arg &warpSize, Loc loc = Loc::current()) {
  return detail::call("tvm_warp_shuffle_down", {&mask, &value, &offset, &width, &warpSize}, {},
                      loc);
}

/// T.rng_init(seed, seq=None, off=0, generator='curandStatePhilox4_32_10_t')
struct RngInitOptions {
  Option seq = {}, off = {}, generator = {};
};
inline Value rngInit(const Arg &seed, const RngInitOptions &options = {},
                     Loc loc = Loc::current()) {
  return detail::call(
      "rng_init", {&seed},
      {{"seq", options.seq}, {"off", options.off}, {"generator", options.generator}}, loc);
}

/// T.rng_rand()
inline Value rngRand(Loc loc = Loc::current()) { return detail::call("rng_rand", {}, {}, loc); }

/// T.rng_rand_float(bit=32, dist='uniform')
struct RngRandFloatOptions {
  Option bit = {}, dist = {};
};
inline Value rngRandFloat(const RngRandFloatOptions &options = {}, Loc loc = Loc::current()) {
  return detail::call("rng_rand_float", {}, {{"bit", options.bit}, {"dist", options.dist}}, loc);
}

} // namespace tilec::tile
