//===- TileOps.td - the operations of the tile dialect --------------------===//
//
// One entry an op: what it means, an example, what it takes. The front ends make
// these ops, the reference executes them, the stages lower them; nothing else
// defines their meaning.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#ifndef TILEC_IR_TILE_OPS_TD
#define TILEC_IR_TILE_OPS_TD

include "tilec/IR/Tile/TileDialect.td"
include "tilec/IR/Tile/TileInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/IR/OpBase.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/SymbolInterfaces.td"

class Tile_Op<string mnemonic, list<Trait> traits = []> : Op<Tile_Dialect, mnemonic, traits>;

def Tile_Scalar : AnyTypeOf<[I1, I8, I16, I32, I64, F32, F64, Index], "a scalar value">;

//===----------------------------------------------------------------------===//
// Programs, parameters, kernels
//===----------------------------------------------------------------------===//

def Tile_ProgramOp : Tile_Op<"program", [NoTerminator, SingleBlock, IsolatedFromAbove]> {
  let summary = "a script's entry: parameters and launches, in order";
  let description = [{
    Parameters are ops of the body: `tile.tensor`, `tile.scalar`, `tile.dim` and
    `tile.workspace`. The ABI order is: tensors and scalars in textual order, then
    dims, then strides that are not constant, then workspaces
    (docs/deploy/launch-manifest.md). Integer arithmetic between them is `arith` on
    `index`; it becomes the manifest's expressions. `fast_math`: functions may be
    approximated and divisions be multiplications. `library_math`: functions of f32 are
    those of the device's library, and nothing is relaxed.

    ```mlir
    tile.program @copy {
      %m = tile.dim "m"
      %A = tile.tensor "A"[%m] : !tile.buffer<[?, 64], f16, global>
      %B = tile.tensor "B"[%m] : !tile.buffer<[?, 64], f32, global>
      %c64 = arith.constant 64 : index
      %blocks = arith.ceildivsi %m, %c64 : index
      tile.kernel "copy" grid(%blocks) threads(128) {
      ^bb0(%bx: index):
        ...
      }
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$name, OptionalAttr<StrArrayAttr>:$outputs,
                       UnitAttr:$fast_math, UnitAttr:$library_math);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$name (`outputs` `(` $outputs^ `)`)? attr-dict-with-keyword $body";
  let hasRegionVerifier = 1;
}

def Tile_TensorOp : Tile_Op<"tensor", [AttrSizedOperandSegments, HasParent<"ProgramOp">]> {
  let summary = "a tensor parameter";
  let description = [{
    `dims` are the extents where the type has `?`, in order. Row-major and
    contiguous unless `strides` (elements, one per dimension) are given. `place` is the
    parameter's number in the script, where values and tensors are mixed there: in the
    program values stand before the tensors whose extents they are. No tensor has bytes of one
    that is written, unless it `may_overlap`. `seen_shape` is the shape that callers give it,
    where a layout of the script puts its elements in another order than that.
  }];
  let arguments = (ins StrAttr:$name, Variadic<Index>:$dims, Variadic<Index>:$strides,
                       OptionalAttr<I64Attr>:$place, UnitAttr:$may_overlap,
                       OptionalAttr<DenseI64ArrayAttr>:$seen_shape);
  let results = (outs Tile_BufferType:$result);
  let assemblyFormat = [{
    $name `[` $dims `]` (`strides` `(` $strides^ `)`)? attr-dict `:` qualified(type($result))
  }];
  let hasVerifier = 1;
}

def Tile_ScalarOp : Tile_Op<"scalar", [HasParent<"ProgramOp">]> {
  let summary = "a scalar parameter";
  let description = [{
    `dtype` is the parameter's element type (a `uiN` or f16 keeps its name in the
    manifest); the value is its signless or f32 form. `place` as of `tile.tensor`.
  }];
  let arguments = (ins StrAttr:$name, TypeAttr:$dtype, OptionalAttr<I64Attr>:$place);
  let results = (outs Tile_Scalar:$result);
  let assemblyFormat = "$name $dtype attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Tile_DimOp : Tile_Op<"dim", [HasParent<"ProgramOp">]> {
  let summary = "a symbolic dimension, known at launch";
  let description = "At least 1. An int32 parameter unless `wide` (int64).";
  let arguments = (ins StrAttr:$name, UnitAttr:$wide);
  let results = (outs Index:$result);
  let assemblyFormat = "$name (`wide` $wide^)? attr-dict";
}

def Tile_WorkspaceOp : Tile_Op<"workspace", [HasParent<"ProgramOp">]> {
  let summary = "global memory that lives for one run of the program";
  let description = "`zeroed`: it holds zeros when the run begins.";
  let arguments = (ins StrAttr:$name, Variadic<Index>:$dims, UnitAttr:$zeroed);
  let results = (outs Tile_BufferType:$result);
  let assemblyFormat = "$name `[` $dims `]` attr-dict `:` qualified(type($result))";
  let hasVerifier = 1;
}

def Tile_KernelOp : Tile_Op<"kernel", [HasParent<"ProgramOp">, NoTerminator, SingleBlock,
    AutomaticAllocationScope, DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmBlockArgumentNames"]>]> {
  let summary = "one launch: a body that every block of the grid runs once";
  let description = [{
    One to three grid extents, fastest first; the block arguments are the block's
    coordinates. `threads` counts lanes of a block. `raster_panel` > 0 reorders
    blocks for cache reuse (`T.use_swizzle`) and has no other effect. `lockstep`
    marks a kernel that mentions thread identity: its scalar statements run for
    every thread, tile operations once (docs/machine-code/lockstep.md); `own_barriers`: its code of
    threads has all the barriers that it needs. `warp_lanes` is the size of
    a warp on the target that the program was made for; 0 where nothing asks.
    `fixed_threads`: the script has read the number of threads, which stays. The machine code
    says two things (docs/machine-code/scheduling.md): `least_threads`, since fewer spilled
    registers or moved accumulators; `unplanned`, since every planned order did or was lost.
    `cluster` neighbouring blocks along the grid's first dimension run together and fill
    each other's shared memory; `teams` groups of `threads` take rounds of the kernel's
    loop over tiles in turn. Both are made by the pipeliner (docs/machine-code/hopper.md).
    `min_blocks` of them shall be resident on a unit, of which each has registers for that.
    `shared_bytes` is what a block takes of shared memory, `shared_place` the first byte of its
    mbarriers; `tile-place-shared` sets them.
  }];
  let arguments = (ins StrAttr:$name, Variadic<Index>:$grid, I64Attr:$threads,
                       DefaultValuedAttr<I64Attr, "0">:$raster_panel,
                       DefaultValuedAttr<BoolAttr, "false">:$raster_by_column,
                       UnitAttr:$lockstep, UnitAttr:$own_barriers,
                       DefaultValuedAttr<I64Attr, "0">:$warp_lanes,
                       UnitAttr:$fixed_threads, OptionalAttr<I64Attr>:$least_threads, UnitAttr:$unplanned,
                       DefaultValuedAttr<I64Attr, "1">:$cluster,
                       DefaultValuedAttr<I64Attr, "1">:$teams,
                       DefaultValuedAttr<I64Attr, "1">:$min_blocks,
                       OptionalAttr<I64Attr>:$shared_bytes, OptionalAttr<I64Attr>:$shared_place);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $name `grid` `(` $grid `)` `threads` `(` $threads `)` attr-dict-with-keyword $body
  }];
  let extraClassDeclaration = [{
    /// Blocks of the grid, or 2^31 and more; nothing where an extent is known at the launch only.
    std::optional<int64_t> blocksOfGrid();
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

def Tile_AllocOp : Tile_Op<"alloc", [MemoryEffects<[MemAlloc]>,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>]> {
  let summary = "a buffer of the block, or of the iteration; its contents are undefined";
  let description = [{
    `layout` is set by `tile-infer-layouts` (#tile.fragment) and, of shared buffers, by
    `tile-lay-out-shared` (#tile.shared). `shared_place`, the first byte of a shared buffer,
    is set by `tile-place-shared`. `was_local` is a shared buffer that `tile-place-locals` has
    made of a local one, until `tile-spread-locals`.
  }];
  let arguments = (ins StrAttr:$name, OptionalAttr<AnyAttr>:$layout,
                       OptionalAttr<I64Attr>:$shared_place, UnitAttr:$was_local);
  let builders = [OpBuilder<(ins "::mlir::Type":$result, "::llvm::StringRef":$name,
                                 "::mlir::Attribute":$layout), [{
    build($_builder, $_state, result, $_builder.getStringAttr(name), layout,
          ::mlir::IntegerAttr(), ::mlir::UnitAttr());
  }]>];
  let results = (outs Tile_BufferType:$result);
  let assemblyFormat = "$name (`layout` `(` $layout^ `)`)? attr-dict `:` qualified(type($result))";
  let hasVerifier = 1;
}

def Tile_SubviewOp : Tile_Op<"subview", [Pure]> {
  let summary = "a box of a buffer, as a buffer";
  let description = [{
    Element `i` of the result is element `offsets + expand(i)` of `source`, where
    dimensions listed in `dropped` (ascending) are not in the result and stay at
    their offset. The result's extents are the box; a `?` is the source's extent. A
    box may reach past the end of a global buffer: reads there give zero, writes
    there do nothing.

    ```mlir
    %tile = tile.subview %A[%row, %k] : !tile.buffer<[4096, 4096], f16, global>
        to !tile.buffer<[128, 32], f16, global>
    ```
  }];
  let arguments = (ins Tile_BufferType:$source, Variadic<Index>:$offsets,
                       DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$dropped);
  let results = (outs Tile_BufferType:$result);
  let assemblyFormat = [{
    $source `[` $offsets `]` (`dropped` $dropped^)? attr-dict `:` qualified(type($source)) `to` qualified(type($result))
  }];
  let hasVerifier = 1;
}

def Tile_ReshapeOp : Tile_Op<"reshape", [Pure]> {
  let summary = "the same memory, row-major, with another shape or element type";
  let description = [{
    `T.view` and `T.reshape`: equal bytes. A fragment keeps its element type.
  }];
  let arguments = (ins Tile_BufferType:$source);
  let results = (outs Tile_BufferType:$result);
  let assemblyFormat = "$source attr-dict `:` qualified(type($source)) `to` qualified(type($result))";
  let hasVerifier = 1;
}

def Tile_Im2colOp : Tile_Op<"im2col", [Pure]> {
  let summary = "what a kernel of a convolution meets of an image, as a matrix";
  let description = [{
    `T.im2col`. The image is [N, H, W, C], the kernel square. Row m = (n, oh, ow) of the result,
    column k = (r, s, c), is element (n, oh * stride + r * dilation - pad, ow * stride + s *
    dilation - pad, c) of the image, zero outside of it. Nobody writes through it; a box
    (`tile.subview`) that reaches past its end reads zero there. Behind `tile-expand-im2col` only
    boxes that may be brought in one piece are left.

    ```mlir
    %patches = tile.im2col %image kernel(3) stride(1) dilation(1) pad(1)
        : !tile.buffer<[2, 10, 10, 64], f16, global> to !tile.buffer<[200, 576], f16, global>
    ```
  }];
  let arguments = (ins Tile_BufferType:$source, I64Attr:$kernel, I64Attr:$stride,
                       I64Attr:$dilation, I64Attr:$pad);
  let results = (outs Tile_BufferType:$result);
  let assemblyFormat = [{
    $source `kernel` `(` $kernel `)` `stride` `(` $stride `)` `dilation` `(` $dilation `)`
    `pad` `(` $pad `)` attr-dict `:` qualified(type($source)) `to` qualified(type($result))
  }];
  let extraClassDeclaration = [{
    /// Places of the kernel along an extent of the image; 0 or less where it fits nowhere.
    static int64_t placesAlong(int64_t extent, int64_t kernel, int64_t stride, int64_t dilation,
                               int64_t pad);
    int64_t outHeight();
    int64_t outWidth();
    int64_t channels();
    /// The indices into the image of the matrix's element, built with `builder`; outside of it where
    /// the column is past the last, unless that is known not to be so.
    ::llvm::SmallVector<::mlir::Value, 4> imageIndices(::mlir::OpBuilder &builder,
                                                       ::mlir::Location loc, ::mlir::Value row,
                                                       ::mlir::Value column, bool isWithin);
  }];
  let hasVerifier = 1;
}

def Tile_LoadOp : Tile_Op<"load"> {
  let summary = "read one element";
  let description = [{
    Gives the element as a scalar: floats narrower than f32 are extended to f32,
    unsigned integers come as signless. Outside a global buffer: zero, or `pad`.
    With `block` = n, of a shared buffer: that of the block n places further on in the cluster,
    behind whose last one comes the first.
  }];
  let arguments = (ins Arg<Tile_BufferType, "", [MemRead]>:$buffer, Variadic<Index>:$indices,
                       OptionalAttr<F64Attr>:$pad, OptionalAttr<I64Attr>:$block);
  let builders = [OpBuilder<(ins "::mlir::Type":$result, "::mlir::Value":$buffer,
                                 "::mlir::ValueRange":$indices, "::mlir::FloatAttr":$pad), [{
    build($_builder, $_state, result, buffer, indices, pad, ::mlir::IntegerAttr());
  }]>];
  let results = (outs Tile_Scalar:$result);
  let assemblyFormat = [{
    $buffer `[` $indices `]` (`pad` $pad^)? (`block` `(` $block^ `)`)? attr-dict
    `:` qualified(type($buffer)) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Tile_StoreOp : Tile_Op<"store"> {
  let summary = "write one element";
  let description = [{
    Rounds to the buffer's element type, ties to even; f16 overflows to infinity,
    fp8 saturates. Outside a global buffer: nothing.
  }];
  let arguments = (ins Tile_Scalar:$value, Arg<Tile_BufferType, "", [MemWrite]>:$buffer,
                       Variadic<Index>:$indices);
  let assemblyFormat = [{
    $value `,` $buffer `[` $indices `]` attr-dict `:` type($value) `,` qualified(type($buffer))
  }];
  let hasVerifier = 1;
}

def Tile_RoundOp : Tile_Op<"round_to", [Pure, AllTypesMatch<["value", "result"]>]> {
  let summary = "round a float scalar as if it were stored and loaded";
  let description = "What an explicit `T.cast(x, \"float16\")` inside an expression means.";
  let arguments = (ins AnyTypeOf<[F32, F64]>:$value, TypeAttr:$dtype);
  let results = (outs AnyTypeOf<[F32, F64]>:$result);
  let assemblyFormat = "$value `to` $dtype attr-dict `:` type($value)";
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Tile operations
//===----------------------------------------------------------------------===//

def Tile_CopyOp : Tile_Op<"copy"> {
  let summary = "copy all of `src` to all of `dst`";
  let description = [{
    Equal shapes, up to dimensions of size 1. Element types may differ: the value
    is converted as by a load and a store (bit for bit when they are equal).
    Elements outside a global source read as zero, elements outside a global
    destination are dropped. The op says what moves; which lanes move it, with
    which instruction and when it completes are chosen later. `hint` may be
    `async`, `sync` or `tma`. A copy with `transfers` is a producer's, which brings the
    tile by these; the passes in front of `tile-expand-producers` decide it.

    ```mlir
    tile.copy %tile to %aShared : !tile.buffer<[128, 32], f16, global>,
                                  !tile.buffer<[128, 32], f16, shared>
    ```
  }];
  let arguments = (ins Arg<Tile_BufferType, "", [MemRead]>:$src,
                       Arg<Tile_BufferType, "", [MemWrite]>:$dst,
                       OptionalAttr<StrAttr>:$hint, OptionalAttr<Tile_TransfersAttr>:$transfers);
  let builders = [OpBuilder<(ins "::mlir::Value":$src, "::mlir::Value":$dst,
                                 CArg<"::mlir::StringAttr", "{}">:$hint), [{
    build($_builder, $_state, src, dst, hint, /*transfers=*/TransfersAttr());
  }]>];
  let assemblyFormat = [{
    $src `to` $dst attr-dict `:` qualified(type($src)) `,` qualified(type($dst))
  }];
  let hasVerifier = 1;
}

def Tile_FillOp : Tile_Op<"fill"> {
  let summary = "set every element to one value";
  let arguments = (ins Tile_Scalar:$value, Arg<Tile_BufferType, "", [MemWrite]>:$dst);
  let assemblyFormat = "$value `,` $dst attr-dict `:` type($value) `,` qualified(type($dst))";
  let hasVerifier = 1;
}

def Tile_GemmOp : Tile_Op<"gemm", [AttrSizedOperandSegments]> {
  let summary = "C += op(A) * op(B)";
  let description = [{
    `a` is [M, K], or [K, M] with `transpose_a`; `b` is [K, N], or [N, K] with
    `transpose_b`; `c` is [M, N]. A and B have one element type (mixed operands are
    converted by the front end). Products are exact, the sum is rounded to C's type;
    how the sum is associated is left open. With `clear` true, C's old value is
    ignored. `policy` and `k_pack` are hints. `tile-choose-warp-groups` sets `warp_group`
    where instructions of whole warp groups multiply, `tile-infer-layouts` decides `mma`: which instructions, how
    waves share them, in which order K comes, and where the operands are read from. With
    `in_flight`, C may be read only after a `tile.gemm_wait`. `tfloat32`: an operand of f32
    loses its low 13 bits. `tile-chain-products` sets `chained` on products that are chained with
    others of the kernel, all of which use large atoms: fewer instructions leave the waves'
    vector unit to the rest.

    With `places` A is 2:4 sparse: of four neighbours along K `a`, [M, K / 2], has two, and nibble g
    of the words of row i of `places`, 16-bit integers [M, K / 16], says which: its low two bits the
    place of the first, the others that of the second, which is behind it.
  }];
  let arguments = (ins Arg<Tile_BufferType, "", [MemRead]>:$a,
                       Arg<Tile_BufferType, "", [MemRead]>:$b,
                       Arg<Tile_BufferType, "", [MemRead, MemWrite]>:$c,
                       Optional<I1>:$clear,
                       Arg<Optional<Tile_BufferType>, "", [MemRead]>:$places,
                       UnitAttr:$transpose_a, UnitAttr:$transpose_b,
                       DefaultValuedAttr<Tile_WarpPolicyAttr, "WarpPolicy::Square">:$policy,
                       DefaultValuedAttr<I64Attr, "1">:$k_pack,
                       UnitAttr:$warp_group, UnitAttr:$in_flight,
                       UnitAttr:$tfloat32, UnitAttr:$chained,
                       OptionalAttr<Tile_MmaAttr>:$mma);
  let builders = [OpBuilder<(ins "::mlir::Value":$a, "::mlir::Value":$b, "::mlir::Value":$c,
                                 "::mlir::Value":$clear, "bool":$transpose_a, "bool":$transpose_b,
                                 "WarpPolicy":$policy, "int64_t":$k_pack), [{
    build($_builder, $_state, a, b, c, clear, /*places=*/::mlir::Value(), transpose_a,
          transpose_b, policy, k_pack, /*warp_group=*/false, /*in_flight=*/false, /*tfloat32=*/false, /*chained=*/false,
          MmaAttr());
  }]>];
  let assemblyFormat = [{
    $a `,` $b `,` $c (`clear` `(` $clear^ `)`)?
    (`places` `(` $places^ `:` qualified(type($places)) `)`)? attr-dict
    `:` qualified(type($a)) `,` qualified(type($b)) `,` qualified(type($c))
  }];
  let extraClassDeclaration = [{
    int64_t m(); int64_t n(); int64_t k();
    /// Elements along K for each that A has.
    int64_t sparsity() { return getPlaces() ? 2 : 1; }
  }];
  let hasVerifier = 1;
}

def Tile_ReduceOp : Tile_Op<"reduce"> {
  let summary = "combine along one dimension";
  let description = [{
    `dst` has `src`'s shape without `dim`, or with extent 1 there. With `clear`,
    `dst` is overwritten, else combined with. max and min ignore NaN unless
    `nan_propagate`.

    A reduction of registers may be done in two steps, chosen when layouts are known:
    after `parts` each lane has what its own elements of `src` give, in its own copy of
    `dst`; `combine` makes the result of such parts, and of `src` takes the layout only.

    `shared_place` is the first byte that waves tell each other theirs in; set by
    `tile-place-shared`.
  }];
  let arguments = (ins Tile_ReduceKindAttr:$kind, Arg<Tile_BufferType, "", [MemRead]>:$src,
                       Arg<Tile_BufferType, "", [MemRead, MemWrite]>:$dst, I64Attr:$dim,
                       DefaultValuedAttr<BoolAttr, "true">:$clear, UnitAttr:$nan_propagate,
                       DefaultValuedAttr<Tile_ReduceStepAttr, "ReduceStep::Whole">:$step,
                       OptionalAttr<I64Attr>:$shared_place);
  let assemblyFormat = [{
    $kind $src `to` $dst `dim` $dim attr-dict
    `:` qualified(type($src)) `,` qualified(type($dst))
  }];
  let hasVerifier = 1;
}

def Tile_ScanOp : Tile_Op<"scan"> {
  let summary = "inclusive prefix combination (cumsum, cummax) along one dimension";
  let arguments = (ins Tile_ReduceKindAttr:$kind, Arg<Tile_BufferType, "", [MemRead]>:$src,
                       Arg<Tile_BufferType, "", [MemWrite]>:$dst, I64Attr:$dim,
                       UnitAttr:$reverse, OptionalAttr<I64Attr>:$shared_place);
  let description = [{
    `shared_place` is the first byte that waves tell each other their sums in; set by
    `tile-place-shared`.
  }];
  let assemblyFormat = [{
    $kind $src `to` $dst `dim` $dim attr-dict
    `:` qualified(type($src)) `,` qualified(type($dst))
  }];
  let hasVerifier = 1;
}

def Tile_AtomicOp : Tile_Op<"atomic"> {
  let summary = "update one element of a global or shared buffer, atomically";
  let description = [{
    Relaxed, device scope. Gives the old value. Outside a global buffer: nothing
    happens and the old value is zero. `read` leaves the element as it is, whatever the value.
  }];
  let arguments = (ins Tile_AtomicKindAttr:$kind, Tile_Scalar:$value,
                       Arg<Tile_BufferType, "", [MemRead, MemWrite]>:$buffer,
                       Variadic<Index>:$indices, UnitAttr:$is_unsigned);
  let results = (outs Tile_Scalar:$old);
  let assemblyFormat = [{
    $kind $value `,` $buffer `[` $indices `]` attr-dict `:` type($value) `,` qualified(type($buffer)) `->` type($old)
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

def Tile_ForOp : Tile_Op<"for", [NoTerminator, SingleBlock, RecursiveMemoryEffects]> {
  let summary = "a loop whose iterations run in order";
  let description = [{
    Runs for iv = lower, lower + step, ... while iv < upper (step > 0) or
    iv > upper (step < 0; the step is a constant). `pipelined` with `stages` > 1
    lets copies of later iterations run ahead; the result is as if in order.

    `strategy` is the schedule that its author asked for: several names, outermost first, until
    `tile-choose-schedules` keeps the target's. `exact`: the author's `stages` are no wish.
    `rotate` = n: the body is one iteration in order, on slot 0 of its rings; iteration i may use
    slot i % n, and `wave-schedule` will plan it. `persistent` = n: the loop shares out the
    kernel's tiles among blocks in clusters of n. `planned` is the strategy by which a product's loop
    got its roles, teams and clusters (`ProductPlan`). `served`: a producer brings those tiles of a
    round whose copies have `transfers`. From the round `dead_from` on, which differs from warp group to
    warp group, rounds of a served loop change nothing for the one that asks.

    ```mlir
    tile.for %k = %c0 to %n step %c1 kind(pipelined) stages(3) { ... }
    ```
  }];
  let arguments = (ins Index:$lower, Index:$upper, Index:$step, Optional<Index>:$dead_from,
                       DefaultValuedAttr<Tile_LoopKindAttr, "LoopKind::Serial">:$kind,
                       DefaultValuedAttr<I64Attr, "1">:$stages,
                       OptionalAttr<StrAttr>:$strategy, UnitAttr:$exact,
                       OptionalAttr<I64Attr>:$rotate, OptionalAttr<I64Attr>:$persistent,
                       OptionalAttr<StrAttr>:$planned, OptionalAttr<Tile_ServedAttr>:$served);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let skipDefaultBuilders = 1;
  let builders = [OpBuilder<(ins "::mlir::Value":$lower, "::mlir::Value":$upper,
                                 "::mlir::Value":$step,
                                 CArg<"LoopKind", "LoopKind::Serial">:$kind,
                                 CArg<"int64_t", "1">:$stages)>];
  let extraClassDeclaration = [{
    ::mlir::Value iv() { return getBody().getArgument(0); }
    ::mlir::Block *bodyBlock() { return &getBody().front(); }
  }];
}

class Tile_LoopOp<string mnemonic> : Tile_Op<mnemonic, [NoTerminator, SingleBlock, RecursiveMemoryEffects, Tile_ElementLoop]> {
  dag ofLoop = (ins Variadic<Index>:$extents, OptionalAttr<DenseI64ArrayAttr>:$part,
                    OptionalAttr<Tile_FragmentLayoutAttr>:$layout);
  let arguments = ofLoop;
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let skipDefaultBuilders = 1;
  let builders = [OpBuilder<(ins "::mlir::ValueRange":$extents)>];
  let extraClassDefinition = [{
    void $cppClass::build(::mlir::OpBuilder &builder, ::mlir::OperationState &state,
                          ::mlir::ValueRange extents) {
      buildElementLoop(builder, state, extents);
    }
    ::mlir::ParseResult $cppClass::parse(::mlir::OpAsmParser &parser, ::mlir::OperationState &state) {
      return parseElementLoop(parser, state);
    }
    void $cppClass::print(::mlir::OpAsmPrinter &printer) { printElementLoop(*this, printer); }
  }];
}

def Tile_ParallelOp : Tile_LoopOp<"parallel"> {
  let summary = "a loop nest whose iterations may run in any order";
  let description = [{
    One index per extent, from 0. A location updated by `x = op(x, e)` that does not
    depend on all indices is a reduction. May be nested; statements between belong
    to the outer iteration. `part` = [i, n] is the i-th of n parts of the loop, by the registers of its layout: all of them
    together are the loop. `layout`: which lane runs which iteration, where what the loop accesses
    may cease to say so, because folding removes the access that decides.

    ```mlir
    tile.parallel (%i, %j) in (%c128, %c32) { ... }
    ```
  }];
}

def Tile_MoveOp : Tile_LoopOp<"move"> {
  let summary = "copy a tile element by element";
  let description = [{
    What a `tile.copy` is of which one side is in registers, and a `tile.parallel` that does the
    same: each iteration loads one element, converts it or not, and stores it. Which elements those
    are is in the body, as in a `tile.parallel`, and everything that holds for one holds for this.

    ```mlir
    tile.move (%i, %j) in (%c128, %c64) {
      %v = tile.load %accumulator[%i, %j] : !tile.buffer<[128, 64], f32, fragment>
      %row = arith.addi %first, %i : index
      tile.store %v, %C[%row, %j] : f32, !tile.buffer<[1024, 64], f16, global>
    }
    ```
  }];
  let extraClassDeclaration = [{
    ::tilec::tile::LoadOp load();
    ::tilec::tile::StoreOp store();
    /// Whether a loop with this body is one.
    static bool isBodyOf(::tilec::tile::ElementLoop loop);
    /// The load and the store of a loop that is one without a conversion; null of others.
    static ::std::pair<::tilec::tile::LoadOp, ::tilec::tile::StoreOp>
    plainMove(::tilec::tile::ElementLoop loop);
  }];
}

def Tile_WhileOp : Tile_Op<"while", [NoTerminator, RecursiveMemoryEffects]> {
  let summary = "repeat the body while the condition region yields true";
  let regions = (region SizedRegion<1>:$condition, SizedRegion<1>:$body);
  let assemblyFormat = "$condition `do` $body attr-dict";
  let hasVerifier = 1;
}

def Tile_ConditionOp : Tile_Op<"condition", [Terminator, HasParent<"WhileOp">]> {
  let summary = "ends the condition region of a tile.while";
  let arguments = (ins I1:$value);
  let assemblyFormat = "$value attr-dict";
}

def Tile_BreakOp : Tile_Op<"break"> {
  let summary = "leave the innermost tile.for or tile.while after this statement";
  let assemblyFormat = "attr-dict";
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Made by the pipeliner (stage tile-pipelined)
//===----------------------------------------------------------------------===//

def Tile_AsyncCopyOp : Tile_Op<"async_copy"> {
  let summary = "start a copy from global to shared memory";
  let description = [{
    Like `tile.copy`, but the destination may be read only after a
    `tile.async_wait` that covers its group and a `tile.barrier`. `uncounted`: where waits count
    copies, they do not count this one, and who needs it waits for a copy that was started later.
  }];
  let arguments = (ins Arg<Tile_BufferType, "", [MemRead]>:$src,
                       Arg<Tile_BufferType, "", [MemWrite]>:$dst, UnitAttr:$uncounted);
  let assemblyFormat = [{
    $src `to` $dst attr-dict `:` qualified(type($src)) `,` qualified(type($dst))
  }];
  let hasVerifier = 1;
}

def Tile_GatherOp : Tile_LoopOp<"gather"> {
  let summary = "start to copy elements of a tensor to shared memory";
  let description = [{
    A loop that stores elements of a tensor, or zeros, to a shared tile, where pieces of it lie
    together on both sides: rows by number, boxes of an image. What it writes is copied piece by piece
    like a `tile.async_copy`, and is there behind a `tile.async_wait` that covers its group and a
    `tile.barrier`.
  }];
}

def Tile_StoreTileOp : Tile_LoopOp<"store_tile"> {
  let summary = "store what is computed of an accumulator by tensor copies";
  let description = [{
    The elements that the body stores to a tensor, or adds, form boxes, which go there through
    shared memory: through `buffers` buffers of `bytes` bytes a warp group, used in turn; `shared_place`
    is the first byte of all of them, set by `tile-place-shared`. The body computes elements one by
    one; a guard that keeps them inside of the tensors may be there, and is not needed. Of each
    tensor that it writes, in order, `rows` has the dimension along which the tile's rows lie (its
    columns: the last) and `row_bytes` what a copy takes of a row. `in_order`: the loop around is the
    author's, and rounds meet in memory. `afresh`: each time that the store is come to, all buffers
    are free first, and what they hold together is written behind one barrier.
  }];
  let arguments = !con(ofLoop, (ins I64Attr:$buffers, I64Attr:$bytes, DenseI64ArrayAttr:$rows,
                                    DenseI64ArrayAttr:$row_bytes, UnitAttr:$in_order, UnitAttr:$afresh,
                                    OptionalAttr<I64Attr>:$shared_place));
}

def Tile_TransposeBytesOp : Tile_LoopOp<"transpose_bytes"> {
  let summary = "exchange rows and columns of a shared tile of bytes";
  let description = [{
    The body moves a byte of one shared buffer to another, and nothing else; a lane takes blocks of
    4 x 4, which it transposes, and whose corners lie at multiples of 4 in both buffers' last two
    dimensions.
  }];
}

def Tile_AsyncCommitOp : Tile_Op<"async_commit", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "end a group of async copies";
  let assemblyFormat = "attr-dict";
}

def Tile_AsyncWaitOp : Tile_Op<"async_wait", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "wait until at most `pending` groups of this wave are unfinished";
  let arguments = (ins I64Attr:$pending);
  let assemblyFormat = "$pending attr-dict";
}

def Tile_BarrierOp : Tile_Op<"barrier", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "all waves of the block arrive before any goes on; shared memory is visible";
  let description = "With `global`, so is what the block's waves wrote to global memory.";
  let arguments = (ins UnitAttr:$global);
  let assemblyFormat = "(`global` $global^)? attr-dict";
}

//===----------------------------------------------------------------------===//
// Made by the pipeliner for a producer warp (schedule `producer_consumer`)
//===----------------------------------------------------------------------===//

def Tile_PipeOp : Tile_Op<"pipe", [MemoryEffects<[MemAlloc]>]> {
  let summary = "a ring of `stages` slots; each fill brings `bytes` bytes";
  let description = [{
    A slot is full when its bytes have arrived and empty when `arrivals` consumers
    have released it: one of each warp group, or every thread. With `shared`, the blocks
    of the cluster fill each other's slots: all of them have to release one.
  }];
  let arguments = (ins I64Attr:$stages, I64Attr:$bytes, UnitAttr:$every_thread, UnitAttr:$shared);
  let results = (outs Tile_PipeType:$pipe);
  let assemblyFormat = "`stages` `(` $stages `)` `bytes` `(` $bytes `)` attr-dict";
  let hasVerifier = 1;
}

def Tile_ProducerOp : Tile_Op<"producer", [NoTerminator, SingleBlock, RecursiveMemoryEffects]> {
  let summary = "what one thread of the producer warp does; the rest of the kernel consumes";
  let description = [{
    At most one, in the kernel's body. It computes its addresses itself and starts
    copies with `tile.tma_copy`; it meets the consumers only through pipes.
  }];
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "attr-dict-with-keyword $body";
  let hasVerifier = 1;
}

def Tile_PipeAcquireOp : Tile_Op<"pipe_acquire", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "producer: wait until the next slot is empty; its number";
  let arguments = (ins Tile_PipeType:$pipe);
  let results = (outs Index:$slot);
  let assemblyFormat = "$pipe attr-dict";
  let hasVerifier = 1;
}

def Tile_TmaCopyOp : Tile_Op<"tma_copy"> {
  let summary = "producer: start a copy of a global box into a slot";
  let description = [{
    With `parts` > 1, the blocks of the cluster copy the same box: each brings one part of
    it, of every one of its `transfers`, to all of them.
  }];
  let arguments = (ins Arg<Tile_BufferType, "", [MemRead]>:$src,
                       Arg<Tile_BufferType, "", [MemWrite]>:$dst, Tile_PipeType:$pipe,
                       Index:$slot, Tile_TransfersAttr:$transfers,
                       DefaultValuedAttr<I64Attr, "1">:$parts);
  let assemblyFormat = [{
    $src `to` $dst `pipe` `(` $pipe `,` $slot `)` attr-dict
    `:` qualified(type($src)) `,` qualified(type($dst))
  }];
  let hasVerifier = 1;
}

def Tile_PipeWaitOp : Tile_Op<"pipe_wait", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "consumers: wait until the next slot is full; its number";
  let arguments = (ins Tile_PipeType:$pipe);
  let results = (outs Index:$slot);
  let assemblyFormat = "$pipe attr-dict";
  let hasVerifier = 1;
}

def Tile_IssueFenceOp : Tile_Op<"issue_fence", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "consumers: what stands before is issued before what stands after";
  let description = [{
    Nothing is waited for. Where mbarriers are it asks one in a loop that ends at once:
    ptxas moves a wait for a gemm up within a block of code, but not over a loop.
  }];
  let assemblyFormat = "attr-dict";
}

def Tile_PipeReleaseOp : Tile_Op<"pipe_release", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "consumers: the slot may be filled again";
  let description = [{
    With `previous`, the slot of the round before: its reader is done, this round's is
    in flight. `tile.pipe_drain` releases the last one.
  }];
  let arguments = (ins Tile_PipeType:$pipe, Index:$slot, UnitAttr:$previous);
  let assemblyFormat = "$pipe `,` $slot attr-dict";
  let hasVerifier = 1;
}

