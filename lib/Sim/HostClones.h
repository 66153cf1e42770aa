//===- HostClones.h - hot loops for several host generations --------------===//
//
// A function so marked is compiled for plain x86-64, AVX2 + FMA and AVX-512, and the
// loader picks one. Results are the same on all: they differ in speed only.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#if defined(__x86_64__)
#define TILEC_SIM_CLONES                                                                           \
  __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define TILEC_SIM_CLONES
#endif
#define TILEC_SIM_INLINE __attribute__((always_inline)) inline
