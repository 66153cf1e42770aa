// RUN: tilec-translate %s --target=gfx942 --emit=asm --keep-order | FileCheck %s
//
// All ones in a counter's field wait for nothing. A wait for so many is one for one less.

// CHECK-LABEL: {{^}}waits:
wave.kernel @waits([]) access [] threads(64) shared(0) attributes {keep_order} {
^bb0:
  // CHECK: s_waitcnt vmcnt(62){{$}}
  wave.wait memory(63)
  wave.setprio 1
  // CHECK: s_waitcnt lgkmcnt(14){{$}}
  wave.wait shared(40)
  wave.setprio 0
  // CHECK: s_waitcnt vmcnt(5) lgkmcnt(0)
  wave.wait memory(5) shared(0)
}
