//===- Npy.cpp - NumPy's array files --------------------------------------===//
//
// Takes a file of NumPy's or a tensor, gives the other; formats that NumPy has no name for are
// stored as unsigned integers of their width.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "tilec/Runtime/Npy.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <sys/stat.h>
#include <unistd.h>

namespace tilec::rt {
namespace {

constexpr std::string_view magic("\x93NUMPY", 6);

/// How `dtype` is stored, without the byte order: kind letter and bytes.
std::string storedAs(DType dtype) {
  std::string bytes = std::to_string(bytesOf(dtype));
  switch (dtype) {
  case DType::Bool:
    return "b1";
  case DType::F16:
  case DType::F32:
  case DType::F64:
    return "f" + bytes;
  case DType::I8:
  case DType::I16:
  case DType::I32:
  case DType::I64:
    return "i" + bytes;
  default:
    return "u" + bytes;
  }
}

/// The header is a Python dict of three known keys; this reads just that much Python.
class HeaderParser {
public:
  explicit HeaderParser(std::string_view text) : text(text) {}

  Status run(NpyArray &array) {
    if (!eat('{'))
      return bad("`{` expected");
    while (!eat('}')) {
      std::string key;
      if (!quoted(key) || !eat(':'))
        return bad("a quoted key and `:` expected");
      if (Status s = value(key, array); !s)
        return s;
      eat(',');
    }
    if (array.descr.empty() || !sawShape || !sawOrder)
      return bad("descr, fortran_order and shape expected");
    return success();
  }

private:
  Status value(const std::string &key, NpyArray &array) {
    if (key == "descr")
      return quoted(array.descr) ? success() : bad("descr is no simple type (structured array?)");
    if (key == "fortran_order") {
      sawOrder = true;
      if (word("False"))
        return success();
      if (word("True"))
        return Error{"the array is in Fortran order: save numpy.ascontiguousarray(array)"};
      return bad("fortran_order is neither True nor False");
    }
    if (key == "shape") {
      sawShape = true;
      return tuple(array.shape);
    }
    return bad("unknown key `" + key + "`");
  }

  Status tuple(std::vector<int64_t> &shape) {
    if (!eat('('))
      return bad("`(` expected");
    while (!eat(')')) {
      skipSpace();
      int64_t extent = 0;
      size_t begin = at;
      for (; at < text.size() && text[at] >= '0' && text[at] <= '9'; ++at)
        if (__builtin_mul_overflow(extent, 10, &extent) ||
            __builtin_add_overflow(extent, text[at] - '0', &extent))
          return bad("extent too large");
      if (at == begin || shape.size() >= 32) // NumPy's own limit was 32 dimensions
        return bad("shape is no tuple of at most 32 integers");
      shape.push_back(extent);
      eat(',');
    }
    return success();
  }

  void skipSpace() {
    while (at < text.size() && (text[at] == ' ' || text[at] == '\n'))
      ++at;
  }
  bool eat(char c) {
    skipSpace();
    if (at >= text.size() || text[at] != c)
      return false;
    ++at;
    return true;
  }
  bool word(std::string_view w) {
    skipSpace();
    if (text.substr(at, w.size()) != w)
      return false;
    at += w.size();
    return true;
  }
  bool quoted(std::string &out) {
    skipSpace();
    if (at >= text.size() || (text[at] != '\'' && text[at] != '"'))
      return false;
    size_t end = text.find(text[at], at + 1);
    if (end == std::string_view::npos)
      return false;
    out = text.substr(at + 1, end - at - 1);
    at = end + 1;
    return true;
  }
  Status bad(const std::string &what) const {
    return Error{"bad .npy header at byte " + std::to_string(at) + ": " + what};
  }