def Tile_PipeDrainOp : Tile_Op<"pipe_drain", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "consumers: release the slot that `pipe_release previous` has left";
  let arguments = (ins Tile_PipeType:$pipe);
  let assemblyFormat = "$pipe attr-dict";
  let hasVerifier = 1;
}

def Tile_PipeSkipOp : Tile_Op<"pipe_skip", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "consumers: the next `count` slots are another team's";
  let arguments = (ins Tile_PipeType:$pipe, Index:$count);
  let assemblyFormat = "$pipe `by` $count attr-dict";
  let hasVerifier = 1;
}

def Tile_TeamOp : Tile_Op<"team", [Pure]> {
  let summary = "the number of the team that asks, below the kernel's `teams`";
  let results = (outs Index:$team);
  let assemblyFormat = "attr-dict";
}

def Tile_ClusterRankOp : Tile_Op<"cluster_rank", [Pure]> {
  let summary = "the number of the block that asks in its cluster, below the kernel's `cluster`";
  let results = (outs Index:$rank);
  let assemblyFormat = "attr-dict";
}

def Tile_ClusterBarrierOp : Tile_Op<"cluster_barrier", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "all waves of all blocks of the cluster arrive before any goes on";
  let description = [{
    What they wrote to shared memory is visible to all of them. `kept` is memory of each that the
    others have read until here.
  }];
  let arguments = (ins Arg<Variadic<Tile_BufferType>, "", [MemRead]>:$kept);
  let assemblyFormat = "(`keeps` `(` $kept^ `:` qualified(type($kept)) `)`)? attr-dict";
}

