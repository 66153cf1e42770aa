//===- DiskCacheTest.cpp - entries, damage, many writers, the limit -------===//
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "tilec/Support/DiskCache.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include "gtest/gtest.h"

#include <atomic>
#include <cstdlib>
#include <fstream>
#include <set>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace tilec;

namespace {

class DiskCacheTest : public testing::Test {
protected:
  void SetUp() override {
    llvm::SmallString<128> path;
    ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("tilec-cache", path));
    folder = std::string(path);
  }
  void TearDown() override { llvm::sys::fs::remove_directories(folder); }

  size_t countFiles(llvm::StringRef suffix) const {
    size_t count = 0;
    std::error_code error;
    for (llvm::sys::fs::recursive_directory_iterator it(folder, error), end; it != end && !error;
         it.increment(error))
      count += llvm::StringRef(it->path()).ends_with(suffix);
    return count;
  }

  std::string folder;
};

CacheKey keyOf(int number) { return CacheKey("test").add(number); }
std::string contentsOf(int number) {
  return std::string(1000 + number, static_cast<char>('a' + number % 26));
}
std::string readAll(const std::string &path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}
void writeAll(const std::string &path, const std::string &bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}
/// Makes an entry look as if it was last used so long ago.
void age(const std::string &path, int seconds) {
  int descriptor = -1;
  ASSERT_FALSE(llvm::sys::fs::openFileForWrite(path, descriptor, llvm::sys::fs::CD_OpenExisting,
                                               llvm::sys::fs::OF_Append));
  auto then = std::chrono::system_clock::now() - std::chrono::seconds(seconds);
  ASSERT_FALSE(llvm::sys::fs::setLastAccessAndModificationTime(descriptor, then));
  ::close(descriptor);
}

TEST(CacheKeys, TellFieldsApart) {
  std::set<std::string> all = {
      CacheKey("a").hex(),
      CacheKey("a").add("").hex(),
      CacheKey("a").add("bc").hex(),
      CacheKey("a").add("b").add("c").hex(),
      CacheKey("ab").add("c").hex(),
      CacheKey("a").add(llvm::StringRef("b\0c", 3)).hex(),
      CacheKey("a").add(uint64_t(1)).hex(),
      CacheKey("a").add(uint64_t(2)).hex(),
  };
  EXPECT_EQ(all.size(), 8u);
  EXPECT_EQ(CacheKey("a").add("b").hex(), CacheKey("a").add("b").hex());
  EXPECT_EQ(CacheKey("a").hex().size(), 64u);
}

TEST_F(DiskCacheTest, FindsWhatWasStoredAndNothingElse) {
  DiskCache cache(folder);
  EXPECT_FALSE(cache.find(keyOf(1)));
  std::string bytes("text\0\n\xff binary", 15);
  ASSERT_TRUE(cache.store(keyOf(1), bytes));
  EXPECT_EQ(cache.find(keyOf(1)), bytes);
  EXPECT_FALSE(cache.find(keyOf(2)));
  ASSERT_TRUE(cache.store(keyOf(2), ""));
  EXPECT_EQ(cache.find(keyOf(2)), "");
  ASSERT_TRUE(cache.store(keyOf(1), "newer"));
  EXPECT_EQ(DiskCache(folder).find(keyOf(1)), "newer") << "another process sees it";
  EXPECT_EQ(countFiles(".tmp"), 0u);
}

TEST_F(DiskCacheTest, TakesADamagedEntryForAbsentAndRemovesIt) {
  DiskCache cache(folder);
  const std::string path = cache.pathOf(keyOf(3));
  ASSERT_TRUE(cache.store(keyOf(3), contentsOf(3)));
  const std::string whole = readAll(path);
  auto isMissWith = [&](std::string bytes) {
    writeAll(path, bytes);
    bool isMiss = !cache.find(keyOf(3));
    return isMiss && !llvm::sys::fs::exists(path);
  };
  EXPECT_TRUE(isMissWith(""));
  EXPECT_TRUE(isMissWith(whole.substr(0, 7)));
  EXPECT_TRUE(isMissWith(whole.substr(0, whole.size() - 1)));
  EXPECT_TRUE(isMissWith(whole + "x"));
  for (size_t at : {size_t(0), size_t(9), size_t(20), whole.size() / 2, whole.size() - 1}) {
    std::string flipped = whole;
    flipped[at] ^= 1;
    EXPECT_TRUE(isMissWith(flipped)) << at;
  }
  writeAll(path, whole);
  EXPECT_EQ(cache.find(keyOf(3)), contentsOf(3));
  // Another entry under this name.
  ASSERT_TRUE(cache.store(keyOf(4), contentsOf(4)));
  EXPECT_TRUE(isMissWith(readAll(cache.pathOf(keyOf(4)))));
  // And after damage it can be stored anew.
  EXPECT_TRUE(isMissWith("garbage"));
  ASSERT_TRUE(cache.store(keyOf(3), contentsOf(3)));
  EXPECT_EQ(cache.find(keyOf(3)), contentsOf(3));
}

