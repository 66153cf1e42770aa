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

#endif // TILEC_IR_WAVE_DIALECT_TD