def Tile_BelowOp : Tile_Op<"below", [Pure]> {
  let summary = "the same value, of which is known that it is not negative and below a limit";
  let arguments = (ins Index:$value, I64Attr:$limit);
  let results = (outs Index:$result);
  let assemblyFormat = "$value `,` $limit attr-dict";
}

def Tile_TurnWaitOp : Tile_Op<"turn_wait", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "wait for the team's turn; the first team has the first one";
  let assemblyFormat = "attr-dict";
}

def Tile_TurnPassOp : Tile_Op<"turn_pass", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "the turn is the next team's";
  let assemblyFormat = "attr-dict";
}

def Tile_GemmWaitOp : Tile_Op<"gemm_wait"> {
  let summary = "wait until at most `pending` gemms are in flight";
  let description = [{
    When all gemms that touch them are done, the buffers may be read and written again.
    Nothing that touches one of them is moved across the wait.
  }];
  let arguments = (ins Arg<Variadic<Tile_BufferType>, "", [MemRead, MemWrite]>:$buffers,
                       I64Attr:$pending);
  let assemblyFormat = "$buffers `pending` $pending attr-dict `:` qualified(type($buffers))";
}

def Tile_GroupTurnOp : Tile_Op<"group_turn", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "consumers: warp groups start their gemms one after the other";
  let description = [{
    A warp group waits until the one before it has passed its turn; with `pass`, it gives
    the turn to the next one. The first warp group has the turn when the kernel begins.
    All take and pass it equally often.
  }];
  let arguments = (ins UnitAttr:$pass);
  let assemblyFormat = "(`pass` $pass^)? attr-dict";
}

