# Written by tools/dev/python_table.py; a test compares.
from typing import Any

from tilec._dtypes import dtype as dtype
from tilec._jit import PrimFunc as PrimFunc, macro as macro, prim_func as prim_func
from tilec.language._functions import GemmWarpPolicy as GemmWarpPolicy

bfloat16: dtype
bool: dtype
float: dtype
float16: dtype
float32: dtype
float4_e2m1fn: dtype
float64: dtype
float8_e4m3fn: dtype
float8_e4m3fnuz: dtype
float8_e5m2: dtype
float8_e5m2fnuz: dtype
float8_e8m0fnu: dtype
half: dtype
int: dtype
int16: dtype
int32: dtype
int4: dtype
int64: dtype
int8: dtype
uint: dtype
uint16: dtype
uint32: dtype
uint4: dtype
uint64: dtype
uint8: dtype

def And(a: Any, b: Any) -> Any:
    """Evaluated while the kernel is compiled."""
def Broadcast(value: Any, lanes: Any) -> Any:
    """Evaluated while the kernel is compiled."""
def Buffer(shape: Any, dtype: Any = 'float32', data: Any = None, *, strides: Any = None) -> Any:
    """a global tensor, row-major and contiguous"""
def Cast(dtype: Any, value: Any) -> Any:
    """Evaluated while the kernel is compiled."""
def ClusterKernel(*blocks: Any, cluster_dims: Any, threads: Any = None, prelude: Any = None) -> Any:
    """Evaluated while the kernel is compiled."""
def Fragment(shape: Any, forward_fn: Any = None, forward_thread_fn: Any = None, replicate: Any = 1, forward_index_fn: Any = None) -> Any:
    """Evaluated while the kernel is compiled."""
def Kernel(*blocks: Any, threads: Any = None, prelude: Any = None, is_cpu: Any = False, cluster_dims: Any = None) -> Any:
    """Evaluated while the kernel is compiled."""
def Layout(shape: Any, forward_fn: Any) -> Any:
    """Evaluated while the kernel is compiled."""
def MatrixCoreIntrinEmitter(a_dtype: Any = 'float16', b_dtype: Any = 'float16', accum_dtype: Any = 'float16', a_transposed: Any = False, b_transposed: Any = False, block_row_warps: Any = 2, block_col_warps: Any = 2, warp_row_tiles: Any = 8, warp_col_tiles: Any = 8, chunk: Any = 16, reduce_k: Any = 1, num_elems_per_byte: Any = 1, k_pack: Any = None, mfma_shape: Any = None) -> Any:
    """Evaluated while the kernel is compiled."""
def MatrixCorePreshuffleIntrinEmitter(a_dtype: Any = 'float16', b_dtype: Any = 'float16', accum_dtype: Any = 'float16', a_transposed: Any = False, b_transposed: Any = False, block_row_warps: Any = 2, block_col_warps: Any = 2, warp_row_tiles: Any = 8, warp_col_tiles: Any = 8, chunk: Any = 16, reduce_k: Any = 1, num_elems_per_byte: Any = 1, k_pack: Any = None, a_preshuffle: Any = False, b_preshuffle: Any = False, mfma_shape: Any = None) -> Any:
    """Evaluated while the kernel is compiled."""
def Not(a: Any) -> Any:
    """Evaluated while the kernel is compiled."""
def Or(a: Any, b: Any) -> Any:
    """Evaluated while the kernel is compiled."""
def Parallel(*extents: Any, coalesced_width: Any = None, loop_layout: Any = None, prefer_async: Any = None, annotations: Any = None) -> Any:
    """iterations in any order"""
def Persistent(domain: Any, wave_size: Any, index: Any, group_size: Any = 8, num_stages: Any = 0, *, annotations: Any = None) -> Any:
    """the tiles that one block of a persistent grid visits, in order"""
def PersistentTileScheduler(num_m_tiles: Any, num_n_tiles: Any, num_workers: Any = None, swizzle_size: Any = 1, column_major: Any = True, cluster_size: Any = 1, stateful: Any = True, name: Any = None) -> Any:
    """Evaluated while the kernel is compiled."""
def Pipelined(start: Any, stop: Any = None, num_stages: Any = 0, order: Any = None, stage: Any = None, sync: Any = None, group: Any = None) -> Any:
    """iterations in order; the copies of later ones may start early"""
def Ramp(base: Any, stride: Any, lanes: Any) -> Any:
    """Evaluated while the kernel is compiled."""
def Select(condition: Any, true_value: Any, false_value: Any) -> Any:
    """Evaluated while the kernel is compiled."""
def Serial(start: Any, stop: Any = None, step: Any = None, *, annotations: Any = None) -> Any:
    """iterations in order; bounds may be runtime values, the step is a compile-time int, also negative"""
def Shuffle(vectors: Any, indices: Any) -> Any:
    """Evaluated while the kernel is compiled."""
def StridedTensor(shape: Any, strides: Any, dtype: Any = 'float32') -> Any:
    """one with strides in elements, constants or runtime values"""
def Tensor(shape: Any, dtype: Any = 'float32', data: Any = None, *, strides: Any = None) -> Any:
    """a global tensor, row-major and contiguous"""
