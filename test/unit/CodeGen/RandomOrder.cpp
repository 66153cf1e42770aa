//===- RandomOrder.cpp - MFMA loops with a random order of operations -----===//
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "RandomOrder.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FormatVariadic.h"

#include <algorithm>
#include <map>
#include <random>

using namespace llvm;

namespace tilec::codegen::test {

namespace {

constexpr unsigned readBytes = 1024; ///< distance of the reads: one wave's 16-byte rows
constexpr unsigned dmaStep = 16;     ///< distance of the DMAs' immediate offsets
constexpr unsigned ldsBytes = 65536;

unsigned below(std::mt19937 &random, unsigned limit) { return random() % limit; }

} // namespace

std::string describe(const Op &op) {
  switch (op.kind) {
  case Op::Read:
    return formatv("read {0}", op.offset);
  case Op::Dma:
    return formatv("dma {0}", op.offset);
  case Op::Mfma:
    return formatv("mfma {0} {1} half {2}", op.a, op.b, op.half);
  case Op::Barrier:
    return "barrier";
  case Op::Priority:
    return formatv("priority {0}", op.offset);
  }
  return "";
}

std::vector<Op> randomOrder(const LoopShape &shape, uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<Op> ops;
  unsigned reads = 0, dmas = 0, mfmas = 0;
  std::vector<unsigned> accumulators(shape.accumulators);
  for (unsigned i = 0; i < shape.accumulators; ++i)
    accumulators[i] = i;
  while (reads < shape.reads || dmas < shape.dmas || mfmas < shape.mfmas) {
    unsigned pick = below(random, shape.reads + shape.dmas + shape.mfmas + 2);
    bool afterDma = !ops.empty() && ops.back().kind == Op::Dma;
    if (pick < shape.reads) {
      if (reads < shape.reads)
        ops.push_back({Op::Read, readBytes * reads++});
    } else if (pick < shape.reads + shape.dmas) {
      if (dmas < shape.dmas && reads > 0 && !afterDma)
        ops.push_back({Op::Dma, dmaStep * dmas++});
    } else if (pick < shape.reads + shape.dmas + shape.mfmas) {
      if (mfmas == shape.mfmas || reads < 2)
        continue;
      // Each accumulator once a round, so that neighbours are independent.
      if (mfmas % shape.accumulators == 0)
        std::shuffle(accumulators.begin(), accumulators.end(), random);
      Op mfma{Op::Mfma};
      unsigned oldest = reads - std::min(reads, shape.window);
      mfma.a = readBytes * (oldest + below(random, reads - oldest));
      mfma.b = readBytes * (oldest + below(random, reads - oldest));
      mfma.accumulator = accumulators[mfmas++ % shape.accumulators];
      ops.push_back(mfma);
    } else if (pick == shape.reads + shape.dmas + shape.mfmas) {
      ops.push_back({Op::Barrier});
    } else {
      ops.push_back({Op::Priority, below(random, 2)});
    }
  }
  return ops;
}

std::string loopKernel(const std::vector<Op> &ops, const LoopShape &shape, Arch arch) {
  bool isGfx950 = arch == Arch::Gfx950;
  std::string entry, phis, body, exit;
  std::vector<std::string> value(shape.accumulators);
  for (unsigned i = 0; i < shape.accumulators; ++i) {
    entry += formatv("  %z{0} = call <4 x float> asm sideeffect \"\", \"={1},0\"(<4 x float> "
                     "zeroinitializer)\n",
                     i, shape.isOneWave ? "a" : "v");
    value[i] = formatv("%acc{0}", i);
  }
  unsigned number = 0;
  for (const Op &op : ops) {
    unsigned n = number++;
    switch (op.kind) {
    case Op::Read:
      body += formatv("  %p{0} = getelementptr i8, ptr addrspace(3) %base, i32 {0}\n"
                      "  %r{0} = load volatile <4 x i32>, ptr addrspace(3) %p{0}, align 16, "
                      "!alias.scope !2\n",
                      op.offset);
      break;
    case Op::Dma:
      body +=
          formatv("  call void @llvm.amdgcn.raw.ptr.buffer.load.lds(ptr addrspace(8) %rsrc, ptr "
                  "addrspace(3) %lds{0}, i32 {1}, i32 %voff, i32 0, i32 {0}, i32 0)\n",
                  op.offset, isGfx950 ? 16 : 4);
      entry += formatv("  %slot{0} = add i32 %wave1024, {1}\n"
                       "  %lds{0} = getelementptr i8, ptr addrspace(3) @lds, i32 %slot{0}\n",
                       op.offset, 1024 + 8192 * (op.offset / dmaStep % 4));
      break;
    case Op::Mfma: {
      const char *type = isGfx950 ? "<8 x bfloat>" : "<4 x i16>";
      for (auto [name, from] : {std::pair("a", op.a), std::pair("b", op.b)}) {
        if (isGfx950) {
          body += formatv("  %{0}{1} = bitcast <4 x i32> %r{2} to <8 x bfloat>\n", name, n, from);
          continue;
        }
        body += formatv("  %{0}h{1} = shufflevector <4 x i32> %r{2}, <4 x i32> poison, <2 x i32> "
                        "<i32 {3}, i32 {4}>\n"
                        "  %{0}{1} = bitcast <2 x i32> %{0}h{1} to <4 x i16>\n",
                        name, n, from, 2 * op.half, 2 * op.half + 1);
      }
      body +=
          formatv("  %m{0} = call <4 x float> @llvm.amdgcn.mfma.f32.{1}({2} %a{0}, {2} %b{0}, "
                  "<4 x float> {3}, i32 0, i32 0, i32 0)\n",
                  n, isGfx950 ? "16x16x32.bf16" : "16x16x16bf16.1k", type, value[op.accumulator]);
      value[op.accumulator] = formatv("%m{0}", n);
      break;
    }
    case Op::Barrier:
      body += "  call void @llvm.amdgcn.s.barrier()\n";
      break;
    case Op::Priority:
      body += formatv("  call void @llvm.amdgcn.s.setprio(i16 {0})\n", op.offset);
      break;
    }
  }
  for (unsigned i = 0; i < shape.accumulators; ++i) {
    phis += formatv("  %acc{0} = phi <4 x float> [ %z{0}, %entry ], [ {1}, %loop ]\n", i, value[i]);
    exit += formatv("  %q{0} = getelementptr <4 x float>, ptr addrspace(1) %out, i32 {1}\n"
                    "  store <4 x float> {2}, ptr addrspace(1) %q{0}\n",
                    i, 64 * i, value[i]);
  }
  return formatv(R"(
@lds = internal addrspace(3) global [{0} x i8] poison, align 1024
define amdgpu_kernel void @loop(ptr addrspace(1) inreg %src, ptr addrspace(1) inreg %dst, i32 inreg %n) #0 {{
entry:
  %tid = call range(i32 0, 512) i32 @llvm.amdgcn.workitem.id.x()
  %wavev = lshr i32 %tid, 6
  %wave = call i32 @llvm.amdgcn.readfirstlane.i32(i32 %wavev)
  %wave1024 = shl i32 %wave, 10
  %rsrc = call ptr addrspace(8) @llvm.amdgcn.make.buffer.rsrc.p8.p1(ptr addrspace(1) %src, i16 0, i64 1048576, i32 159744)
  %lane = and i32 %tid, 63
  %lane16 = shl i32 %lane, 4
  %opaque = call i32 asm sideeffect "", "=v,0"(i32 %lane16)
  %base = getelementptr i8, ptr addrspace(3) @lds, i32 %opaque
  %out = getelementptr <4 x float>, ptr addrspace(1) %dst, i32 %tid
{1}  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %inext, %loop ]
  %voff = phi i32 [ %lane16, %entry ], [ %voffnext, %loop ]
{2}{3}  %voffnext = add i32 %voff, 1024
  %inext = add i32 %i, 1
  %more = icmp ult i32 %inext, %n
  br i1 %more, label %loop, label %exit
exit:
{4}  ret void
}
attributes #0 = {{ {5} "uniform-work-group-size"="true" "amdgpu-no-implicitarg-ptr" "amdgpu-no-dispatch-ptr" "amdgpu-no-queue-ptr" "amdgpu-no-dispatch-id" "amdgpu-no-workgroup-id-y" "amdgpu-no-workgroup-id-z" "amdgpu-no-workitem-id-y" "amdgpu-no-workitem-id-z" "amdgpu-no-lds-kernel-id" }
!0 = distinct !{{!0}
!1 = distinct !{{!1, !0}
!2 = !{{!1}
)",
                 ldsBytes, entry, phis, body, exit,
                 shape.isOneWave ? "\"amdgpu-flat-work-group-size\"=\"256,256\" "
                                   "\"amdgpu-waves-per-eu\"=\"1,1\""
                                 : "\"amdgpu-flat-work-group-size\"=\"512,512\" "
                                   "\"amdgpu-waves-per-eu\"=\"2,2\" \"amdgpu-agpr-alloc\"=\"0\"");
}

namespace {

unsigned offsetOf(StringRef line) {
  size_t at = line.find("offset:");
  unsigned value = 0;
  if (at != StringRef::npos)
    line.substr(at + 7).consumeInteger(10, value);
  return value;
}

/// The first register of `v[4:7]` or `v4`.
unsigned firstRegister(StringRef operand) {
  unsigned value = 0;
  operand = operand.ltrim("va[");
  operand.consumeInteger(10, value);
  return value;
}

} // namespace

EmittedLoop readLoop(const std::string &assembly) {
  EmittedLoop loop;
  std::map<unsigned, std::pair<unsigned, unsigned>> written; // register -> read offset, position
  SmallVector<StringRef> lines;
  StringRef(assembly).split(lines, '\n');
  bool inside = false;
  for (StringRef line : lines) {
    line = line.split(';').first.trim();
    if (line.starts_with(".LBB0_1:"))
      inside = true;
    if (!inside || line.empty())
      continue;
    auto [mnemonic, rest] = line.split(' ');
    SmallVector<StringRef> operands;
    rest.split(operands, ", ");
    if (mnemonic == "ds_read_b128") {
      loop.ops.push_back({Op::Read, offsetOf(rest)});
      for (unsigned i = 0; i < 4; ++i)
        written[firstRegister(operands[0]) + i] = {offsetOf(rest), i};
    } else if (mnemonic.starts_with("buffer_load_") && rest.contains(" lds")) {
      loop.ops.push_back({Op::Dma, offsetOf(rest)});
    } else if (mnemonic.starts_with("v_mfma_")) {
      Op op{Op::Mfma};
      auto [a, half] = written[firstRegister(operands[1])];
      op.a = a;
      op.b = written[firstRegister(operands[2])].first;
      op.half = half / 2;
      loop.mfmasElsewhere += operands[0].trim() != operands[3].trim();
      loop.ops.push_back(op);
    } else if (mnemonic == "s_barrier") {
      loop.ops.push_back({Op::Barrier});
    } else if (mnemonic == "s_setprio") {
      Op op{Op::Priority};
      rest.getAsInteger(10, op.offset);
      loop.ops.push_back(op);
    }
    loop.accumulatorMoves += mnemonic.starts_with("v_accvgpr");
    loop.vectorMoves += mnemonic.starts_with("v_mov_");
    loop.nops += mnemonic == "s_nop";
    loop.scratch += mnemonic.starts_with("scratch_");
    if (mnemonic.starts_with("s_cbranch"))
      break;
  }
  return loop;
}

} // namespace tilec::codegen::test
