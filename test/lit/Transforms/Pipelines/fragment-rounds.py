# A fragment is read a round ahead behind the op that has used it, each part behind its part: registers are not doubled. One of
# other elements than the tensor's is converted from one that waits. So is
# one that a round changes. Not where the tensor is written, or the fragment has no parts.
# RUN: tilec %S/../../../e2e/fragment-rounds.py --target=gfx950 --entry "scaled()" --emit=tile-pipelined | FileCheck %s --check-prefix=PLACE
# RUN: tilec %S/../../../e2e/fragment-rounds.py --target=sm_80 --entry "scaled()" --emit=tile-pipelined | FileCheck %s --check-prefix=GROUPS
# RUN: tilec %S/../../../e2e/fragment-rounds.py --target=gfx950 --entry "sums(wide=True)" --emit=tile-pipelined | FileCheck %s --check-prefix=WIDE
# RUN: tilec %S/../../../e2e/fragment-rounds.py --target=gfx950 --entry "scaled(own=True)" --emit=tile-pipelined | FileCheck %s --check-prefix=KEPT
# RUN: tilec %S/../../../e2e/fragment-rounds.py --target=gfx950 --entry "scaled(bm=4, N=4096)" --emit=tile-pipelined | FileCheck %s --check-prefix=KEPT
# RUN: tilec %S/../../../e2e/fragment-rounds.py --target=gfx950 --entry "changed()" --emit=tile-pipelined | FileCheck %s --check-prefix=CHANGED
# RUN: tilec %S/../../../e2e/fragment-rounds.py --target=gfx950 --entry "counted()" --emit=tile-pipelined | FileCheck %s --check-prefix=EMPTY
# RUN: tilec %S/../../../e2e/fragment-rounds.py --target=gfx950 --entry "scaled()" --remarks -o %t 2>&1 | FileCheck %s --check-prefix=REMARK
# PLACE: tile.alloc "x"
# PLACE-NOT: tile.alloc
# PLACE-COUNT-2: tile.store {{.*}}, %x[
# PLACE: tile.for
# PLACE: arith.minsi
# PLACE: part = array<i64: 0, 2>
# PLACE: tile.load %x[
# PLACE: tile.sched_barrier
# PLACE: part = array<i64: 0, 2>
# PLACE: tile.store {{.*}}, %x[
# PLACE: tile.sched_barrier
# PLACE: part = array<i64: 1, 2>
# PLACE: tile.load %x[
# PLACE: tile.sched_barrier
# PLACE: part = array<i64: 1, 2>
# PLACE: tile.store {{.*}}, %x[
# PLACE: tile.async_wait 0
# GROUPS: tile.store {{.*}}, %x[
# GROUPS: tile.for
# GROUPS-NOT: tile.async_wait
# WIDE-DAG: tile.alloc "x_next" {{.*}} f16, fragment
# WIDE-DAG: tile.alloc "y_next" {{.*}} bf16, fragment
# WIDE: tile.for
# WIDE: tile.load %x_next
# WIDE: tile.store {{.*}}, %x[
# WIDE: tile.store {{.*}}, %x_next[
# KEPT: tile.for
# KEPT-NOT: part =
# CHANGED: tile.alloc "x_next"
# CHANGED: tile.for
# CHANGED: tile.load %x_next
# CHANGED: tile.store {{.*}}, %x[
# CHANGED: tile.store {{.*}}, %x_next[
# EMPTY: arith.cmpi sgt
# EMPTY: scf.if
# EMPTY: tile.store {{.*}}, %x[
# EMPTY: tile.for
# REMARK: fragments are read a round ahead
