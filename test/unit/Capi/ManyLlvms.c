/*===- ManyLlvms.c - libtilec.so beside other LLVMs -------------------------===*\
 *
 * manyLlvms SCRIPT LIBRARY...: loads the libraries in this order. Another LLVM is
 * loaded with its names for all to see (RTLD_GLOBAL), gets an option set and makes a module;
 * libtilec.so compiles the script for both vendors. After each library all that
 * are loaded work again, and the images of libtilec.so must not differ.
 *
 * SPDX-License-Identifier: Apache-2.0
\*===----------------------------------------------------------------------===*/
#include "tilec-c/Compile.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_LIBRARIES 8

static void fail(const char *what, const char *why) {
  fprintf(stderr, "manyLlvms: %s: %s\n", what, why ? why : "fails");
  exit(1);
}

static void *symbol(void *library, const char *name) {
  void *found = dlsym(library, name);
  if (!found)
    fail(name, dlerror());
  return found;
}
/* A function is no object in ISO C; POSIX says that this works. */
#define TAKE(library, type, name)                                                                  \
  type name;                                                                                       \
  do {                                                                                             \
    void *found = symbol(library, #name);                                                          \
    memcpy(&(name), &found, sizeof found);                                                         \
  } while (0)

/*===-- Another LLVM --------------------------------------------------------===*/

typedef void *(*NoArgument)(void);
typedef void *(*MakeModule)(const char *, void *);
typedef char *(*PrintModule)(void *);
typedef void (*Dispose)(void *);
typedef void (*ParseOptions)(int, const char *const *, const char *);

static void useOtherLlvm(void *library, int isFirst) {
  TAKE(library, NoArgument, LLVMContextCreate);
  TAKE(library, MakeModule, LLVMModuleCreateWithNameInContext);
  TAKE(library, PrintModule, LLVMPrintModuleToString);
  TAKE(library, Dispose, LLVMDisposeMessage);
  TAKE(library, Dispose, LLVMDisposeModule);
  TAKE(library, Dispose, LLVMContextDispose);
  TAKE(library, ParseOptions, LLVMParseCommandLineOptions);
  /* An option that the other compiler has, too: its value must stay where it is set. */
  const char *const options[] = {"other", "-disable-lsr"};
  if (isFirst)
    LLVMParseCommandLineOptions(2, options, "another LLVM");
  void *context = LLVMContextCreate();
  void *module = LLVMModuleCreateWithNameInContext("somebody else's", context);
  char *text = LLVMPrintModuleToString(module);
  if (!strstr(text, "somebody else's"))
    fail("the other LLVM prints", text);
  LLVMDisposeMessage(text);
  LLVMDisposeModule(module);
  LLVMContextDispose(context);
}

/*===-- Ours ----------------------------------------------------------------===*/

typedef tilec_status (*CreateCompiler)(const tilec_compiler_options *, tilec_compiler **);
typedef tilec_status (*OpenFile)(tilec_compiler *, const char *, tilec_program **);
typedef tilec_status (*Compile)(tilec_program *, const tilec_compile_options *, tilec_binary **);
typedef tilec_str (*Text)(const tilec_binary *);
typedef void (*ReleaseCompiler)(tilec_compiler *);
typedef void (*ReleaseProgram)(tilec_program *);
typedef void (*ReleaseBinary)(tilec_binary *);

static const char *const targets[] = {"gfx942", "gfx950", "sm_80", "sm_90a"};
#define TARGETS (sizeof targets / sizeof *targets)
static char *images[TARGETS];
static size_t sizes[TARGETS];

static void useTilec(void *library, const char *script) {
  TAKE(library, CreateCompiler, tilec_compiler_create);
  TAKE(library, OpenFile, tilec_program_from_file);
  TAKE(library, Compile, tilec_compile);
  TAKE(library, Text, tilec_binary_image);
  TAKE(library, Text, tilec_binary_log);
  TAKE(library, ReleaseCompiler, tilec_compiler_release);
  TAKE(library, ReleaseProgram, tilec_program_release);
  TAKE(library, ReleaseBinary, tilec_binary_release);
  tilec_compiler *compiler;
  tilec_program *program;
  if (tilec_compiler_create(NULL, &compiler) != TILEC_OK ||
      tilec_program_from_file(compiler, script, &program) != TILEC_OK)
    fail(script, NULL);
  for (size_t i = 0; i < TARGETS; ++i) {
    tilec_compile_options options;
    memset(&options, 0, sizeof options);
    options.size = sizeof options;
    options.target = targets[i];
    options.entry = "gemm(256, 256, 256)";
    options.ptx_assembler = "none";
    tilec_binary *binary;
    if (tilec_compile(program, &options, &binary) != TILEC_OK)
      fail(targets[i], tilec_binary_log(binary).data);
    tilec_str image = tilec_binary_image(binary);
    if (!images[i]) {
      images[i] = malloc(image.size);
      sizes[i] = image.size;
      memcpy(images[i], image.data, image.size);
    }
    if (sizes[i] != image.size || memcmp(images[i], image.data, image.size) != 0)
      fail(targets[i], "the image differs from the one before");
    tilec_binary_release(binary);
  }
  tilec_program_release(program);
  tilec_compiler_release(compiler);
}

int main(int argc, char **argv) {
  void *libraries[MAX_LIBRARIES];
  if (argc < 3 || argc - 2 > MAX_LIBRARIES)
    fail("usage", "manyLlvms SCRIPT LIBRARY...");
  for (int i = 0; i < argc - 2; ++i) {
    int isOurs = strstr(argv[i + 2], "libtilec") != NULL;
    libraries[i] = dlopen(argv[i + 2], RTLD_NOW | (isOurs ? RTLD_LOCAL : RTLD_GLOBAL));
    if (!libraries[i])
      fail(argv[i + 2], dlerror());
    for (int j = 0; j <= i; ++j)
      if (strstr(argv[j + 2], "libtilec"))
        useTilec(libraries[j], argv[1]);
      else
        useOtherLlvm(libraries[j], i == j);
  }
  for (size_t i = 0; i < TARGETS; ++i)
    free(images[i]);
  printf("%d libraries, all work\n", argc - 2);
  return 0;
}
