# What stands between the products of a language model that serves requests, each as one kernel.
import tilelang.language as T

LOG2E = 1.44269504


def norm_quantise(rows, columns, threads=256, dtype="bfloat16", out="float8_e4m3fn"):
    """Residual += X; Q = the RMS norm of it times Weight in 8 bits; Scale = what Q is to be multiplied with, a row."""
    limit = {"float8_e4m3fn": 448.0, "float8_e4m3fnuz": 240.0}[out]

    @T.prim_func
    def rmsnorm_quantise(X: T.Tensor((rows, columns), dtype), Residual: T.Tensor((rows, columns), dtype),
                         Weight: T.Tensor((columns,), dtype), Q: T.Tensor((rows, columns), out),
                         Scale: T.Tensor((rows,), "float32")):
        with T.Kernel(rows, threads=threads) as row:
            x = T.alloc_fragment((columns,), "float32")
            squares = T.alloc_fragment((columns,), "float32")
            total = T.alloc_fragment((1,), "float32")
            largest = T.alloc_fragment((1,), "float32")
            for j in T.Parallel(columns):
                x[j] = X[row, j] + Residual[row, j]
            T.copy(x, Residual[row, 0])
            for j in T.Parallel(columns):
                squares[j] = x[j] * x[j]
            T.reduce_sum(squares, total)
            for j in T.Parallel(columns):
                x[j] = x[j] * T.rsqrt(total[0] / columns + 1e-6) * Weight[j]
            T.reduce_absmax(x, largest)
            scale = T.max(largest[0], 1e-12) / limit
            for j in T.Parallel(columns):
                Q[row, j] = x[j] / scale
            Scale[row] = scale

    return rmsnorm_quantise


