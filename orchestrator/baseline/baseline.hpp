#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace vt {

/// One thing a GPU is known to reach.
struct Figure {
  /// What the maker states; what somebody measured on such a GPU; what `baseline learn` measured on the user's own.
  enum class Kind { theory, measured, learned };
  std::vector<std::string> keys;  ///< "gemm.bf16"; several where one figure stands for all of them
  int gpus = 0, mib = 0;          ///< for that many GPUs, for that message size; 0: any
  double low = 0, high = 0;       ///< one value, or a range over the cited measurements
  std::string unit;
  Kind kind = Kind::theory;
  std::vector<std::string> sources;  ///< names of Baselines::sources, or the reference itself
  std::string date, note;            ///< date: when it was looked up or measured
  bool held = true;                  ///< false: to be read only, nothing is held against it
  /// Ratios to `low`: below warn a warning, below fail a failure, above max the measurement is not believed.
  std::optional<double> warn, fail, max;
  std::string file;  ///< name of the file it is from
};

struct GpuBaseline {
  std::string id;                            ///< "rtx-5090"
  std::vector<std::string> names;            ///< as the driver reports it: "NVIDIA GeForce RTX 5090"
  std::map<std::string, std::string> facts;  ///< of the model, or (learned) what it was measured with: driver, libraries, run
  std::vector<Figure> figures;
  std::string file;
};

struct BaselineSource {
  std::string grade;  ///< A: the maker; B: independent, method stated; C: community; -: computed
  std::string at, note;
};

/// The ratios of figures that state none themselves: the first rule that fits.
struct BaselineRule {
  std::string keys;  ///< glob
  Figure::Kind kind = Figure::Kind::theory;
  std::optional<double> warn, fail, max;
};

struct Baselines {
  std::vector<GpuBaseline> gpus;
  std::map<std::string, BaselineSource> sources;
  std::vector<BaselineRule> rules;

  [[nodiscard]] bool knows(const std::string& gpu) const;
  /// What `key` ("nccl.all_reduce@512MiB") on `count` GPUs of that name is held against: learned before measured before theory; of
  /// several of one kind the lowest. nullptr: nothing.
  [[nodiscard]] const Figure* find(const std::string& gpu, const std::string& key, int count) const;
  /// The most that is believed of it; nullopt: no figure says.
  [[nodiscard]] std::optional<double> most(const std::string& gpu, const std::string& key, int count) const;
};

/// The GPUs an observation's device names: "2 x NVIDIA A10 (GPU-…, GPU-…), NVIDIA L4 (GPU-…)" -> {{"NVIDIA A10", 2}, {"NVIDIA L4", 1}}.
std::map<std::string, int> gpus_in(const std::string& device);

std::string_view name(Figure::Kind);

}  // namespace vt
