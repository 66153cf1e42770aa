//===- WaveDialect.td - what one wave executes ----------------------------===//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#ifndef TILEC_IR_WAVE_DIALECT_TD
#define TILEC_IR_WAVE_DIALECT_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/DialectBase.td"
include "mlir/IR/EnumAttr.td"

def Wave_Dialect : Dialect {
  let name = "wave";
  let cppNamespace = "::tilec::wave";
  let summary = "what one wave executes, in the order in which it is issued";
  let description = [{
    A `wave.kernel` is the program of every wave of a block. One op is about one
    machine instruction: atoms of matrix instructions, shared-memory reads of a
    given width, asynchronous copies, waits, barriers, priorities. Scalar and
    vector arithmetic is `arith` and `math`; control flow is `scf.for` without
    carried values and `scf.if` without results. Everything that changes across
    control flow lives in register arrays (`!wave.regs`), whose slots are named by
    constants, so that an op's place in a schedule and the registers it touches are
    both visible.

    `index` is 32 bits wide. Shared memory is one array of bytes that starts at
    address 0; all addresses in it are byte offsets. Global addresses are a
    pointer (`!wave.global`) plus a byte offset, unsigned 32-bit when it is `index`,
    64-bit when it is `i64`. "Uniform" values are equal in all lanes of the wave.
  }];
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::math::MathDialect", "::mlir::scf::SCFDialect"
  ];
}

class Wave_Type<string name, string typeMnemonic> : TypeDef<Wave_Dialect, name> {
  let mnemonic = typeMnemonic;
}

def Wave_RegsType : Wave_Type<"Regs", "regs"> {
  let summary = "an array of registers of a lane: `!wave.regs<16 x vector<4xf32>>`";
  let description = [{
    Mutable, addressed by constants only. The element is an integer, a float or a
    vector of them.
  }];
  let parameters = (ins "int64_t":$count, "::mlir::Type":$elementType);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def Wave_GlobalType : Wave_Type<"Global", "global"> {
  let summary = "a pointer to device memory, uniform";
}

def Wave_DescType : Wave_Type<"Desc", "desc"> {
  let summary = "a buffer descriptor, uniform";
}

def Wave_TensorMapType : Wave_Type<"TensorMap", "tensor_map"> {
  let summary = "a TMA descriptor, 128 bytes by value in the kernel's parameters";
}

def Wave_AtomicKind : I32EnumAttr<"AtomicKind", "an atomic update", [
    I32EnumAttrCase<"Add", 0, "add">, I32EnumAttrCase<"Max", 1, "max">,
    I32EnumAttrCase<"Min", 2, "min">, I32EnumAttrCase<"UMax", 3, "umax">,
    I32EnumAttrCase<"UMin", 4, "umin">, I32EnumAttrCase<"And", 5, "and">,
    I32EnumAttrCase<"Or", 6, "or">, I32EnumAttrCase<"Xor", 7, "xor">,
    I32EnumAttrCase<"Exchange", 8, "exchange">]> {
  let cppNamespace = "::tilec::wave";
  let genSpecializedAttr = 0;
}
def Wave_AtomicKindAttr : EnumAttr<Wave_Dialect, Wave_AtomicKind, "atomic_kind"> {
  let assemblyFormat = "$value";
}

def Wave_StepKind : I32EnumAttr<"StepKind", "what an op of a matrix loop does, and with which operand", [
    I32EnumAttrCase<"CopyA", 0, "copy_A">, I32EnumAttrCase<"CopyB", 1, "copy_B">,
    I32EnumAttrCase<"ReadA", 2, "read_A">, I32EnumAttrCase<"ReadB", 3, "read_B">,
    I32EnumAttrCase<"Mma", 4, "mma">]> {
  let cppNamespace = "::tilec::wave";
  let genSpecializedAttr = 0;
}

def Wave_StepAttr : AttrDef<Wave_Dialect, "Step"> {
  let mnemonic = "step";
  let summary = "which part of a matrix loop's iteration an op is";
  let description = [{
    The name in a schedule of an op of `wave.pipeline`: copy `i` of an operand; its read of
    repetition `i` and K step `k`; the matrix instruction of row `i`, column `j` and K step `k`.
    Several ops may be one step. Iteration t may use slot t % slots of shared memory: what a copy
    writes and a read reads is `slot_bytes` further per slot, and a copy reads `advance` bytes further
    per iteration. `cover` says which copies of any wave fill what a read fetches: bit d for copy d.
    The reads of `together` repetitions make the registers of all of them.

    ```mlir
    %0 = wave.shared_read %at {step = #wave.step<read_A, i = 1, slot_bytes = 8192, cover = 2>} : vector<8xf16>
    ```
  }];
  let parameters = (ins EnumParameter<Wave_StepKind>:$kind, "int64_t":$i,
                        DefaultValuedParameter<"int64_t", "0">:$j,
                        DefaultValuedParameter<"int64_t", "0">:$k,
                        DefaultValuedParameter<"int64_t", "0">:$slot_bytes,
                        DefaultValuedParameter<"int64_t", "0">:$advance,
                        DefaultValuedParameter<"int64_t", "0">:$cover,
                        DefaultValuedParameter<"int64_t", "1">:$together);
  let assemblyFormat = "`<` $kind `,` struct($i, $j, $k, $slot_bytes, $advance, $cover, $together) `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    bool isCopy() const { return getKind() == StepKind::CopyA || getKind() == StepKind::CopyB; }
    bool isRead() const { return getKind() == StepKind::ReadA || getKind() == StepKind::ReadB; }
  }];
}

#endif // TILEC_IR_WAVE_DIALECT_TD
