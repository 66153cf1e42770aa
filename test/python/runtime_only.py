# SPDX-License-Identifier: Apache-2.0
"""What a package without the compiler does: it loads, and says what is missing where something has to be compiled."""
import pathlib
import sys

import tilec
import tilec.language as T
from tilec import _runtime


@T.prim_func
def kernel(A: T.Tensor((4,), "float32")):
    with T.Kernel(1, threads=64):
        A[0] = 1.0


site = pathlib.Path(tilec.__file__).parent
if list(site.glob("_compiler*")) or list(site.glob("_lib/libtilec.so*")):
    sys.exit("the compiler has been built")
if _runtime.version() <= 0:
    sys.exit("the runtime has no version")
try:
    tilec.compile(kernel, target="gfx950")
except tilec.NoCompilerError as error:
    print(error)
else:
    sys.exit("it has compiled")
