// SPDX-License-Identifier: Apache-2.0
// Source of kernels_gfx942.s and kernels_gfx950.s, which clang 22 made:
//   clang-22 -x c --target=amdgcn-amd-amdhsa -mcpu=ARCH -nogpulib -O3 -S
//   -D__HIP_MEMORY_SCOPE_AGENT=4
// (comments removed). They exercise what compilers emit; see test/unit/Sim/CompilerOutputTest.cpp.
#define K __attribute__((amdgpu_kernel))
#define G __attribute__((address_space(1)))
#define L __attribute__((address_space(3)))
typedef float f4 __attribute__((ext_vector_type(4)));
typedef __bf16 b8 __attribute__((ext_vector_type(8)));
typedef _Float16 h4 __attribute__((ext_vector_type(4)));
K void vadd(const G float *a, const G float *b, G float *c, int n) {
  int i = __builtin_amdgcn_workgroup_id_x() * __builtin_amdgcn_workgroup_size_x() +
          __builtin_amdgcn_workitem_id_x();
  if (i < n)
    c[i] = a[i] + b[i];
}
L float sred[256] __attribute__((loader_uninitialized));
L float str_[32][33] __attribute__((loader_uninitialized));
K __attribute__((amdgpu_flat_work_group_size(256, 256))) void reduce(const G float *a, G float *o,
                                                                     int n) {
  int t = __builtin_amdgcn_workitem_id_x();
  int i = __builtin_amdgcn_workgroup_id_x() * 256 + t;
  sred[t] = i < n ? a[i] : 0;
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
  for (int d = 128; d > 0; d >>= 1) {
    if (t < d)
      sred[t] += sred[t + d];
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
    __builtin_amdgcn_s_barrier();
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
  }
  if (t == 0)
    o[__builtin_amdgcn_workgroup_id_x()] = sred[0];
}
K __attribute__((amdgpu_flat_work_group_size(64, 64))) void softmax(const G float *a, G float *o,
                                                                    int n) {
  int t = __builtin_amdgcn_workitem_id_x();
  const G float *r = a + (long)__builtin_amdgcn_workgroup_id_x() * n;
  G float *w = o + (long)__builtin_amdgcn_workgroup_id_x() * n;
  float m = -__builtin_inff();
  for (int i = t; i < n; i += 64)
    m = __builtin_fmaxf(m, r[i]);
  for (int d = 32; d; d >>= 1) {
    int x = __builtin_amdgcn_ds_bpermute((t ^ d) << 2, __builtin_bit_cast(int, m));
    m = __builtin_fmaxf(m, __builtin_bit_cast(float, x));
  }
  float s = 0;
  for (int i = t; i < n; i += 64)
    s += __builtin_expf(r[i] - m);
  for (int d = 32; d; d >>= 1) {
    int x = __builtin_amdgcn_ds_bpermute((t ^ d) << 2, __builtin_bit_cast(int, s));
    s += __builtin_bit_cast(float, x);
  }
  for (int i = t; i < n; i += 64)
    w[i] = __builtin_expf(r[i] - m) / s;
}
K __attribute__((amdgpu_flat_work_group_size(256, 256))) void transpose(const G float *a,
                                                                        G float *o, int w, int h) {
  int t = __builtin_amdgcn_workitem_id_x();
  int x = t % 32, y = t / 32;
  int bx = __builtin_amdgcn_workgroup_id_x() * 32, by = __builtin_amdgcn_workgroup_id_y() * 32;
  for (int k = 0; k < 32; k += 8)
    if (bx + x < w && by + y + k < h)
      str_[y + k][x] = a[(by + y + k) * w + bx + x];
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
  for (int k = 0; k < 32; k += 8)
    if (by + x < h && bx + y + k < w)
      o[(bx + y + k) * h + by + x] = str_[x][y + k];
}
K __attribute__((amdgpu_flat_work_group_size(64, 64))) void
mfma(const G _Float16 *a, const G _Float16 *b, G float *c, int n, int k) {
  int l = __builtin_amdgcn_workitem_id_x();
  int r = l % 16, g = l / 16;
  int bi = __builtin_amdgcn_workgroup_id_x() * 16, bj = __builtin_amdgcn_workgroup_id_y() * 16;
  f4 acc = {0, 0, 0, 0};
  for (int kk = 0; kk < k; kk += 16) {
    h4 x = *(const G h4 *)(a + (bi + r) * k + kk + g * 4);
    h4 y = *(const G h4 *)(b + (bj + r) * k + kk + g * 4);
    acc = __builtin_amdgcn_mfma_f32_16x16x16f16(x, y, acc, 0, 0, 0);
  }
  for (int i = 0; i < 4; i++)
    c[(bi + g * 4 + i) * n + bj + r] = acc[i];
}
K void atomics(G int *h, G float *f, const G int *a, int n) {
  int i = __builtin_amdgcn_workgroup_id_x() * __builtin_amdgcn_workgroup_size_x() +
          __builtin_amdgcn_workitem_id_x();
  if (i < n) {
    __hip_atomic_fetch_add(h + (a[i] & 15), 1, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
    __hip_atomic_fetch_max(h + 16, a[i], __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
    __hip_atomic_fetch_add(f, (float)(a[i] & 3), __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
  }
}
K void intdiv(const G int *a, const G int *b, G int *q, G int *r, int n) {
  int i = __builtin_amdgcn_workgroup_id_x() * __builtin_amdgcn_workgroup_size_x() +
          __builtin_amdgcn_workitem_id_x();
  if (i < n) {
    q[i] = a[i] / b[i];
    r[i] = a[i] % b[i];
  }
}
K void spill(const G float *a, G float *o, int n) {
  float x[64];
  int t = __builtin_amdgcn_workitem_id_x();
  for (int i = 0; i < 64; i++)
    x[i] = a[(t * 64 + i) % n];
  float s = 0;
  for (int i = 0; i < n; i++)
    s += x[(i * 7 + t) % 64] * i;
  o[t] = s;
}
K void dbl(const G double *a, G double *o, int n) {
  int t = __builtin_amdgcn_workitem_id_x();
  if (t < n)
    o[t] = __builtin_sqrt(a[t]) / (a[t] + 3.0);
}
K void i64(const G long *a, G long *o, int n) {
  int t = __builtin_amdgcn_workitem_id_x();
  if (t < n)
    o[t] = a[t] * a[(t + 1) % n] + (a[t] >> 3) - a[t] / 7;
}
