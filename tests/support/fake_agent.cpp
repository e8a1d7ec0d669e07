// Speaks the agent protocol and does nothing else: for tests of the orchestrator's side. A job's args say how many
// progress frames it writes and how often ({"steps": 10, "every_ms": 20}), after how many "seconds", which numbers it reports as the
// metric "power" and what it returns ("metrics": [1, 2], "returns": "{}", "device": "cpu"); its frames go to a journal in
// $HOME/jobs by a process of its own, so that they go on when the session is gone. The words in the file $HOME/behaviour make it misbehave:
// protocol2, mute, longline, garbage, die, twice, gap.
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "remote-agent/protocol/frames.hpp"

using nlohmann::json;

namespace {

std::string home() { return std::getenv("HOME"); }

std::string slurp(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

bool behaves(const std::string& word) { return slurp(home() + "/behaviour").find(word) != std::string::npos; }

void say(const json& frame) {
  auto line = frame.dump() + "\n";
  for (std::size_t at = 0; at < line.size();) {
    auto n = write(1, line.data() + at, line.size() - at);
    if (n < 0) _exit(1);
    at += static_cast<std::size_t>(n);
  }
}

std::string journal_of(std::string job) {
  std::replace(job.begin(), job.end(), '/', '_');
  return home() + "/jobs/" + job;
}

/// The job itself: a process that appends its frames to the journal.
void work(const json& job, const std::string& journal) {
  json args = job.value("args", json::object());
  std::ofstream out(journal, std::ios::app);
  std::string id = job["job"];
  int seq = 0;
  out << json{{"t", "started"}, {"job", id}, {"seq", ++seq}, {"pid", getpid()}}.dump() << std::endl;
  usleep(static_cast<useconds_t>(args.value("seconds", 0.0) * 1e6));
  for (int i = 0; i < args.value("steps", 0); ++i) {
    usleep(static_cast<useconds_t>(args.value("every_ms", 0)) * 1000);
    out << json{{"t", "progress"}, {"job", id}, {"seq", ++seq}, {"text", std::to_string(i)}, {"fraction", 0.5}}.dump() << std::endl;
  }
  for (auto& value : args.value("metrics", json::array()))
    out << json{{"t", "metric"}, {"job", id}, {"seq", ++seq}, {"name", "power"}, {"value", value}, {"unit", "W"}, {"device", "GPU-1"}}
               .dump()
        << std::endl;
  std::ofstream(home() + "/effects", std::ios::app) << id << std::endl;
  vt::protocol::JobResult result;
  result.id = id, result.pid = getpid(), result.exit_code = 0, result.values = args.value("returns", "{\"done\":1}");
  result.device = args.value("device", "");
  json frame = vt::protocol::encode(result);
  frame["seq"] = ++seq;
  out << frame.dump() << std::endl;
  _exit(0);
}

class Session {
 public:
  int run() {
    mkdir((home() + "/jobs").c_str(), 0700);
    while (true) {
      pollfd p{0, POLLIN, 0};
      int n = poll(&p, 1, 5);
      if (n > 0 && !take_input()) return 0;
      pass_on();
      if (++quiet_ * 5 >= heartbeat_ms_ && !mute_) say({{"t", "heartbeat"}, {"now_ms", 1}}), quiet_ = 0;
    }
  }

 private:
  bool take_input() {
    char buffer[65536];
    auto n = read(0, buffer, sizeof buffer);
    if (n <= 0) return false;
    lines_.feed(std::string_view(buffer, static_cast<std::size_t>(n)));
    while (auto line = lines_.next()) handle(json::parse(*line));
    return true;
  }

  void handle(const json& frame) {
    std::string t = frame["t"];
    if (t == "hello") greet(frame);
    if (t == "probe")
      say({{"t", "facts"},
           {"facts",
            {{{"id", "host.root"}, {"value", true}, {"evidence", "uid 0"}, {"scope", "login"}},
             {{"id", "gpu"}, {"value", 2}, {"evidence", "lspci"}, {"scope", "host"}},
             {{"id", "caps.effective"}, {"value", {"a", "b"}}, {"evidence", "x"}, {"scope", "login"}},
             {{"id", "dmesg.read"}, {"evidence", "EPERM"}, {"scope", "login"}}}}});
    if (t == "claim") claim(frame);
    if (t == "run") start(frame);
    if (t == "attach") follow(frame["job"], frame["from"]);
    if (t == "cancel") cancel(frame["job"]);
    if (t == "deliver") exchanged(frame);
    if (t == "forget") unlink(journal_of(frame["job"]).c_str());
    if (t == "bye") _exit(0);
  }

  void greet(const json& frame) {
    heartbeat_ms_ = frame["heartbeat_ms"];
    std::puts("Welcome to this machine"), std::fflush(stdout);  // as a login script might
    say({{"t", "hello"},
         {"protocol", behaves("protocol2") ? 2 : 1},
         {"build", "fake"},
         {"arch", "x"},
         {"pid", getpid()},
         {"uid", geteuid()},
         {"boot_id", "b"},
         {"now_ms", 1},
         {"dir", home()}});
  }

  void claim(const json& frame) {
    auto holder = slurp(home() + "/holder");
    std::ofstream(home() + "/claims", std::ios::app) << frame["token"] << std::endl;
    say({{"t", "claimed"}, {"ok", holder.empty()}, {"holder", holder}});
  }

  void start(const json& job) {
    if (behaves("mute")) return void(mute_ = true);
    if (behaves("longline")) return void(std::puts(std::string(3 << 20, 'x').c_str()));
    if (behaves("garbage")) return say("hello?");
    if (behaves("die")) std::fputs("out of cheese\n", stderr), _exit(3);
    if (!job.value("group", "").empty()) return exchange(job);
    auto journal = journal_of(job["job"]);
    if (access(journal.c_str(), F_OK) != 0 && fork() == 0) {
      setsid();
      for (int fd : {0, 1, 2}) close(fd), open("/dev/null", O_RDWR);
      work(job, journal);
    }
    while (access(journal.c_str(), F_OK) != 0) usleep(1000);
    follow(job["job"], 0);
  }

  void cancel(const std::string& job) {
    std::ofstream(home() + "/cancelled", std::ios::app) << job << std::endl;
    vt::protocol::JobResult result;
    result.id = job, result.error = "cancelled";
    json frame = vt::protocol::encode(result);
    frame["seq"] = last_ + 1;
    say(frame);
    following_.clear();
  }

  /// A rank: publishes its number, and ends when it knows the other one's.
  void exchange(const json& job) {
    rank_job_ = job;
    std::string group = job["group"], key = "rank" + std::to_string(job.value("rank", 0));
    say({{"t", "publish"}, {"job", job["job"]}, {"seq", 1}, {"group", group}, {"key", key}, {"data", "of " + key}});
  }
  void exchanged(const json& frame) {
    vt::protocol::JobResult result;
    result.id = rank_job_["job"], result.exit_code = 0, result.values = json{{"got", frame["data"]}}.dump();
    json out = vt::protocol::encode(result);
    out["seq"] = 2;
    say(out);
  }

  void follow(const std::string& job, std::int64_t from) {
    if (access(journal_of(job).c_str(), F_OK) != 0) return say({{"t", "error"}, {"what", "no such job"}, {"job", job}});
    following_ = job, from_ = from, at_ = 0;
  }

  void pass_on() {
    if (following_.empty()) return;
    std::ifstream file(journal_of(following_));
    file.seekg(at_);
    for (std::string line; std::getline(file, line) && !file.eof(); at_ = file.tellg()) {
      auto frame = json::parse(line);
      if (frame["seq"] <= from_ || (behaves("gap") && frame["seq"] == 3)) continue;
      last_ = frame["seq"];
      say(frame);
      if (behaves("twice")) say(frame);
    }
  }

  vt::protocol::LineReader lines_;
  std::string following_;
  json rank_job_;
  std::int64_t from_ = 0, last_ = 0, heartbeat_ms_ = 1000, quiet_ = 0;
  std::streamoff at_ = 0;
  bool mute_ = false;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1 && std::string(argv[1]) == "--version") return std::puts("fake") < 0;
  signal(SIGCHLD, SIG_IGN);
  return Session().run();
}
