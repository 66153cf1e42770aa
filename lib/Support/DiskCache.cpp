//===- DiskCache.cpp - results kept on disk by what they were made from ---===//
//
// An entry is a head of fixed size (magic, key, length, checksum) and the contents. It is
// written under a name of its own in the same folder and renamed, so that readers
// see all of it or nothing; of two writers of one key the later one stays, with the
// same contents. Files are used by open and rename only: no locks to be left behind.
//
// How much there is stands in a file of eight-byte numbers, so that a writer need not
// look at every entry: the first is what the last pass over the folder found, and each
// entry that is stored adds its own. What is lost or counted twice, as two writers meet
// or an entry is removed by others, holds until the next pass.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "tilec/Support/DiskCache.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Chrono.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/xxhash.h"

#include <algorithm>
#include <cstdlib>
#include <link.h>
#include <vector>

using namespace llvm;

namespace tilec {
namespace {

constexpr StringLiteral magic = "tilec c2"; // 8 bytes; a new number for a new format
constexpr size_t keyBytes = 32;             // SHA-256
constexpr size_t headBytes = magic.size() + keyBytes + 8 + 16;
constexpr StringLiteral entrySuffix = ".entry", temporarySuffix = ".tmp", sizesName = "sizes";
constexpr size_t mostSizes = 4096; // of entries between two passes over the folder
/// A writer that is still at work is younger than this.
constexpr std::chrono::hours abandonedAfter{1};

/// The key is in it, so that a file that got another's name is no entry.
std::string headOf(const CacheKey &key, StringRef contents) {
  char numbers[24];
  support::endian::write64le(numbers, contents.size());
  XXH128_hash_t sum = xxh3_128bits(arrayRefFromStringRef(contents));
  support::endian::write64le(numbers + 8, sum.low64);
  support::endian::write64le(numbers + 16, sum.high64);
  return (magic + fromHex(key.hex()) + StringRef(numbers, sizeof numbers)).str();
}

/// Writes all of a file or leaves none behind.
bool writeWhole(const Twine &path, ArrayRef<StringRef> parts) {
  int descriptor = -1;
  SmallString<128> temporary;
  if (sys::fs::createUniqueFile(path + ".%%%%%%%%%%%%" + temporarySuffix, descriptor, temporary))
    return false;
  raw_fd_ostream stream(descriptor, /*shouldClose=*/true);
  for (StringRef part : parts)
    stream << part;
  stream.close();
  bool isWritten = !stream.has_error();
  stream.clear_error();
  if (isWritten && !sys::fs::rename(temporary, path))
    return true;
  (void)sys::fs::remove(temporary);
  return false;
}

/// A file of the cache's folder.
struct Entry {
  std::string path;
  uint64_t bytes = 0;
  sys::TimePoint<> used;
};

/// All entries. Removes what writers have left that were stopped half-way.
std::vector<Entry> listEntries(StringRef root) {
  std::vector<Entry> entries;
  auto now = std::chrono::system_clock::now();
  std::error_code error;
  for (sys::fs::recursive_directory_iterator it(root, error), end; it != end && !error;
       it.increment(error)) {
    StringRef path = it->path();
    bool isTemporary = path.ends_with(temporarySuffix);
    if (!isTemporary && !path.ends_with(entrySuffix))
      continue;
    auto status = it->status();
    if (!status)
      continue; // removed by another process
    sys::TimePoint<> used = status->getLastModificationTime();
    if (!isTemporary)
      entries.push_back({path.str(), status->getSize(), used});
    else if (now - used > abandonedAfter)
      (void)sys::fs::remove(path);
  }
  return entries;
}

} // namespace

CacheKey &CacheKey::add(uint64_t number) {
  uint8_t bytes[8];
  support::endian::write64le(bytes, number);
  digest.update(bytes);
  return *this;
}

CacheKey &CacheKey::add(StringRef field) {
  add(uint64_t(field.size()));
  digest.update(field);
  return *this;
}

std::string CacheKey::hex() const {
  SHA256 copy = digest;
  return toHex(copy.final(), /*LowerCase=*/true);
}

std::optional<std::string> DiskCache::defaultFolder() {
  if (const char *chosen = std::getenv("TILEC_CACHE_DIR"); chosen && *chosen)
    return StringRef(chosen) == "none" ? std::nullopt : std::optional<std::string>(chosen);
  SmallString<128> path;
  // The base directory specification of freedesktop.org: a relative path is to be ignored.
  if (const char *base = std::getenv("XDG_CACHE_HOME"); base && sys::path::is_absolute(base))
    path = base;
  else if (const char *home = std::getenv("HOME"); home && sys::path::is_absolute(home))
    sys::path::append(path, home, ".cache");
  else
    return std::nullopt;
  sys::path::append(path, "tilec");
  return std::string(path);
}

uint64_t DiskCache::limitFromEnvironment() {
  uint64_t mebibytes = 0;
  const char *text = std::getenv("TILEC_CACHE_LIMIT");
  if (!text || StringRef(text).getAsInteger(10, mebibytes) || mebibytes > (uint64_t(1) << 40))
    return defaultLimitBytes;
  return mebibytes << 20;
}

std::string DiskCache::pathOf(const CacheKey &key) const {
  std::string name = key.hex();
  SmallString<128> path(root);
  // Folders by the first two digits keep each of them short.
  sys::path::append(path, StringRef(name).take_front(2), name + entrySuffix);
  return std::string(path);
}

std::optional<std::string> DiskCache::find(const CacheKey &key) const {
  std::string path = pathOf(key);
  auto buffer = MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false,
                                      /*IsVolatile=*/true);
  if (!buffer)
    return std::nullopt;
  StringRef file = (*buffer)->getBuffer();
  if (file.size() < headBytes ||
      file.take_front(headBytes) != headOf(key, file.drop_front(headBytes))) {
    (void)sys::fs::remove(path);
    return std::nullopt;
  }
  int descriptor = -1;
  if (!sys::fs::openFileForWrite(path, descriptor, sys::fs::CD_OpenExisting, sys::fs::OF_Append)) {
    (void)sys::fs::setLastAccessAndModificationTime(descriptor, std::chrono::system_clock::now());
    (void)sys::Process::SafelyCloseFileDescriptor(descriptor);
  }
  return file.drop_front(headBytes).str();
}

