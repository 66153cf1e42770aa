# Scales that a round's arithmetic reads beside its tiles: a register a row and run of columns, taken at the front of the
# round; the next round's are read behind the wait for the round's copies and in front of those that it starts, so that no
# count of copies has them in it. A chip whose producer brings the tiles reads them where they stand.
# RUN: tilec %S/../../../e2e/scales-ahead.py --target=gfx950 --entry "unpacked(128, 128, 64, 32)" --emit=tile-pipelined | FileCheck %s
# RUN: tilec %S/../../../e2e/scales-ahead.py --target=gfx942 --entry "unpacked(128, 128, 64, 64)" --emit=tile-pipelined | FileCheck %s --check-prefix=HELD
# RUN: tilec %S/../../../e2e/scales-ahead.py --target=sm_90a --entry "unpacked(128, 128, 64, 64)" --emit=tile-pipelined | FileCheck %s --check-prefix=PRODUCER
# CHECK:         tile.alloc "scales_now" {{.*}}!tile.buffer<[128, 2], f16, fragment>
# CHECK:         tile.alloc "scales_next" {{.*}}!tile.buffer<[128, 2], f16, fragment>
# CHECK:         tile.store {{.*}} %scales_next
# CHECK:         tile.for
# CHECK:         tile.load %scales_next
# CHECK:         tile.store {{.*}} %scales_now
# CHECK:         tile.async_wait
# CHECK:         tile.barrier
# CHECK:         tile.store {{.*}} %scales_next
# CHECK:         tile.async_copy
# CHECK:         tile.parallel
# CHECK:         arith.divui {{.*}}, %c32
# CHECK:         tile.load %scales_now
# CHECK:         tile.gemm
# HELD:          tile.alloc "scales_next" {{.*}}!tile.buffer<[128], f16, fragment>
# HELD:          tile.for
# HELD:          tile.store {{.*}} %scales_now
# HELD:          tile.store {{.*}} %scales_next
# HELD:          tile.store {{.*}} %a_next
# HELD:          tile.load %scales_now
# HELD:          tile.gemm
# PRODUCER-NOT:  scales_next
# PRODUCER:      tile.gemm
