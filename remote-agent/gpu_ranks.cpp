#include "remote-agent/gpu_ranks.hpp"

#include <poll.h>
#include <signal.h>

#include <algorithm>
#include <cstdio>
#include <deque>
#include <set>

#include "remote-agent/gpu_child.hpp"
#include "remote-agent/lines.hpp"

namespace vt::agent {

namespace {

using nlohmann::json;

constexpr std::int64_t kClosingMs = 5000;  ///< for closing the device after the values came
constexpr std::int64_t kLatelyMs = 5000;   ///< what told of progress since then does not hang
constexpr std::int64_t kTurnMs = 50;       ///< the end of a process is looked for this often where no pipe tells it

struct Rank : RankResult {
  enum class Phase { waiting, running, asked_to_end, killed, over } phase = Phase::waiting;
  std::optional<GpuChild> child;
  std::int64_t next_ms = 0;                 ///< when this phase ends
  std::int64_t since_ms = 0, heard_ms = 0;  ///< when it began, and when it last told of progress
  bool ready = false, told = false, done = false;
  std::string doing, stopped;  ///< its last progress; whose loss makes it end
  double fraction = 0;
  std::set<std::string> awaited;
  [[nodiscard]] bool active() const { return phase != Phase::waiting && phase != Phase::over; }
};

class Ranks {
 public:
  explicit Ranks(const RankJob& job);
  std::vector<RankResult> run();

 private:
  void start_due();
  void start(Rank&);
  void hand_out();
  bool world_known();
  void turn();
  void read(Rank&);
  void on_frame(Rank&, const json&);
  void on_progress(Rank&, const json&);
  void publish(const std::string& key, const std::string& data);
  void await(Rank&, const std::string& key);
  void hear_hosts();
  void on_time(Rank&);
  void end(Rank&);
  void lost(const Rank&);
  [[nodiscard]] bool still_working(const Rank&) const;
  [[nodiscard]] std::int64_t share() const;
  [[nodiscard]] bool grouped() const { return job_.channel && !job_.task.group.empty(); }
  [[nodiscard]] std::string label(const Rank&) const;

