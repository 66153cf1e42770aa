//===- TileInterfaces.td - what several operations of the tile dialect are -===//
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#ifndef TILEC_IR_TILE_INTERFACES_TD
#define TILEC_IR_TILE_INTERFACES_TD

include "mlir/IR/OpBase.td"

def Tile_ElementLoop : OpInterface<"ElementLoop"> {
  let cppNamespace = "::tilec::tile";
  let description = [{
    A loop nest over elements whose iterations may run in any order: `tile.parallel`, which may do
    anything, and operations that say what theirs does (`tile.move`, `tile.gather`,
    `tile.store_tile`, `tile.transpose_bytes`), as linalg's named operations do. One index an extent,
    from 0.
  }];
  let methods = [
    InterfaceMethod<"What an iteration does.", "::mlir::Region &", "getBody">,
    InterfaceMethod<"Iterations an index.", "::mlir::OperandRange", "getExtents">,
    InterfaceMethod<"[i, n]: the i-th of n parts of the loop, by the registers of its layout.",
                    "::std::optional<::llvm::ArrayRef<int64_t>>", "getPart">,
    InterfaceMethod<"Makes it a part of the loop.", "void", "setPart",
                    (ins "::std::optional<::llvm::ArrayRef<int64_t>>":$part)>,
    InterfaceMethod<"Which lane runs which iteration; null where what it accesses says so.",
                    "::tilec::tile::FragmentLayoutAttr", "getLayoutAttr">,
    InterfaceMethod<"Says which lane runs which iteration.", "void", "setLayoutAttr",
                    (ins "::tilec::tile::FragmentLayoutAttr":$layout)>,
  ];
  let extraSharedClassDeclaration = [{
    ::llvm::ArrayRef<::mlir::BlockArgument> ivs() { return $_op.getBody().getArguments(); }
    ::mlir::Block *bodyBlock() { return &$_op.getBody().front(); }
    /// The extents when all are constants.
    ::std::optional<::llvm::SmallVector<int64_t, 4>> constantExtents() {
      return ::tilec::tile::constantInts($_op.getExtents());
    }
  }];
}

#endif // TILEC_IR_TILE_INTERFACES_TD
