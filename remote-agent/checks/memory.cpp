#include <sys/mman.h>

#include <algorithm>
#include <functional>

#include "remote-agent/checks/check.hpp"
#include "remote-agent/checks/pattern.hpp"

namespace vt::checks {

namespace {

constexpr std::size_t kMib = 1024 * 1024, kWords = kMib / sizeof(std::uint64_t);

struct Pattern {
  const char* name;
  std::uint64_t (*word)(std::uint64_t n);
};
constexpr Pattern kPatterns[] = {
    {"zeros", [](std::uint64_t) { return std::uint64_t{0}; }},
    {"ones", [](std::uint64_t) { return ~std::uint64_t{0}; }},
    {"checkers", [](std::uint64_t) { return std::uint64_t{0xAAAAAAAAAAAAAAAA}; }},
    {"inverse checkers", [](std::uint64_t) { return std::uint64_t{0x5555555555555555}; }},
    {"addresses", [](std::uint64_t n) { return n; }},
    {"random", [](std::uint64_t n) { return word_at(1, n); }},
};

/// Writes the whole area, then reads it back, so that it has left the caches if it is larger than they are.
std::uint64_t wrong_words(const Pattern& pattern, volatile std::uint64_t* area, std::size_t words,
                          const std::function<void(double)>& progress) {
  std::uint64_t wrong = 0;
  for (std::size_t i = 0; i < words; i++) {
    area[i] = pattern.word(i);
    if (i % (64 * kWords) == 0) progress(0.5 * static_cast<double>(i) / static_cast<double>(words));
  }
  for (std::size_t i = 0; i < words; i++) wrong += area[i] != pattern.word(i);
  return wrong;
}

}  // namespace

/// Writes and reads back args.mib MiB under several patterns and counts the words that came back different.
Outcome verify_memory(const Task& task, Reporter& report) {
  auto mib = static_cast<std::size_t>(std::max(1.0, task.number("mib", 64)));
  auto* area = mmap(nullptr, mib * kMib, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (area == MAP_FAILED) return {{}, "", "cannot allocate " + std::to_string(mib) + " MiB"};
  std::uint64_t wrong = 0;
  double done = 0;
  for (auto& pattern : kPatterns) {
    auto tell = [&](double part) { report.progress(pattern.name, (done + part) / std::size(kPatterns)); };
    wrong += wrong_words(pattern, static_cast<std::uint64_t*>(area), mib * kWords, tell);
    done++;
  }
  munmap(area, mib * kMib);
  return {{{"wrong", wrong}, {"mib", mib}, {"patterns", std::size(kPatterns)}}, "", ""};
}

}  // namespace vt::checks