def Tile_GroupSyncOp : Tile_Op<"group_sync", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "consumers: the warps of a warp group meet";
  let description = [{
    Where no gemm makes them: one warp releases a slot for all, and those that have not
    seen it full yet would miss that.
  }];
  let assemblyFormat = "attr-dict";
}

def Tile_WarpGroupOp : Tile_Op<"warp_group", [Pure]> {
  let summary = "consumers: the number of the warp group that asks, in its team";
  let description = [{
    Values that hang on it differ between warp groups. They reach the rest of the program
    through `tile.of_group` only.
  }];
  let results = (outs Index:$group);
  let assemblyFormat = "attr-dict";
}

def Tile_OfGroupOp : Tile_Op<"of_group", [Pure, AllTypesMatch<["own", "whole", "result"]>]> {
  let summary = "`own` where warp groups run by themselves, else `whole`";
  let description = [{
    With `own`, a warp group does what its rows need; with `whole`, what the rows of all
    warp groups need. The rows come out the same.
  }];
  let arguments = (ins AnyTypeOf<[Index, I1]>:$own, AnyTypeOf<[Index, I1]>:$whole);
  let results = (outs AnyTypeOf<[Index, I1]>:$result);
  let assemblyFormat = "$own `whole` `(` $whole `)` attr-dict `:` type($result)";
}

