# What `import tilec` gives: __init__.py loads it when it is first asked for; a test compares the names.
from . import errors as errors
from . import language as language
from . import schedule as schedule
from . import testing as testing
from . import tilelang as tilelang
from . import torch_op as torch_op
from ._jit import PrimFunc as PrimFunc
from ._jit import compile as compile
from ._jit import jit as jit
from ._jit import lower as lower
from ._jit import macro as macro
from ._jit import par_compile as par_compile
from ._jit import prim_func as prim_func
from ._kernel import JITKernel as JITKernel
from ._kernel import load as load
from ._tools import on_compile as on_compile
from ._tools import simulate as simulate
from ._tools import warmup as warmup
from .errors import ArgumentError as ArgumentError
from .errors import CompileError as CompileError
from .errors import DeviceError as DeviceError
from .errors import Error as Error
from .errors import LaunchError as LaunchError
from .errors import NoCompilerError as NoCompilerError
from .errors import NotCompiled as NotCompiled
from .errors import RefusedError as RefusedError
from .errors import SourceError as SourceError

__version__: str
