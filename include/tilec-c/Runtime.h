/*===- tilec-c/Runtime.h - launch compiled kernels ---------------------------===*\
 *
 * libtilec-runtime.so: CUDA and HIP by dlopen, launch manifests, no LLVM. Loads what
 * tilec_compile or the command line have made:
 *
 *     tilec_device_options options = {sizeof options};
 *     options.kind = "hip";
 *     tilec_device_open(&options, &device);
 *     tilec_module_load(device, image, manifest, &module);
 *     tilec_arg args[3] = {tilec_tensor(a), tilec_tensor(b), tilec_tensor(c)};
 *     tilec_launch(module, stream, args, 3);
 *
 * A stream is the driver's own handle (CUstream, hipStream_t) as a number; 0 is the default
 * stream. Device addresses are numbers, too, so that memory of PyTorch or of anybody else can
 * be given.
 *
 * Threads: any handle may be used from any thread; calls that reach one device wait for one
 * another. Rules of ownership, text and errors: Core.h. No call but tilec_stream_wait and the
 * copies waits for the device.
 *
 * SPDX-License-Identifier: Apache-2.0
\*===----------------------------------------------------------------------===*/
#ifndef TILEC_C_RUNTIME_H
#define TILEC_C_RUNTIME_H

#include "tilec-c/Core.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tilec_device tilec_device;
typedef struct tilec_module tilec_module;
typedef struct tilec_plan tilec_plan;

/** `major << 16 | minor` of libtilec-runtime.so. */
TILEC_API uint32_t tilec_runtime_version(void);
/** As tilec_last_error, of this library. */
TILEC_API tilec_str tilec_runtime_last_error(void);

/*===-- Devices -------------------------------------------------------------===*/

typedef struct tilec_device_options {
  size_t size;
  /** `cuda` or `hip`. */
  const char *kind;
  /** Which of the driver's devices. */
  int index;
  /** Another driver library than the usual one; NULL: the usual one. */
  const char *driver;
} tilec_device_options;

/** Opens a GPU through the driver that is found at run time. TILEC_ERROR_IO without one. On CUDA
 *  this retains the device's primary context, the one that CUDA's runtime and PyTorch use. */
TILEC_API tilec_status tilec_device_open(const tilec_device_options *options,
                                         tilec_device **device);
TILEC_API void tilec_device_retain(tilec_device *device);
TILEC_API void tilec_device_release(tilec_device *device);

/** `cuda`, `hip`, or what a backend calls itself. */
TILEC_API tilec_str tilec_device_kind(const tilec_device *device);
/** The driver's name for it. */
TILEC_API tilec_str tilec_device_name(const tilec_device *device);
/** `gfx950`, `sm_90`. */
TILEC_API tilec_str tilec_device_arch(const tilec_device *device);
/** Whether an image for `target` (of --target) runs on this device. */
TILEC_API int tilec_device_runs(const tilec_device *device, tilec_str target);

/** Memory of the device, at least 256-byte aligned. */
TILEC_API tilec_status tilec_device_allocate(tilec_device *device, size_t bytes, uint64_t *address);
TILEC_API void tilec_device_free(tilec_device *device, uint64_t address);
/** Copies and waits. */
TILEC_API tilec_status tilec_device_upload(tilec_device *device, uint64_t address, const void *from,
                                           size_t bytes);
TILEC_API tilec_status tilec_device_download(tilec_device *device, void *to, uint64_t address,
                                             size_t bytes);

TILEC_API tilec_status tilec_stream_create(tilec_device *device, uint64_t *stream);
TILEC_API void tilec_stream_destroy(tilec_device *device, uint64_t stream);
/** Returns when all work on the stream has finished; TILEC_ERROR_IO for a fault of a kernel. */
TILEC_API tilec_status tilec_stream_wait(tilec_device *device, uint64_t stream);

/*===-- Modules -------------------------------------------------------------===*/

/** Loads an image with its manifest; both are copied. TILEC_ERROR_ARGUMENT: the manifest cannot be
 *  read; TILEC_ERROR_IO: the driver refuses the image. The module keeps its device alive. */
TILEC_API tilec_status tilec_module_load(tilec_device *device, tilec_str image, tilec_str manifest,
                                         tilec_module **module);
TILEC_API void tilec_module_retain(tilec_module *module);
TILEC_API void tilec_module_release(tilec_module *module);

typedef enum tilec_param_kind { TILEC_PARAM_TENSOR = 0, TILEC_PARAM_SCALAR = 1 } tilec_param_kind;

/** What the caller of a kernel gives: a parameter of the script. */
typedef struct tilec_param {
  size_t size;
  tilec_str name;
  /** `bfloat16`, `int32`, ... as in the manifest. */
  tilec_str dtype;
  tilec_param_kind kind;
  uint32_t rank;
  int is_read, is_written;
  /** The place in what the script returns, counted from 0; -1: it is not returned. */
  int output;
} tilec_param;

TILEC_API size_t tilec_module_param_count(const tilec_module *module);
/** Fills `param`, whose `size` is set. TILEC_ERROR_ARGUMENT beyond the last one. */
TILEC_API tilec_status tilec_module_param(const tilec_module *module, size_t index,
                                          tilec_param *param);

/*===-- Launches ------------------------------------------------------------===*/

