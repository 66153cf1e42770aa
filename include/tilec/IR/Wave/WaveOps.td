//===- WaveOps.td - the operations of the wave dialect --------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#ifndef TILEC_IR_WAVE_OPS_TD
#define TILEC_IR_WAVE_OPS_TD

include "tilec/IR/Wave/WaveDialect.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/IR/OpBase.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/SymbolInterfaces.td"

class Wave_Op<string mnemonic, list<Trait> traits = []> : Op<Wave_Dialect, mnemonic, traits>;

/// What a register holds: a number or a vector of numbers.
def Wave_Value : AnyTypeOf<[AnyInteger, AnyFloat, Index, AnyVectorOfNonZeroRank],
                           "an integer, a float or a vector of them">;
def Wave_Offset : AnyTypeOf<[Index, I64], "a byte offset">;

//===----------------------------------------------------------------------===//
// Kernels and identity
//===----------------------------------------------------------------------===//

def Wave_KernelOp : Wave_Op<"kernel", [Symbol, IsolatedFromAbove, NoTerminator, SingleBlock,
    AutomaticAllocationScope, DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmBlockArgumentNames"]>]> {
  let summary = "the program of every wave of a block";
  let description = [{
    Block arguments are the launch's parameters in ABI order (`!wave.global`, i32,
    i64, f32, ...), named by `arg_names`; `arg_access` is "r", "w", "rw" or "" for
    each. Arguments of type `!wave.tensor_map` are described by `tensor_maps`, an array of
    dictionaries with the launch manifest's fields `name`, `of`, `box`, `swizzle`, with `dims` where
    they are not the tensor's, and, of an image's matrix, `lower`, `upper` and `steps` of its `im2col`.
    `threads` lanes run in ceil(threads / lanes) waves. `shared_bytes` is the
    size of the shared array. `min_blocks` blocks should fit on a compute unit. The grid has
    `grid_blocks`, where that is known and the target asks for it. `cluster` neighbouring blocks
    along x reach each other's shared memory. `block_order` says in which order blocks take
    tiles, where that is not the launch's.

    `wave-schedule` leaves what it planned: `schedules`, a text a loop; `schedule_loops`, the id of each
    (`#tile.loop`), 0 where it has none; `schedule_parts`, for A and B of each the instructions of a
    read, and the reads that stand together; `named_schedule` where the
    author named one. It takes none of the `rejected_schedules`.

    `library_math`: functions of f32 are those of the device's library.

    ```mlir
    wave.kernel @gemm(["A", "C"]) threads(256) shared(32768) {
    ^bb0(%A: !wave.global, %C: !wave.global):
      ...
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, StrArrayAttr:$arg_names, StrArrayAttr:$arg_access,
                       I64Attr:$threads, DefaultValuedAttr<I64Attr, "0">:$shared_bytes,
                       DefaultValuedAttr<I64Attr, "1">:$min_blocks,
                       OptionalAttr<I64Attr>:$grid_blocks,
                       DefaultValuedAttr<I64Attr, "1">:$cluster,
                       UnitAttr:$keep_order, UnitAttr:$named_schedule,
                       OptionalAttr<StrArrayAttr>:$schedules,
                       OptionalAttr<DenseI64ArrayAttr>:$schedule_loops,
                       OptionalAttr<ArrayAttr>:$schedule_parts,
                       OptionalAttr<StrArrayAttr>:$rejected_schedules,
                       OptionalAttr<StrAttr>:$block_order, OptionalAttr<ArrayAttr>:$tensor_maps,
                       UnitAttr:$library_math);
  let builders = [OpBuilder<(ins "::llvm::StringRef":$sym_name, "::mlir::ArrayAttr":$arg_names,
                                 "::mlir::ArrayAttr":$arg_access, "int64_t":$threads), [{
    build($_builder, $_state, sym_name, arg_names, arg_access, threads, /*shared_bytes=*/0,
          /*min_blocks=*/1, /*grid_blocks=*/::mlir::IntegerAttr(), /*cluster=*/1, /*keep_order=*/false, /*named_schedule=*/false,
          ::mlir::ArrayAttr(), ::mlir::DenseI64ArrayAttr(), ::mlir::ArrayAttr(), ::mlir::ArrayAttr(), ::mlir::StringAttr(),
          ::mlir::ArrayAttr(), /*library_math=*/false);
  }]>];
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $sym_name `(` $arg_names `)` `access` $arg_access `threads` `(` $threads `)`
    `shared` `(` $shared_bytes `)` attr-dict-with-keyword $body
  }];
  let hasVerifier = 1;
}

class Wave_IdOp<string mnemonic, string text> : Wave_Op<mnemonic, [Pure]> {
  let summary = text;
  let results = (outs Index:$result);
  let assemblyFormat = "attr-dict";
}
def Wave_LaneIdOp : Wave_Op<"lane_id", [Pure]> {
  let summary = "the lane's number in its wave";
  let description = [{
    With `fresh` it is read anew: what code behind a loop computes from it is
    not taken for what was computed in front of the loop, and occupies no registers in
    between.
  }];
  let arguments = (ins UnitAttr:$fresh);
  let results = (outs Index:$result);
  let assemblyFormat = "(`fresh` $fresh^)? attr-dict";
}
def Wave_WaveIdOp : Wave_IdOp<"wave_id", "the wave's number in its block, uniform">;
def Wave_ThreadIdOp : Wave_IdOp<"thread_id", "the lane's number in its block">;

def Wave_BlockIdOp : Wave_Op<"block_id", [Pure]> {
  let summary = "the block's coordinate along x (0), y (1) or z (2), uniform";
  let arguments = (ins ConfinedAttr<I64Attr, [IntNonNegative, IntMaxValue<2>]>:$dim);
  let results = (outs Index:$result);
  let assemblyFormat = "$dim attr-dict";
}

def Wave_UniformOp : Wave_Op<"uniform", [Pure, AllTypesMatch<["value", "result"]>]> {
  let summary = "a value that the caller knows to be equal in all lanes, as a uniform value";
  let description = "A scalar register where the target has them, else a hint.";
  let arguments = (ins AnyTypeOf<[Index, I32]>:$value);
  let results = (outs AnyTypeOf<[Index, I32]>:$result);
  let assemblyFormat = "$value attr-dict `:` type($value)";
}

def Wave_OpaqueOp : Wave_Op<"opaque"> {
  let summary = "the same value, about which later optimisations know nothing";
  let description = [{
    What is computed from it inside a loop stays there instead of taking a register for each
    result in front of the loop. Costs no instruction.
  }];
  let arguments = (ins Index:$value);
  let results = (outs Index:$result);
  let assemblyFormat = "$value attr-dict";
}

//===----------------------------------------------------------------------===//
// Registers and vectors
//===----------------------------------------------------------------------===//

def Wave_AllocRegsOp : Wave_Op<"alloc_regs", [MemoryEffects<[MemAlloc]>]> {
  let summary = "an array of registers with undefined contents";
  let arguments = (ins OptionalAttr<StrAttr>:$name);
  let results = (outs Wave_RegsType:$result);
  let assemblyFormat = "($name^)? attr-dict `:` qualified(type($result))";
}

def Wave_GetOp : Wave_Op<"get"> {
  let summary = "the value of one register";
  let arguments = (ins Arg<Wave_RegsType, "", [MemRead]>:$regs, I64Attr:$slot);
  let results = (outs Wave_Value:$result);
  let assemblyFormat = "$regs `[` $slot `]` attr-dict `:` qualified(type($regs)) `->` type($result)";
  let hasVerifier = 1;
}

def Wave_SetOp : Wave_Op<"set"> {
  let summary = "write one register";
  let arguments = (ins Wave_Value:$value, Arg<Wave_RegsType, "", [MemWrite]>:$regs, I64Attr:$slot,
                       OptionalAttr<Wave_StepAttr>:$step);
  let builders = [OpBuilder<(ins "::mlir::Value":$value, "::mlir::Value":$regs, "int64_t":$slot), [{
    build($_builder, $_state, value, regs, slot, StepAttr());
  }]>];
  let assemblyFormat = "$value `,` $regs `[` $slot `]` attr-dict `:` type($value) `,` qualified(type($regs))";
  let hasVerifier = 1;
}

def Wave_ExtractOp : Wave_Op<"extract", [Pure]> {
  let summary = "one element of a vector, or a shorter vector of consecutive ones";
  let arguments = (ins AnyVectorOfNonZeroRank:$vector, I64Attr:$position);
  let results = (outs Wave_Value:$result);
  let assemblyFormat = "$vector `[` $position `]` attr-dict `:` type($vector) `->` type($result)";
  let hasVerifier = 1;
}

def Wave_PackOp : Wave_Op<"pack", [Pure]> {
  let summary = "a vector of the operands' elements in order; operands are scalars or vectors";
  let arguments = (ins Variadic<Wave_Value>:$parts);
  let results = (outs AnyVectorOfNonZeroRank:$result);
  let assemblyFormat = "$parts attr-dict `:` type($parts) `->` type($result)";
  let hasVerifier = 1;
}

def Wave_BitcastOp : Wave_Op<"bitcast", [Pure]> {
  let summary = "the same bits as another type";
  let arguments = (ins Wave_Value:$value);
  let results = (outs Wave_Value:$result);
  let assemblyFormat = "$value attr-dict `:` type($value) `->` type($result)";
  let hasVerifier = 1;
}

def Wave_BytePermuteOp : Wave_Op<"byte_permute", [Pure]> {
  let summary = "four of the eight bytes of two words";
  let description = [{
    Byte i of the result is byte `bytes[i]` of `a` (0 to 3) or `b` (4 to 7), lowest
    first: v_perm_b32, prmt.

    ```mlir
    %low_halves = wave.byte_permute %a, %b [0, 1, 4, 5]
    ```
  }];
  let arguments = (ins I32:$a, I32:$b, DenseI64ArrayAttr:$bytes);
  let results = (outs I32:$result);
  let assemblyFormat = "$a `,` $b $bytes attr-dict";
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

def Wave_SharedReadOp : Wave_Op<"shared_read", [MemoryEffects<[MemRead]>]> {
  let summary = "read bytes [offset + imm, ...) of shared memory";
  let description = [{
    Aligned to the result's size, up to 16 bytes; 1 to 16 bytes. Data that an
    asynchronous copy writes is only read after its wait and a barrier: no wait is
    added for it. With `block` = n, of the block n places further on in the cluster, behind
    whose last one comes the first. With `stays`, only lanes that come to it read: it is not done
    in front of a branch.
  }];
  let arguments = (ins Index:$offset, DefaultValuedAttr<I64Attr, "0">:$imm,
                       OptionalAttr<Wave_StepAttr>:$step, OptionalAttr<I64Attr>:$block, UnitAttr:$stays);
  let builders = [OpBuilder<(ins "::mlir::Type":$result, "::mlir::Value":$offset,
                                 CArg<"int64_t", "0">:$imm), [{
    build($_builder, $_state, result, offset, imm, StepAttr(), ::mlir::IntegerAttr(), false);
  }]>];
  let results = (outs Wave_Value:$result);
  let assemblyFormat = [{
    $offset (`imm` `(` $imm^ `)`)? (`block` `(` $block^ `)`)? (`stays` $stays^)? attr-dict `:` type($result)
  }];
  let hasVerifier = 1;
}

def Wave_SharedWriteOp : Wave_Op<"shared_write", [MemoryEffects<[MemWrite]>]> {
  let summary = "write bytes [offset + imm, ...) of shared memory";
  let description = "With `mask`, lanes where it is false write nothing.";
  let arguments = (ins Wave_Value:$value, Index:$offset, Optional<I1>:$mask,
                       DefaultValuedAttr<I64Attr, "0">:$imm);
  let assemblyFormat = [{
    $value `,` $offset (`imm` `(` $imm^ `)`)? (`mask` `(` $mask^ `)`)? attr-dict `:` type($value)
  }];
  let hasVerifier = 1;
}

def Wave_SharedAtomicOp : Wave_Op<"shared_atomic", [AllTypesMatch<["value", "old"]>,
                                                    MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "atomic update in shared memory; gives the old value";
  let arguments = (ins Wave_AtomicKindAttr:$kind, Wave_Value:$value, Index:$offset,
                       Optional<I1>:$mask);
  let results = (outs Wave_Value:$old);
  let assemblyFormat = "$kind $value `,` $offset (`mask` `(` $mask^ `)`)? attr-dict `:` type($value) `->` type($old)";
  let hasVerifier = 1;
}

def Wave_LdMatrixOp : Wave_Op<"ldmatrix", [MemoryEffects<[MemRead]>]> {
  let summary = "1, 2 or 4 of 8x8 matrices of 16-bit elements (TargetInfo::hasMatrixReads)";
  let description = [{
    Lane l gives the shared address of row l % 8 of matrix l / 8. Register i of the
    result is the lane's pair of matrix i.
  }];
  let arguments = (ins Index:$offset, DefaultValuedAttr<I64Attr, "0">:$imm, UnitAttr:$trans);
  let results = (outs AnyVectorOfNonZeroRank:$result);
  let assemblyFormat = "$offset (`imm` `(` $imm^ `)`)? attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Wave_SharedReadTrOp : Wave_Op<"shared_read_tr", [MemoryEffects<[MemRead]>]> {
  let summary = "a transposed read of 8 bytes a lane (TargetInfo::transposedBits)";
  let description = [{
    16 lanes read 16 runs of 8 bytes, one address a lane, and get them transposed:
    elements of 16, 8 or 4 bits.
  }];
  let arguments = (ins Index:$offset, DefaultValuedAttr<I64Attr, "0">:$imm,
                       OptionalAttr<Wave_StepAttr>:$step);
  let builders = [OpBuilder<(ins "::mlir::Type":$result, "::mlir::Value":$offset,
                                 CArg<"int64_t", "0">:$imm), [{
    build($_builder, $_state, result, offset, imm, StepAttr());
  }]>];
  let results = (outs AnyVectorOfNonZeroRank:$result);
  let assemblyFormat = "$offset (`imm` `(` $imm^ `)`)? attr-dict `:` type($result)";
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Global memory
//===----------------------------------------------------------------------===//

def Wave_GlobalReadOp : Wave_Op<"global_read", [MemoryEffects<[MemRead]>]> {
  let summary = "read device memory";
  let description = [{
    `align` is the known alignment of the address in bytes. Where `mask` is false
    the result is zero and no memory outside the tensor is touched (one element at
    `base` itself may be read; with `may_be_empty` not where `base` is null). A masked
    access with an `index` offset stays below 2^32 - 16. With `scalar` all lanes read the
    same whole words of a tensor that the kernel does not write: other counters than those
    of copies may wait for it. With `constant` nothing writes there while the kernel runs:
    the read may be moved across writes and barriers.
  }];
  let arguments = (ins Wave_GlobalType:$base, Wave_Offset:$offset, Optional<I1>:$mask,
                       I64Attr:$align, UnitAttr:$scalar, UnitAttr:$constant,
                       UnitAttr:$may_be_empty);
  let results = (outs Wave_Value:$result);
  let assemblyFormat = [{
    $base `[` $offset `]` (`mask` `(` $mask^ `)`)? `align` $align attr-dict
    `:` type($offset) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Wave_GlobalWriteOp : Wave_Op<"global_write", [MemoryEffects<[MemWrite]>]> {
  let summary = "write device memory; nothing where `mask` is false";
  let arguments = (ins Wave_Value:$value, Wave_GlobalType:$base, Wave_Offset:$offset,
                       Optional<I1>:$mask, I64Attr:$align);
  let assemblyFormat = [{
    $value `,` $base `[` $offset `]` (`mask` `(` $mask^ `)`)? `align` $align attr-dict
    `:` type($value) `,` type($offset)
  }];
  let hasVerifier = 1;
}

def Wave_GlobalAtomicOp : Wave_Op<"global_atomic", [AllTypesMatch<["value", "old"]>,
                                                    MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "relaxed device-scope atomic update; gives the old value, 0 where masked";
  let arguments = (ins Wave_AtomicKindAttr:$kind, Wave_Value:$value, Wave_GlobalType:$base,
                       Wave_Offset:$offset, Optional<I1>:$mask);
  let results = (outs Wave_Value:$old);
  let assemblyFormat = [{
    $kind $value `,` $base `[` $offset `]` (`mask` `(` $mask^ `)`)? attr-dict
    `:` type($value) `,` type($offset) `->` type($old)
  }];
  let hasVerifier = 1;
}

def Wave_AddGlobalOp : Wave_Op<"add_global", [Pure]> {
  let summary = "a pointer moved by a uniform 64-bit byte offset";
  let arguments = (ins Wave_GlobalType:$base, I64:$offset);
  let results = (outs Wave_GlobalType:$result);
  let assemblyFormat = "$base `,` $offset attr-dict";
}

//===----------------------------------------------------------------------===//
// Asynchronous copies and their waits
//===----------------------------------------------------------------------===//

def Wave_BufferDescOp : Wave_Op<"buffer_desc", [Pure]> {
  let summary = "a raw buffer descriptor over `bytes` bytes at `base` (TargetInfo::hasDescriptors)";
  let description = "Made once, outside loops, of a tensor; of a box where only the run knows the tensor's rows. `base` and `bytes` are uniform; reads past `bytes` give zero.";
  let arguments = (ins Wave_GlobalType:$base, I64:$bytes);
  let results = (outs Wave_DescType:$result);
  let assemblyFormat = "$base `,` $bytes attr-dict";
}

def Wave_LoadToSharedOp : Wave_Op<"load_to_shared", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "an asynchronous copy: lane l writes `bytes` bytes at shared + imm + l * bytes";
  let description = [{
    Reads desc[voffset + soffset + imm]. `shared` and `soffset` are uniform; `imm`
    is added to both addresses. Counts as one memory operation in flight (Completion::Counter).
  }];
  let arguments = (ins Wave_DescType:$desc, Index:$voffset, Index:$soffset, Index:$shared,
                       DefaultValuedAttr<I64Attr, "0">:$imm, I64Attr:$bytes,
                       OptionalAttr<Wave_StepAttr>:$step);
  let builders = [OpBuilder<(ins "::mlir::Value":$desc, "::mlir::Value":$voffset,
                                 "::mlir::Value":$soffset, "::mlir::Value":$shared,
                                 "int64_t":$imm, "int64_t":$bytes), [{
    build($_builder, $_state, desc, voffset, soffset, shared, imm, bytes, StepAttr());
  }]>];
  let assemblyFormat = [{
    $desc `,` $voffset `,` $soffset `to` $shared (`imm` `(` $imm^ `)`)? `bytes` $bytes attr-dict
  }];
  let hasVerifier = 1;
}

def Wave_CpAsyncOp : Wave_Op<"cp_async", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "each lane copies `bytes` bytes to shared memory, asynchronously (Completion::Groups)";
  let description = "Where `mask` is false, zeros are written.";
  let arguments = (ins Wave_GlobalType:$base, Wave_Offset:$offset, Index:$shared,
                       Optional<I1>:$mask, DefaultValuedAttr<I64Attr, "0">:$imm, I64Attr:$bytes);
  let assemblyFormat = [{
    $base `[` $offset `]` `to` $shared (`imm` `(` $imm^ `)`)? (`mask` `(` $mask^ `)`)?
    `bytes` $bytes attr-dict `:` type($offset)
  }];
  let hasVerifier = 1;
}

class Wave_SyncOp<string mnemonic, string text>
    : Wave_Op<mnemonic, [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = text;
}

def Wave_CpAsyncCommitOp : Wave_SyncOp<"cp_async_commit", "end a group of asynchronous copies"> {
  let assemblyFormat = "attr-dict";
}
def Wave_CpAsyncWaitOp : Wave_SyncOp<"cp_async_wait", "wait until at most `pending` groups are open"> {
  let arguments = (ins ConfinedAttr<I64Attr, [IntNonNegative]>:$pending);
  let assemblyFormat = "$pending attr-dict";
}
def Wave_WaitOp : Wave_SyncOp<"wait", "at most this many operations of a counter may be outstanding"> {
  let description = [{
    The counters are those of the target (TargetInfo::counters): `memory`, operations of device
    memory and copies from it to shared memory; `shared`, those of shared memory alone. A counter
    that is absent is not waited for. With `groups`, `memory` counts the latest groups of
    asynchronous copies, between which no copy may be moved: operations of another kind that are
    moved or merged make the wait stricter at most, so that the others need no fixed order.
  }];
  let arguments = (ins OptionalAttr<ConfinedAttr<I64Attr, [IntNonNegative]>>:$memory,
                       OptionalAttr<ConfinedAttr<I64Attr, [IntNonNegative]>>:$shared,
                       UnitAttr:$groups);
  let assemblyFormat = "(`memory` `(` $memory^ `)`)? (`shared` `(` $shared^ `)`)? (`groups` $groups^)? attr-dict";
}
def Wave_BarrierOp : Wave_SyncOp<"barrier", "all waves of the block arrive before any goes on"> {
  let description = [{
    A wave's own shared writes are complete before it arrives. Asynchronous copies
    are not waited for: `wave.wait` or `wave.cp_async_wait` before it does that.
    With `raw`, pending shared writes are not waited for either. With `threads`, only
    the first so many threads of the block take part. With `global`, what the
    block's waves wrote to device memory before it is seen by all of them after it.
  }];
  let arguments = (ins UnitAttr:$raw, DefaultValuedAttr<I64Attr, "0">:$threads,
                       DefaultValuedAttr<I64Attr, "0">:$id, UnitAttr:$global);
  let assemblyFormat = "(`raw` $raw^)? (`global` $global^)? attr-dict";
}
def Wave_SetPrioOp : Wave_SyncOp<"setprio", "the wave's issue priority, 0 to 3 (TargetInfo::mostPriority)"> {
  let arguments = (ins ConfinedAttr<I64Attr, [IntNonNegative, IntMaxValue<3>]>:$level);
  let assemblyFormat = "$level attr-dict";
}
def Wave_SchedFenceOp : Wave_SyncOp<"sched_fence", "no instruction is moved across"> {
  let description = [{
    `mask` lets some kinds pass (LLVM's sched.barrier). With `directive` it is the instruction of that
    name, with these `numbers`. With `groups` it stands between two groups of asynchronous copies, and
    a planned order has to keep nothing but copies apart.
  }];
  let arguments = (ins DefaultValuedAttr<I64Attr, "0">:$mask, OptionalAttr<StrAttr>:$directive,
                       OptionalAttr<DenseI64ArrayAttr>:$numbers, UnitAttr:$groups);
  let assemblyFormat = "attr-dict";
}
def Wave_RolledOp : Wave_SyncOp<"rolled", "the loop around it stays a loop: it is not unrolled"> {
  let assemblyFormat = "attr-dict";
  let hasVerifier = 1;
}
def Wave_WaveFenceOp : Wave_SyncOp<"wave_fence", "what the wave's lanes wrote before it is there for all of them after it"> {
  let assemblyFormat = "attr-dict";
}

//===----------------------------------------------------------------------===//
// Tensor copies, mbarriers, warp groups
//===----------------------------------------------------------------------===//

def Wave_MBarrierInitOp : Wave_SyncOp<"mbarrier_init", "make the mbarrier at shared + imm, for `count` arrivals a phase"> {
  let arguments = (ins Index:$offset, DefaultValuedAttr<I64Attr, "0">:$imm, I64Attr:$count);
  let assemblyFormat = "$offset (`imm` `(` $imm^ `)`)? `count` $count attr-dict";
}
def Wave_MBarrierFenceOp : Wave_SyncOp<"mbarrier_fence", "new mbarriers are visible to TMA and to the cluster"> {
  let assemblyFormat = "attr-dict";
}
def Wave_MBarrierExpectOp : Wave_SyncOp<"mbarrier_expect", "arrive once and expect `bytes` bytes of copies"> {
  let arguments = (ins Index:$offset, DefaultValuedAttr<I64Attr, "0">:$imm, I64Attr:$bytes);
  let assemblyFormat = "$offset (`imm` `(` $imm^ `)`)? `bytes` $bytes attr-dict";
}
def Wave_MBarrierArriveOp : Wave_SyncOp<"mbarrier_arrive", "arrive once where `mask` holds"> {
  let description = "With `rank`, at the mbarrier in the same place of that block of the cluster.";
  let arguments = (ins Index:$offset, DefaultValuedAttr<I64Attr, "0">:$imm, I1:$mask,
                       Optional<Index>:$rank);
  let assemblyFormat = [{
    $offset (`imm` `(` $imm^ `)`)? `mask` `(` $mask `)` (`rank` `(` $rank^ `)`)? attr-dict
  }];
}
def Wave_MBarrierWaitOp : Wave_SyncOp<"mbarrier_wait", "wait until the phase of this parity has completed"> {
  let description = "On a fresh mbarrier parity 1 passes at once.";
  let arguments = (ins Index:$offset, DefaultValuedAttr<I64Attr, "0">:$imm, Index:$parity);
  let assemblyFormat = "$offset (`imm` `(` $imm^ `)`)? `parity` $parity attr-dict";
}

def Wave_ClusterBarrierOp : Wave_SyncOp<"cluster_barrier", "all threads of all blocks of the cluster arrive before any goes on"> {
  let assemblyFormat = "attr-dict";
}

def Wave_GridWaitOp : Wave_SyncOp<"grid_wait", "launches before this one on the stream are done, and their writes visible"> {
  let description = [{
    For kernels that may be launched early. All threads pass it before they touch device
    memory.
  }];
  let assemblyFormat = "attr-dict";
}
def Wave_GridReleaseOp : Wave_SyncOp<"grid_release", "the next launch on the stream may begin, as far as there is room"> {
  let assemblyFormat = "attr-dict";
}

def Wave_GridSyncOp : Wave_SyncOp<"grid_sync", "all blocks of the launch arrive before any goes on, and see what the others wrote"> {
  let description = [{
    All waves of the block come to it, their copies waited for. The block adds `step` to
    the word at `counter` and waits until its top bit has turned (tile.grid_sync). It
    needs a launch whose blocks are all resident.
  }];
  let arguments = (ins Wave_GlobalType:$counter, I32:$step);
  let assemblyFormat = "$counter `,` $step attr-dict";
}

def Wave_ElectOp : Wave_SyncOp<"elect", "true in one lane of the wave, all of whose lanes are here"> {
  let results = (outs I1:$result);
  let assemblyFormat = "attr-dict";
}
def Wave_NamedBarrierOp : Wave_SyncOp<"named_barrier", "barrier number `id` of `threads` threads of the block"> {
  let description = [{
    Waits until as many threads, whole waves, have reached the barrier; with `arrive`, counts
    itself and goes on. `id` is uniform, below 16.
  }];
  let arguments = (ins Index:$id, I64Attr:$threads, UnitAttr:$arrive);
  let assemblyFormat = "(`arrive` $arrive^)? $id `threads` `(` $threads `)` attr-dict";
}

def Wave_SetMaxRegsOp : Wave_SyncOp<"set_max_regs", "registers a lane of this warp group may use from here"> {
  let arguments = (ins I64Attr:$registers, UnitAttr:$more);
  let assemblyFormat = "$registers (`more` $more^)? attr-dict";
}

def Wave_TmaLoadOp : Wave_Op<"tma_load", [MemoryEffects<[MemRead, MemWrite]>, AttrSizedOperandSegments]> {
  let summary = "one thread starts the copy of a box to shared memory; the mbarrier counts its bytes";
  let description = [{
    `coords` is the box's first element, innermost dimension first. What lies outside
    the tensor arrives as zero and is counted. With `multicast`, a set of ranks as bits,
    the box lands in the same place of each of these blocks of the cluster, and is counted
    by its mbarrier. With `offsets` the map is of an image's matrix: `coords` is a channel and
    the place, in an image, of the first element that a convolution's kernel meets there, from
    which the box goes on along its places; each brings what the kernel meets `offsets` further
    on (innermost first).
  }];
  let arguments = (ins Wave_TensorMapType:$map, Variadic<Index>:$coords, Variadic<Index>:$offsets,
                       Index:$shared, Index:$barrier, DefaultValuedAttr<I64Attr, "0">:$multicast);
  let builders = [OpBuilder<(ins "::mlir::Value":$map, "::mlir::ValueRange":$coords,
                                 "::mlir::Value":$shared, "::mlir::Value":$barrier,
                                 "int64_t":$multicast), [{
    build($_builder, $_state, map, coords, ::mlir::ValueRange(), shared, barrier, multicast);
  }]>];
  let assemblyFormat = [{
    $map `[` $coords `]` (`offsets` `(` $offsets^ `)`)? `to` $shared `barrier` $barrier
    (`multicast` `(` $multicast^ `)`)? attr-dict
  }];
  let hasVerifier = 1;
}
def Wave_TmaPrefetchOp : Wave_Op<"tma_prefetch", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "fetch a tensor map for copies to come";
  let arguments = (ins Wave_TensorMapType:$map);
  let assemblyFormat = "$map attr-dict";
}
def Wave_TmaStoreOp : Wave_Op<"tma_store", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "one thread starts the copy of a box from shared memory; nothing outside the tensor is written";
  let description = "With `add`, the elements are added to the tensor's, each atomically.";
  let arguments = (ins Wave_TensorMapType:$map, Variadic<Index>:$coords, Index:$shared,
                       UnitAttr:$add);
  let assemblyFormat = "(`add` $add^)? $map `[` $coords `]` `from` $shared attr-dict";
}
def Wave_BulkCommitOp : Wave_SyncOp<"bulk_commit", "end this thread's group of TMA stores"> {
  let assemblyFormat = "attr-dict";
}
def Wave_BulkWaitOp : Wave_SyncOp<"bulk_wait", "wait until at most `pending` of this thread's groups are unfinished"> {
  let description = "With `read`, until they have read their shared memory.";
  let arguments = (ins I64Attr:$pending, UnitAttr:$read);
  let assemblyFormat = "(`read` $read^)? $pending attr-dict";
}
def Wave_AsyncFenceOp : Wave_SyncOp<"async_fence", "this thread's shared writes are visible to tensor copies and group_mma"> {
  let assemblyFormat = "attr-dict";
}

def Wave_StMatrixOp : Wave_Op<"stmatrix", [MemoryEffects<[MemWrite]>]> {
  let summary = "stmatrix.x1/.x2/.x4 of 8x8 matrices of 16-bit elements (TargetInfo::hasMatrixWrites)";
  let description = "Lane l gives the shared address of row l % 8 of matrix l / 8.";
  let arguments = (ins AnyVectorOfNonZeroRank:$value, Index:$offset,
                       DefaultValuedAttr<I64Attr, "0">:$imm, UnitAttr:$trans);
  let assemblyFormat = "$value `,` $offset (`imm` `(` $imm^ `)`)? attr-dict `:` type($value)";
}

def Wave_GroupMmaOp : Wave_Op<"group_mma", [AttrSizedOperandSegments]> {
  let summary = "a group of matrix instructions of a warp group, left in flight";
  let description = [{
    For every K step, every 64-row slab s and every piece p of `n` columns:
    C[s, p] += A[s, step] * B[p, step]. Register 4 s + i of slot p n/8 + j of `c` is register
    4 j + i of the instruction. A and B are in shared memory at `a` and `b` plus
    `a_starts[step * slabs + s]` and `b_starts[step * pieces + p]` bytes; `a_desc` and `b_desc`
    are the remaining fields of their descriptors (bits 16 to 63, in place). Or A is in
    registers: slot `step` of `a_regs`. With `places` A is 2:4 sparse: it has half of each step.
    Where its elements are steps 2 p and 2 p + 1 of slab s find in word `places[p * slabs + s]`: of
    four lanes the first two have it for the one, the others for the other. The first step ignores C where
    `accumulate` is false. The group is committed; `c` may be touched after a `wave.group_mma_wait`.
  }];
  let arguments = (ins Arg<Wave_RegsType, "", [MemRead, MemWrite]>:$c,
                       Optional<Index>:$a, Arg<Optional<Wave_RegsType>, "", [MemRead]>:$a_regs,
                       Index:$b, Optional<I1>:$accumulate, Variadic<I32>:$places,
                       TypeAttr:$a_type, TypeAttr:$b_type, I64Attr:$slabs, I64Attr:$n,
                       I64Attr:$steps, DenseI64ArrayAttr:$a_starts, DenseI64ArrayAttr:$b_starts,
                       I64Attr:$a_desc, I64Attr:$b_desc, UnitAttr:$trans_a, UnitAttr:$trans_b);
  let assemblyFormat = [{
    $c `,` (`a` `(` $a^ `)`)? (`a_regs` `(` $a_regs^ `:` qualified(type($a_regs)) `)`)? `b` `(` $b `)`
    (`accumulate` `(` $accumulate^ `)`)? (`places` `(` $places^ `)`)? attr-dict `:` qualified(type($c))
  }];
  let hasVerifier = 1;
}
def Wave_GroupMmaWaitOp : Wave_Op<"group_mma_wait"> {
  let summary = "wait until at most `pending` groups are in flight; the listed registers are then readable";
  let arguments = (ins I64Attr:$pending, Arg<Variadic<Wave_RegsType>, "", [MemRead, MemWrite]>:$regs);
  let assemblyFormat = "$pending ($regs^ `:` qualified(type($regs)))? attr-dict";
}

def Wave_PipelineOp : Wave_Op<"pipeline", [NoTerminator, SingleBlock, RecursiveMemoryEffects]> {
  let summary = "a matrix loop whose order is still to be planned";
  let description = [{
    The body is one iteration, as if in order: copies to shared memory, reads,
    matrix instructions. Each of them carries its `step` (#wave.step), which ops
    outside of a pipeline have not; what it needs beside stands in the body as well.
    `wave-schedule` replaces the op by a loop in the order of `plan`, or of the one that
    strategy `schedule` makes. docs/machine-code/scheduling.md.
  }];
  let arguments = (ins Index:$count, ConfinedAttr<I64Attr, [IntMinValue<1>]>:$slots,
                       DefaultValuedAttr<StrAttr, "\"auto\"">:$schedule,
                       OptionalAttr<StrAttr>:$plan);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    `count` `(` $count `)` `slots` `(` $slots `)` attr-dict-with-keyword $body
  }];
  let extraClassDeclaration = [{
    ::mlir::Block *bodyBlock() { return &getBody().front(); }
  }];
}

//===----------------------------------------------------------------------===//
// Matrix instructions, lanes
//===----------------------------------------------------------------------===//

def Wave_MmaOp : Wave_Op<"mma", [Pure, AllTypesMatch<["c", "result"]>]> {
  let summary = "one matrix instruction: a * b + c";
  let description = [{
    `atom` is the name of a row of the target's atom table; a, b, c are vectors of
    the elements that a lane holds, in the order of the atom's register bits.
  }];
  let arguments = (ins StrAttr:$atom, AnyVectorOfNonZeroRank:$a, AnyVectorOfNonZeroRank:$b,
                       AnyVectorOfNonZeroRank:$c, OptionalAttr<Wave_StepAttr>:$step);
  let builders = [OpBuilder<(ins "::mlir::Type":$result, "::llvm::StringRef":$atom,
                                 "::mlir::Value":$a, "::mlir::Value":$b, "::mlir::Value":$c), [{
    build($_builder, $_state, result, atom, a, b, c, StepAttr());
  }]>];
  let results = (outs AnyVectorOfNonZeroRank:$result);
  let assemblyFormat = "$atom $a `,` $b `,` $c attr-dict `:` type($a) `,` type($b) `,` type($c)";
  let hasVerifier = 1;
}

def Wave_ShuffleXorOp : Wave_Op<"shuffle_xor", [AllTypesMatch<["value", "result"]>, MemoryEffects<[MemRead]>]> {
  let summary = "the value of lane (lane_id xor mask)";
  let arguments = (ins AnyTypeOf<[I32, I64, F32, F64]>:$value,
                       ConfinedAttr<I64Attr, [IntNonNegative, IntMaxValue<63>]>:$mask);
  let results = (outs AnyTypeOf<[I32, I64, F32, F64]>:$result);
  let assemblyFormat = "$value `,` $mask attr-dict `:` type($value)";
}

def Wave_ShuffleOp : Wave_Op<"shuffle", [AllTypesMatch<["value", "result"]>, MemoryEffects<[MemRead]>]> {
  let summary = "the value of another lane";
  let arguments = (ins AnyTypeOf<[I32, I64, F32, F64]>:$value, Index:$lane);
  let results = (outs AnyTypeOf<[I32, I64, F32, F64]>:$result);
  let assemblyFormat = "$value `,` $lane attr-dict `:` type($value)";
}

def Wave_ScanPartnerOp : Wave_Op<"scan_partner", [AllTypesMatch<["value", "fill", "result"]>, MemoryEffects<[MemRead]>]> {
  let summary = "what a lane combines with in one step of a scan over groups of lanes";
  let description = [{
    Step `step` of an inclusive scan over each group of `width` lanes (a power of
    two): up to step 3 the value of the lane 2^step below, if that is in the same
    16 lanes; beyond, of the last of the 2^step lanes below the lane's own 2^step.
    Lanes without such a lane in their group get `fill`. `reverse`: above instead
    of below. Combining with it in steps 0, 1, ... leaves in each lane the
    combination of the group's lanes up to it.

    ```mlir
    %below = wave.scan_partner %sum, %zero step 2 width 64 : i32
    ```
  }];
  let arguments = (ins AnyTypeOf<[I32, I64, F32, F64]>:$value, AnyTypeOf<[I32, I64, F32, F64]>:$fill,
                       ConfinedAttr<I64Attr, [IntNonNegative, IntMaxValue<5>]>:$step,
                       ConfinedAttr<I64Attr, [IntPositive, IntMaxValue<64>]>:$width, UnitAttr:$reverse);
  let results = (outs AnyTypeOf<[I32, I64, F32, F64]>:$result);
  let assemblyFormat = "(`reverse` $reverse^)? $value `,` $fill `step` $step `width` $width attr-dict `:` type($value)";
  let hasVerifier = 1;
}

def Wave_LaneMask : AnyTypeOf<[I32, I64], "one bit a lane">;

def Wave_BallotOp : Wave_Op<"ballot", [MemoryEffects<[MemRead]>]> {
  let summary = "one bit a lane: where the predicate holds in a lane that is on";
  let arguments = (ins I1:$predicate);
  let results = (outs Wave_LaneMask:$result);
  let assemblyFormat = "$predicate attr-dict `:` type($result)";
}

def Wave_VoteOp : Wave_Op<"vote", [MemoryEffects<[MemRead]>]> {
  let summary = "whether the predicate holds in any lane, or with `all` in all lanes that are on";
  let arguments = (ins I1:$predicate, UnitAttr:$all);
  let results = (outs I1:$result);
  let assemblyFormat = "(`all` $all^)? $predicate attr-dict";
}

def Wave_MatchOp : Wave_Op<"match", [MemoryEffects<[MemRead]>]> {
  let summary = "one bit a lane: where a lane that is on has the same bits";
  let arguments = (ins AnyTypeOf<[I32, I64]>:$value);
  let results = (outs Wave_LaneMask:$result);
  let assemblyFormat = "$value attr-dict `:` type($value) `->` type($result)";
}

def Wave_ReduceOp : Wave_Op<"reduce", [MemoryEffects<[MemRead]>]> {
  let summary = "the combination over all lanes, in each of them, as one instruction";
  let description = "Any kind of `wave.global_atomic` on integers but exchange.";
  let arguments = (ins Wave_AtomicKindAttr:$kind, I32:$value);
  let results = (outs I32:$result);
  let assemblyFormat = "$kind $value attr-dict";
}

def Wave_BarrierCountOp : Wave_SyncOp<"barrier_count", "wave.barrier, and in how many of the block's lanes the predicate holds"> {
  let description = [{
    With `threads`, so many threads take part, at the barrier `id`.
  }];
  let arguments = (ins I1:$predicate, Optional<Index>:$id, DefaultValuedAttr<I64Attr, "0">:$threads);
  let results = (outs I32:$result);
  let builders = [OpBuilder<(ins "::mlir::Value":$predicate), [{
    build($_builder, $_state, $_builder.getI32Type(), predicate, ::mlir::Value(), 0);
  }]>];
  let assemblyFormat = "$predicate (`id` $id^)? attr-dict";
}

def Wave_Dot4Op : Wave_Op<"dot4", [Pure]> {
  let summary = "c plus the dot product of the four bytes of a and of b";
  let arguments = (ins I32:$a, I32:$b, I32:$c, UnitAttr:$is_unsigned);
  let results = (outs I32:$result);
  let assemblyFormat = "$a `,` $b `,` $c attr-dict";
}

def Wave_TrapOp : Wave_Op<"trap", [MemoryEffects<[MemWrite]>]> {
  let summary = "stop the kernel where the condition is false";
  let arguments = (ins I1:$condition, StrAttr:$message);
  let assemblyFormat = "$condition `,` $message attr-dict";
}

#endif // TILEC_IR_WAVE_OPS_TD