  const RankJob& job_;
  std::int64_t ends_;
  std::deque<Rank> ranks_;
  bool counted_ = false, announced_ = false, linked_ = false, hosts_listen_ = true;
  int first_ = 0, world_ = 0;  ///< number of this host's first rank; ranks in all
  std::map<std::string, std::string> published_;
  std::set<std::string> asked_;
};

Ranks::Ranks(const RankJob& job) : job_(job), ends_(boot_ms() + job.times.run) {
  auto& task = job.task;
  auto add = [&](const std::string& where) { ranks_.emplace_back().where = where; };
  auto listed = task.args.find("gpus");
  counted_ = true;
  if (task.on_cpu()) {
    for (int i = 0; i < (job.together ? 1 : std::max(1, static_cast<int>(task.number("ranks", 1)))); ++i) add("cpu");
  } else if (listed != task.args.end() && listed->is_array() && !listed->empty()) {
    for (auto& ordinal : *listed)
      if (job.together && !ranks_.empty()) ranks_[0].where += "," + ordinal.dump();
      else add(ordinal.dump());
  } else {
    counted_ = job.together;
    add(job.together ? "all" : "0");  // the first one tells how many there are
  }
}

void Ranks::start(Rank& rank) {
  rank.phase = Rank::Phase::running, rank.since_ms = boot_ms(), rank.next_ms = rank.since_ms + share();
  auto child = GpuChild::start(job_.check, rank.where);
  if (child) rank.child.emplace(std::move(child).take());
  else rank.error = child.error().what, rank.phase = Rank::Phase::over;
}

/// What is left of the time, or this rank's part of it if they run one after another.
std::int64_t Ranks::share() const {
  auto left = ends_ - boot_ms();
  if (!job_.task.flag("one_by_one")) return left;
  auto waiting = std::count_if(ranks_.begin(), ranks_.end(), [](auto& r) { return r.phase == Rank::Phase::waiting; });
  return left / (waiting + 1);
}

void Ranks::start_due() {
  for (auto& rank : ranks_) {
    bool busy = std::any_of(ranks_.begin(), ranks_.end(), [](auto& r) { return r.active(); });
    if (rank.phase == Rank::Phase::waiting && !(busy && job_.task.flag("one_by_one"))) start(rank);
  }
}

/// Numbers of four digits are base64, as published data has to be.
bool Ranks::world_known() {
  if (!counted_ || world_ > 0) return counted_;
  auto& task = job_.task;
  auto key = [](int host) { return "gpus." + std::to_string(host); };
  int here = static_cast<int>(ranks_.size());
  if (!grouped()) return world_ = here, true;
  if (job_.together) return first_ = task.rank, world_ = task.world, true;
  char digits[16];
  std::snprintf(digits, sizeof digits, "%04d", std::min(here, 9999));
  if (!announced_) announced_ = true, job_.channel->publish(key(task.rank), digits);
  int world = 0;
  for (int host = 0; host < task.world; ++host) {
    if (host == task.rank) first_ = world;
    if (host != task.rank && !published_.contains(key(host))) return false;
    world += host == task.rank ? here : std::atoi(published_[key(host)].c_str());
  }
  return world_ = world, true;
}

void Ranks::hand_out() {
  if (!world_known() || (job_.may && !job_.may())) return;
  for (int i = 0; i < static_cast<int>(ranks_.size()); ++i) {
    auto& rank = ranks_[static_cast<std::size_t>(i)];
    if (!rank.ready || rank.told || !rank.child) continue;
    rank.told = true;
    rank.child->tell({{"args", job_.task.args},
                      {"group", job_.task.group},
                      {"rank", first_ + i},
                      {"world", world_},
                      {"deadline_ms", std::max<std::int64_t>(1, rank.next_ms - boot_ms())}});
  }
}

void Ranks::publish(const std::string& key, const std::string& data) {
  published_[key] = data;
  for (auto& rank : ranks_)
    if (rank.child && rank.awaited.erase(key) > 0) rank.child->tell({{"t", "deliver"}, {"key", key}, {"data", data}});
}

void Ranks::await(Rank& rank, const std::string& key) {
  linked_ = true;
  rank.awaited.insert(key);
  if (auto at = published_.find(key); at != published_.end()) return publish(key, std::string(at->second));
  if (grouped() && asked_.insert(key).second) job_.channel->ask(key);
}

void Ranks::hear_hosts() {
  auto came = job_.channel->take();
  if (!came) hosts_listen_ = false;
  for (auto& [key, data] : came.value_or(std::map<std::string, std::string>{})) publish(key, data);
}

std::string Ranks::label(const Rank& rank) const { return rank.where == "cpu" ? "cpu" : "GPU " + rank.where; }

void Ranks::on_progress(Rank& rank, const json& frame) {
  if (!rank.doing.empty()) rank.heard_ms = boot_ms();  // the first word is before the work
  rank.doing = text_in(frame, "text");
  auto fraction = frame.find("fraction");
  rank.fraction = fraction != frame.end() && fraction->is_number() ? fraction->get<double>() : -1;
  if (!job_.channel) return;
  double sum = 0;
  for (auto& r : ranks_) sum += r.done ? 1 : std::max(0.0, r.fraction);
  auto text = ranks_.size() > 1 ? label(rank) + ": " + rank.doing : rank.doing;
  job_.channel->progress(text, rank.fraction < 0 ? -1 : sum / static_cast<double>(ranks_.size()));
}

void Ranks::on_frame(Rank& rank, const json& frame) {
  auto t = text_in(frame, "t"), key = text_in(frame, "key");
  if (t == "gpus") {
    rank.ready = true, rank.counted = static_cast<int>(number_in(frame, "count", 0));
    for (int i = 1; !counted_ && i < rank.counted; ++i) ranks_.emplace_back().where = std::to_string(i);
    counted_ = true;
    if (!rank.told) rank.next_ms = boot_ms() + share();
  } else if (t == "devices") {
    for (auto& d : frame.value("devices", json::array()))
      rank.gpus.push_back({text_in(d, "name"), text_in(d, "uuid"), text_in(d, "pci"), text_in(d, "rung")});
  } else if (t == "progress") {
    on_progress(rank, frame);
  } else if (t == "metric" && job_.channel) {
    auto forwarded = frame;
    if (text_in(frame, "device").empty() && !rank.gpus.empty()) forwarded["device"] = rank.gpus[0].uuid;
    job_.channel->send(forwarded);
  } else if (t == "publish") {
    publish(key, text_in(frame, "data"));
    if (grouped()) job_.channel->publish(key, text_in(frame, "data"));
  } else if (t == "await") {
    await(rank, key);
  } else if (t == "values") {
    rank.values = frame.value("values", json::object()), rank.error = text_in(frame, "error"), rank.done = true;
    rank.next_ms = std::min(rank.next_ms, boot_ms() + kClosingMs);
  }
}

void Ranks::read(Rank& rank) {
  for (auto& frame : rank.child->read()) on_frame(rank, frame);
}

/// The rank's process has ended or was given up.
void Ranks::end(Rank& rank) {
  rank.phase = Rank::Phase::over;
  if (rank.done) return;
  bool gave_up = rank.child->gave_up();
  if (!rank.stopped.empty() && !gave_up) rank.error = "ended because " + rank.stopped;
  else if (rank.trouble.empty() && rank.error.empty()) {
    rank.trouble = gave_up ? "hung in " + rank.doing : rank.child->how_it_ended();
    lost(rank);
  }
}

/// It, or one that it may be waiting for, told of progress in the last quarter of its time, and in the last seconds: slow, not hung.
bool Ranks::still_working(const Rank& rank) const {
  auto lately = [](const Rank& r) { return r.heard_ms > 0 && boot_ms() - r.heard_ms < std::min((boot_ms() - r.since_ms) / 4, kLatelyMs); };
  return lately(rank) || (linked_ && std::any_of(ranks_.begin(), ranks_.end(), lately));
}

/// Whoever waits for a lost rank waits in vain.
void Ranks::lost(const Rank& gone) {
  for (auto& rank : ranks_)
    if (linked_ && &rank != &gone && rank.phase == Rank::Phase::running && !rank.done) {
      rank.next_ms = std::min(rank.next_ms, boot_ms() + job_.times.grace);
      if (rank.stopped.empty()) rank.stopped = label(gone) + " " + (gone.trouble.empty() ? gone.error : gone.trouble);
    }
}

void Ranks::on_time(Rank& rank) {
  if (rank.child->ended()) {
    read(rank);
    return end(rank);
  }
  if (boot_ms() < rank.next_ms) return;
  if (rank.phase == Rank::Phase::running) {
    rank.phase = Rank::Phase::asked_to_end, rank.next_ms = boot_ms() + job_.times.term, rank.killed = true;
    rank.child->kill_group(SIGTERM);
    if (rank.done || !rank.stopped.empty()) return;
    auto in = rank.doing.empty() ? "the start of the driver" : rank.doing;
    if (rank.ready && !rank.told && grouped()) rank.error = "the other hosts did not say in time how many GPUs they have";
    else if (!rank.awaited.empty()) rank.error = "waited in vain for " + *rank.awaited.begin() + ", which another rank should tell";
    else if (still_working(rank)) rank.error = "did not end in time (was in " + in + ")", lost(rank);
    else rank.trouble = "hung in " + in, lost(rank);
  } else if (rank.phase == Rank::Phase::asked_to_end) {
    rank.phase = Rank::Phase::killed, rank.next_ms = boot_ms() + job_.times.kill;
    rank.child->kill_group(SIGKILL);
  } else {
    rank.trouble += (rank.trouble.empty() ? "" : ", and ") + std::string("its process cannot be killed");
    end(rank);
  }
}

void Ranks::turn() {
  std::vector<pollfd> fds;
  fds.push_back({grouped() && hosts_listen_ ? job_.channel->input() : -1, POLLIN, 0});
  for (auto& rank : ranks_) {
    fds.push_back({rank.active() ? rank.child->frames() : -1, POLLIN, 0});
    fds.push_back({rank.active() ? rank.child->input() : -1, POLLOUT, 0});
  }
  poll(fds.data(), fds.size(), kTurnMs);
  if (fds[0].fd >= 0) hear_hosts();  // always: lines may have come together with the task
  for (std::size_t i = 0, n = (fds.size() - 1) / 2; i < n; ++i) {
    auto& rank = ranks_[i];
    if (fds[1 + 2 * i].revents) read(rank);
    if (fds[2 + 2 * i].revents) rank.child->flush();
  }
  for (std::size_t i = 0; i < ranks_.size(); ++i)  // a first rank's last words may add the others
    if (ranks_[i].active()) on_time(ranks_[i]);
}

std::vector<RankResult> Ranks::run() {
  auto open = [](auto& r) { return r.phase != Rank::Phase::over; };
  while (std::any_of(ranks_.begin(), ranks_.end(), open)) start_due(), hand_out(), turn();
  return {ranks_.begin(), ranks_.end()};
}

}  // namespace

std::vector<RankResult> run_ranks(const RankJob& job) { return Ranks(job).run(); }

}  // namespace vt::agent
