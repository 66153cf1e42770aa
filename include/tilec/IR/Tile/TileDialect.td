//===- TileDialect.td - what is computed ----------------------------------===//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#ifndef TILEC_IR_TILE_DIALECT_TD
#define TILEC_IR_TILE_DIALECT_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/DialectBase.td"
include "mlir/IR/EnumAttr.td"

def Tile_Dialect : Dialect {
  let name = "tile";
  let cppNamespace = "::tilec::tile";
  let summary = "tile programs: what each block computes, in order";
  let description = [{
    A `tile.program` is what a script's entry means: its parameters, and one
    `tile.kernel` per launch. A kernel body is a sequential program that each
    block runs once, from top to bottom, as if by one thread; `tile.parallel`
    says that its iterations may run in any order. Which lane does what, where
    barriers go and what is asynchronous are decided by later stages.

    Values live in buffers (`!tile.buffer`), which are mutable; scalars are
    ordinary SSA values of `arith` and `math`. Float scalars narrower than f32
    do not occur: a load converts to f32, a store rounds to the buffer's type.
  }];
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::math::MathDialect", "::mlir::scf::SCFDialect"
  ];
}

//===----------------------------------------------------------------------===//
// Enums
//===----------------------------------------------------------------------===//

def Tile_Scope : I32EnumAttr<"Scope", "where a buffer lives", [
    I32EnumAttrCase<"Global", 0, "global">,
    I32EnumAttrCase<"Shared", 1, "shared">,
    I32EnumAttrCase<"Fragment", 2, "fragment">,
    I32EnumAttrCase<"Local", 3, "local">]> {
  let cppNamespace = "::tilec::tile";
  let genSpecializedAttr = 0;
}

class Tile_EnumAttr<EnumAttrInfo info, string name> : EnumAttr<Tile_Dialect, info, name> {
  let assemblyFormat = "$value";
}

def Tile_LoopKind : I32EnumAttr<"LoopKind", "how a loop may be executed", [
    I32EnumAttrCase<"Serial", 0, "serial">,
    I32EnumAttrCase<"Unroll", 1, "unroll">,
    I32EnumAttrCase<"Pipelined", 2, "pipelined">]> {
  let cppNamespace = "::tilec::tile";
  let genSpecializedAttr = 0;
}
def Tile_LoopKindAttr : Tile_EnumAttr<Tile_LoopKind, "loop_kind">;

def Tile_ReduceKind : I32EnumAttr<"ReduceKind", "an associative combination", [
    I32EnumAttrCase<"Sum", 0, "sum">, I32EnumAttrCase<"Prod", 1, "prod">,
    I32EnumAttrCase<"Max", 2, "max">, I32EnumAttrCase<"Min", 3, "min">,
    I32EnumAttrCase<"AbsSum", 4, "abssum">, I32EnumAttrCase<"AbsMax", 5, "absmax">,
    I32EnumAttrCase<"BitAnd", 6, "bitand">, I32EnumAttrCase<"BitOr", 7, "bitor">,
    I32EnumAttrCase<"BitXor", 8, "bitxor">]> {
  let cppNamespace = "::tilec::tile";
  let genSpecializedAttr = 0;
}
def Tile_ReduceKindAttr : Tile_EnumAttr<Tile_ReduceKind, "reduce_kind">;

def Tile_ReduceStep : I32EnumAttr<"ReduceStep", "how much of a reduction is done", [
    I32EnumAttrCase<"Whole", 0, "whole">, I32EnumAttrCase<"Parts", 1, "parts">,
    I32EnumAttrCase<"Combine", 2, "combine">]> {
  let cppNamespace = "::tilec::tile";
  let genSpecializedAttr = 0;
}
def Tile_ReduceStepAttr : Tile_EnumAttr<Tile_ReduceStep, "reduce_step">;

def Tile_AtomicKind : I32EnumAttr<"AtomicKind", "an atomic update", [
    I32EnumAttrCase<"Add", 0, "add">, I32EnumAttrCase<"Max", 1, "max">,
    I32EnumAttrCase<"Min", 2, "min">, I32EnumAttrCase<"And", 3, "and">,
    I32EnumAttrCase<"Or", 4, "or">, I32EnumAttrCase<"Xor", 5, "xor">,
    I32EnumAttrCase<"Exchange", 6, "exchange">,
    I32EnumAttrCase<"Read", 7, "read">]> {
  let cppNamespace = "::tilec::tile";
  let genSpecializedAttr = 0;
}
def Tile_AtomicKindAttr : Tile_EnumAttr<Tile_AtomicKind, "atomic_kind">;

