# Decode of latent attention (MLA, absorbed form): one query for each sequence, whose heads share one latent key.
#
# The cache holds `dim` numbers of K and V together and `rope` numbers of K alone for each position. A sequence is cut into
# `splits` parts, so that a small batch fills the chip; a second launch puts the parts together.
import tilelang.language as T

LOG2E = 1.44269504
LOW = -1e30


def decode(batch, heads, keys, dim=512, rope=64, splits=4, block_H=64, block_N=64, threads=256, stages=1, dtype="bfloat16"):
    scale = (dim + rope)**-0.5 * LOG2E
    part = T.ceildiv(T.ceildiv(keys, splits), block_N) * block_N  # keys of a split, whole tiles
    width = T.ceildiv(dim, splits)

    @T.prim_func
    def mla_decode(Q: T.Tensor((batch, heads, dim), dtype), QRope: T.Tensor((batch, heads, rope), dtype),
                   KV: T.Tensor((batch, keys, dim), dtype), KRope: T.Tensor((batch, keys, rope), dtype),
                   Lengths: T.Tensor((batch,), "int32"), O: T.Tensor((batch, heads, dim), dtype)):
        Parts = T.alloc_buffer((batch, splits, heads, dim), "float32")
        Sums = T.alloc_buffer((batch, splits, heads), "float32")
        with T.Kernel(T.ceildiv(heads, block_H), splits, batch, threads=threads) as (group, split, b):
            q = T.alloc_shared((block_H, dim), dtype)
            q_rope = T.alloc_shared((block_H, rope), dtype)
            kv = T.alloc_shared((block_N, dim), dtype)
            k_rope = T.alloc_shared((block_N, rope), dtype)
            scores = T.alloc_fragment((block_H, block_N), "float32")
            weights = T.alloc_fragment((block_H, block_N), dtype)
            out = T.alloc_fragment((block_H, dim), "float32")
            top = T.alloc_fragment((block_H,), "float32")
            before = T.alloc_fragment((block_H,), "float32")
            row = T.alloc_fragment((block_H,), "float32")
            total = T.alloc_fragment((block_H,), "float32")
            T.copy(Q[b, group * block_H, 0], q)
            T.copy(QRope[b, group * block_H, 0], q_rope)
            T.clear(out)
            T.clear(total)
            T.fill(top, LOW)
            length = T.max(0, T.min(Lengths[b] - split * part, part))
            for n in T.Pipelined(T.ceildiv(length, block_N), num_stages=stages):
                at = split * part + n * block_N
                T.copy(KV[b, at:at + block_N, :], kv)
                T.copy(KRope[b, at:at + block_N, :], k_rope)
                T.gemm(q, kv, scores, transpose_B=True, clear_accum=True, policy=T.GemmWarpPolicy.FullRow)
                T.gemm(q_rope, k_rope, scores, transpose_B=True, policy=T.GemmWarpPolicy.FullRow)
                for i, j in T.Parallel(block_H, block_N):
                    scores[i, j] = T.if_then_else(n * block_N + j < length, scores[i, j], LOW)
                T.copy(top, before)
                T.reduce_max(scores, top, dim=1, clear=False)
                for i in T.Parallel(block_H):
                    before[i] = T.exp2(before[i] * scale - top[i] * scale)
                for i, j in T.Parallel(block_H, block_N):
                    scores[i, j] = T.exp2(scores[i, j] * scale - top[i] * scale)
                T.reduce_sum(scores, row, dim=1)
                for i in T.Parallel(block_H):
                    total[i] = total[i] * before[i] + row[i]
                T.copy(scores, weights)
                for i, j in T.Parallel(block_H, dim):
                    out[i, j] *= before[i]
                T.gemm(weights, kv, out, policy=T.GemmWarpPolicy.FullRow)
            # A part without keys has weight 0: its sum is 2^LOW.
            for i, j in T.Parallel(block_H, dim):
                out[i, j] = T.if_then_else(total[i] > 0, out[i, j] / total[i], 0)
            T.copy(out, Parts[b, split, group * block_H, 0])
            for i in T.Parallel(block_H):
                total[i] = T.if_then_else(total[i] > 0, T.log2(total[i]) + top[i] * scale, LOW)
            T.copy(total, Sums[b, split, group * block_H])

        with T.Kernel(T.ceildiv(heads, block_H), splits, batch, threads=threads) as (group, split, b):
            # Each block puts `width` columns of all parts together.
            sums = T.alloc_fragment((splits, block_H), "float32")
            largest = T.alloc_fragment((block_H,), "float32")
            weight = T.alloc_fragment((block_H,), "float32")
            together = T.alloc_fragment((block_H, width), "float32")
            T.copy(Sums[b, :, group * block_H:(group + 1) * block_H], sums)
            T.reduce_max(sums, largest, dim=0)
            for s, i in T.Parallel(splits, block_H):
                sums[s, i] = T.exp2(sums[s, i] - largest[i])
            T.reduce_sum(sums, weight, dim=0)
            T.clear(together)
            for s in T.serial(splits):
                for i, j in T.Parallel(block_H, width):
                    together[i, j] += Parts[b, s, group * block_H + i, split * width + j] * sums[s, i] / weight[i]
            T.copy(together, O[b, group * block_H, split * width])

    return mla_decode