//===----------------------------------------------------------------------===//
// Facts, messages
//===----------------------------------------------------------------------===//

def Tile_AssumeOp : Tile_Op<"assume", [MemoryEffects<[MemWrite]>]> {
  let summary = "a fact that the author promises";
  let arguments = (ins I1:$condition);
  let assemblyFormat = "$condition attr-dict";
}

def Tile_AssertOp : Tile_Op<"assert", [MemoryEffects<[MemWrite]>]> {
  let summary = "stop with a message when false";
  let arguments = (ins I1:$condition, StrAttr:$message);
  let assemblyFormat = "$condition `,` $message attr-dict";
}

def Tile_PrintOp : Tile_Op<"print", [MemoryEffects<[MemWrite]>]> {
  let summary = "print a scalar or a whole buffer, once per block";
  let arguments = (ins AnyType:$value, StrAttr:$message);
  let assemblyFormat = "$value `,` $message attr-dict `:` qualified(type($value))";
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Thread-level code
//===----------------------------------------------------------------------===//

def Tile_ThreadIdOp : Tile_Op<"thread_id", [Pure]> {
  let summary = "the thread's number in its block; makes the kernel lockstep";
  let results = (outs Index:$result);
  let assemblyFormat = "attr-dict";
}

def Tile_OnWavesOp : Tile_Op<"on_waves", [Pure]> {
  let summary = "whether the thread's wave is one of `count` from number `first` on";
  let description = [{
    The condition of a branch of its own for these waves: they alone share out its tile operations,
    and its barriers are theirs. What the branch touches, nobody else writes meanwhile. In kernels
    whose threads fill their waves.
  }];
  let arguments = (ins ConfinedAttr<I64Attr, [IntNonNegative]>:$first,
                       ConfinedAttr<I64Attr, [IntPositive]>:$count);
  let results = (outs I1:$result);
  let assemblyFormat = "$first `count` $count attr-dict";
  let hasVerifier = 1;
}

def Tile_SyncThreadsOp : Tile_Op<"sync_threads", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "a phase boundary of a lockstep kernel";
  let description = [{
    What threads of the block wrote before it, to shared or global memory, is there for
    all of them after it.
  }];
  let assemblyFormat = "attr-dict";
}