TEST_F(DiskCacheTest, EvictsWhatWasUsedLeastRecently) {
  constexpr uint64_t limit = 10 * 1100; // ten entries of about 1 KiB
  DiskCache cache(folder, limit);
  for (int i = 0; i < 10; ++i) {
    ASSERT_TRUE(cache.store(keyOf(i), contentsOf(i)));
    age(cache.pathOf(keyOf(i)), 1000 - i); // entry 0 is the oldest ...
  }
  EXPECT_EQ(countFiles(".entry"), 10u);
  EXPECT_TRUE(cache.find(keyOf(0))); // ... and is used now
  ASSERT_TRUE(cache.store(keyOf(10), contentsOf(10)));
  EXPECT_LT(countFiles(".entry"), 10u);
  EXPECT_GE(countFiles(".entry"), 6u);
  EXPECT_TRUE(cache.find(keyOf(0)));
  EXPECT_TRUE(cache.find(keyOf(10)));
  EXPECT_FALSE(cache.find(keyOf(1)));
  EXPECT_FALSE(cache.find(keyOf(2)));
  EXPECT_TRUE(cache.find(keyOf(9)));
}

TEST_F(DiskCacheTest, CountsWhatOtherProcessesLeft) {
  DiskCache other(folder);
  for (int i = 0; i < 20; ++i) {
    ASSERT_TRUE(other.store(keyOf(i), contentsOf(i)));
    age(other.pathOf(keyOf(i)), 1000 - i);
  }
  DiskCache small(folder, 5000);
  ASSERT_TRUE(small.store(keyOf(20), contentsOf(20)));
  EXPECT_LE(countFiles(".entry"), 4u);
  EXPECT_TRUE(small.find(keyOf(20)));
}

TEST_F(DiskCacheTest, RemovesWhatStoppedWritersLeft) {
  std::string young = folder + "/young.tmp", old = folder + "/old.tmp", foreign = folder + "/notes";
  for (const std::string &path : {young, old, foreign})
    writeAll(path, "x");
  age(old, 7200);
  age(foreign, 7200);
  DiskCache cache(folder, 100);
  ASSERT_TRUE(cache.store(keyOf(1), "x"));
  EXPECT_FALSE(llvm::sys::fs::exists(old));
  EXPECT_TRUE(llvm::sys::fs::exists(young));
  EXPECT_TRUE(llvm::sys::fs::exists(foreign)) << "what is not the cache's is left alone";
}

TEST_F(DiskCacheTest, LooksAtEachEntryOnlyNowAndThen) {
  ASSERT_TRUE(DiskCache(folder).store(keyOf(1), "x"));
  // A pass over the folder would remove it.
  std::string left = folder + "/left.tmp", sizes = folder + "/sizes";
  writeAll(left, "x");
  age(left, 7200);
  ASSERT_TRUE(DiskCache(folder).store(keyOf(2), "x"));
  EXPECT_TRUE(llvm::sys::fs::exists(left));
  EXPECT_EQ(readAll(sizes).size(), 16u) << "what the pass has found, and one entry more";
  // What no writer of ours has left is counted anew.
  writeAll(sizes, "abc");
  ASSERT_TRUE(DiskCache(folder).store(keyOf(3), "x"));
  EXPECT_FALSE(llvm::sys::fs::exists(left));
  EXPECT_EQ(readAll(sizes).size(), 8u);
  // And so is much that was added since.
  writeAll(left, "x");
  age(left, 7200);
  writeAll(sizes, std::string(size_t(5000) * 8, '\0'));
  ASSERT_TRUE(DiskCache(folder).store(keyOf(4), "x"));
  EXPECT_FALSE(llvm::sys::fs::exists(left));
}

/// Stores and looks up a few keys many times, with a limit that evicts all the time. Whatever is
/// found must be whole.
int hammer(const std::string &folder, unsigned seed) {
  DiskCache cache(folder, 6000);
  int found = 0;
  for (unsigned step = 0; step < 300; ++step) {
    int number = static_cast<int>((seed * 7 + step * 13) % 10);
    if (step % 3 == 0 && !cache.store(keyOf(number), contentsOf(number)))
      return -1;
    if (std::optional<std::string> entry = cache.find(keyOf(number))) {
      if (*entry != contentsOf(number))
        return -2;
      ++found;
    }
  }
  return found;
}