def Tile_ShuffleKind : I32EnumAttr<"ShuffleKind", "which thread of the warp a value comes from", [
    I32EnumAttrCase<"Idx", 0, "idx">, I32EnumAttrCase<"Xor", 1, "xor">,
    I32EnumAttrCase<"Up", 2, "up">, I32EnumAttrCase<"Down", 3, "down">]> {
  let cppNamespace = "::tilec::tile";
  let genSpecializedAttr = 0;
}
def Tile_ShuffleKindAttr : Tile_EnumAttr<Tile_ShuffleKind, "shuffle_kind">;

def Tile_VoteKind : I32EnumAttr<"VoteKind", "what is asked of threads", [
    I32EnumAttrCase<"Any", 0, "any">, I32EnumAttrCase<"All", 1, "all">,
    I32EnumAttrCase<"Count", 2, "count">]> {
  let cppNamespace = "::tilec::tile";
  let genSpecializedAttr = 0;
}
def Tile_VoteKindAttr : Tile_EnumAttr<Tile_VoteKind, "vote_kind">;

def Tile_WarpPolicy : I32EnumAttr<"WarpPolicy", "how a gemm spreads over waves", [
    I32EnumAttrCase<"Square", 0, "square">,
    I32EnumAttrCase<"FullRow", 1, "full_row">,
    I32EnumAttrCase<"FullCol", 2, "full_col">]> {
  let cppNamespace = "::tilec::tile";
  let genSpecializedAttr = 0;
}
def Tile_WarpPolicyAttr : Tile_EnumAttr<Tile_WarpPolicy, "warp_policy">;

//===----------------------------------------------------------------------===//
// Types and attributes
//===----------------------------------------------------------------------===//

class Tile_Type<string name, string typeMnemonic> : TypeDef<Tile_Dialect, name> {
  let mnemonic = typeMnemonic;
}