def Tile_GridSyncOp : Tile_Op<"grid_sync", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "all blocks of the launch arrive before any goes on";
  let description = [{
    What blocks wrote to global memory before it is there for all of them after it. Every
    block comes to it equally often. `counter` is one int32 that nothing else uses and
    that is zero when the run begins. Each block adds `step`: 1, and the launch's first
    block what makes the sum of all 2^31, so that an arrival of all turns the top bit.
  }];
  let arguments = (ins I32:$step, Arg<Tile_BufferType, "", [MemRead, MemWrite]>:$counter);
  let assemblyFormat = "$step `,` $counter attr-dict `:` qualified(type($counter))";
  let hasVerifier = 1;
}

def Tile_SyncWarpOp : Tile_Op<"sync_warp", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "a phase boundary between the threads of a warp";
  let assemblyFormat = "attr-dict";
}

/// Threads meet here: what a thread gets depends on others. `active` is false in threads that take
/// no part; without it, all that reach the op do.
class Tile_WarpOp<string mnemonic, list<Trait> traits = []>
    : Tile_Op<mnemonic, !listconcat([MemoryEffects<[MemRead, MemWrite]>], traits)> {
  let hasVerifier = 1;
}

def Tile_ThreadScalar : AnyTypeOf<[I1, I8, I16, I32, I64, F32, F64], "a value of a thread">;