def TensorCoreIntrinEmitter(a_dtype: Any = 'float16', b_dtype: Any = 'float16', accum_dtype: Any = 'float16', a_transposed: Any = False, b_transposed: Any = False, block_row_warps: Any = 2, block_col_warps: Any = 2, warp_row_tiles: Any = 8, warp_col_tiles: Any = 8, chunk: Any = 16, reduce_k: Any = 1, num_elems_per_byte: Any = 1, k_pack: Any = None) -> Any:
    """Evaluated while the kernel is compiled."""
def Unroll(start: Any, stop: Any = None, step: Any = None, *, explicit: Any = False, unroll_factor: Any = None, annotations: Any = None) -> Any:
    """the same; a hint to unroll"""
def Vectorized(start: Any, stop: Any = None, *, annotations: Any = None) -> Any:
    """the same; a hint"""
def While(condition: Any) -> Any:
    """Evaluated while the kernel is compiled."""
def __cos(x: Any) -> Any:
    """An expression of a kernel."""
def __exp(x: Any) -> Any:
    """An expression of a kernel."""
def __exp10(x: Any) -> Any:
    """An expression of a kernel."""
def __ffs(x: Any) -> Any:
    """Evaluated while the kernel is compiled."""
def __fns(mask: Any, base: Any, offset: Any) -> Any:
    """Evaluated while the kernel is compiled."""
def __ldg(load_or_buf: Any, index: Any = None) -> Any:
    """Evaluated while the kernel is compiled."""
def __log(x: Any) -> Any:
    """An expression of a kernel."""
def __log10(x: Any) -> Any:
    """An expression of a kernel."""
def __log2(x: Any) -> Any:
    """An expression of a kernel."""
def __sin(x: Any) -> Any:
    """An expression of a kernel."""
def __tan(x: Any) -> Any:
    """An expression of a kernel."""
def abs(x: Any) -> Any:
    """a number; the same dtype"""
def abs2(x: Any) -> Any:
    """Evaluated while the kernel is compiled."""
def access_ptr(base: Any, access_type: Any = 'r', *extents: Any, offset: Any = 0, ignore_last_ndim: Any = 0) -> Any:
    """Evaluated while the kernel is compiled."""
def acos(x: Any) -> Any:
    """one float; a float"""
def acosh(x: Any) -> Any:
    """one float; a float"""
def activemask() -> Any:
    """one bit a lane: uint64 on AMD, uint32 on NVIDIA"""
def add2(x: Any, y: Any) -> Any:
    """Evaluated while the kernel is compiled."""
def address_of(buffer_load: Any) -> Any:
    """Evaluated while the kernel is compiled."""
def align_up(x: Any, y: Any) -> Any:
    """Evaluated while the kernel is compiled."""
def all_of(buffer: Any) -> Any:
    """A statement of a kernel that has a result."""
def all_sync(predicate: Any, mask: Any = None) -> Any:
    """whether the predicate holds in any, all active lanes of the wave"""
def alloc_barrier(arrive_count: Any) -> Any:
    """drop it: tilec derives barriers from data flow"""
def alloc_buffer(shape: Any, dtype: Any = 'float32', data: Any = None, strides: Any = None, elem_offset: Any = None, scope: Any = 'global') -> Any:
    """global; workspace that the host allocates for each run, contents undefined"""
def alloc_fragment(shape: Any, dtype: Any, scope: Any = 'local.fragment') -> Any:
    """fragment; a tile in the registers of the whole block; its distribution is inferred"""
def alloc_global(shape: Any, dtype: Any, scope: Any = 'global') -> Any:
    """global; workspace that the host allocates for each run, contents undefined"""
def alloc_local(shape: Any, dtype: Any, scope: Any = 'local') -> Any:
    """local; an array of one thread in lockstep mode; else of the block, or of the iteration of the `T.Parallel` that it stands in"""
def alloc_reducer(shape: Any, dtype: Any, op: Any = 'sum', replication: Any = None) -> Any:
    """fragment; see [reducers](statements.md#reducers)"""
def alloc_shared(shape: Any, dtype: Any, scope: Any = 'shared.dyn') -> Any:
    """shared; memory of the block (LDS, SMEM); swizzled by default where a matrix instruction reads it"""
def alloc_var(dtype: Any, *args: Any, scope: Any = 'local.var', init: Any = None) -> Any:
    """var; one scalar, also `T.alloc_var(dtype, init)`"""
def annotate_compile_flags(flags: Any) -> Any:
    """A hint: taken note of, then dropped."""
def annotate_consumer_reg_alloc(reg_count: Any = 240) -> Any:
    """A hint: taken note of, then dropped."""
def annotate_l2_hit_ratio(l2_hit_ratio_map: Any) -> Any:
    """A hint: taken note of, then dropped."""
def annotate_layout(layout_map: Any) -> Any:
    """A statement of a kernel."""
def annotate_min_blocks_per_sm(n: Any) -> Any:
    """A hint: taken note of, then dropped."""
def annotate_pass_configs(configs: Any) -> Any:
    """Evaluated while the kernel is compiled."""
def annotate_producer_reg_dealloc(reg_count: Any = 24) -> Any:
    """A hint: taken note of, then dropped."""
def annotate_restrict_buffers(*buffers: Any) -> Any:
    """Evaluated while the kernel is compiled."""
def annotate_safe_value(safe_value_map: Any) -> Any:
    """Evaluated while the kernel is compiled."""
def annotate_ws_pipeline_depth(depth: Any) -> Any:
    """A hint: taken note of, then dropped."""
def annotate_ws_schedule(schedule: Any) -> Any:
    """A hint: taken note of, then dropped."""
