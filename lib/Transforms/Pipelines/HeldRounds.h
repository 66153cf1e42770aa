//===- HeldRounds.h - the next round's tiles wait in registers -------------===//
//
// Takes a loop that fills shared tiles from tensors, lets each round write what the one before has
// read, and read what the next one will write: for copies that cannot run ahead without registers,
// or where shared memory holds one slot.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "Memory/SharedMemory.h"
#include "Pipelines/Ahead.h"
#include "Pipelines/TensorReads.h"

#include "tilec/Layout/FragmentLayout.h"
#include "tilec/Target/Target.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

#include <vector>

namespace tilec {

class HeldRounds {
public:
  /// Waves on a scheduler that are enough where the alternative is that a round waits for tiles
  /// which it reads itself.
  static constexpr int64_t enoughWaves = 2;

  /// Finds what can be read a round ahead: copies, and loops over elements, that alone fill a
  /// shared tile, from tensors that the loop does not write. Changes nothing.
  /// `others` are copied without registers, in front of which tiles are written and read then:
  /// those copies are in flight at the waits for registers, and counted alone at their own.
  HeldRounds(tile::ForOp loop, const TargetInfo &chip,
             llvm::ArrayRef<mlir::Operation *> others = {});
  HeldRounds(const HeldRounds &) = delete;
  HeldRounds &operator=(const HeldRounds &) = delete;

  /// Those, in their order.
  llvm::ArrayRef<mlir::Operation *> fills() const { return found; }
  bool isBesideCopies() const { return isBeside; }
  /// Loops over elements of the round that are no such fills, as they work on its tiles, and read a
  /// few elements of tensors beside those (scales): read a round ahead, they are not waited for.
  /// Without `others` an element of each product's, too (a bias).
  llvm::ArrayRef<tile::ElementLoop> readers() const { return beside; }
  /// Of those only what takes a few registers, where all do not fit as `fits` says.
  void readFewUnlessFits(int64_t fewestWaves = 0);
  /// Whether nothing else of the round brings what tensors hold to shared memory.
  bool isAll() const { return holdsAll; }
  /// Whether lanes read so many bytes of a row together.
  bool readsPieces(mlir::Operation *fill, int64_t bytes) const;
  /// Whether what is read for it takes a few registers: in pieces of any width, it is little work.
  bool isLittle(mlir::Operation *fill) const;
  /// Whether registers hold what is read for a round beside all fragments, with as many blocks on a
  /// unit as shared memory lets there be, or with so many waves of a scheduler, if that is not 0.
  bool fits(int64_t fewestWaves = 0) const;
  /// Whether shared memory, as it will be beside that, holds all tiles that are written at a
  /// round's beginning, where they may have shared bytes one after the other.
  bool hasRoom(const SharedMemory &memory) const;
  /// False, and nothing is changed, where a tile has no layout in registers.
  bool expand();
  /// With `others`: where a round has written its tiles, and where it has read the next ones.
  mlir::Operation *afterWrites() { return written; }
  mlir::Operation *afterReads() { return readNext; }

private:
  /// What a loop over elements reads of a tensor, in registers of which each dimension is one of
  /// the loop's variables.
  struct Held {
    tile::LoadOp load;
    llvm::SmallVector<HeldVariable, 4> variables;
    tile::AllocOp registers;
    /// The round's behind that: of what says where another load reads, if that varies, and of what
    /// a reader uses behind the reads of the next round.
    tile::AllocOp coming;
    bool isOfOther = false; ///< a fill before has the same ones, and reads them
  };
  struct Fill {
    tile::ElementLoop loop;
    llvm::SmallVector<Held, 2> held;   ///< values, one for each element
    llvm::SmallVector<Held, 2> few;    ///< values that elements share
    llvm::SmallVector<Held, 2> places; ///< numbers of rows: of all rounds, or of the next one
    bool isNew;                        ///< it was a tile.copy
  };

