# SPDX-License-Identifier: Apache-2.0
# cmake -DNAME=name -DFOLDER=folder -DTARGETS=arch,arch... -P tilec_embed.cmake
#   Writes FOLDER/NAME.tilec.c and .h from FOLDER/NAME.ARCH.bin and .bin.json. For tilec_add_kernel.
cmake_minimum_required(VERSION 3.25)
string(REPLACE "," ";" targets "${TARGETS}")

# The bytes of a file as a C array.
function(embed file array out)
  file(READ ${file} hex HEX)
  string(REGEX REPLACE "(................................)" "\\1\n" hex "${hex}")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," hex "${hex}")
  set(${out} "static const unsigned char ${array}[] = {\n${hex}};\n" PARENT_SCOPE)
endfunction()

set(data "/* Written by tilec_add_kernel. */\n#include \"${NAME}.tilec.h\"\n\n")
set(rows "")
set(count 0)
foreach(arch IN LISTS targets)
  embed(${FOLDER}/${NAME}.${arch}.bin image_${arch} image)
  embed(${FOLDER}/${NAME}.${arch}.bin.json manifest_${arch} manifest)
  string(APPEND data "${image}${manifest}")
  string(APPEND rows "  {\"${arch}\", {(const char *)image_${arch}, sizeof image_${arch}},\n"
                     "   {(const char *)manifest_${arch}, sizeof manifest_${arch}}},\n")
  math(EXPR count "${count} + 1")
endforeach()
string(APPEND data "const tilec_embedded_image tilec_images_${NAME}[${count}] = {\n${rows}};\n")
file(WRITE ${FOLDER}/${NAME}.tilec.c "${data}")

# The parameters of the script, in order: those of all launches, tensors and scalars, each once.
list(GET targets 0 first)
file(READ ${FOLDER}/${NAME}.${first}.bin.json manifest)
set(names "")
set(params "")
set(values "")
string(JSON launches LENGTH "${manifest}" launches)
math(EXPR lastLaunch "${launches} - 1")
foreach(l RANGE ${lastLaunch})
  string(JSON n LENGTH "${manifest}" launches ${l} params)
  if(n EQUAL 0)
    continue()
  endif()
  math(EXPR last "${n} - 1")
  foreach(p RANGE ${last})
    string(JSON param GET "${manifest}" launches ${l} params ${p} name)
    string(JSON kind GET "${manifest}" launches ${l} params ${p} kind)
    if(param IN_LIST names OR NOT kind MATCHES "^(tensor|scalar)$")
      continue()
    endif()
    list(APPEND names ${param})
    string(JSON dtype GET "${manifest}" launches ${l} params ${p} dtype)
    if(kind STREQUAL "tensor")
      set(type "tilec_kernels::tensor")
    elseif(dtype MATCHES "float")
      set(type "double")
    else()
      set(type "int64_t")
    endif()
    list(APPEND params "${type} ${param} /* ${dtype} */")
    list(APPEND values "tilec_kernels::arg(${param})")
  endforeach()
endforeach()
list(JOIN params ", " params)
list(JOIN values ", " values)
list(LENGTH names argc)

file(WRITE ${FOLDER}/${NAME}.tilec.h "/* Written by tilec_add_kernel: the kernel ${NAME} for ${targets}. */
#ifndef TILEC_KERNEL_${NAME}_H
#define TILEC_KERNEL_${NAME}_H

#include \"tilec-c/Runtime.h\"

#ifdef __cplusplus
extern \"C\" {
#endif

#ifndef TILEC_EMBEDDED_IMAGE
#define TILEC_EMBEDDED_IMAGE
typedef struct tilec_embedded_image {
  const char *target;
  tilec_str image, manifest;
} tilec_embedded_image;
#endif
/** One an architecture, in the order that the project gives them. */
extern const tilec_embedded_image tilec_images_${NAME}[${count}];

#ifdef __cplusplus
}

#include <cstring>
#include <string>
#include <utility>

#ifndef TILEC_EMBEDDED_TENSOR
#define TILEC_EMBEDDED_TENSOR
namespace tilec_kernels {
/// A tensor: an address of the device, alone (dense, of the shape that was compiled) or with a shape.
struct tensor {
  tensor(uint64_t address) : arg() { arg.address = address; }
  tensor(const void *address) : tensor(reinterpret_cast<uint64_t>(address)) {}
  tensor(const tilec_arg &arg) : arg(arg) {}
  tilec_arg arg;
};
inline tilec_arg arg(const tensor &t) { return t.arg; }
inline tilec_arg arg(int64_t value) {
  tilec_arg a = tilec_arg();
  a.kind = TILEC_ARG_INT;
  a.integer = value;
  return a;
}
inline tilec_arg arg(double value) {
  tilec_arg a = tilec_arg();
  a.kind = TILEC_ARG_FLOAT;
  a.real = value;
  return a;
}
} // namespace tilec_kernels
#endif

namespace tilec_kernels {

/// The image for one device. Made once, launched often, from any thread.
class ${NAME} {
public:
  explicit ${NAME}(tilec_device *device) {
    for (const tilec_embedded_image &image : tilec_images_${NAME}) {
      tilec_str target = {image.target, std::strlen(image.target)};
      if (!tilec_device_runs(device, target))
        continue;
      if (tilec_module_load(device, image.image, image.manifest, &module) != TILEC_OK)
        message = lastError();
      return;
    }
    tilec_str arch = tilec_device_arch(device);
    message = \"${NAME} was compiled for ${targets}, not for \" + std::string(arch.data, arch.size);
  }
  ${NAME}(const ${NAME} &) = delete;
  ${NAME}(${NAME} &&other) noexcept
      : module(std::exchange(other.module, nullptr)), message(std::move(other.message)) {}
  ~${NAME}() { tilec_module_release(module); }

  /// Whether there is an image for the device.
  explicit operator bool() const { return module != nullptr; }
  /// Queues the kernel; false with an error() when it cannot be.
  bool launch(uint64_t stream, ${params}) {
    if (!module)
      return false;
    const tilec_arg args[] = {${values}};
    if (tilec_launch(module, stream, args, ${argc}) == TILEC_OK)
      return true;
    message = lastError();
    return false;
  }
  const std::string &error() const { return message; }

private:
  static std::string lastError() {
    tilec_str text = tilec_runtime_last_error();
    return std::string(text.data, text.size);
  }
  tilec_module *module = nullptr;
  std::string message;
};

} // namespace tilec_kernels
#endif

#endif
")