def rope_append(tokens, heads, kv_heads, D, pages, page=16, positions=4096, dtype="bfloat16"):
    """Turns Q in place and K on its way into the paged cache, copies V there.

    Token t stands at Position[t] of its sequence and goes to slot Slot[t] = page * size + place; -1: it is not kept.
    """
    half = D // 2

    @T.prim_func
    def rope_append_kv(Q: T.Tensor((tokens, heads, D), dtype), K: T.Tensor((tokens, kv_heads, D), dtype),
                       V: T.Tensor((tokens, kv_heads, D), dtype), Cos: T.Tensor((positions, half), "float32"),
                       Sin: T.Tensor((positions, half), "float32"), Position: T.Tensor((tokens,), "int32"),
                       Slot: T.Tensor((tokens,), "int32"), KCache: T.Tensor((pages, page, kv_heads, D), dtype),
                       VCache: T.Tensor((pages, page, kv_heads, D), dtype)):
        with T.Kernel(tokens, threads=128) as t:
            at, slot = Position[t], Slot[t]
            q = T.alloc_fragment((heads, D), "float32")
            T.copy(Q[t, 0, 0], q)
            for h, d in T.Parallel(heads, half):
                Q[t, h, d] = q[h, d] * Cos[at, d] - q[h, d + half] * Sin[at, d]
                Q[t, h, d + half] = q[h, d + half] * Cos[at, d] + q[h, d] * Sin[at, d]
            if slot >= 0:
                for h, d in T.Parallel(kv_heads, half):
                    KCache[slot // page, slot % page, h, d] = K[t, h, d] * Cos[at, d] - K[t, h, d + half] * Sin[at, d]
                    KCache[slot // page, slot % page, h, d + half] = K[t, h, d + half] * Cos[at, d] + K[t, h, d] * Sin[at, d]
                T.copy(V[t, :, :], VCache[slot // page, slot % page, :, :])

    return rope_append_kv


def swiglu(rows, columns, block_M=1, block_N=2048, dtype="bfloat16"):
    """Y = silu(gate) * up of the two halves of X's columns."""

    @T.prim_func
    def swiglu_forward(X: T.Tensor((rows, 2 * columns), dtype), Y: T.Tensor((rows, columns), dtype)):
        with T.Kernel(T.ceildiv(columns, block_N), T.ceildiv(rows, block_M), threads=256) as (bx, by):
            for i, j in T.Parallel(block_M, block_N):
                row, column = by * block_M + i, bx * block_N + j
                if columns % block_N == 0 or column < columns:  # else the columns of a last block would reach into `up`
                    gate = T.cast(X[row, column], "float32")
                    Y[row, column] = gate / (1.0 + T.exp(-gate)) * X[row, columns + column]

    return swiglu_forward


def top_p(rows, vocabulary, chunk=4096, steps=24, threads=512):
    """A token of each row, of the fewest likeliest ones whose probabilities make up P.

    No sort. How far below the largest logit a token may be is found by halving an interval; a row's weight above a
    distance is one pass over logits that lie in the cache. U is a random number of each row in [0, 1).
    """
    chunks, furthest = T.ceildiv(vocabulary, chunk), 40.0  # in powers of two: what is further weighs nothing

    @T.prim_func
    def sample_top_p(Logits: T.Tensor((rows, vocabulary), "float32"), U: T.Tensor((rows,), "float32"),
                     temperature: T.float32, P: T.float32, Token: T.Tensor((rows,), "int32")):
        with T.Kernel(rows, threads=threads) as row:
            x = T.alloc_fragment((chunk,), "float32")
            places = T.alloc_fragment((chunk,), "int32")
            number = T.alloc_fragment((1,), "float32")
            place = T.alloc_fragment((1,), "int32")
            top = T.alloc_var("float32", init=-1e30)
            all_weight = T.alloc_var("float32", init=0.0)
            weight = T.alloc_var("float32", init=0.0)
            near = T.alloc_var("float32", init=0.0)
            far = T.alloc_var("float32", init=furthest)
            token = T.alloc_var("int32", init=0)
            last = T.alloc_var("int32", init=0)
            for c in T.serial(chunks):
                for j in T.Parallel(chunk):
                    x[j] = T.if_then_else(c * chunk + j < vocabulary, Logits[row, c * chunk + j], -1e30)
                T.reduce_max(x, number)
                top = T.max(top, number[0])
            scale = LOG2E / temperature
            for step in T.serial(steps + 1):
                middle = T.if_then_else(step == 0, furthest, (near + far) / 2)
                weight = 0.0
                for c in T.serial(chunks):
                    for j in T.Parallel(chunk):
                        below = T.if_then_else(c * chunk + j < vocabulary, (top - Logits[row, c * chunk + j]) * scale, 1e30)
                        x[j] = T.if_then_else(below <= middle, T.exp2(-below), 0)
                    T.reduce_sum(x, number)
                    weight = weight + number[0]
                if step == 0:
                    all_weight = weight
                elif weight >= P * all_weight:
                    far = middle
                else:
                    near = middle
            # The kept tokens are those not further than `far`; where U points into their weights is the token.
            weight = 0.0
            for c in T.serial(chunks):
                for j in T.Parallel(chunk):
                    below = T.if_then_else(c * chunk + j < vocabulary, (top - Logits[row, c * chunk + j]) * scale, 1e30)
                    x[j] = T.if_then_else(below <= far, T.exp2(-below), 0)
                T.reduce_sum(x, number)
                weight = weight + number[0]
            wanted = U[row] * weight
            weight = 0.0
            for c in T.serial(chunks):
                for j in T.Parallel(chunk):
                    below = T.if_then_else(c * chunk + j < vocabulary, (top - Logits[row, c * chunk + j]) * scale, 1e30)
                    x[j] = T.if_then_else(below <= far, T.exp2(-below), 0)
                    places[j] = T.if_then_else(below <= far, c * chunk + j, 0)
                T.reduce_max(places, place)
                last = T.max(last, place[0])
                T.cumsum(x)
                for j in T.Parallel(chunk):
                    places[j] = T.if_then_else(c * chunk + j < vocabulary and weight + x[j] <= wanted, 1, 0)
                T.reduce_sum(places, place)
                token = token + place[0]
                weight = weight + x[chunk - 1]
            Token[row] = T.min(token, last)

    return sample_top_p