def any_of(buffer: Any) -> Any:
    """A statement of a kernel that has a result."""
def any_sync(predicate: Any, mask: Any = None) -> Any:
    """whether the predicate holds in any, all active lanes of the wave"""
def asin(x: Any) -> Any:
    """one float; a float"""
def asinh(x: Any) -> Any:
    """one float; a float"""
def assume(condition: Any) -> Any:
    """A statement of a kernel."""
def async_copy(src: Any, dst: Any, *, coalesced_width: Any = None, loop_layout: Any = None) -> Any:
    """Evaluated while the kernel is compiled."""
def atan(x: Any) -> Any:
    """one float; a float"""
def atan2(x: Any, y: Any) -> Any:
    """two floats; a float"""
def atanh(x: Any) -> Any:
    """one float; a float"""
def atomic_add(dst: Any, value: Any, memory_order: Any = None, return_prev: Any = False, use_tma: Any = False) -> Any:
    """A statement of a kernel that has a result."""
def atomic_addx2(dst: Any, value: Any, return_prev: Any = False) -> Any:
    """A statement of a kernel that has a result."""
def atomic_addx4(dst: Any, value: Any, return_prev: Any = False) -> Any:
    """A statement of a kernel that has a result."""
def atomic_load(src: Any, memory_order: Any = 'seq_cst') -> Any:
    """A statement of a kernel that has a result."""
def atomic_max(dst: Any, value: Any, memory_order: Any = None, return_prev: Any = False) -> Any:
    """A statement of a kernel that has a result."""
def atomic_min(dst: Any, value: Any, memory_order: Any = None, return_prev: Any = False) -> Any:
    """A statement of a kernel that has a result."""
def atomic_or(dst: Any, value: Any, memory_order: Any = None, return_prev: Any = False) -> Any:
    """A statement of a kernel that has a result."""
def atomic_store(dst: Any, src: Any, memory_order: Any = 'seq_cst') -> Any:
    """A statement of a kernel."""
def attr(node: Any, attr_key: Any, value: Any) -> Any:
    """Evaluated while the kernel is compiled."""
def ballot(predicate: Any) -> Any:
    """one bit a lane: uint64 on AMD, uint32 on NVIDIA"""
def ballot_sync(predicate: Any, mask: Any = None) -> Any:
    """one bit a lane: uint64 on AMD, uint32 on NVIDIA"""
def barrier_arrive(mbarrier: Any, cta_id: Any = None) -> Any:
    """drop it: tilec derives barriers from data flow"""
def barrier_wait(mbarrier: Any, parity: Any = 0) -> Any:
    """drop it: tilec derives barriers from data flow"""
def bitwise_and(x: Any, y: Any) -> Any:
    """Evaluated while the kernel is compiled."""
def bitwise_not(x: Any) -> Any:
    """Evaluated while the kernel is compiled."""
def bitwise_or(x: Any, y: Any) -> Any:
    """Evaluated while the kernel is compiled."""
def bitwise_xor(x: Any, y: Any) -> Any:
    """Evaluated while the kernel is compiled."""
def c2d_im2col(img: Any, col: Any, nhw_step: Any, c_step: Any, kernel: Any, stride: Any, dilation: Any, pad: Any, eviction_policy: Any = None) -> Any:
    """A statement of a kernel."""
def call_extern(*args: Any, dtype: Any = None) -> Any:
    """Evaluated while the kernel is compiled."""
def call_intrin(*args: Any, dtype: Any = None) -> Any:
    """Evaluated while the kernel is compiled."""
def call_pure_extern(*args: Any, dtype: Any = None) -> Any:
    """Evaluated while the kernel is compiled."""
def cast(value: Any, dtype: Any, round: Any = '', sat: Any = True, rbits: Any = None) -> Any:
    """Evaluated while the kernel is compiled."""
def ceil(x: Any) -> Any:
    """a float; its rounding; integers stay as they are"""
def ceildiv(lhs: Any, rhs: Any) -> Any:
    """Evaluated while the kernel is compiled."""
def clamp(dst: Any, min_val: Any, max_val: Any) -> Any:
    """Evaluated while the kernel is compiled."""
def clear(buffer: Any) -> Any:
    """set all elements, `T.clear` to zero."""
def clz(x: Any) -> Any:
    """an integer; the same dtype"""
def comm_reducer(combiner: Any, identity: Any) -> Any:
    """Evaluated while the kernel is compiled."""
def const(name: Any, dtype: Any = 'int32') -> Any:
    """Evaluated while the kernel is compiled."""
def copy(src: Any, dst: Any, *, coalesced_width: Any = None, disable_tma: Any = False, eviction_policy: Any = None, prefer_instruction: Any = None, annotations: Any = None, loop_layout: Any = None) -> Any:
    """copies a tile, converting elements as a cast does."""
def copysign(x: Any, y: Any) -> Any:
    """two floats; a float"""
def cos(x: Any) -> Any:
    """one float; a float"""
def cosh(x: Any) -> Any:
    """one float; a float"""
def cp_async_commit_group() -> Any:
    """A hint: taken note of, then dropped."""
def cp_async_wait_group(num: Any = 0) -> Any:
    """A hint: taken note of, then dropped."""
def cummax(src: Any, dst: Any = None, dim: Any = 0, reverse: Any = False) -> Any:
    """A statement of a kernel."""
def cumsum(src: Any, dst: Any = None, dim: Any = 0, reverse: Any = False) -> Any:
    """A statement of a kernel."""