def Tile_ShuffleOp : Tile_WarpOp<"shuffle", [AllTypesMatch<["value", "result"]>]> {
  let summary = "the value of another thread of the warp";
  let description = [{
    A warp is cut into segments of `width` lanes, a power of two. With lane l of the
    warp and its segment's first and last lanes a and z, the value comes from lane
    `a + lane mod width` (idx), `l xor lane` (xor), `l - lane` (up) or `l + lane`
    (down). Where that is beyond z, or for `up` before a, the thread's own value comes
    back. A value from a thread that takes no part is not defined.
  }];
  let arguments = (ins Tile_ShuffleKindAttr:$kind, Tile_ThreadScalar:$value, Index:$lane,
                       I64Attr:$width, Optional<I1>:$active);
  let results = (outs Tile_ThreadScalar:$result);
  let assemblyFormat = [{
    $kind $value `,` $lane `width` `(` $width `)` (`active` `(` $active^ `)`)? attr-dict
    `:` type($value)
  }];
}

def Tile_VoteOp : Tile_WarpOp<"vote"> {
  let summary = "whether any, or all, of the warp's threads say yes";
  let arguments = (ins Tile_VoteKindAttr:$kind, I1:$predicate, Optional<I1>:$active);
  let results = (outs I1:$result);
  let assemblyFormat = "$kind $predicate (`active` `(` $active^ `)`)? attr-dict";
}