  std::string_view text;
  size_t at = 0;
  bool sawShape = false, sawOrder = false;
};

struct CloseFile {
  void operator()(FILE *file) const { (void)std::fclose(file); }
};
using File = std::unique_ptr<FILE, CloseFile>;

Error systemError(const std::string &what, const std::string &path) {
  return {"cannot " + what + " `" + path + "`: " + std::strerror(errno)};
}

/// Bytes of one stored element from a descr such as `<f4`; 0 when unknown.
int64_t storedBytes(const std::string &descr) {
  if (descr.size() < 3 || std::string_view("biufV").find(descr[1]) == std::string_view::npos)
    return 0;
  std::string_view digits = std::string_view(descr).substr(2);
  return digits == "1" ? 1 : digits == "2" ? 2 : digits == "4" ? 4 : digits == "8" ? 8 : 0;
}

} // namespace

Result<std::string> readFile(const std::string &path) {
  File file(std::fopen(path.c_str(), "rb"));
  if (!file)
    return systemError("open", path);
  std::string contents;
  char chunk[1 << 16];
  while (size_t count = std::fread(chunk, 1, sizeof chunk, file.get()))
    contents.append(chunk, count);
  if (std::ferror(file.get()))
    return systemError("read", path);
  return contents;
}

static Status writeInto(File file, const std::string &path, std::string_view contents) {
  if (!file)
    return systemError("write", path);
  if (std::fwrite(contents.data(), 1, contents.size(), file.get()) != contents.size() ||
      std::fclose(file.release()) != 0)
    return systemError("write", path);
  return success();
}

/// Where a file of this name goes: behind links, so that these stay. Empty: not to a file, but to a
/// device or a pipe.
static std::string regularTarget(const std::string &path) {
  struct stat found;
  if (stat(path.c_str(), &found) != 0) {
    // Nothing is there yet, or a link to nothing: what it names is made.
    std::filesystem::path target = path;
    std::error_code error;
    constexpr int mostLinks = 40; // as the kernel follows
    for (int i = 0; i < mostLinks && std::filesystem::is_symlink(target, error); ++i)
      target = target.parent_path() / std::filesystem::read_symlink(target, error);
    return target;
  }
  if (!S_ISREG(found.st_mode))
    return "";
  std::unique_ptr<char, decltype(&std::free)> real(realpath(path.c_str(), nullptr), &std::free);
  return real ? real.get() : path;
}

Status writeFile(const std::string &path, std::string_view contents) {
  std::string target = regularTarget(path);
  std::string beside = target + ".new-" + std::to_string(getpid());
  // "x": nothing that is there already, a link least of all, is written through.
  File file(target.empty() ? nullptr : std::fopen(beside.c_str(), "wbx"));
  if (!file) // a device, or a folder that takes no new files: its error, if any, is said below
    return writeInto(File(std::fopen(path.c_str(), "wb")), path, contents);
  struct stat old;
  if (stat(target.c_str(), &old) == 0)
    (void)fchmod(fileno(file.get()), old.st_mode & 07777);
  Status status = writeInto(std::move(file), path, contents);
  if (status && std::rename(beside.c_str(), target.c_str()) != 0)
    status = systemError("write", path);
  if (!status)
    (void)unlink(beside.c_str());
  return status;
}

Result<NpyArray> parseNpy(std::string_view contents) {
  if (contents.substr(0, magic.size()) != magic || contents.size() < 10)
    return Error{"no .npy file (its first bytes are not \\x93NUMPY)"};
  unsigned major = static_cast<uint8_t>(contents[6]);
  if (major < 1 || major > 3)
    return Error{".npy format " + std::to_string(major) + ", 1 to 3 are read"};
  size_t lengthBytes = major == 1 ? 2 : 4, start = 8 + lengthBytes, headerBytes = 0;
  if (contents.size() < start)
    return Error{".npy file ends inside its header"};
  std::memcpy(&headerBytes, contents.data() + 8, lengthBytes);
  if (headerBytes > contents.size() - start)
    return Error{".npy file ends inside its header"};
  NpyArray array;
  if (Status s = HeaderParser(contents.substr(start, headerBytes)).run(array); !s)
    return s.error();
  int64_t elementBytes = storedBytes(array.descr);
  if (elementBytes == 0)
    return Error{"element type `" + array.descr + "` is not read"};
  if (array.descr[0] == '>' && elementBytes > 1)
    return Error{"element type `" + array.descr + "` is big-endian: save array.astype('<" +
                 array.descr.substr(1) + "')"};
  Result<int64_t> count = elemCountOf(array.shape);
  if (!count)
    return count.error();
  std::string_view data = contents.substr(start + headerBytes);
  if (static_cast<int64_t>(data.size()) != *count * elementBytes)
    return Error{".npy file holds " + std::to_string(data.size()) + " bytes of data, its header " +
                 "says " + std::to_string(*count * elementBytes)};
  array.bytes.assign(data.begin(), data.end());
  return array;
}

Result<NpyArray> readNpy(const std::string &path) {
  Result<std::string> contents = readFile(path);
  if (!contents)
    return contents.error();
  Result<NpyArray> array = parseNpy(*contents);
  if (!array)
    return inContext(path, array.error());
  return array;
}

Result<HostTensor> asTensor(NpyArray array, DType dtype) {
  std::string wanted = storedAs(dtype), found = array.descr.substr(1);
  bool numpyHasIt = wanted[0] != 'u' || isUnsigned(dtype);
  bool raw = !numpyHasIt && found == "V" + std::to_string(bytesOf(dtype));
  if (found != wanted && !raw)
    return Error{"element type `" + array.descr + "`, but " + std::string(nameOf(dtype)) +
                 " is stored as `" + wanted + "`"};
  if (bitsOf(dtype) == 4) {
    if (array.shape.empty())
      return Error{"a packed 4-bit array has at least one dimension"};
    array.shape.back() *= 2;
  }
  HostTensor tensor;
  tensor.dtype = dtype;
  tensor.shape = std::move(array.shape);
  tensor.bytes = std::move(array.bytes);
  return tensor;
}

std::string npyHeader(const HostTensor &tensor) {
  std::vector<int64_t> shape = tensor.shape;
  if (bitsOf(tensor.dtype) == 4) {
    if (shape.empty() || shape.back() % 2 != 0)
      shape = {static_cast<int64_t>(tensor.bytes.size())}; // rows share bytes: flat
    else
      shape.back() /= 2;
  }
  std::string dict = std::string("{'descr': '") + (bytesOf(tensor.dtype) == 1 ? "|" : "<") +
                     storedAs(tensor.dtype) + "', 'fortran_order': False, 'shape': (";
  for (size_t i = 0; i < shape.size(); ++i)
    dict += std::to_string(shape[i]) + (i + 1 < shape.size() ? ", " : shape.size() == 1 ? "," : "");
  dict += "), }";
  // The data starts at a multiple of 64 bytes; the header ends with a newline.
  while ((10 + dict.size() + 1) % 64 != 0)
    dict += ' ';
  dict += '\n';
  std::string out(magic);
  out += '\x01';
  out += '\x00';
  out += static_cast<char>(dict.size() & 0xff);
  out += static_cast<char>(dict.size() >> 8);
  return out + dict;
}

Status writeNpy(const std::string &path, const HostTensor &tensor) {
  std::string contents = npyHeader(tensor);
  contents.append(reinterpret_cast<const char *>(tensor.bytes.data()), tensor.bytes.size());
  return writeFile(path, contents);
}

} // namespace tilec::rt
