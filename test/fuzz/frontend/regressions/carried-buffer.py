import tilelang.language as T
@T.prim_func
def k(A: T.Tensor((64, 64), "float32")):
    keep = []
    with T.Kernel(1) as bx:
        s = T.alloc_shared((64, 64), "float32")
        keep.append(s)
        keep.append(bx)
    with T.Kernel(keep[1]) as by:
        T.copy(A, keep[0])