def Tile_BallotOp : Tile_WarpOp<"ballot"> {
  let summary = "one bit a lane of the warp: whether its thread says yes";
  let arguments = (ins I1:$predicate, Optional<I1>:$active);
  let results = (outs AnyTypeOf<[I32, I64]>:$result);
  let assemblyFormat = "$predicate (`active` `(` $active^ `)`)? attr-dict `:` type($result)";
}

def Tile_MatchOp : Tile_WarpOp<"match"> {
  let summary = "one bit a lane of the warp: whether its thread has the same value";
  let description = [{
    `any` compares with the thread's own value. `all` gives the lanes that take part when
    all of them have one value, else 0. Floats are compared by their bits.
  }];
  let arguments = (ins Tile_VoteKindAttr:$kind, Tile_ThreadScalar:$value, Optional<I1>:$active);
  let results = (outs AnyTypeOf<[I32, I64]>:$result);
  let assemblyFormat = [{
    $kind $value (`active` `(` $active^ `)`)? attr-dict `:` type($value) `->` type($result)
  }];
}

def Tile_WarpReduceOp : Tile_WarpOp<"warp_reduce", [AllTypesMatch<["value", "result"]>]> {
  let summary = "the combination over the warp's threads, in each of them";
  let description = "One of sum, max, min, bitand, bitor, bitxor. max and min ignore NaN.";
  let arguments = (ins Tile_ReduceKindAttr:$kind, Tile_ThreadScalar:$value, Optional<I1>:$active,
                       UnitAttr:$is_unsigned);
  let results = (outs Tile_ThreadScalar:$result);
  let assemblyFormat = [{
    $kind $value (`active` `(` $active^ `)`)? attr-dict `:` type($value)
  }];
}

def Tile_BlockVoteOp : Tile_WarpOp<"block_vote"> {
  let summary = "tile.sync_threads, and how many of the block's threads say yes";
  let description = "`count` gives the number, `any` and `all` give 1 or 0.";
  let arguments = (ins Tile_VoteKindAttr:$kind, I1:$predicate, Optional<I1>:$active,
                       OptionalAttr<I64Attr>:$shared_place);
  let results = (outs I32:$result);
  let assemblyFormat = "$kind $predicate (`active` `(` $active^ `)`)? attr-dict";
}

def Tile_Dp4aOp : Tile_Op<"dp4a", [Pure]> {
  let summary = "c plus the dot product of the four bytes of a and of b";
  let description = "Signed bytes, or unsigned ones with `is_unsigned`; modulo 2^32.";
  let arguments = (ins I32:$a, I32:$b, I32:$c, UnitAttr:$is_unsigned);
  let results = (outs I32:$result);
  let assemblyFormat = "$a `,` $b `,` $c attr-dict";
}

//===----------------------------------------------------------------------===//
// Wishes about instructions
//===----------------------------------------------------------------------===//

def Tile_SchedBarrierOp : Tile_Op<"sched_barrier", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "instructions are not moved across";
  let description = [{
    `mask` lets some kinds pass, as LLVM's sched.barrier has it; 0: none. With `directive` it is
    the instruction of that name, with these `numbers`.
  }];
  let arguments = (ins I64Attr:$mask, OptionalAttr<StrAttr>:$directive,
                       OptionalAttr<DenseI64ArrayAttr>:$numbers);
  let assemblyFormat = "$mask attr-dict";
}

def Tile_SetPrioOp : Tile_Op<"setprio", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "the wave's priority among those of its compute unit from here on, 0 to 3";
  let arguments = (ins ConfinedAttr<I64Attr, [IntNonNegative, IntMaxValue<3>]>:$level);
  let assemblyFormat = "$level attr-dict";
}

#endif // TILEC_IR_TILE_OPS_TD
