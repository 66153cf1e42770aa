# A product in the tiles that tilec.tiles gives: test/bench/hopper/tiles.py compares them with others.
import gemm as of_tiles
from tilec import tiles


def gemm(M, N, K, dtype="bfloat16", out="bfloat16", tb=True):
    tile = tiles.product(M, N, K, dtype, transpose_B=tb)
    return of_tiles.gemm(M, N, K, block_M=tile["block_M"], block_N=tile["block_N"], block_K=tile["block_K"], stages=tile["num_stages"],
                         threads=tile["threads"], dtype=dtype, out=out, tb=tb, panel=tile["panel_size"],
                         accum="int32" if dtype == "int8" else "float32")