bool DiskCache::store(const CacheKey &key, StringRef contents) const {
  std::string path = pathOf(key);
  if (sys::fs::create_directories(sys::path::parent_path(path)))
    return false;
  if (!writeWhole(path, {headOf(key, contents), contents}))
    return false;
  std::optional<uint64_t> bytes = addSize(headBytes + contents.size());
  if (!bytes || *bytes > limit)
    evict();
  return true;
}

std::string DiskCache::sizesPath() const {
  SmallString<128> path(root);
  sys::path::append(path, sizesName);
  return std::string(path);
}

std::optional<uint64_t> DiskCache::addSize(uint64_t bytes) const {
  std::string path = sizesPath();
  int descriptor = -1;
  if (sys::fs::openFileForWrite(path, descriptor, sys::fs::CD_OpenAlways, sys::fs::OF_Append))
    return std::nullopt;
  char number[8];
  support::endian::write64le(number, bytes);
  raw_fd_ostream stream(descriptor, /*shouldClose=*/true);
  stream << StringRef(number, sizeof number); // one write, which others' do not cut
  stream.close();
  stream.clear_error();
  auto file = MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false,
                                    /*IsVolatile=*/true);
  // A file that this has made lacks what the others come to.
  size_t size = file ? (*file)->getBufferSize() : 0;
  if (size < 2 * sizeof number || size % sizeof number != 0 || size > sizeof number * mostSizes)
    return std::nullopt;
  uint64_t sum = 0;
  for (const char *at = (*file)->getBufferStart(); at != (*file)->getBufferEnd(); at += 8)
    sum = SaturatingAdd(sum, support::endian::read64le(at));
  return sum;
}

