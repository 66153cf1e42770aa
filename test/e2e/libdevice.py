# The same on NVIDIA, where there is a CUDA toolkit.
# REQUIRES: libdevice
# RUN: tilec-run %S/functions-of-f64.py --entry "functions(CIRCULAR)" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %S/functions-of-f64.py --entry "functions(EXPONENTIAL)" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %S/functions-of-f64.py --entry "functions(INVERSE)" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %S/functions-of-f64.py --entry "functions(OF_TWO, two=True)" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %S/functions-of-f64.py --entry "functions(EXPONENTIAL, 'float32', 4)" --math=libs --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %S/functions-of-f64.py --entry "functions(CIRCULAR, 'float16', 4)" --math=libs --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec %S/functions-of-f64.py --entry "functions(OF_TWO, two=True)" --target=sm_90a --emit=ptx | FileCheck %s --check-prefix=PTX
# CHECK: result {{ *}}PASS
# PTX-NOT: {{call|__nvvm}}
# PTX: fma.rn.f64
# PTX-NOT: {{call|__nvvm}}
