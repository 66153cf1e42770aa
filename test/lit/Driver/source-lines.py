# A code object names the lines of its script: what the simulator finds, and LLVM's tools.
#
# RUN: not tilec-run %s --target=gfx950 2>&1 | FileCheck %s --check-prefix=SIM -DFILE=%s
# RUN: not tilec-run %s --target=gfx942 --sim-mode=strict 2>&1 | FileCheck %s --check-prefix=SIM -DFILE=%s
# SIM: error: uninitialized: doubled+0x{{[0-9a-f]+}} ([[FILE]]:[[# @LINE+33]]): `ds_read
# RUN: not tilec-run %s --target=sm_90a --device=ptx 2>&1 | FileCheck %s --check-prefix=PTX -DFILE=%s
# RUN: not tilec-run %s --target=sm_80 --device=ptx 2>&1 | FileCheck %s --check-prefix=PTX -DFILE=%s
# PTX: error: run of `doubled`: PTX line {{[0-9]+}} ([[FILE]]:[[# @LINE+30]]): `
# RUN: tilec %s --target=sm_90a --emit=ptx -g -o - | FileCheck %s --check-prefix=LOC
# LOC: .loc 1 [[# @LINE+28]]
# LOC: .file 1 "{{.*}}source-lines.py"
# RUN: tilec %s --target=sm_90a --emit=ptx -o - | FileCheck %s --check-prefix=NOLOC --implicit-check-not=.loc
# NOLOC: .entry doubled
#
# RUN: tilec %s --target=gfx950 -o %t.lines.hsaco && tilec %s --target=gfx950 --no-debug -o %t.bare.hsaco
# RUN: llvm-dwarfdump --debug-line %t.lines.hsaco | FileCheck %s --check-prefix=TABLE
# TABLE: name: "source-lines.py"
# TABLE: 0x{{[0-9a-f]+}} [[# @LINE+20]]
# TABLE: end_sequence
# RUN: llvm-dwarfdump --verify --quiet %t.lines.hsaco
# RUN: llvm-readelf -S %t.bare.hsaco | FileCheck %s --check-prefix=BARE --implicit-check-not=.debug
# BARE: .text
#
# Texts have them on demand.
# RUN: tilec %s --target=gfx950 --emit=llvm -o - | FileCheck %s --check-prefix=BARE-TEXT --implicit-check-not=DILocation
# BARE-TEXT: define amdgpu_kernel
# RUN: tilec %s --target=gfx950 --emit=asm -g -o - | FileCheck %s --check-prefix=TEXT
# TEXT: .loc	1 [[# @LINE+10]]
import tilelang.language as T


@T.prim_func
def doubled(A: T.Tensor((256,), "float32"), B: T.Tensor((256,), "float32")):
    with T.Kernel(1, threads=128):
        S = T.alloc_shared((256,), "float32")
        T.copy(A[0:128], S[0:128])
        for i in T.Parallel(256):
            B[i] = S[i] * 2.0  # the upper half of S was never written
