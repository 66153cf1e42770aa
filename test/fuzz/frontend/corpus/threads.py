import tilelang.language as T

@T.prim_func
def main(A: T.Tensor((256,), "float32"), B: T.Tensor((256,), "float32")):
    with T.Kernel(2, threads=128) as bx:
        tx = T.get_thread_binding(0)
        s = T.alloc_shared((128,), "float32")
        v = T.alloc_var("float32", init=0.0)
        s[tx] = A[bx * 128 + tx]
        T.sync_threads()
        if tx < 64 and bx == 0:
            v = s[127 - tx] + T.shfl_xor(s[tx], 1)
        elif tx > 100:
            v += 1.0
        else:
            v = T.max(v, 3)
        n = 0
        while v < 10.0:
            v = v * 2 + 1
            if v > 5:
                break
        B[bx * 128 + tx] = v
        T.atomic_add(B[0], v)