def dec_max_nreg(reg_count: Any) -> Any:
    """A hint: taken note of, then dropped."""
def determine_fp8_type(fp8_format: Any = 'e4m3') -> Any:
    """Evaluated while the kernel is compiled."""
def device_assert(condition: Any, msg: Any = '', no_stack_info: Any = False) -> Any:
    """A statement of a kernel."""
def disable_warp_group_reg_alloc() -> Any:
    """A hint: taken note of, then dropped."""
def div(a: Any, b: Any) -> Any:
    """Evaluated while the kernel is compiled."""
def dp4a(A: Any, B: Any, C: Any) -> Any:
    """nothing: `C[0] += A[0:4] . B[0:4]`, int8 or uint8 in int32 ([`Dp4aOperands`])"""
def dynamic(name: Any, dtype: Any = 'int32') -> Any:
    """Evaluated while the kernel is compiled."""
def empty(*shape: Any, dtype: Any = 'float32') -> Any:
    """Evaluated while the kernel is compiled."""
def erf(x: Any) -> Any:
    """one float; a float"""
def evaluate(value: Any) -> Any:
    """Evaluated while the kernel is compiled."""
def exp(x: Any) -> Any:
    """one float; a float"""
def exp10(x: Any) -> Any:
    """one float; a float"""
def exp2(x: Any) -> Any:
    """one float; a float"""
def extract_lane(vector: Any, lane: Any) -> Any:
    """Evaluated while the kernel is compiled."""
def fabs(x: Any) -> Any:
    """An expression of a kernel."""
def fast_rcp(x: Any) -> Any:
    """Evaluated while the kernel is compiled."""
def fence_proxy_async() -> Any:
    """drop it: tilec places proxy fences itself"""
def fill(buffer: Any, value: Any) -> Any:
    """set all elements, `T.clear` to zero."""
def finalize_reducer(reducer: Any, dst: Any = None, batch: Any = 1) -> Any:
    """A statement of a kernel."""
def floor(x: Any) -> Any:
    """a float; its rounding; integers stay as they are"""
def floordiv(a: Any, b: Any) -> Any:
    """Evaluated while the kernel is compiled."""
def floormod(a: Any, b: Any) -> Any:
    """Evaluated while the kernel is compiled."""
def fma(x: Any, y: Any, z: Any) -> Any:
    """three floats; x * y + z, rounded once"""
def fma2(x: Any, y: Any, z: Any) -> Any:
    """Evaluated while the kernel is compiled."""
def fmod(x: Any, y: Any) -> Any:
    """two floats; a float"""
def fmul(x: Any, y: Any, rounding_mode: Any = 'rn') -> Any:
    """Evaluated while the kernel is compiled."""
def gemm(A: Any, B: Any, C: Any, transpose_A: Any = False, transpose_B: Any = False, policy: Any = 'Square', clear_accum: Any = False, k_pack: Any = 1, mbar: Any = None, wg_wait: Any = 0) -> Any:
    """A statement of a kernel."""
def gemm_blockscaled(A: Any, B: Any, C: Any, SFA: Any, SFB: Any, transpose_A: Any = False, transpose_B: Any = False, policy: Any = 'Square', clear_accum: Any = False, k_start: Any = 0, sf_a_granularity_k: Any = None, sf_b_granularity_k: Any = None) -> Any:
    """A function in the tile language."""
def gemm_sp(A_sparse: Any, E: Any, B: Any, C: Any, transpose_A: Any = False, transpose_E: Any = False, transpose_B: Any = False, policy: Any = 'Square', clear_accum: Any = False, k_pack: Any = 1, wg_wait: Any = 0) -> Any:
    """A function in the tile language."""
def gemm_v1(A: Any, B: Any, C: Any, transpose_A: Any = False, transpose_B: Any = False, policy: Any = 'Square', clear_accum: Any = False, k_pack: Any = 1, mbar: Any = None, wg_wait: Any = 0) -> Any:
    """A statement of a kernel."""
def gemm_v2(A: Any, B: Any, C: Any, transpose_A: Any = False, transpose_B: Any = False, policy: Any = 'Square', clear_accum: Any = False, k_pack: Any = 1, mbar: Any = None, wg_wait: Any = 0) -> Any:
    """A statement of a kernel."""
def get_block_binding(dim: Any = 0) -> Any:
    """Evaluated while the kernel is compiled."""
def get_block_bindings() -> Any:
    """Evaluated while the kernel is compiled."""
def get_block_extent(dim: Any = 0) -> Any:
    """Evaluated while the kernel is compiled."""
def get_block_extents() -> Any:
    """Evaluated while the kernel is compiled."""
def get_e_factor(a_dtype: Any, meta_dtype: Any) -> Any:
    """A function in the tile language."""
def get_e_replicate_factor(a_dtype: Any) -> Any:
    """A function in the tile language."""
def get_lane_idx(warp_size: Any = None) -> Any:
    """An expression of a kernel."""
def get_swizzle_layout(row_idx: Any, col_idx: Any, row_size: Any, dtype: Any, swizzle_bytes: Any = None) -> Any:
    """Evaluated while the kernel is compiled."""
def get_thread_binding(dim: Any = 0) -> Any:
    """Evaluated while the kernel is compiled."""
def get_thread_bindings() -> Any:
    """Evaluated while the kernel is compiled."""
def get_thread_extent(dim: Any = 0) -> Any:
    """Evaluated while the kernel is compiled."""