typedef enum tilec_arg_kind {
  TILEC_ARG_TENSOR = 0,
  TILEC_ARG_INT = 1,
  TILEC_ARG_FLOAT = 2
} tilec_arg_kind;

/** An argument. Cleared but for `address` it is a dense tensor of the shape that the kernel was
 *  compiled for. */
typedef struct tilec_arg {
  tilec_arg_kind kind;
  /** Tensor: how many extents `shape` has; 0 with `shape` NULL: as compiled. */
  uint32_t rank;
  uint64_t address;
  /** Tensor: extents in elements, outermost first. Read during the call only. */
  const int64_t *shape;
  /** Tensor: in elements; NULL: row-major without gaps. */
  const int64_t *strides;
  int64_t integer;
  double real;
  /** Tensor: a name as in tilec_param, compared with the kernel's; NULL: not compared. */
  const char *dtype;
} tilec_arg;

/**
 * Queues all launches of the module on `stream` and returns. `args` follow the parameters of the
 * script in order; they are read before the call returns, their memory must live until the stream
 * has done its work. Sizes that the kernel was compiled without are taken from the tensors' shapes.
 * Scratch memory is allocated with the first launch of a shape on a stream, and kept.
 *
 * TILEC_ERROR_ARGUMENT: number, shapes or dtypes do not fit the kernel; nothing was queued.
 */
TILEC_API tilec_status tilec_launch(tilec_module *module, uint64_t stream, const tilec_arg *args,
                                    size_t count);

/** What tilec_launch finds out about arguments before it launches, for those of one shape. */
TILEC_API tilec_status tilec_plan_create(tilec_module *module, const tilec_arg *args, size_t count,
                                         tilec_plan **plan);
/** As tilec_launch, for other addresses and other floating-point scalars than those that the plan
 *  was made of; shapes, strides and integers are the plan's and not looked at. */
TILEC_API tilec_status tilec_plan_launch(tilec_plan *plan, uint64_t stream, const tilec_arg *args,
                                         size_t count);
TILEC_API void tilec_plan_retain(tilec_plan *plan);
TILEC_API void tilec_plan_release(tilec_plan *plan);

/*===-- Other devices -------------------------------------------------------===*/

/** Extents in x, y, z. */
typedef struct tilec_launch_shape {
  size_t size;
  int64_t grid[3];    /**< in blocks */
  int64_t block[3];   /**< in threads */
  int64_t cluster[3]; /**< in blocks */
  int64_t shared_bytes;
  int32_t cooperative; /**< blocks wait for each other: all of them run at once, or it fails */
  uint64_t barrier;    /**< of such a launch: the address of the word by which they do */
} tilec_launch_shape;

/** What cuTensorMapEncodeTiled takes, or cuTensorMapEncodeIm2col: then `steps` is not null, and
 * `box` has two extents, channels and pixels. Innermost dimension first. */
typedef struct tilec_tensor_map {
  size_t size;
  uint64_t address;
  uint32_t element_bits;
  int is_float, is_signed, is_brain_float;
  size_t rank;
  const int64_t *dims;
  const int64_t *stride_bytes; /**< of dims 1.. */
  const int64_t *box;
  int64_t swizzle_bytes;
  const int64_t *lower, *upper; /**< corners, rank - 2 of each */
  const int64_t *steps;         /**< of dims 1.. without the last: rank - 2 */
} tilec_tensor_map;

/**
 * A device made of functions, such as tilec_simulator_create's. Each function gets `user`; calls
 * come from one thread at a time. A function that does not return TILEC_OK leaves a sentence for
 * `last_error`. `params` of a launch is the packed buffer, `offsets` are those of its parameters.
 */
typedef struct tilec_backend {
  size_t size;
  void *user;
  const char *kind, *name, *arch; /**< live as long as the backend */
  tilec_status (*allocate)(void *user, uint64_t bytes, uint64_t *address);
  void (*free)(void *user, uint64_t address);
  tilec_status (*upload)(void *user, uint64_t address, const void *from, uint64_t bytes);
  tilec_status (*download)(void *user, void *to, uint64_t address, uint64_t bytes);
  tilec_status (*fill)(void *user, uint64_t address, uint8_t value, uint64_t bytes,
                       uint64_t stream);
  tilec_status (*load)(void *user, tilec_str image, uint64_t *module);
  void (*unload)(void *user, uint64_t module);
  tilec_status (*find)(void *user, uint64_t module, const char *symbol, uint64_t *kernel);
  tilec_status (*launch)(void *user, uint64_t kernel, const tilec_launch_shape *shape,
                         const void *params, size_t param_bytes, const int64_t *offsets,
                         size_t param_count, uint64_t stream);
  tilec_status (*wait)(void *user, uint64_t stream);
  /** May be NULL. Writes 128 bytes. */
  tilec_status (*encode_tensor_map)(void *user, const tilec_tensor_map *map, void *bytes);
  tilec_str (*last_error)(void *user);
  void (*release)(void *user); /**< called once, by the last release of the device */
} tilec_backend;

/** A device over `backend`, which is copied. */
TILEC_API tilec_status tilec_device_from_backend(const tilec_backend *backend,
                                                 tilec_device **device);

#ifdef __cplusplus
}
#endif

#endif