TEST_F(DiskCacheTest, FourThreadsAndFourProcessesShareAFolder) {
  std::vector<pid_t> children;
  for (unsigned i = 0; i < 4; ++i) {
    pid_t child = fork();
    if (child == 0)
      _exit(hammer(folder, i) > 0 ? 0 : 1);
    children.push_back(child);
  }
  int found[4];
  {
    std::vector<std::thread> threads;
    for (unsigned i = 0; i < 4; ++i)
      threads.emplace_back([&, i] { found[i] = hammer(folder, 10 + i); });
    for (std::thread &thread : threads)
      thread.join();
  }
  for (int count : found)
    EXPECT_GT(count, 0);
  for (pid_t child : children) {
    int status = -1;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(countFiles(".tmp"), 0u);
  uint64_t bytes = 0;
  for (int i = 0; i < 10; ++i)
    if (auto entry = DiskCache(folder).find(keyOf(i)))
      bytes += entry->size();
  EXPECT_LT(bytes, 8u * 6000);
}

TEST_F(DiskCacheTest, OneObjectServesManyThreads) {
  DiskCache cache(folder, 6000);
  std::vector<std::thread> threads;
  std::atomic<int> wrong = 0;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (int step = 0; step < 100; ++step) {
        int number = (t * 3 + step) % 12;
        wrong += !cache.store(keyOf(number), contentsOf(number));
        auto entry = cache.find(keyOf(number));
        wrong += entry && *entry != contentsOf(number);
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST_F(DiskCacheTest, AFolderThatCannotBeWrittenIsNoError) {
  writeAll(folder + "/file", "");
  DiskCache cache(folder + "/file/cache"); // not even root can write there
  EXPECT_FALSE(cache.find(keyOf(1)));
  EXPECT_FALSE(cache.store(keyOf(1), "x"));
  EXPECT_FALSE(cache.find(keyOf(1)));
}

TEST_F(DiskCacheTest, AReadOnlyFolderStillGivesWhatItHas) {
  if (geteuid() == 0)
    GTEST_SKIP() << "root may write everywhere";
  DiskCache cache(folder);
  ASSERT_TRUE(cache.store(keyOf(1), "x"));
  std::string inner(llvm::sys::path::parent_path(cache.pathOf(keyOf(1))));
  for (const std::string &path : {inner, folder})
    llvm::sys::fs::setPermissions(path, llvm::sys::fs::all_read | llvm::sys::fs::all_exe);
  EXPECT_EQ(cache.find(keyOf(1)), "x");
  EXPECT_FALSE(cache.store(keyOf(1), "y"));
  EXPECT_EQ(cache.find(keyOf(1)), "x");
  for (const std::string &path : {folder, inner})
    llvm::sys::fs::setPermissions(path, llvm::sys::fs::all_all);
}

class CacheFolder : public testing::Test {
protected:
  void SetUp() override {
    for (const char *name : {"TILEC_CACHE_DIR", "XDG_CACHE_HOME", "HOME", "TILEC_CACHE_LIMIT"}) {
      const char *value = std::getenv(name);
      before.emplace_back(name, value ? std::optional<std::string>(value) : std::nullopt);
      unsetenv(name);
    }
  }
  void TearDown() override {
    for (auto &[name, value] : before)
      value ? setenv(name.c_str(), value->c_str(), 1) : unsetenv(name.c_str());
  }
  std::vector<std::pair<std::string, std::optional<std::string>>> before;
};

TEST_F(CacheFolder, IsChosenByTheEnvironment) {
  EXPECT_FALSE(DiskCache::defaultFolder());
  setenv("HOME", "/home/someone", 1);
  EXPECT_EQ(DiskCache::defaultFolder(), "/home/someone/.cache/tilec");
  setenv("XDG_CACHE_HOME", "relative", 1);
  EXPECT_EQ(DiskCache::defaultFolder(), "/home/someone/.cache/tilec");
  setenv("XDG_CACHE_HOME", "/caches", 1);
  EXPECT_EQ(DiskCache::defaultFolder(), "/caches/tilec");
  setenv("TILEC_CACHE_DIR", "/mine", 1);
  EXPECT_EQ(DiskCache::defaultFolder(), "/mine");
  setenv("TILEC_CACHE_DIR", "none", 1);
  EXPECT_FALSE(DiskCache::defaultFolder());
}

TEST_F(CacheFolder, LimitIsReadInMebibytes) {
  EXPECT_EQ(DiskCache::limitFromEnvironment(), DiskCache::defaultLimitBytes);
  setenv("TILEC_CACHE_LIMIT", "3", 1);
  EXPECT_EQ(DiskCache::limitFromEnvironment(), uint64_t(3) << 20);
  setenv("TILEC_CACHE_LIMIT", "much", 1);
  EXPECT_EQ(DiskCache::limitFromEnvironment(), DiskCache::defaultLimitBytes);
}

TEST(Identities, NameThisProgramAndFiles) {
  EXPECT_GE(programIdentity().size(), 16u);
  EXPECT_EQ(programIdentity(), programIdentity());
  EXPECT_EQ(fileIdentity("/there/is/nothing"), "");
  EXPECT_NE(fileIdentity("/proc/self/exe"), "");
}

} // namespace