def get_thread_extents() -> Any:
    """Evaluated while the kernel is compiled."""
def get_warp_group_idx(warp_size: Any = None, warps_per_group: Any = None) -> Any:
    """An expression of a kernel."""
def get_warp_idx(warp_size: Any = None) -> Any:
    """An expression of a kernel."""
def get_warp_idx_sync(warp_size: Any = None) -> Any:
    """An expression of a kernel."""
def grid(*extents: Any) -> Any:
    """nested serial loops, the last extent innermost"""
def handle(dtype: Any = None, storage_scope: Any = 'global', *, is_size_var: Any = False) -> Any:
    """a tensor whose shape the body gives once: `A = T.make_tensor(a, shape, dtype)`, or `T.match_buffer`"""
def hypot(x: Any, y: Any) -> Any:
    """two floats; a float"""
def ieee_add(x: Any, y: Any, rounding_mode: Any = 'rn') -> Any:
    """Evaluated while the kernel is compiled."""
def ieee_fdiv(x: Any, y: Any, rounding_mode: Any = 'rn') -> Any:
    """Evaluated while the kernel is compiled."""
def ieee_fmaf(x: Any, y: Any, z: Any, rounding_mode: Any = 'rn') -> Any:
    """Evaluated while the kernel is compiled."""
def ieee_frcp(x: Any, rounding_mode: Any = 'rn') -> Any:
    """Evaluated while the kernel is compiled."""
def ieee_frsqrt(x: Any) -> Any:
    """Evaluated while the kernel is compiled."""
def ieee_fsqrt(x: Any, rounding_mode: Any = 'rn') -> Any:
    """Evaluated while the kernel is compiled."""
def ieee_mul(x: Any, y: Any, rounding_mode: Any = 'rn') -> Any:
    """Evaluated while the kernel is compiled."""
def ieee_sub(x: Any, y: Any, rounding_mode: Any = 'rn') -> Any:
    """Evaluated while the kernel is compiled."""
def if_then_else(cond: Any, t: Any, f: Any) -> Any:
    """Evaluated while the kernel is compiled."""
def im2col(img: Any, col: Any, nhw_step: Any, c_step: Any, kernel: Any, stride: Any, dilation: Any, pad: Any, eviction_policy: Any = None) -> Any:
    """(also `T.c2d_im2col`): tile `(nhw_step, c_step)` of the matrix that turns a convolution of the NHWC image `img` into a product: `col[m, k] = img[n, oh * stride + r * dilation - pad, ow * stride + s * dilation - pad, c]`, zero outside, with `m` counting (n, oh, ow) from `nhw_step * rows` and `k` counting (r, s, c) from `c_step * columns`; zero behind the matrix, too."""
def import_source(source: Any = None) -> Any:
    """Evaluated while the kernel is compiled."""
def inc_max_nreg(reg_count: Any) -> Any:
    """A hint: taken note of, then dropped."""
def index_to_coordinates(index: Any, shape: Any) -> Any:
    """Evaluated while the kernel is compiled."""
def indexdiv(a: Any, b: Any) -> Any:
    """Evaluated while the kernel is compiled."""
def indexmod(a: Any, b: Any) -> Any:
    """Evaluated while the kernel is compiled."""
def infinity(dtype: Any) -> Any:
    """Evaluated while the kernel is compiled."""
def isfinite(x: Any) -> Any:
    """a float; bool"""
def isinf(x: Any) -> Any:
    """a float; bool"""
def isnan(x: Any) -> Any:
    """a float; bool"""
def ldexp(x: Any, y: Any) -> Any:
    """two floats; a float"""
def ldg128(src: Any, pred: Any = None) -> Any:
    """Evaluated while the kernel is compiled."""
def ldg256(src: Any, pred: Any = None) -> Any:
    """Evaluated while the kernel is compiled."""
def ldg32(src: Any, pred: Any = None) -> Any:
    """Evaluated while the kernel is compiled."""
def ldg64(src: Any, pred: Any = None) -> Any:
    """Evaluated while the kernel is compiled."""
def lds128(src: Any, pred: Any = None) -> Any:
    """Evaluated while the kernel is compiled."""
def lds32(src: Any, pred: Any = None) -> Any:
    """Evaluated while the kernel is compiled."""
def lds64(src: Any, pred: Any = None) -> Any:
    """Evaluated while the kernel is compiled."""
def let(var: Any, value: Any) -> Any:
    """Evaluated while the kernel is compiled."""
def likely(cond: Any) -> Any:
    """Evaluated while the kernel is compiled."""
def log(x: Any) -> Any:
    """one float; a float"""
def log10(x: Any) -> Any:
    """one float; a float"""
def log1p(x: Any) -> Any:
    """one float; a float"""
def log2(x: Any) -> Any:
    """one float; a float"""
def loop_break() -> Any:
    """Evaluated while the kernel is compiled."""
def make_full_bank_swizzled_layout(buffer: Any, k_major: Any = True, allow_pad: Any = True) -> Any:
    """Evaluated while the kernel is compiled."""
def make_fully_replicated_layout_fragment(buffer: Any, threads: Any) -> Any:
    """Evaluated while the kernel is compiled."""
def make_half_bank_swizzled_layout(buffer: Any, k_major: Any = True, allow_pad: Any = True) -> Any:
    """Evaluated while the kernel is compiled."""