  bool isLegal(tile::CopyOp copy);
  bool isLegal(tile::ElementLoop parallel);
  bool isReader(tile::ElementLoop parallel);
  void addReadersOf(mlir::scf::IfOp branch);
  int64_t registersOfReads(tile::ElementLoop parallel) const;
  /// Bits of a block that the load's elements take in registers.
  int64_t heldBits(tile::LoadOp load, tile::ElementLoop parallel) const;
  /// Of each read of the fill.
  llvm::SmallVector<int64_t, 2> heldBits(mlir::Operation *fill) const;
  /// Whether the places that the load reads in a later round are known in this one.
  bool isKnownAhead(tile::LoadOp load, tile::ElementLoop parallel);
  bool isIndex(mlir::Value value);
  /// Whether it reads another place in another round.
  bool varies(tile::LoadOp load, tile::ElementLoop parallel);
  std::optional<Fill> makeFill(mlir::Operation *op);
  std::optional<Fill> makeReader(tile::ElementLoop parallel);
  /// Registers for what says where the fill's values lie.
  void addPlaces(Fill &fill, llvm::ArrayRef<tile::LoadOp> places, const FragmentLayout &layout);
  /// Numbers of rows that a fill before reads in the same lanes; null: none does.
  const Held *sameNumbers(const Held &place, Fill &fill);
  void undo(Fill &fill);
  /// Null where they have no layout.
  tile::AllocOp registersFor(Held &held, const FragmentLayout &layout, tile::ElementLoop parallel,
                             const llvm::Twine &name);
  mlir::Value loadHeld(Held &held, mlir::OpBuilder &inside, tile::ElementLoop parallel,
                       mlir::IRMapping &mapping);
  /// Reads one round's elements here.
  tile::ElementLoop read(Fill &fill, Held &held, mlir::IRMapping mapping);
  /// What was to come is there.
  void takeComing(llvm::MutableArrayRef<Held> list);
  /// Reads what then is to come, of the round `mapping` has.
  void readComing(Fill &fill, llvm::MutableArrayRef<Held> list, const mlir::IRMapping &mapping);
  /// Reads the next round's values that elements share.
  llvm::SmallVector<tile::ElementLoop> readFew(Fill &fill, const mlir::IRMapping &next);
  void moveHere(llvm::ArrayRef<tile::ElementLoop> loops);
  void advance(Fill &fill, llvm::MutableArrayRef<Held> list, const mlir::IRMapping &mapping);
  tile::SchedBarrierOp keepOrder();
  void readFirst();
  void writeFromRegisters(Fill &fill);
  void moveHere(Fill &fill);
  void rewriteBody();
  /// With the next round's variable in `next`, and of the one behind that in `third`: where fills
  /// stand, in front of a branch that they stand in, or of other copies.
  void rewriteInPlace(const mlir::IRMapping &next, const mlir::IRMapping &third);
  /// One fill has two parts, so that a wait leaves one of them in flight.
  bool hasParts();
  /// The loop's second part behind what stands here.
  void splitBehind(tile::ElementLoop first);
  void rewriteRound(mlir::IRMapping &next, const mlir::IRMapping &third);
  void rewriteBesideCopies(const mlir::IRMapping &next, const mlir::IRMapping &third);

  tile::ForOp loop;
  const TargetInfo &chip;
  mlir::OpBuilder builder;
  OtherRounds rounds;
  Accesses all;
  std::optional<Accesses> ofKernel; ///< once somebody asks
  mlir::Block *block;               ///< of the fills
  mlir::scf::IfOp round;            ///< the branch that it is of, if it is not the loop's body
  llvm::SmallVector<mlir::Operation *, 4> found;
  llvm::SmallVector<tile::ElementLoop, 2> beside;
  std::vector<Fill> made;
  std::vector<Fill> madeReaders; ///< all of the values they read are `few`
  bool holdsAll = true, isBeside;
  tile::SchedBarrierOp written, readNext;
};

} // namespace tilec
