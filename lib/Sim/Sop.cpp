//===- Sop.cpp - scalar operations and program control --------------------===//
//
// SOP1, SOP2, SOPK, SOPC and SOPP. A row's function takes operands and SCC by
// reference; its parameter types give the operand widths.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Decode.h"
#include "Execute.h"
#include "GlobalOrder.h"
#include "Wave.h"

#include <algorithm>

namespace tilec::sim {
namespace {

using u32 = uint32_t;
using i32 = int32_t;
using u64 = uint64_t;
using i64 = int64_t;

template <class T> constexpr Type typeFor() {
  return std::is_same_v<T, i64> ? Type::I64 : std::is_same_v<T, u64> ? Type::B64 : Type::B32;
}
template <class T> T read(const Wave &wave, const Operand &operand) {
  if constexpr (sizeof(T) == 8)
    return static_cast<T>(scalar64(wave, operand));
  else
    return static_cast<T>(scalar32(wave, operand));
}
template <class T> void write(Wave &wave, const Operand &operand, T value) {
  if constexpr (sizeof(T) == 8)
    wave.setPair(operand.reg, static_cast<u64>(value));
  else
    wave.s[operand.reg] = static_cast<u32>(value);
}

template <auto F, class S> struct SopOf;
template <auto F, class R, class... A> struct SopOf<F, R (*)(bool &, A...)> {
  template <size_t... I>
  static void run(Wave &wave, const Instr &instr, std::index_sequence<I...>) {
    bool scc = wave.scc;
    if constexpr (std::is_void_v<R>) {
      F(scc, read<A>(wave, instr.src[I])...);
    } else {
      R result = F(scc, read<A>(wave, instr.src[I])...);
      write<R>(wave, instr.dst[0], result);
    }
    wave.scc = scc;
  }
  static void exec(Wave &wave, const Instr &instr) {
    run(wave, instr, std::index_sequence_for<A...>());
  }
  static constexpr OpInfo row(const char *name, u32 flags) {
    OpInfo op;
    op.name = name;
    op.exec = exec;
    op.flags = flags | isSalu;
    constexpr const char *withDst[] = {"d", "d0", "d01"}, *without[] = {"", "0", "01"};
    op.form = std::is_void_v<R> ? without[sizeof...(A)]
                                : withDst[sizeof...(A) - (flags & readsDst ? 1 : 0)];
    Type types[] = {typeFor<A>()..., Type::None};
    for (size_t i = 0; i < sizeof...(A); ++i)
      op.src[i] = types[i];
    return op;
  }
};
template <auto F> constexpr OpInfo sop(const char *name, u32 flags = 0) {
  return SopOf<F, decltype(+F)>::row(name, flags);
}

// SCC = result is not zero, as all bitwise operations do.
template <class T> T nonZero(bool &scc, T value) {
  scc = value != 0;
  return value;
}
u32 addCarry(bool &scc, u32 a, u32 b, bool carry) {
  u64 sum = u64(a) + b + carry;
  scc = sum >> 32;
  return static_cast<u32>(sum);
}
u32 subBorrow(bool &scc, u32 a, u32 b, bool borrow) {
  u64 difference = u64(a) - b - borrow;
  scc = difference >> 63;
  return static_cast<u32>(difference);
}
u32 addSigned(bool &scc, u32 a, u32 b) {
  i32 sum;
  scc = __builtin_add_overflow(i32(a), i32(b), &sum);
  return static_cast<u32>(sum);
}
u32 subSigned(bool &scc, u32 a, u32 b) {
  i32 difference;
  scc = __builtin_sub_overflow(i32(a), i32(b), &difference);
  return static_cast<u32>(difference);
}
/// S1: offset in the low bits, width in bits 22:16.
u32 bfe32(u32 a, u32 s1) {
  u32 offset = s1 & 31, width = s1 >> 16 & 127;
  u64 mask = width >= 32 ? 0xffffffffull : (1ull << width) - 1;
  return static_cast<u32>(a >> offset & mask);
}
i32 bfeI32(u32 a, u32 s1) {
  u32 offset = s1 & 31, width = s1 >> 16 & 127;
  if (width == 0)
    return 0;
  i32 shifted = static_cast<i32>(a) >> offset;
  return offset + width >= 32 ? shifted : signExtend(a >> offset, width);
}
u64 bfe64(u64 a, u32 s1) {
  u32 offset = s1 & 63, width = s1 >> 16 & 127;
  u64 mask = width >= 64 ? ~0ull : (1ull << width) - 1;
  return a >> offset & mask;
}
i64 bfeI64(u64 a, u32 s1) {
  u32 offset = s1 & 63, width = s1 >> 16 & 127;
  if (width == 0)
    return 0;
  i64 shifted = static_cast<i64>(a) >> offset;
  return offset + width >= 64 ? shifted
                              : static_cast<i64>(a >> offset << (64 - width)) >> (64 - width);
}
u32 shiftAdd(bool &scc, u32 a, u32 b, unsigned shift) {
  u64 sum = (u64(a) << shift) + b;
  scc = sum >> 32;
  return static_cast<u32>(sum);
}
i32 leadingEqual(u64 bits, unsigned width) { // leading bits equal to the sign; -1: all
  u64 top = 1ull << (width - 1);
  bool sign = bits & top;
  for (unsigned i = 1; i < width; ++i)
    if (static_cast<bool>(bits & top >> i) != sign)
      return static_cast<i32>(i);
  return -1;
}
u64 quadMask(u64 a) {
  u64 result = 0;
  for (unsigned i = 0; i < 16; ++i)
    result |= u64((a >> (4 * i) & 15) != 0) << i;
  return result;
}
u64 wholeQuads(u64 a) {
  u64 result = 0;
  for (unsigned i = 0; i < 64; i += 4)
    result |= (a >> i & 15) ? 15ull << i : 0;
  return result;
}
u64 replicateBits(u32 a) {
  u64 result = 0;
  for (unsigned i = 0; i < 32; ++i)
    result |= (a >> i & 1) ? 3ull << (2 * i) : 0;
  return result;
}

// ---- exec masks ---------------------------------------------------------------------------------

/// D = EXEC; EXEC = F(S0, EXEC); SCC = EXEC is not zero
template <auto F> void execSaveExec(Wave &wave, const Instr &instr) {
  u64 source = scalar64(wave, instr.src[0]), old = wave.exec();
  u64 result = F(source, old);
  wave.setPair(instr.dst[0].reg, old);
  wave.setPair(sgprExec, result);
  wave.scc = result != 0;
}
/// EXEC = D = F(S0, EXEC); SCC = not zero
template <auto F> void execWriteExec(Wave &wave, const Instr &instr) {
  u64 result = F(scalar64(wave, instr.src[0]), wave.exec());
  wave.setPair(sgprExec, result);
  wave.setPair(instr.dst[0].reg, result);
  wave.scc = result != 0;
}
template <auto F, bool save> constexpr OpInfo saveExec(const char *name) {
  OpInfo op;
  op.name = name;
  op.exec = save ? execSaveExec<F> : execWriteExec<F>;
  op.form = "d0";
  op.flags = isSalu | readsExec | writesExec | writesScc;
  op.src[0] = Type::B64;
  return op;
}

// ---- control
// -------------------------------------------------------------------------------------

template <auto Taken> void execBranch(Wave &wave, const Instr &instr) {
  if (Taken(wave))
    wave.pc = instr.target;
}
template <auto Taken> constexpr OpInfo branch(const char *name, u32 flags = 0) {
  OpInfo op;
  op.name = name;
  op.exec = execBranch<Taken>;
  op.form = "0";
  op.flags = flags | isBranch | isSalu;
  op.src[0] = Type::B32;
  return op;
}
constexpr OpInfo control(const char *name, ExecFn exec, const char *form, u32 flags = 0,
                         Type type = Type::B32) {
  OpInfo op;
  op.name = name;
  op.exec = exec;
  op.form = form;
  op.flags = flags | isSalu;
  op.src[0] = op.src[1] = type;
  return op;
}
void nothing(Wave &, const Instr &) {}
/// Caches are not modelled, but what fences of device scope are for: other work-groups.
void execFence(Wave &wave, const Instr &instr) {
  if (GlobalOrder *order = wave.group->engine->port.order; order && instr.isDeviceScope)
    order->fence(*wave.group);
}
/// At a barrier of the grid: that the work-group waits, the states of its waves say soon.
void execSleep(Wave &wave, const Instr &) {
  Group &group = *wave.group;
  if (group.engine->options->cooperative && !group.watch)
    group.nextWatch = 0;
}

u64 codeAddress(u32 pc) { return codeBase + 4ull * pc; }
void jump(Wave &wave, const Instr &instr, u64 address) {
  if (address % 4 != 0 || address < codeBase || address - codeBase >= (1ull << 32))
    return fault(wave, instr, CheckKind::BadProgram,
                 "jump to 0x" + llvm::Twine::utohexstr(address) + ", which is not code");
  wave.pc = static_cast<u32>((address - codeBase) / 4);
}
void execGetPc(Wave &wave, const Instr &instr) {
  wave.setPair(instr.dst[0].reg, codeAddress(instr.next));
}
void execSetPc(Wave &wave, const Instr &instr) { jump(wave, instr, scalar64(wave, instr.src[0])); }
void execSwapPc(Wave &wave, const Instr &instr) {
  u64 to = scalar64(wave, instr.src[0]);
  wave.setPair(instr.dst[0].reg, codeAddress(instr.next));
  jump(wave, instr, to);
}
void execCall(Wave &wave, const Instr &instr) {
  wave.setPair(instr.dst[0].reg, codeAddress(instr.next));
  wave.pc = instr.next + static_cast<u32>(static_cast<int16_t>(instr.src[0].imm));
}
void execEnd(Wave &wave, const Instr &) {
  retire(wave, 0, 0);
  wave.ended = true;
}
void execBarrier(Wave &wave, const Instr &instr) {
  wave.atBarrier = true;
  wave.barrierPc = instr.pc;
}
/// Bit 0: the wave stops here.
void execHalt(Wave &wave, const Instr &instr) {
  wave.halted = scalar32(wave, instr.src[0]) & 1;
  wave.haltPc = instr.pc;
}
void execWaitcnt(Wave &wave, const Instr &instr) { retire(wave, instr.waitVm, instr.waitLgkm); }
void execTrap(Wave &wave, const Instr &instr) {
  fault(wave, instr, CheckKind::Trap,
        "s_trap " + llvm::Twine(scalar32(wave, instr.src[0])) + ": the kernel stopped itself");
}

enum HwReg : u32 { hwMode = 1, hwHwId = 4, hwXccId = 20 };
u32 readHwReg(Wave &wave, const Instr &instr, u32 id) {
  switch (id) {
  case hwMode:
    return wave.mode;
  case hwHwId: // wave in bits 3:0, SIMD in 5:4; waves i and i + 4 share a SIMD
    return wave.index / 4 % 10 | wave.index % 4 << 4;
  case hwXccId: // work-groups go round the eight dies
    return static_cast<u32>(wave.group->number % 8);
  default:
    fault(wave, instr, CheckKind::BadInstruction, "this hardware register is not modelled");
    return 0;
  }
}
struct Field {
  u32 id, offset, mask;
  explicit Field(u32 encoded)
      : id(encoded & 63), offset(encoded >> 6 & 31),
        mask(static_cast<u32>((2ull << (encoded >> 11 & 31)) - 1)) {}
};
void execGetReg(Wave &wave, const Instr &instr) {
  Field field(instr.simm);
  wave.s[instr.dst[0].reg] = readHwReg(wave, instr, field.id) >> field.offset & field.mask;
}
void setReg(Wave &wave, const Instr &instr, u32 value) {
  Field field(instr.simm);
  if (field.id != hwMode)
    return fault(wave, instr, CheckKind::BadInstruction, "only MODE can be written");
  u32 mask = field.mask << field.offset;
  setMode(wave, instr, (wave.mode & ~mask) | (value << field.offset & mask));
}
void execSetReg(Wave &wave, const Instr &instr) {
  setReg(wave, instr, scalar32(wave, instr.src[1]));
}

/// Index mode: M0[7:0] is added to the vector register numbers that the flags select.
void execGprIdxOn(Wave &wave, const Instr &instr) {
  wave.gprIdx = static_cast<uint8_t>(instr.src[1].imm & 15) | 16;
  wave.s[sgprM0] = (wave.s[sgprM0] & ~0xf0ffu) | (scalar32(wave, instr.src[0]) & 0xff) |
                   static_cast<u32>(instr.src[1].imm & 15) << 12;
}
void execGprIdxOff(Wave &wave, const Instr &) { wave.gprIdx = 0; }
void execGprIdxMode(Wave &wave, const Instr &instr) {
  wave.gprIdx = static_cast<uint8_t>(instr.src[0].imm & 15) | (wave.gprIdx & 16);
}
void execGprIdxIdx(Wave &wave, const Instr &instr) {
  wave.s[sgprM0] = (wave.s[sgprM0] & ~0xffu) | (scalar32(wave, instr.src[0]) & 0xff);
}
/// VSKIP = S0[S1[4:0]]
void execSetVskip(Wave &wave, const Instr &instr) {
  wave.vskip = scalar32(wave, instr.src[0]) >> (scalar32(wave, instr.src[1]) & 31) & 1;
}
/// Vector register of relative scalar move: SGPR[S0 + M0].
void execMovRel(Wave &wave, const Instr &instr, bool toDst, unsigned dwords) {
  unsigned from = instr.src[0].reg + (toDst ? 0 : wave.s[sgprM0]);
  unsigned to = instr.dst[0].reg + (toDst ? wave.s[sgprM0] : 0);
  if (from + dwords > sgprVcc || to + dwords > sgprVcc)
    return fault(wave, instr, CheckKind::BadProgram, "M0 moves the register number out of range");
  for (unsigned i = 0; i < dwords; ++i)
    wave.s[to + i] = instr.src[0].isSgpr() ? wave.s[from + i] : scalar32(wave, instr.src[0]);
}

#define BITWISE(Name, Expr)                                                                        \
  sop<[](bool &scc, u32 a, u32 b) -> u32 { return nonZero<u32>(scc, (Expr)); }>(Name "_b32",       \
                                                                                writesScc),        \
      sop<[](bool &scc, u64 a, u64 b) -> u64 { return nonZero<u64>(scc, (Expr)); }>(               \
          Name "_b64", writesScc | isMaskOp)
#define COMPARE(Name, Expr)                                                                        \
  sop<[](bool &scc, i32 a, i32 b) -> void { scc = (Expr); }>("s_cmp_" Name "_i32", writesScc),     \
      sop<[](bool &scc, u32 a, u32 b) -> void { scc = (Expr); }>("s_cmp_" Name "_u32", writesScc), \
      sop<[](bool &scc, i32 a, i32 k) -> void {                                                    \
        i32 b = static_cast<int16_t>(k);                                                           \
        scc = (Expr);                                                                              \
      }>("s_cmpk_" Name "_i32", writesScc),                                                        \
      sop<[](bool &scc, u32 a, u32 k) -> void {                                                    \
        u32 b = k & 0xffff;                                                                        \
        scc = (Expr);                                                                              \
      }>("s_cmpk_" Name "_u32", writesScc)

const OpInfo table[] = {
    // SOP2
    sop<[](bool &scc, u32 a, u32 b) -> u32 { return addCarry(scc, a, b, false); }>("s_add_u32",
                                                                                   writesScc),
    sop<[](bool &scc, u32 a, u32 b) -> u32 { return subBorrow(scc, a, b, false); }>("s_sub_u32",
                                                                                    writesScc),
    sop<[](bool &scc, u32 a, u32 b) -> u32 { return addSigned(scc, a, b); }>("s_add_i32",
                                                                             writesScc),
    sop<[](bool &scc, u32 a, u32 b) -> u32 { return subSigned(scc, a, b); }>("s_sub_i32",
                                                                             writesScc),
    sop<[](bool &scc, u32 a, u32 b) -> u32 { return addCarry(scc, a, b, scc); }>(
        "s_addc_u32", readsScc | writesScc),
    sop<[](bool &scc, u32 a, u32 b) -> u32 { return subBorrow(scc, a, b, scc); }>(
        "s_subb_u32", readsScc | writesScc),
    sop<[](bool &scc, i32 a, i32 b) -> i32 { return (scc = a < b) ? a : b; }>("s_min_i32",
                                                                              writesScc),
    sop<[](bool &scc, u32 a, u32 b) -> u32 { return (scc = a < b) ? a : b; }>("s_min_u32",
                                                                              writesScc),
    sop<[](bool &scc, i32 a, i32 b) -> i32 { return ((scc = (a > b)) ? a : b); }>("s_max_i32",
                                                                                  writesScc),
    sop<[](bool &scc, u32 a, u32 b) -> u32 { return ((scc = (a > b)) ? a : b); }>("s_max_u32",
                                                                                  writesScc),
    sop<[](bool &scc, u32 a, u32 b) -> u32 { return scc ? a : b; }>("s_cselect_b32",
                                                                    readsScc | isSccSelect),
    sop<[](bool &scc, u64 a, u64 b) -> u64 { return scc ? a : b; }>("s_cselect_b64",
                                                                    readsScc | isSccSelect),
    BITWISE("s_and", a &b),
    BITWISE("s_or", a | b),
    BITWISE("s_xor", a ^ b),
    BITWISE("s_andn2", a & ~b),
    BITWISE("s_orn2", a | ~b),
    BITWISE("s_nand", ~(a &b)),
    BITWISE("s_nor", ~(a | b)),
    BITWISE("s_xnor", ~(a ^ b)),
    sop<[](bool &scc, u32 a, u32 b) -> u32 { return nonZero(scc, a << (b & 31)); }>("s_lshl_b32",
                                                                                    writesScc),
    sop<[](bool &scc, u64 a, u32 b) -> u64 { return nonZero(scc, a << (b & 63)); }>("s_lshl_b64",
                                                                                    writesScc),
    sop<[](bool &scc, u32 a, u32 b) -> u32 { return (nonZero(scc, a >> (b & 31))); }>("s_lshr_b32",
                                                                                      writesScc),
    sop<[](bool &scc, u64 a, u32 b) -> u64 { return (nonZero(scc, a >> (b & 63))); }>("s_lshr_b64",
                                                                                      writesScc),
    sop<[](bool &scc, i32 a, u32 b) -> i32 { return (nonZero(scc, a >> (b & 31))); }>("s_ashr_i32",
                                                                                      writesScc),
    sop<[](bool &scc, i64 a, u32 b) -> i64 { return (nonZero(scc, a >> (b & 63))); }>("s_ashr_i64",
                                                                                      writesScc),
    sop<[](bool &, u32 a, u32 b) -> u32 { return ((1u << (a & 31)) - 1) << (b & 31); }>(
        "s_bfm_b32"),
    sop<[](bool &, u32 a, u32 b) -> u64 { return ((1ull << (a & 63)) - 1) << (b & 63); }>(
        "s_bfm_b64"),
    sop<[](bool &, u32 a, u32 b) -> u32 { return a * b; }>("s_mul_i32"),
    sop<[](bool &, u32 a, u32 b) -> u32 { return (static_cast<u32>(u64(a) * b >> 32)); }>(
        "s_mul_hi_u32"),
    sop<[](bool &, i32 a, i32 b) -> i32 { return (static_cast<i32>(i64(a) * b >> 32)); }>(
        "s_mul_hi_i32"),
    sop<[](bool &scc, u32 a, u32 b) -> u32 { return nonZero(scc, bfe32(a, b)); }>("s_bfe_u32",
                                                                                  writesScc),
    sop<[](bool &scc, u32 a, u32 b) -> i32 { return nonZero(scc, bfeI32(a, b)); }>("s_bfe_i32",
                                                                                   writesScc),
    sop<[](bool &scc, u64 a, u32 b) -> u64 { return nonZero(scc, bfe64(a, b)); }>("s_bfe_u64",
                                                                                  writesScc),
    sop<[](bool &scc, u64 a, u32 b) -> i64 { return nonZero(scc, bfeI64(a, b)); }>("s_bfe_i64",
                                                                                   writesScc),
    sop<[](bool &scc, i32 a, i32 b) -> u32 {
      u32 d = u32(a) - u32(b);
      return nonZero(scc, i32(d) < 0 ? 0 - d : d);
    }>("s_absdiff_i32", writesScc),
    sop<[](bool &, u32 a, u32 b) -> u32 { return (a & 0xffff) | b << 16; }>("s_pack_ll_b32_b16"),
    sop<[](bool &, u32 a, u32 b) -> u32 { return (a & 0xffff) | (b & 0xffff0000u); }>(
        "s_pack_lh_b32_b16"),
    sop<[](bool &, u32 a, u32 b) -> u32 { return (a >> 16 | (b & 0xffff0000u)); }>(
        "s_pack_hh_b32_b16"),
    sop<[](bool &scc, u32 a, u32 b) -> u32 { return shiftAdd(scc, a, b, 1); }>("s_lshl1_add_u32",
                                                                               writesScc),
    sop<[](bool &scc, u32 a, u32 b) -> u32 { return shiftAdd(scc, a, b, 2); }>("s_lshl2_add_u32",
                                                                               writesScc),
    sop<[](bool &scc, u32 a, u32 b) -> u32 { return shiftAdd(scc, a, b, 3); }>("s_lshl3_add_u32",
                                                                               writesScc),
    sop<[](bool &scc, u32 a, u32 b) -> u32 { return shiftAdd(scc, a, b, 4); }>("s_lshl4_add_u32",
                                                                               writesScc),
    // SOP1
    sop<[](bool &, u32 a) -> u32 { return a; }>("s_mov_b32"),
    sop<[](bool &, u64 a) -> u64 { return a; }>("s_mov_b64"),
    sop<[](bool &scc, u32 a, u32 old) -> u32 { return scc ? a : old; }>(
        "s_cmov_b32", readsScc | readsDst | isSccSelect),
    sop<[](bool &scc, u64 a, u64 old) -> u64 { return scc ? a : old; }>(
        "s_cmov_b64", readsScc | readsDst | isSccSelect),
    sop<[](bool &scc, u32 a) -> u32 { return nonZero(scc, ~a); }>("s_not_b32", writesScc),
    sop<[](bool &scc, u64 a) -> u64 { return nonZero(scc, ~a); }>("s_not_b64", writesScc),
    sop<[](bool &scc, u32 a) -> u32 { return nonZero(scc, u32(wholeQuads(a))); }>("s_wqm_b32",
                                                                                  writesScc),
    sop<[](bool &scc, u32 a) -> u32 { return nonZero(scc, u32(quadMask(a))); }>("s_quadmask_b32",
                                                                                writesScc),
    sop<[](bool &scc, u64 a) -> u64 { return nonZero(scc, wholeQuads(a)); }>("s_wqm_b64",
                                                                             writesScc),
    sop<[](bool &scc, u64 a) -> u64 { return nonZero(scc, quadMask(a)); }>("s_quadmask_b64",
                                                                           writesScc),
    sop<[](bool &, u32 a) -> u32 { return reverseBits(a); }>("s_brev_b32"),
    sop<[](bool &, u64 a) -> u64 { return reverseBits(a); }>("s_brev_b64"),
    sop<[](bool &scc, u32 a) -> u32 { return nonZero(scc, 32u - u32(__builtin_popcount(a))); }>(
        "s_bcnt0_i32_b32", writesScc),
    sop<[](bool &scc, u64 a) -> u32 { return nonZero(scc, 64u - u32(__builtin_popcountll(a))); }>(
        "s_bcnt0_i32_b64", writesScc),
    sop<[](bool &scc, u32 a) -> u32 { return nonZero(scc, u32(__builtin_popcount(a))); }>(
        "s_bcnt1_i32_b32", writesScc),
    sop<[](bool &scc, u64 a) -> u32 { return nonZero(scc, u32(__builtin_popcountll(a))); }>(
        "s_bcnt1_i32_b64", writesScc),
    sop<[](bool &, u32 a) -> i32 { return ~a ? __builtin_ctz(~a) : -1; }>("s_ff0_i32_b32"),
    sop<[](bool &, u64 a) -> i32 { return ~a ? __builtin_ctzll(~a) : -1; }>("s_ff0_i32_b64"),
    sop<[](bool &, u32 a) -> i32 { return a ? __builtin_ctz(a) : -1; }>("s_ff1_i32_b32"),
    sop<[](bool &, u64 a) -> i32 { return a ? __builtin_ctzll(a) : -1; }>("s_ff1_i32_b64"),
    sop<[](bool &, u32 a) -> i32 { return a ? __builtin_clz(a) : -1; }>("s_flbit_i32_b32"),
    sop<[](bool &, u64 a) -> i32 { return a ? __builtin_clzll(a) : -1; }>("s_flbit_i32_b64"),
    sop<[](bool &, u32 a) -> i32 { return leadingEqual(a, 32); }>("s_flbit_i32"),
    sop<[](bool &, u64 a) -> i32 { return leadingEqual(a, 64); }>("s_flbit_i32_i64"),
    sop<[](bool &, u32 a) -> i32 { return signExtend(a & 0xff, 8); }>("s_sext_i32_i8"),
    sop<[](bool &, u32 a) -> i32 { return signExtend(a & 0xffff, 16); }>("s_sext_i32_i16"),
    sop<[](bool &, u32 a, u32 old) -> u32 { return old & ~(1u << (a & 31)); }>("s_bitset0_b32",
                                                                               readsDst),
    sop<[](bool &, u32 a, u64 old) -> u64 { return old & ~(1ull << (a & 63)); }>("s_bitset0_b64",
                                                                                 readsDst),
    sop<[](bool &, u32 a, u32 old) -> u32 { return old | 1u << (a & 31); }>("s_bitset1_b32",
                                                                            readsDst),
    sop<[](bool &, u32 a, u64 old) -> u64 { return old | 1ull << (a & 63); }>("s_bitset1_b64",
                                                                              readsDst),
    sop<[](bool &scc, u32 a) -> u32 { return nonZero(scc, i32(a) < 0 ? 0 - a : a); }>("s_abs_i32",
                                                                                      writesScc),
    sop<[](bool &, u32 a) -> u64 { return replicateBits(a); }>("s_bitreplicate_b64_b32"),
    saveExec<[](u64 s, u64 e) { return s & e; }, true>("s_and_saveexec_b64"),
    saveExec<[](u64 s, u64 e) { return s | e; }, true>("s_or_saveexec_b64"),
    saveExec<[](u64 s, u64 e) { return s ^ e; }, true>("s_xor_saveexec_b64"),
    saveExec<[](u64 s, u64 e) { return s & ~e; }, true>("s_andn2_saveexec_b64"),
    saveExec<[](u64 s, u64 e) { return s | ~e; }, true>("s_orn2_saveexec_b64"),
    saveExec<[](u64 s, u64 e) { return ~(s & e); }, true>("s_nand_saveexec_b64"),
    saveExec<[](u64 s, u64 e) { return ~(s | e); }, true>("s_nor_saveexec_b64"),
    saveExec<[](u64 s, u64 e) { return ~(s ^ e); }, true>("s_xnor_saveexec_b64"),
    saveExec<[](u64 s, u64 e) { return ~s & e; }, true>("s_andn1_saveexec_b64"),
    saveExec<[](u64 s, u64 e) { return ~s | e; }, true>("s_orn1_saveexec_b64"),
    saveExec<[](u64 s, u64 e) { return ~s & e; }, false>("s_andn1_wrexec_b64"),
    saveExec<[](u64 s, u64 e) { return s & ~e; }, false>("s_andn2_wrexec_b64"),
    // SOPK
    sop<[](bool &, u32 k) -> i32 { return (static_cast<int16_t>(k)); }>("s_movk_i32"),
    sop<[](bool &scc, u32 k, u32 old) -> u32 {
      return (scc ? u32(static_cast<int16_t>(k)) : old);
    }>("s_cmovk_i32", readsScc | readsDst | isSccSelect),
    sop<[](bool &scc, u32 k, u32 old) -> u32 {
      return (addSigned(scc, old, u32(static_cast<int16_t>(k))));
    }>("s_addk_i32", writesScc | readsDst),
    sop<[](bool &, u32 k, u32 old) -> u32 { return (old * u32(static_cast<int16_t>(k))); }>(
        "s_mulk_i32", readsDst),
    control("s_getreg_b32", execGetReg, "d0"),
    control("s_setreg_b32", execSetReg, "01"),
    control("s_setreg_imm32_b32", execSetReg, "01"),
    control("s_call_b64", execCall, "d0"),
    // SOPC
    COMPARE("eq", a == b),
    COMPARE("lg", a != b),
    COMPARE("gt", a > b),
    COMPARE("ge", a >= b),
    COMPARE("lt", a < b),
    COMPARE("le", a <= b),
    sop<[](bool &scc, u64 a, u64 b) -> void { scc = a == b; }>("s_cmp_eq_u64", writesScc),
    sop<[](bool &scc, u64 a, u64 b) -> void { scc = a != b; }>("s_cmp_lg_u64", writesScc),
    sop<[](bool &scc, u32 a, u32 b) -> void { scc = (!(a >> (b & 31) & 1)); }>("s_bitcmp0_b32",
                                                                               writesScc),
    sop<[](bool &scc, u32 a, u32 b) -> void { scc = (a >> (b & 31) & 1); }>("s_bitcmp1_b32",
                                                                            writesScc),
    sop<[](bool &scc, u64 a, u32 b) -> void { scc = (!(a >> (b & 63) & 1)); }>("s_bitcmp0_b64",
                                                                               writesScc),
    sop<[](bool &scc, u64 a, u32 b) -> void { scc = (a >> (b & 63) & 1); }>("s_bitcmp1_b64",
                                                                            writesScc),
    control("s_set_gpr_idx_on", execGprIdxOn, "01", writesM0),
    control("s_setvskip", execSetVskip, "01"),
    control("s_set_gpr_idx_idx", execGprIdxIdx, "0", writesM0),
    control(
        "s_movrels_b32", [](Wave &w, const Instr &i) { execMovRel(w, i, false, 1); }, "d0",
        readsM0),
    control(
        "s_movrels_b64", [](Wave &w, const Instr &i) { execMovRel(w, i, false, 2); }, "d0", readsM0,
        Type::B64),
    control(
        "s_movreld_b32", [](Wave &w, const Instr &i) { execMovRel(w, i, true, 1); }, "d0", readsM0),
    control(
        "s_movreld_b64", [](Wave &w, const Instr &i) { execMovRel(w, i, true, 2); }, "d0", readsM0,
        Type::B64),
    // control flow
    branch<[](const Wave &) { return true; }>("s_branch"),
    branch<[](const Wave &w) { return !w.scc; }>("s_cbranch_scc0", readsScc),
    branch<[](const Wave &w) { return w.scc; }>("s_cbranch_scc1", readsScc),
    branch<[](const Wave &w) { return w.vcc() == 0; }>("s_cbranch_vccz", readsVcc),
    branch<[](const Wave &w) { return w.vcc() != 0; }>("s_cbranch_vccnz", readsVcc),
    branch<[](const Wave &w) { return w.exec() == 0; }>("s_cbranch_execz", readsExec),
    branch<[](const Wave &w) { return w.exec() != 0; }>("s_cbranch_execnz", readsExec),
    control("s_getpc_b64", execGetPc, "d"),
    control("s_setpc_b64", execSetPc, "0", isBranch, Type::B64),
    control("s_swappc_b64", execSwapPc, "d0", isBranch, Type::B64),
    control("s_endpgm", execEnd, ""),
    control("s_endpgm_saved", execEnd, ""),
    control("s_barrier", execBarrier, ""),
    control("s_waitcnt", execWaitcnt, ""),
    control("s_trap", execTrap, "0"),
    control("s_sethalt", execHalt, "0"),
    control("s_set_gpr_idx_off", execGprIdxOff, ""),
    control("s_set_gpr_idx_mode", execGprIdxMode, "0"),
    // no functional effect
    control("s_nop", nothing, "0"),
    control("s_sleep", execSleep, "0"),
    control("s_setprio", nothing, "0"),
    control("s_icache_inv", nothing, ""),
    control("s_inst_prefetch", nothing, "0"),
    control("s_incperflevel", nothing, "0"),
    control("s_decperflevel", nothing, "0"),
    control("s_ttracedata", nothing, ""),
    control("s_wakeup", nothing, ""),
    control("s_dcache_inv", nothing, ""),
    control("s_dcache_wb", nothing, ""),
    control("s_dcache_inv_vol", nothing, ""),
    control("s_dcache_wb_vol", nothing, ""),
    control("buffer_wbl2", execFence, ""),
    control("buffer_inv", execFence, ""),
    control("buffer_wbinvl1", nothing, ""),
    control("buffer_wbinvl1_vol", nothing, ""),
};

} // namespace

llvm::ArrayRef<OpInfo> sopOps() { return table; }

} // namespace tilec::sim