def make_linear_layout(buffer: Any) -> Any:
    """Evaluated while the kernel is compiled."""
def make_mfma_swizzle_layout(buffer: Any, k_major: Any = True, allow_pad: Any = True) -> Any:
    """Evaluated while the kernel is compiled."""
def make_mma_swizzle_layout(buffer: Any, k_major: Any = True, allow_pad: Any = True) -> Any:
    """Evaluated while the kernel is compiled."""
def make_padded_layout(buffer: Any, k_major: Any = True, allow_pad: Any = True) -> Any:
    """Evaluated while the kernel is compiled."""
def make_quarter_bank_swizzled_layout(buffer: Any, k_major: Any = True, allow_pad: Any = True) -> Any:
    """Evaluated while the kernel is compiled."""
def make_swizzle_layout(buffer: Any, k_major: Any = True, allow_pad: Any = True) -> Any:
    """Evaluated while the kernel is compiled."""
def make_swizzled_layout(buffer: Any, k_major: Any = True, allow_pad: Any = True) -> Any:
    """Evaluated while the kernel is compiled."""
def make_tensor(ptr: Any, shape: Any, dtype: Any = 'float32', strides: Any = None) -> Any:
    """Evaluated while the kernel is compiled."""
def match_all_sync(value: Any, mask: Any = None) -> Any:
    """the mask of lanes with this lane's value; all lanes, if all agree, else 0"""
def match_any_sync(value: Any, mask: Any = None) -> Any:
    """the mask of lanes with this lane's value; all lanes, if all agree, else 0"""
def match_buffer(param: Any, shape: Any, dtype: Any = 'float32', data: Any = None, strides: Any = None) -> Any:
    """Evaluated while the kernel is compiled."""
def max(a: Any, b: Any) -> Any:
    """Evaluated while the kernel is compiled."""
def max2(x: Any, y: Any) -> Any:
    """Evaluated while the kernel is compiled."""
def max_value(dtype: Any) -> Any:
    """Evaluated while the kernel is compiled."""
def maximum(a: Any, b: Any) -> Any:
    """Evaluated while the kernel is compiled."""
def mbarrier_arrive(mbarrier: Any, cta_id: Any = None) -> Any:
    """drop it: tilec derives barriers from data flow"""
def mbarrier_arrive_expect_tx(mbarrier: Any, tx: Any) -> Any:
    """drop it: tilec derives barriers from data flow"""
def mbarrier_expect_tx(mbarrier: Any, tx: Any) -> Any:
    """drop it: tilec derives barriers from data flow"""
def mbarrier_wait_parity(mbarrier: Any, parity: Any = 0) -> Any:
    """drop it: tilec derives barriers from data flow"""
def min(a: Any, b: Any) -> Any:
    """Evaluated while the kernel is compiled."""
def min2(x: Any, y: Any) -> Any:
    """Evaluated while the kernel is compiled."""
def min_value(dtype: Any) -> Any:
    """Evaluated while the kernel is compiled."""
def minimum(a: Any, b: Any) -> Any:
    """Evaluated while the kernel is compiled."""
def mul2(x: Any, y: Any) -> Any:
    """Evaluated while the kernel is compiled."""
def nearbyint(x: Any) -> Any:
    """An expression of a kernel."""
def nextafter(x: Any, y: Any) -> Any:
    """two floats; a float"""
def no_set_max_nreg() -> Any:
    """A hint: taken note of, then dropped."""
def parallel(*extents: Any, coalesced_width: Any = None, loop_layout: Any = None, prefer_async: Any = None, annotations: Any = None) -> Any:
    """iterations in any order"""
def pdl_sync() -> Any:
    """A hint: taken note of, then dropped."""
def pdl_trigger() -> Any:
    """A hint: taken note of, then dropped."""
def popcount(x: Any) -> Any:
    """an integer; the same dtype"""
def pow(x: Any, y: Any) -> Any:
    """two floats; a float"""
def pow_of_int(x: Any, y: Any) -> Any:
    """Evaluated while the kernel is compiled."""
def power(x: Any, y: Any) -> Any:
    """An expression of a kernel."""
def print(obj: Any = None, msg: Any = '', warp_group_id: Any = 0, warp_id: Any = 0) -> Any:
    """A statement of a kernel."""
def ptr(dtype: Any = None, storage_scope: Any = 'global', *, is_size_var: Any = False) -> Any:
    """a tensor whose shape the body gives once: `A = T.make_tensor(a, shape, dtype)`, or `T.match_buffer`"""
def ptx_commit_group() -> Any:
    """A hint: taken note of, then dropped."""
def ptx_cp_async(dst_access_ptr: Any, src_access_ptr: Any, num_elems: Any, predicate: Any = None) -> Any:
    """Evaluated while the kernel is compiled."""
def ptx_wait_group(num: Any = 0) -> Any:
    """A hint: taken note of, then dropped."""
def reduce(buffer: Any, out: Any, reduce_type: Any, dim: Any = -1, clear: Any = True, batch: Any = 1, nan_propagate: Any = False) -> Any:
    """Evaluated while the kernel is compiled."""
def reduce_absmax(buffer: Any, out: Any, dim: Any = -1, clear: Any = True, batch: Any = 1, nan_propagate: Any = False) -> Any:
    """A statement of a kernel."""
def reduce_abssum(buffer: Any, out: Any, dim: Any = -1, batch: Any = 1) -> Any:
    """A statement of a kernel."""
