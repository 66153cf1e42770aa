# entry: copy2d(M=64, N=32)
import tilelang
import tilelang.language as T

@ tilelang.jit(out_idx =[- 1])
def copy2d(A, dtype = T.float16):
    M, N = T.const("M, N")
    A: T.Tensor((M, N), dtype)
    B = T.empty((M, N), dtype)
    B = T.empty((M, N), dtype)
    with T.Kernel(T.ceildiv(N, 32), T.ceildiv(M, 32), threads = 128) as(bx, by):
        s = T.alloc_shared((32, 32), dtype)
        T.copy(A[by * 32, bx * 32], s)
        T.copy(s, B[by * 32, bx * 32])
    return B
