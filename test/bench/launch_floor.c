/*===- launch_floor.c - what a launch costs from C ----------------------------===*\
 *
 * usage: launch_floor PTX-OR-CUBIN SYMBOL ARGUMENTS [EARLY]
 *
 * Prints the microseconds of the host for one cuLaunchKernelEx of a kernel with so many pointers,
 * without attributes or, where EARLY is 1, with programmatic stream serialization.
 *
 * SPDX-License-Identifier: Apache-2.0
\*===----------------------------------------------------------------------===*/
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* Of the driver's interface; its header is not needed to build this. */
typedef struct {
  unsigned id, padding;
  union {
    char bytes[64];
    int allowed;
  } value;
} Attribute;
typedef struct {
  unsigned grid[3], block[3], shared;
  void *stream, *attributes;
  unsigned attributeCount;
} Config;

static void *driver;
static void *find(const char *name) {
  void *found = dlsym(driver, name);
  if (!found) {
    fprintf(stderr, "libcuda has no %s\n", name);
    exit(1);
  }
  return found;
}
static void check(int status, const char *what) {
  if (status) {
    fprintf(stderr, "%s: %d\n", what, status);
    exit(1);
  }
}
static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

int main(int argc, char **argv) {
  if (argc != 4 && argc != 5)
    return 2;
  driver = dlopen("libcuda.so.1", RTLD_NOW);
  if (!driver) {
    fprintf(stderr, "%s\n", dlerror());
    return 1;
  }
  int count = atoi(argv[3]);
  FILE *file = fopen(argv[1], "rb");
  if (!file)
    return 1;
  static char image[1 << 22];
  size_t size = fread(image, 1, sizeof image - 1, file);
  image[size] = 0;
  void *context, *module, *function;
  unsigned long long memory;
  int device;
  check(((int (*)(unsigned))find("cuInit"))(0), "cuInit");
  check(((int (*)(int *, int))find("cuDeviceGet"))(&device, 0), "cuDeviceGet");
  check(((int (*)(void **, int))find("cuDevicePrimaryCtxRetain"))(&context, device), "context");
  check(((int (*)(void *))find("cuCtxSetCurrent"))(context), "cuCtxSetCurrent");
  check(((int (*)(void **, const void *))find("cuModuleLoadData"))(&module, image), "load");
  check(((int (*)(void **, void *, const char *))find("cuModuleGetFunction"))(&function, module,
                                                                              argv[2]),
        "cuModuleGetFunction");
  check(((int (*)(unsigned long long *, size_t))find("cuMemAlloc_v2"))(&memory, 1 << 20), "memory");
  int (*launch)(const Config *, void *, void **, void **) = find("cuLaunchKernelEx");
  int (*wait)(void) = find("cuCtxSynchronize");
  void *args[64];
  unsigned long long values[64];
  for (int i = 0; i < count && i < 64; ++i) {
    values[i] = memory;
    args[i] = &values[i];
  }
  Attribute early = {
      .id = 6, .value.allowed = 1}; /* CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION */
  Config config = {{1, 1, 1}, {128, 1, 1}, 0, NULL, NULL, 0};
  if (argc == 5 && atoi(argv[4])) {
    config.attributes = &early;
    config.attributeCount = 1;
  }
  double best = 1e9;
  for (int round = 0; round < 20; ++round) {
    check(wait(), "wait");
    double start = now();
    for (int i = 0; i < 500; ++i)
      check(launch(&config, function, args, NULL), "cuLaunchKernelEx");
    double took = (now() - start) / 500;
    best = took < best ? took : best;
  }
  check(wait(), "wait");
  printf("%.3f\n", best);
  return 0;
}