def reduce_bitand(buffer: Any, out: Any, dim: Any = -1, clear: Any = True, batch: Any = 1) -> Any:
    """A statement of a kernel."""
def reduce_bitor(buffer: Any, out: Any, dim: Any = -1, clear: Any = True, batch: Any = 1) -> Any:
    """A statement of a kernel."""
def reduce_bitxor(buffer: Any, out: Any, dim: Any = -1, clear: Any = True, batch: Any = 1) -> Any:
    """A statement of a kernel."""
def reduce_max(buffer: Any, out: Any, dim: Any = -1, clear: Any = True, batch: Any = 1, nan_propagate: Any = False) -> Any:
    """A statement of a kernel."""
def reduce_min(buffer: Any, out: Any, dim: Any = -1, clear: Any = True, batch: Any = 1, nan_propagate: Any = False) -> Any:
    """A statement of a kernel."""
def reduce_sum(buffer: Any, out: Any, dim: Any = -1, clear: Any = True, batch: Any = 1) -> Any:
    """A statement of a kernel."""
def reducer_init(reducer: Any, init: Any = None) -> Any:
    """A statement of a kernel."""
def reducer_update(target: Any, value: Any) -> Any:
    """A statement of a kernel."""
def reinterpret(value: Any, dtype: Any) -> Any:
    """Evaluated while the kernel is compiled."""
def reshape(src: Any, shape: Any) -> Any:
    """Evaluated while the kernel is compiled."""
def rng_init(seed: Any, seq: Any = None, off: Any = 0, generator: Any = 'curandStatePhilox4_32_10_t') -> Any:
    """Evaluated while the kernel is compiled."""
def rng_rand() -> Any:
    """Evaluated while the kernel is compiled."""
def rng_rand_float(bit: Any = 32, dist: Any = 'uniform') -> Any:
    """Evaluated while the kernel is compiled."""
def rng_rand_uint() -> Any:
    """Evaluated while the kernel is compiled."""
def round(x: Any, rounding_mode: Any = 'ties-to-even') -> Any:
    """a float; its rounding; integers stay as they are"""
def round_away(x: Any) -> Any:
    """a float; its rounding; integers stay as they are"""
def rsqrt(x: Any) -> Any:
    """one float; a float"""
def serial(start: Any, stop: Any = None, step: Any = None, *, annotations: Any = None) -> Any:
    """iterations in order; bounds may be runtime values, the step is a compile-time int, also negative"""
def set_max_nreg(reg_count: Any, is_inc: Any) -> Any:
    """A hint: taken note of, then dropped."""
def shfl_down(value: Any, delta: Any, width: Any = None, mask: Any = None) -> Any:
    """`v` of the lane whose index is xor-ed with, plus, minus `delta`; its own where that leaves the group. `T.shfl_sync_xor` is `T.shfl_xor`, `T.tvm_warp_shuffle` and its kin are TVM's spellings of these; `T.tvm_warp_activemask` is `T.activemask`"""
def shfl_sync(value: Any, srcLane: Any, width: Any = None, mask: Any = None) -> Any:
    """`v` of lane `lane` within its group of `width` lanes (the wave)"""
def shfl_sync_xor(value: Any, delta: Any, width: Any = None, mask: Any = None) -> Any:
    """A statement of a kernel that has a result."""
def shfl_up(value: Any, delta: Any, width: Any = None, mask: Any = None) -> Any:
    """`v` of the lane whose index is xor-ed with, plus, minus `delta`; its own where that leaves the group. `T.shfl_sync_xor` is `T.shfl_xor`, `T.tvm_warp_shuffle` and its kin are TVM's spellings of these; `T.tvm_warp_activemask` is `T.activemask`"""
def shfl_xor(value: Any, delta: Any, width: Any = None, mask: Any = None) -> Any:
    """`v` of the lane whose index is xor-ed with, plus, minus `delta`; its own where that leaves the group. `T.shfl_sync_xor` is `T.shfl_xor`, `T.tvm_warp_shuffle` and its kin are TVM's spellings of these; `T.tvm_warp_activemask` is `T.activemask`"""
def shift_left(x: Any, y: Any) -> Any:
    """Evaluated while the kernel is compiled."""
def shift_right(x: Any, y: Any) -> Any:
    """Evaluated while the kernel is compiled."""
def shuffle_elect(thread_extent: Any) -> Any:
    """true in the first thread of each group of `extent` threads, of the block for 0"""
def sigmoid(x: Any) -> Any:
    """one float; a float"""
def sin(x: Any) -> Any:
    """one float; a float"""
def sinh(x: Any) -> Any:
    """one float; a float"""
def sqrt(x: Any) -> Any:
    """one float; a float"""
def stg128(dst: Any, value: Any, pred: Any = None) -> Any:
    """Evaluated while the kernel is compiled."""
def stg256(dst: Any, value: Any, pred: Any = None) -> Any:
    """Evaluated while the kernel is compiled."""
def stg32(dst: Any, value: Any, pred: Any = None) -> Any:
    """Evaluated while the kernel is compiled."""
def stg64(dst: Any, value: Any, pred: Any = None) -> Any:
    """Evaluated while the kernel is compiled."""
def sts128(dst: Any, value: Any, pred: Any = None) -> Any:
    """Evaluated while the kernel is compiled."""
def sts32(dst: Any, value: Any, pred: Any = None) -> Any:
    """Evaluated while the kernel is compiled."""
