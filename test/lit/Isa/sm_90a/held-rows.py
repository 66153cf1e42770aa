# Rows that a serial loop goes through are each lane's own: its registers, without shared memory or a barrier for them.
# RUN: tilec %S/../../../e2e/held-rows.py --entry "summed()" --target=sm_90a --emit=asm --no-cache | FileCheck %s --check-prefix=SUMMED
# RUN: tilec %S/../../../e2e/held-rows.py --entry "mixed()" --target=sm_90a --emit=asm --remarks --no-cache 2>&1 | FileCheck %s --check-prefix=MIXED
# Weights go through shared memory, since the script says so.
# SUMMED-COUNT-1: bar.sync
# SUMMED-NOT: bar.sync
# SUMMED: mul.rn.f32
# SUMMED-NOT: st.shared
# MIXED-NOT: goes through shared memory
# MIXED-NOT: st.shared
# MIXED: mul.rn.f32
# MIXED-NOT: st.shared
