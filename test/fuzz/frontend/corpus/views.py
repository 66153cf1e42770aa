import tilelang.language as T

def f(N=64):
    n = T.dynamic("n")
    @T.macro
    def add(dst, src, by=1):
        for i in T.Parallel(16):
            dst[i] = src[i] + by
    @T.prim_func
    def main(A: T.Tensor((n, N), "float32"), S: T.StridedTensor((N, N), (128, 1), "float16"), k: T.int32, I: T.Tensor((n,), "int32")):
        T.assume(n % 16 == 0)
        with T.Kernel(T.ceildiv(n, 16), 2, threads=64) as (bx, by):
            T.use_swizzle(4, order="column")
            a = T.alloc_shared((16, N), "float32")
            f = T.alloc_fragment((16,), "float32")
            g = T.alloc_fragment((16,), "float32")
            r = T.alloc_reducer((16,), "float32", op="max")
            T.annotate_layout({a: T.make_swizzled_layout(a)})
            T.copy(A[bx * 16:(bx + 1) * 16, :], a)
            v = T.view(a, (N, 16))
            T.cumsum(a, dim=1, reverse=True)
            T.reduce_absmax(a, f, dim=-1)
            T.reducer_init(r)
            for i, j in T.Parallel(16, N):
                T.reducer_update(r[i], T.cast(S[i, j], "float32"))
            T.finalize_reducer(r, g)
            add(f, g, by=k)
            for i in T.serial(k, 2 * k, 3):
                if I[i] in (1, 2, 3):
                    continue
                f[i % 16] += v[i, 0] if not (i < 3 < k) else T.float32(2) ** i
            if T.any_of(f):
                T.print(f, msg="some")
            T.device_assert(k > 0, "k")
            T.copy(f, A[bx * 16, 0:16])
    return main