void DiskCache::evict() const {
  std::vector<Entry> entries = listEntries(root);
  uint64_t bytes = 0;
  for (const Entry &entry : entries)
    bytes += entry.bytes;
  if (bytes > limit) {
    std::sort(entries.begin(), entries.end(),
              [](const Entry &a, const Entry &b) { return a.used < b.used; });
    // Down to three quarters, so that not every further entry makes a pass over the folder.
    for (const Entry &entry : entries) {
      if (bytes <= limit / 4 * 3)
        break;
      if (!sys::fs::remove(entry.path))
        bytes -= entry.bytes;
    }
  }
  char number[8];
  support::endian::write64le(number, bytes);
  (void)writeWhole(sizesPath(), StringRef(number, sizeof number));
}

std::string fileIdentity(StringRef path) {
  SmallString<128> real;
  sys::fs::file_status status;
  if (sys::fs::real_path(path, real) || sys::fs::status(real, status))
    return "";
  return (real + "|" + Twine(status.getSize()) + "|" +
          Twine(status.getLastModificationTime().time_since_epoch().count()))
      .str();
}

namespace {

/// A loaded object that holds an address of interest.
struct ObjectOf {
  const void *address;
  std::string path; ///< empty for the program itself
  std::string buildId;
};

bool holds(const dl_phdr_info &object, const void *address) {
  auto at = reinterpret_cast<uintptr_t>(address);
  for (int i = 0; i < object.dlpi_phnum; ++i) {
    const auto &header = object.dlpi_phdr[i];
    uintptr_t begin = object.dlpi_addr + header.p_vaddr;
    if (header.p_type == PT_LOAD && at >= begin && at - begin < header.p_memsz)
      return true;
  }
  return false;
}

/// The GNU build id of an object; empty where the linker wrote none.
std::string buildIdOf(const dl_phdr_info &object) {
  for (int i = 0; i < object.dlpi_phnum; ++i) {
    const auto &header = object.dlpi_phdr[i];
    if (header.p_type != PT_NOTE)
      continue;
    const char *at = reinterpret_cast<const char *>(object.dlpi_addr + header.p_vaddr);
    const char *end = at + header.p_memsz;
    while (at + sizeof(ElfW(Nhdr)) <= end) {
      const auto *note = reinterpret_cast<const ElfW(Nhdr) *>(at);
      const char *owner = at + sizeof *note, *id = owner + alignTo(note->n_namesz, 4);
      if (note->n_type == NT_GNU_BUILD_ID &&
          StringRef(owner, note->n_namesz) == StringRef("GNU", 4))
        return toHex(StringRef(id, note->n_descsz));
      at = id + alignTo(note->n_descsz, 4);
    }
  }
  return "";
}

int findObject(dl_phdr_info *object, size_t, void *out) {
  auto &wanted = *static_cast<ObjectOf *>(out);
  if (!holds(*object, wanted.address))
    return 0;
  wanted.path = object->dlpi_name ? object->dlpi_name : "";
  wanted.buildId = buildIdOf(*object);
  return 1;
}

std::string identityOfObject(const void *address) {
  ObjectOf object{address, "", ""};
  dl_iterate_phdr(findObject, &object);
  // Where the linker writes no build ids there is the file itself.
  return !object.buildId.empty()
             ? object.buildId
             : fileIdentity(object.path.empty() ? "/proc/self/exe" : StringRef(object.path));
}

} // namespace

std::string programIdentity() {
  // Our code may be the program or libtilec.so, and LLVM's a library or part of ours: what else the
  // process has loaded does not matter.
  static const std::string identity =
      identityOfObject(reinterpret_cast<const void *>(&programIdentity)) + " " +
      identityOfObject(reinterpret_cast<const void *>(&llvm::errs));
  return identity;
}

} // namespace tilec
