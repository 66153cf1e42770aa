#include "Coverage.h"
namespace tilec::fuzz {
bool checkCoverage(const std::vector<uint64_t> &) { return true; }
} // namespace tilec::fuzz
