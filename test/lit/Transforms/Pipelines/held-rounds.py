# What the next round's reads look like (gfx942). Rows that all rounds have in common are found once, in front of the loop;
# others a round before those that they name, which leaves the rows in flight. A single tile is written and read in two
# parts, without a barrier between, so that a wait leaves a part. Of a round under a condition only the writes stand under
# it: the reads are from behind the tensor where the round is left out. What rows share is read ahead of the rest.
# RUN: tilec %S/../../../e2e/held-rounds.py --target=gfx942 --entry "gathered()" --emit=tile-pipelined | FileCheck %s --check-prefix=SAME
# RUN: tilec %S/../../../e2e/held-rounds.py --target=gfx942 --entry "varying()" --emit=tile-pipelined | FileCheck %s --check-prefix=VARY
# RUN: tilec %S/../../../e2e/held-rounds.py --target=gfx942 --entry "varying(masked=True)" --emit=tile-pipelined | FileCheck %s --check-prefix=PARTS
# RUN: tilec %S/../../../e2e/held-rounds.py --target=gfx942 --entry "conditional()" --emit=tile-pipelined | FileCheck %s --check-prefix=ROUND
# RUN: tilec %S/../../../e2e/held-rounds.py --target=gfx942 --entry "scaled()" --emit=tile-pipelined | FileCheck %s --check-prefix=SHARED
# RUN: tilec %S/../../../e2e/held-rounds.py --target=gfx942 --entry "scaled()" --emit=asm | FileCheck %s --check-prefix=BYTES
# RUN: tilec %S/../../../e2e/held-rounds.py --target=gfx942 --entry "gathered(K=191)" --emit=tile-pipelined | FileCheck %s --check-prefix=NARROW
# RUN: tilec %S/../../../e2e/held-rounds.py --target=gfx950 --entry "scaled()" --emit=tile-pipelined | FileCheck %s --check-prefix=BESIDE
# RUN: tilec %S/../../../e2e/held-rounds.py --target=gfx942 --entry "gathered()" --remarks -o %t 2>&1 | FileCheck %s --check-prefix=REMARK
# RUN: tilec %S/../../../e2e/held-rounds.py --target=gfx942 --entry "gathered(exact=True)" --emit=tile-pipelined | FileCheck %s --check-prefix=EXACT
# REMARK:        remark: pipelined with one slot instead of 2: the next round's tiles wait in registers
# EXACT-NOT:     _next
# EXACT:         tile.alloc "b" {{.*}}!tile.buffer<[{{[2-9]}}, 128, 64], f16, shared>
# EXACT-NOT:     _next
# SAME:          tile.store {{.*}} %Numbers_rows
# SAME:          tile.load %Numbers_rows
# SAME:          tile.store {{.*}} %a_next
# SAME:          tile.sched_barrier 0
# SAME:          tile.store {{.*}} %b_next
# SAME:          tile.for
# SAME:          tile.load %a_next
# SAME-NOT:      %Numbers[
# SAME:          tile.store {{.*}} %a_next
# SAME:          tile.sched_barrier 0
# SAME:          tile.load %b_next
# SAME:          tile.store {{.*}} %b_next
# SAME-NOT:      sched_barrier
# SAME:          tile.gemm
# VARY:          tile.for
# VARY:          tile.load %Numbers_ahead
# VARY:          tile.store {{.*}} %Numbers_rows
# VARY:          tile.store {{.*}} %Numbers_ahead
# VARY:          tile.barrier
# VARY:          tile.parallel {{.*}}part = array<i64: 0, 2>
# VARY:          tile.load %kv_next
# VARY:          tile.parallel {{.*}}part = array<i64: 0, 2>
# VARY:          tile.load %Numbers_rows
# VARY:          tile.sched_barrier 0
# VARY-NOT:      tile.barrier
# VARY:          tile.parallel {{.*}}part = array<i64: 1, 2>
# VARY:          tile.parallel {{.*}}part = array<i64: 1, 2>
# ROUND:         tile.for
# ROUND:         %[[DONE:.*]] = arith.cmpi eq
# ROUND:         scf.if
# ROUND:         tile.load %a_next
# ROUND:         arith.select
# ROUND:         tile.store {{.*}} %a_next
# ROUND:         scf.if
# ROUND:         tile.load %b_next
# ROUND:         tile.store {{.*}} %b_next
# ROUND:         scf.if
# ROUND-NOT:     tile.load %b_next
# ROUND:         tile.gemm
# SHARED:        tile.for
# SHARED:        tile.store {{.*}} %a_next
# SHARED:        tile.load %B_next
# SHARED:        tile.load %SB_next
# SHARED:        tile.store {{.*}} %b[
# SHARED:        tile.store {{.*}} %SB_next
# SHARED:        tile.store {{.*}} %B_next
# Between the parts of a single tile, which both use it, it stands behind both writes and in front of the reads of one.
# PARTS:         tile.for
# PARTS:         tile.parallel {{.*}}part = array<i64: 0, 2>
# PARTS:         tile.load %Numbers_next
# PARTS:         tile.parallel {{.*}}part = array<i64: 0, 2>
# PARTS:         tile.store {{.*}} %KV_next
# PARTS:         tile.parallel {{.*}}part = array<i64: 1, 2>
# PARTS:         tile.store {{.*}} %Numbers_next
# PARTS:         tile.parallel {{.*}}part = array<i64: 1, 2>
# PARTS:         tile.store {{.*}} %KV_next
# PARTS:         tile.gemm
# Bytes wait in words: none is cut off before its round.
# BYTES:         {{^}}.LBB0_1:
# BYTES-NOT:     v_lshrrev_b32_e32 v{{[0-9]+}}, 24,
# BYTES:         s_cbranch_{{.*}}.LBB0_1
# NARROW-NOT:    _next
# Beside copies (gfx950) the tile is written in front of their wait, and the next one read before later copies start.
# BESIDE:        tile.for
# BESIDE:        tile.store {{.*}} %b[
# BESIDE:        tile.async_wait
# BESIDE-NEXT:   tile.barrier
# BESIDE-NEXT:   tile.sched_barrier 0
# BESIDE:        tile.store {{.*}} %B_next
# BESIDE:        tile.sched_barrier 0
# BESIDE:        tile.async_copy
# BESIDE:        tile.gemm
