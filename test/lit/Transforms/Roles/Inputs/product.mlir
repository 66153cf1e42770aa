// A matrix product of 128 x 128 tiles, an input of tests beside this folder.
tile.program @product {
  %A = tile.tensor "A"[] : !tile.buffer<[2048, 2048], f16, global>
  %B = tile.tensor "B"[] : !tile.buffer<[2048, 2048], f16, global>
  %D = tile.tensor "D"[] : !tile.buffer<[2048, 2048], f16, global>
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  tile.kernel "product" grid(%c16, %c16) threads(256) {
  ^bb0(%bx: index, %by: index):
    %c0 = arith.constant 0 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %zero = arith.constant 0.0 : f32
    %a = tile.alloc "a" : !tile.buffer<[128, 64], f16, shared>
    %b = tile.alloc "b" : !tile.buffer<[128, 64], f16, shared>
    %c = tile.alloc "c" : !tile.buffer<[128, 128], f32, fragment>
    %m = arith.muli %by, %c128 : index
    %n = arith.muli %bx, %c128 : index
    tile.fill %zero, %c : f32, !tile.buffer<[128, 128], f32, fragment>
    tile.for %k = %c0 to %c32 step %c1 kind(pipelined) stages(2) {
      %at = arith.muli %k, %c64 : index
      %va = tile.subview %A[%m, %at] : !tile.buffer<[2048, 2048], f16, global> to !tile.buffer<[128, 64], f16, global>
      tile.copy %va to %a : !tile.buffer<[128, 64], f16, global>, !tile.buffer<[128, 64], f16, shared>
      %vb = tile.subview %B[%n, %at] : !tile.buffer<[2048, 2048], f16, global> to !tile.buffer<[128, 64], f16, global>
      tile.copy %vb to %b : !tile.buffer<[128, 64], f16, global>, !tile.buffer<[128, 64], f16, shared>
      tile.gemm %a, %b, %c {transpose_b} : !tile.buffer<[128, 64], f16, shared>, !tile.buffer<[128, 64], f16, shared>, !tile.buffer<[128, 128], f32, fragment>
    }
    %vd = tile.subview %D[%m, %n] : !tile.buffer<[2048, 2048], f16, global> to !tile.buffer<[128, 128], f16, global>
    tile.copy %c to %vd : !tile.buffer<[128, 128], f32, fragment>, !tile.buffer<[128, 128], f16, global>
  }
}
