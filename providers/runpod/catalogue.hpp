#pragma once
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "providers/runpod/api.hpp"
#include "providers/runpod/wish.hpp"

namespace vt::runpod {

/// What RunPod has for a wish just now: list prices and stock, per cloud and GPU.
class Catalogue {
 public:
  static Result<Catalogue> read(Api&, const Wish&);

  [[nodiscard]] bool knows(const std::string& gpu) const;
  [[nodiscard]] std::vector<std::string> gpus() const;
  /// The ways to get one pod, in the plan's order: GPU, then cloud, then data centre.
  [[nodiscard]] std::vector<Candidate> candidates(const Wish&, EpochMs now) const;

 private:
  struct Entry {
    std::optional<Money> hourly;                        ///< of one GPU; none if the list price cannot be right
    bool in_stock = false;                              ///< anywhere
    std::optional<std::set<std::string>> data_centers;  ///< that have it; nullopt: not told
  };
  static Entry entry_of(const Json& gpu, const std::string& cloud, int count);
  [[nodiscard]] const Entry* find(const std::string& cloud, const std::string& gpu) const;
  [[nodiscard]] Candidate candidate(const Wish&, const std::string& gpu, const std::string& cloud, const std::string& data_center) const;

  std::map<std::string, std::map<std::string, Entry>> clouds_;  ///< cloud -> GPU id -> entry
};

}  // namespace vt::runpod
