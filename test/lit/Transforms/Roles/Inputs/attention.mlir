// Attention without its sums, an input of tests beside this folder: under a causal mask, with as many rounds in each of
// many blocks, and with one stage.
tile.program @causal {
  %Q = tile.tensor "Q"[] : !tile.buffer<[2, 1536, 64], bf16, global>
  %K = tile.tensor "K"[] : !tile.buffer<[2, 1536, 64], bf16, global>
  %V = tile.tensor "V"[] : !tile.buffer<[2, 1536, 64], bf16, global>
  %Out = tile.tensor "Out"[] : !tile.buffer<[2, 1536, 64], bf16, global>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %heads = arith.constant 2 : index
  tile.kernel "causal" grid(%heads, %c8) threads(384) {
  ^bb0(%bx: index, %by: index):
    %c64 = arith.constant 64 : index
    %c127 = arith.constant 127 : index
    %c128 = arith.constant 128 : index
    %c192 = arith.constant 192 : index
    %scale = arith.constant 1.8e-01 : f32
    %low = arith.constant 0xFF800000 : f32
    %zero = arith.constant 0.0 : f32
    %q = tile.alloc "q" : !tile.buffer<[192, 64], bf16, shared>
    %k = tile.alloc "k" : !tile.buffer<[128, 64], bf16, shared>
    %v = tile.alloc "v" : !tile.buffer<[128, 64], bf16, shared>
    %scores = tile.alloc "scores" : !tile.buffer<[192, 128], f32, fragment>
    %weights = tile.alloc "weights" : !tile.buffer<[192, 128], bf16, fragment>
    %out = tile.alloc "out" : !tile.buffer<[192, 64], f32, fragment>
    %top = tile.alloc "top" : !tile.buffer<[192], f32, fragment>
    %before = tile.alloc "before" : !tile.buffer<[192], f32, fragment>
    %fade = tile.alloc "fade" : !tile.buffer<[192], f32, fragment>
    %rows = arith.muli %by, %c192 : index
    %vq = tile.subview %Q[%bx, %rows, %c0] : !tile.buffer<[2, 1536, 64], bf16, global> to !tile.buffer<[1, 192, 64], bf16, global>
    tile.copy %vq to %q : !tile.buffer<[1, 192, 64], bf16, global>, !tile.buffer<[192, 64], bf16, shared>
    tile.fill %zero, %out : f32, !tile.buffer<[192, 64], f32, fragment>
    tile.fill %low, %top : f32, !tile.buffer<[192], f32, fragment>
    %next = arith.addi %by, %c1 : index
    %below = arith.muli %next, %c192 : index
    %last = arith.addi %below, %c127 : index
    %rounds = arith.divui %last, %c128 : index
    tile.for %n = %c0 to %rounds step %c1 kind(pipelined) stages(2) {
      %at = arith.muli %n, %c128 : index
      %vk = tile.subview %K[%bx, %at, %c0] : !tile.buffer<[2, 1536, 64], bf16, global> to !tile.buffer<[1, 128, 64], bf16, global>
      tile.copy %vk to %k : !tile.buffer<[1, 128, 64], bf16, global>, !tile.buffer<[128, 64], bf16, shared>
      %vv = tile.subview %V[%bx, %at, %c0] : !tile.buffer<[2, 1536, 64], bf16, global> to !tile.buffer<[1, 128, 64], bf16, global>
      tile.copy %vv to %v : !tile.buffer<[1, 128, 64], bf16, global>, !tile.buffer<[128, 64], bf16, shared>
      tile.parallel (%i, %j) in (%c192, %c128) {
        %r = arith.addi %rows, %i : index
        %c = arith.addi %at, %j : index
        %inside = arith.cmpi sge, %r, %c : index
        %x = arith.select %inside, %zero, %low : f32
        tile.store %x, %scores[%i, %j] : f32, !tile.buffer<[192, 128], f32, fragment>
      }
      tile.gemm %q, %k, %scores {policy = #tile<warp_policy full_row>, transpose_b} : !tile.buffer<[192, 64], bf16, shared>, !tile.buffer<[128, 64], bf16, shared>, !tile.buffer<[192, 128], f32, fragment>
      tile.copy %top to %before : !tile.buffer<[192], f32, fragment>, !tile.buffer<[192], f32, fragment>
      tile.reduce max %scores to %top dim 1 {clear = false} : !tile.buffer<[192, 128], f32, fragment>, !tile.buffer<[192], f32, fragment>
      tile.parallel (%i) in (%c192) {
        %b = tile.load %before[%i] : !tile.buffer<[192], f32, fragment> -> f32
        %sb = arith.mulf %b, %scale : f32
        %t = tile.load %top[%i] : !tile.buffer<[192], f32, fragment> -> f32
        %st = arith.mulf %t, %scale : f32
        %d = arith.subf %sb, %st : f32
        %e = math.exp2 %d : f32
        tile.store %e, %fade[%i] : f32, !tile.buffer<[192], f32, fragment>
      }
      tile.parallel (%i, %j) in (%c192, %c128) {
        %s = tile.load %scores[%i, %j] : !tile.buffer<[192, 128], f32, fragment> -> f32
        %ss = arith.mulf %s, %scale : f32
        %t = tile.load %top[%i] : !tile.buffer<[192], f32, fragment> -> f32
        %st = arith.mulf %t, %scale : f32
        %d = arith.subf %ss, %st : f32
        %e = math.exp2 %d : f32
        tile.store %e, %scores[%i, %j] : f32, !tile.buffer<[192, 128], f32, fragment>
      }
      tile.parallel (%i, %j) in (%c192, %c64) {
        %o = tile.load %out[%i, %j] : !tile.buffer<[192, 64], f32, fragment> -> f32
        %f = tile.load %fade[%i] : !tile.buffer<[192], f32, fragment> -> f32
        %x = arith.mulf %o, %f : f32
        tile.store %x, %out[%i, %j] : f32, !tile.buffer<[192, 64], f32, fragment>
      }
      tile.copy %scores to %weights : !tile.buffer<[192, 128], f32, fragment>, !tile.buffer<[192, 128], bf16, fragment>
      tile.gemm %weights, %v, %out {policy = #tile<warp_policy full_row>} : !tile.buffer<[192, 128], bf16, fragment>, !tile.buffer<[128, 64], bf16, shared>, !tile.buffer<[192, 64], f32, fragment>
    }
    %vo = tile.subview %Out[%bx, %rows, %c0] : !tile.buffer<[2, 1536, 64], bf16, global> to !tile.buffer<[1, 192, 64], bf16, global>
    tile.copy %out to %vo : !tile.buffer<[192, 64], f32, fragment>, !tile.buffer<[1, 192, 64], bf16, global>
  }
}

tile.program @even {
  %Q = tile.tensor "Q"[] : !tile.buffer<[64, 1536, 64], bf16, global>
  %K = tile.tensor "K"[] : !tile.buffer<[64, 1536, 64], bf16, global>
  %V = tile.tensor "V"[] : !tile.buffer<[64, 1536, 64], bf16, global>
  %Out = tile.tensor "Out"[] : !tile.buffer<[64, 1536, 64], bf16, global>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %heads = arith.constant 64 : index
  tile.kernel "even" grid(%heads, %c8) threads(384) {
  ^bb0(%bx: index, %by: index):
    %c64 = arith.constant 64 : index
    %c127 = arith.constant 127 : index
    %c128 = arith.constant 128 : index
    %c192 = arith.constant 192 : index
    %scale = arith.constant 1.8e-01 : f32
    %low = arith.constant 0xFF800000 : f32
    %zero = arith.constant 0.0 : f32
    %q = tile.alloc "q" : !tile.buffer<[192, 64], bf16, shared>
    %k = tile.alloc "k" : !tile.buffer<[128, 64], bf16, shared>
    %v = tile.alloc "v" : !tile.buffer<[128, 64], bf16, shared>
    %scores = tile.alloc "scores" : !tile.buffer<[192, 128], f32, fragment>
    %weights = tile.alloc "weights" : !tile.buffer<[192, 128], bf16, fragment>
    %out = tile.alloc "out" : !tile.buffer<[192, 64], f32, fragment>
    %top = tile.alloc "top" : !tile.buffer<[192], f32, fragment>
    %before = tile.alloc "before" : !tile.buffer<[192], f32, fragment>
    %fade = tile.alloc "fade" : !tile.buffer<[192], f32, fragment>
    %rows = arith.muli %by, %c192 : index
    %vq = tile.subview %Q[%bx, %rows, %c0] : !tile.buffer<[64, 1536, 64], bf16, global> to !tile.buffer<[1, 192, 64], bf16, global>
    tile.copy %vq to %q : !tile.buffer<[1, 192, 64], bf16, global>, !tile.buffer<[192, 64], bf16, shared>
    tile.fill %zero, %out : f32, !tile.buffer<[192, 64], f32, fragment>
    tile.fill %low, %top : f32, !tile.buffer<[192], f32, fragment>
    %rounds = arith.constant 12 : index
    tile.for %n = %c0 to %rounds step %c1 kind(pipelined) stages(2) {
      %at = arith.muli %n, %c128 : index
      %vk = tile.subview %K[%bx, %at, %c0] : !tile.buffer<[64, 1536, 64], bf16, global> to !tile.buffer<[1, 128, 64], bf16, global>
      tile.copy %vk to %k : !tile.buffer<[1, 128, 64], bf16, global>, !tile.buffer<[128, 64], bf16, shared>
      %vv = tile.subview %V[%bx, %at, %c0] : !tile.buffer<[64, 1536, 64], bf16, global> to !tile.buffer<[1, 128, 64], bf16, global>
      tile.copy %vv to %v : !tile.buffer<[1, 128, 64], bf16, global>, !tile.buffer<[128, 64], bf16, shared>
      tile.fill %zero, %scores : f32, !tile.buffer<[192, 128], f32, fragment>
      tile.gemm %q, %k, %scores {policy = #tile<warp_policy full_row>, transpose_b} : !tile.buffer<[192, 64], bf16, shared>, !tile.buffer<[128, 64], bf16, shared>, !tile.buffer<[192, 128], f32, fragment>
      tile.copy %top to %before : !tile.buffer<[192], f32, fragment>, !tile.buffer<[192], f32, fragment>
      tile.reduce max %scores to %top dim 1 {clear = false} : !tile.buffer<[192, 128], f32, fragment>, !tile.buffer<[192], f32, fragment>
      tile.parallel (%i) in (%c192) {
        %b = tile.load %before[%i] : !tile.buffer<[192], f32, fragment> -> f32
        %sb = arith.mulf %b, %scale : f32
        %t = tile.load %top[%i] : !tile.buffer<[192], f32, fragment> -> f32
        %st = arith.mulf %t, %scale : f32
        %d = arith.subf %sb, %st : f32
        %e = math.exp2 %d : f32
        tile.store %e, %fade[%i] : f32, !tile.buffer<[192], f32, fragment>
      }
      tile.parallel (%i, %j) in (%c192, %c128) {
        %s = tile.load %scores[%i, %j] : !tile.buffer<[192, 128], f32, fragment> -> f32
        %ss = arith.mulf %s, %scale : f32
        %t = tile.load %top[%i] : !tile.buffer<[192], f32, fragment> -> f32
        %st = arith.mulf %t, %scale : f32
        %d = arith.subf %ss, %st : f32
        %e = math.exp2 %d : f32
        tile.store %e, %scores[%i, %j] : f32, !tile.buffer<[192, 128], f32, fragment>
      }
      tile.parallel (%i, %j) in (%c192, %c64) {
        %o = tile.load %out[%i, %j] : !tile.buffer<[192, 64], f32, fragment> -> f32
        %f = tile.load %fade[%i] : !tile.buffer<[192], f32, fragment> -> f32
        %x = arith.mulf %o, %f : f32
        tile.store %x, %out[%i, %j] : f32, !tile.buffer<[192, 64], f32, fragment>
      }
      tile.copy %scores to %weights : !tile.buffer<[192, 128], f32, fragment>, !tile.buffer<[192, 128], bf16, fragment>
      tile.gemm %weights, %v, %out {policy = #tile<warp_policy full_row>} : !tile.buffer<[192, 128], bf16, fragment>, !tile.buffer<[128, 64], bf16, shared>, !tile.buffer<[192, 64], f32, fragment>
    }
    %vo = tile.subview %Out[%bx, %rows, %c0] : !tile.buffer<[64, 1536, 64], bf16, global> to !tile.buffer<[1, 192, 64], bf16, global>
    tile.copy %out to %vo : !tile.buffer<[192, 64], f32, fragment>, !tile.buffer<[1, 192, 64], bf16, global>
  }
}

tile.program @lone {
  %Q = tile.tensor "Q"[] : !tile.buffer<[2, 1536, 64], bf16, global>
  %K = tile.tensor "K"[] : !tile.buffer<[2, 1536, 64], bf16, global>
  %V = tile.tensor "V"[] : !tile.buffer<[2, 1536, 64], bf16, global>
  %Out = tile.tensor "Out"[] : !tile.buffer<[2, 1536, 64], bf16, global>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %heads = arith.constant 2 : index
  tile.kernel "lone" grid(%heads, %c8) threads(384) {
  ^bb0(%bx: index, %by: index):
    %c64 = arith.constant 64 : index
    %c127 = arith.constant 127 : index
    %c128 = arith.constant 128 : index
    %c192 = arith.constant 192 : index
    %scale = arith.constant 1.8e-01 : f32
    %low = arith.constant 0xFF800000 : f32
    %zero = arith.constant 0.0 : f32
    %q = tile.alloc "q" : !tile.buffer<[192, 64], bf16, shared>
    %k = tile.alloc "k" : !tile.buffer<[128, 64], bf16, shared>
    %v = tile.alloc "v" : !tile.buffer<[128, 64], bf16, shared>
    %scores = tile.alloc "scores" : !tile.buffer<[192, 128], f32, fragment>
    %weights = tile.alloc "weights" : !tile.buffer<[192, 128], bf16, fragment>
    %out = tile.alloc "out" : !tile.buffer<[192, 64], f32, fragment>
    %top = tile.alloc "top" : !tile.buffer<[192], f32, fragment>
    %before = tile.alloc "before" : !tile.buffer<[192], f32, fragment>
    %fade = tile.alloc "fade" : !tile.buffer<[192], f32, fragment>
    %rows = arith.muli %by, %c192 : index
    %vq = tile.subview %Q[%bx, %rows, %c0] : !tile.buffer<[2, 1536, 64], bf16, global> to !tile.buffer<[1, 192, 64], bf16, global>
    tile.copy %vq to %q : !tile.buffer<[1, 192, 64], bf16, global>, !tile.buffer<[192, 64], bf16, shared>
    tile.fill %zero, %out : f32, !tile.buffer<[192, 64], f32, fragment>
    tile.fill %low, %top : f32, !tile.buffer<[192], f32, fragment>
    %rounds = arith.constant 12 : index
    tile.for %n = %c0 to %rounds step %c1 kind(pipelined) {
      %at = arith.muli %n, %c128 : index
      %vk = tile.subview %K[%bx, %at, %c0] : !tile.buffer<[2, 1536, 64], bf16, global> to !tile.buffer<[1, 128, 64], bf16, global>
      tile.copy %vk to %k : !tile.buffer<[1, 128, 64], bf16, global>, !tile.buffer<[128, 64], bf16, shared>
      %vv = tile.subview %V[%bx, %at, %c0] : !tile.buffer<[2, 1536, 64], bf16, global> to !tile.buffer<[1, 128, 64], bf16, global>
      tile.copy %vv to %v : !tile.buffer<[1, 128, 64], bf16, global>, !tile.buffer<[128, 64], bf16, shared>
      tile.fill %zero, %scores : f32, !tile.buffer<[192, 128], f32, fragment>
      tile.gemm %q, %k, %scores {policy = #tile<warp_policy full_row>, transpose_b} : !tile.buffer<[192, 64], bf16, shared>, !tile.buffer<[128, 64], bf16, shared>, !tile.buffer<[192, 128], f32, fragment>
      tile.copy %top to %before : !tile.buffer<[192], f32, fragment>, !tile.buffer<[192], f32, fragment>
      tile.reduce max %scores to %top dim 1 {clear = false} : !tile.buffer<[192, 128], f32, fragment>, !tile.buffer<[192], f32, fragment>
      tile.parallel (%i) in (%c192) {
        %b = tile.load %before[%i] : !tile.buffer<[192], f32, fragment> -> f32
        %sb = arith.mulf %b, %scale : f32
        %t = tile.load %top[%i] : !tile.buffer<[192], f32, fragment> -> f32
        %st = arith.mulf %t, %scale : f32
        %d = arith.subf %sb, %st : f32
        %e = math.exp2 %d : f32
        tile.store %e, %fade[%i] : f32, !tile.buffer<[192], f32, fragment>
      }
      tile.parallel (%i, %j) in (%c192, %c128) {
        %s = tile.load %scores[%i, %j] : !tile.buffer<[192, 128], f32, fragment> -> f32
        %ss = arith.mulf %s, %scale : f32
        %t = tile.load %top[%i] : !tile.buffer<[192], f32, fragment> -> f32
        %st = arith.mulf %t, %scale : f32
        %d = arith.subf %ss, %st : f32
        %e = math.exp2 %d : f32
        tile.store %e, %scores[%i, %j] : f32, !tile.buffer<[192, 128], f32, fragment>
      }
      tile.parallel (%i, %j) in (%c192, %c64) {
        %o = tile.load %out[%i, %j] : !tile.buffer<[192, 64], f32, fragment> -> f32
        %f = tile.load %fade[%i] : !tile.buffer<[192], f32, fragment> -> f32
        %x = arith.mulf %o, %f : f32
        tile.store %x, %out[%i, %j] : f32, !tile.buffer<[192, 64], f32, fragment>
      }
      tile.copy %scores to %weights : !tile.buffer<[192, 128], f32, fragment>, !tile.buffer<[192, 128], bf16, fragment>
      tile.gemm %weights, %v, %out {policy = #tile<warp_policy full_row>} : !tile.buffer<[192, 128], bf16, fragment>, !tile.buffer<[128, 64], bf16, shared>, !tile.buffer<[192, 64], f32, fragment>
    }
    %vo = tile.subview %Out[%bx, %rows, %c0] : !tile.buffer<[2, 1536, 64], bf16, global> to !tile.buffer<[1, 192, 64], bf16, global>
    tile.copy %out to %vo : !tile.buffer<[192, 64], f32, fragment>, !tile.buffer<[1, 192, 64], bf16, global>
  }
}