def Tile_BufferType : Tile_Type<"Buffer", "buffer"> {
  let summary = "a mutable tile or tensor";
  let description = [{
    `!tile.buffer<[128, 32], f16, shared>`: extents, element type, scope. A `?`
    extent occurs in global buffers only. Element types: i1 (a byte in memory),
    signed integers as signless `iN`, unsigned ones as `uiN`, f16, bf16, f32,
    f64 and MLIR's f8E4M3FN, f8E5M2, f8E4M3FNUZ, f8E5M2FNUZ, f8E8M0FNU, f4E2M1FN.

    Scopes: `global` is device memory; `shared` and `fragment` belong to the
    block; `local` is private to one iteration of the innermost `tile.parallel`
    around its allocation, or one per block outside of any.
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$shape, "::mlir::Type":$elementType,
                        "::tilec::tile::Scope":$scope);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let builders = [TypeBuilderWithInferredContext<
    (ins "::llvm::ArrayRef<int64_t>":$shape, "::mlir::Type":$elementType,
         "::tilec::tile::Scope":$scope), [{
    return $_get(elementType.getContext(), shape, elementType, scope);
  }]>];
  let extraClassDeclaration = [{
    int64_t rank() const { return getShape().size(); }
    bool hasStaticShape() const;
    /// Elements of a static shape.
    int64_t numElems() const;
    bool isGlobal() const { return getScope() == Scope::Global; }
    bool isShared() const { return getScope() == Scope::Shared; }
    bool isFragment() const { return getScope() == Scope::Fragment; }
    bool isLocal() const { return getScope() == Scope::Local; }
  }];
}

def Tile_PipeType : Tile_Type<"Pipe", "pipe"> {
  let summary = "a ring of slots between a producer warp and the warps that consume";
}

class Tile_Attr<string name, string attrMnemonic> : AttrDef<Tile_Dialect, name> {
  let mnemonic = attrMnemonic;
}

def Tile_FragmentLayoutAttr : Tile_Attr<"FragmentLayout", "fragment"> {
  let summary = "where a fragment's elements are: tilec::FragmentLayout";
  let description = [{
    `#tile.fragment<shape = [16, 16] register = [[1, 0], [2, 0]] lane = [[0, 1]] reps = [[1, 4]]
    waves = [[0, 2]]>`; docs/machine-code/layouts.md explains the parts.
  }];
  let parameters = (ins AttrOrTypeParameter<"::tilec::FragmentLayout", "", "const ::tilec::FragmentLayout &">:$layout);
  let hasCustomAssemblyFormat = 1;
}

def Tile_SharedLayoutAttr : Tile_Attr<"SharedLayout", "shared"> {
  let summary = "where a shared tile's elements are: tilec::SharedLayout";
  let description = [{
    `#tile.shared<shape = [128, 32] pitch = 32 vec = 8 rows_per_phase = 2 phases = 4>`;
    `gray` makes the phase the Gray code of the row; `panel = 64` at the end cuts the columns into
    panels of 64.
  }];
  let parameters = (ins AttrOrTypeParameter<"::tilec::SharedLayout", "", "const ::tilec::SharedLayout &">:$layout);
  let hasCustomAssemblyFormat = 1;
}

def Tile_MmaAttr : Tile_Attr<"Mma", "mma"> {
  let summary = "how a gemm is multiplied: tilec::tile::Mma";
  let description = [{
    `#tile.mma<wave "..." shape = [16, 16, 32] waves = [2, 2] reps = [2, 3] steps = 2
    operands = [shared, shared] swapped>`: what one instruction multiplies along M, N and K; the
    waves that share C; instructions of each along M and N, and steps along K; where A and B are
    read from (`shared`, `registers`); `swapped`: the instruction's A is the gemm's B. In front
    stands who multiplies: a `wave`, with its instruction's name in the target's table; a
    `warp_group`, of which `reps` counts the instructions; or `lanes`, where no instruction does.

    What is 1 is left out: `copies` (waves that compute the same), `pack` (instructions along K
    that one read feeds), `rows_together` of A and `columns_together` of B (that one read gives).
    `order`: bit i of the instruction's k is worth `order[i]`, for A and B alike, so that the same
    products are summed; without it lanes hold the k that the instruction says.
  }];
  let parameters = (ins AttrOrTypeParameter<"::tilec::tile::Mma", "", "const ::tilec::tile::Mma &">:$mma);
  let hasCustomAssemblyFormat = 1;
}

def Tile_ServedAttr : Tile_Attr<"Served", "served"> {
  let summary = "how a producer serves a loop: tilec::tile::Served";
  let description = [{
    `#tile.served<overlapped [head, first, early, longest, late, second, deferred] slots = 1 every_thread
    exact turns ends_together first_ahead>`: the form of a round, one of `plain`, `beside`, `in_flight` and
    `overlapped`; when each statement of an overlapped one runs; slots of each tile; and what of the rest
    holds (tilec/IR/Tile/Served.h).
  }];
  let parameters = (ins AttrOrTypeParameter<"::tilec::tile::Served", "", "const ::tilec::tile::Served &">:$served);
  let hasCustomAssemblyFormat = 1;
}

def Tile_TransfersAttr : Tile_Attr<"Transfers", "transfers"> {
  let summary = "how tensor copies bring a box of a tensor to a tile";
  let description = [{
    `#tile.transfers<[1, 64, 64] swizzle = 128 panels = 2 chunks = 1 row_dim = 1 col_dim = 2>`:
    `panels` x `chunks` transfers, of so many elements along each dimension of the tensor (or of an
    image's matrix), chunk by chunk down the rows of a panel, in which 16-byte pieces are swizzled
    within so many bytes. Rows and columns of the tile run along two of the dimensions; a vector has
    no rows (-1). Where transfers have fewer rows than the tile, the tensor has none beyond.
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$extents, "int64_t":$swizzle,
                        "int64_t":$panels, "int64_t":$chunks, "int64_t":$rowDim,
                        "int64_t":$colDim);
  let assemblyFormat = [{
    `<` `[` $extents `]` `swizzle` `=` $swizzle `panels` `=` $panels `chunks` `=` $chunks
    `row_dim` `=` $rowDim `col_dim` `=` $colDim `>`
  }];
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Columns of a panel.
    int64_t panelElems() const { return getExtents()[getColDim()]; }
    /// Rows of a transfer.
    int64_t chunkRows() const { return getRowDim() < 0 ? 1 : getExtents()[getRowDim()]; }
    /// Rows that are brought.
    int64_t rows() const { return getChunks() * chunkRows(); }
  }];
}

def Tile_LoopIdAttr : Tile_Attr<"LoopId", "loop"> {
  let summary = "which loop of the program";
  let description = [{
    `#tile.loop<3>`: in the location of a `tile.for` and of all loops that are made of it. It is given
    once, in front of all passes, and no two loops of the program have the same, wherever their lines
    are. Lowering hands it on to the line table (docs/machine-code/lowering.md).
  }];
  let parameters = (ins "int64_t":$number);
  let assemblyFormat = "`<` $number `>`";
}

#endif // TILEC_IR_TILE_DIALECT_TD