def sts64(dst: Any, value: Any, pred: Any = None) -> Any:
    """Evaluated while the kernel is compiled."""
def sub2(x: Any, y: Any) -> Any:
    """Evaluated while the kernel is compiled."""
def symbolic(name: Any, dtype: Any = 'int32') -> Any:
    """Evaluated while the kernel is compiled."""
def sync_grid() -> Any:
    """nothing: all blocks have arrived, and see what the others wrote to global tensors; shared memory, fragments and variables stay. All blocks of the launch run at once ([a cooperative launch](../decisions/0013-sync-grid-is-cooperative.md)), so the grid is no larger than the chip holds ([`GridSyncTooLarge`]; at the launch where only that knows). Loops and branches around it are the same for all blocks: they depend on sizes, scalars and elements of global tensors, not on the block, its threads or what differs between blocks ([`GridSyncDivergent`])"""
def sync_threads(barrier_id: Any = None, arrive_count: Any = None) -> Any:
    """nothing: a barrier of the block. Outside lockstep mode it is superfluous and ignored. As a statement of a `T.Parallel` loop it, and `T.sync_grid()`, parts the loop: all iterations have done what stands before it before one goes on"""
def sync_warp(mask: Any = None) -> Any:
    """nothing: a barrier of the wave"""
def syncthreads_and(predicate: Any) -> Any:
    """A statement of a kernel that has a result."""
def syncthreads_count(predicate: Any) -> Any:
    """the number of threads of the block with the predicate, whether all, any have it (int32); a barrier"""
def syncthreads_or(predicate: Any) -> Any:
    """A statement of a kernel that has a result."""
def tan(x: Any) -> Any:
    """one float; a float"""
def tanh(x: Any) -> Any:
    """one float; a float"""
def thread_binding(start: Any, stop: Any = None, thread: Any = None, *, annotations: Any = None) -> Any:
    """Evaluated while the kernel is compiled."""
def thread_return() -> Any:
    """Evaluated while the kernel is compiled."""
def tma_copy(src: Any, dst: Any, *, barrier: Any = None, cluster_mask: Any = None, leader_scope_threads: Any = None, eviction_policy: Any = None) -> Any:
    """use `T.copy`; tilec chooses TMA itself"""
def tma_store_arrive() -> Any:
    """use `T.copy`; tilec chooses TMA itself"""
def tma_store_wait(count: Any = 0, read: Any = True) -> Any:
    """use `T.copy`; tilec chooses TMA itself"""
def transpose(src: Any, dst: Any) -> Any:
    """is `dst[..., j, i] = src[..., i, j]`, any scopes ([`TransposeShape`])."""
def trunc(x: Any) -> Any:
    """a float; its rounding; integers stay as they are"""
def truncdiv(a: Any, b: Any) -> Any:
    """Evaluated while the kernel is compiled."""
def truncmod(a: Any, b: Any) -> Any:
    """Evaluated while the kernel is compiled."""
def tvm_thread_allreduce(*args: Any, dtype: Any = None) -> Any:
    """Evaluated while the kernel is compiled."""
def tvm_warp_activemask() -> Any:
    """A statement of a kernel that has a result."""
def tvm_warp_shuffle(mask: Any, value: Any, warp_id: Any, width: Any, warp_size: Any) -> Any:
    """Evaluated while the kernel is compiled."""
def tvm_warp_shuffle_down(mask: Any, value: Any, offset: Any, width: Any, warp_size: Any) -> Any:
    """Evaluated while the kernel is compiled."""
def tvm_warp_shuffle_up(mask: Any, value: Any, offset: Any, width: Any, warp_size: Any) -> Any:
    """Evaluated while the kernel is compiled."""
def unroll(start: Any, stop: Any = None, step: Any = None, *, explicit: Any = False, unroll_factor: Any = None, annotations: Any = None) -> Any:
    """the same; a hint to unroll"""
def use_swizzle(panel_size: Any, order: Any = 'row', enable: Any = True) -> Any:
    """A statement of a kernel."""
def vectorcombine(dtype: Any, vec1: Any, vec2: Any) -> Any:
    """Evaluated while the kernel is compiled."""
def vectorhigh(dtype: Any, vec: Any) -> Any:
    """Evaluated while the kernel is compiled."""
def vectorized(start: Any, stop: Any = None, *, annotations: Any = None) -> Any:
    """the same; a hint"""
def vectorlow(dtype: Any, vec: Any) -> Any:
    """Evaluated while the kernel is compiled."""
def view(src: Any, shape: Any = None, dtype: Any = None, strides: Any = None) -> Any:
    """Evaluated while the kernel is compiled."""
def wait_wgmma(id: Any = 0) -> Any:
    """use `T.gemm`; it has finished when the next statement runs"""
def warp_reduce_bitand(value: Any) -> Any:
    """A statement of a kernel that has a result."""
def warp_reduce_bitor(value: Any) -> Any:
    """A statement of a kernel that has a result."""
def warp_reduce_max(value: Any) -> Any:
    """A statement of a kernel that has a result."""
def warp_reduce_min(value: Any) -> Any:
    """A statement of a kernel that has a result."""
def warp_reduce_sum(value: Any) -> Any:
    """the reduction of the wave"""
def wgmma_gemm(A: Any, B: Any, C: Any, transpose_A: Any = False, transpose_B: Any = False, policy: Any = 'Square', clear_accum: Any = False) -> Any:
    """use `T.gemm`; tilec chooses wgmma itself"""
