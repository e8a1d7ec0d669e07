#include "tests/scenario/catalogue/view.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <utility>

#include "orchestrator/model/text.hpp"
#include "tests/support/fake_gpus.hpp"

namespace vt::test {

namespace {

namespace fs = std::filesystem;

/// Outside: builds the new root. $1 = the view's folder, $2 = the program, $3 = its argument.
constexpr std::string_view kOuter = R"(set -eu
folder=$1
mount -t tmpfs -o mode=755 view "$folder/root"
mkdir "$folder/root/upper" "$folder/root/work" "$folder/root/new"
mount -t overlay -o "lowerdir=/,upperdir=$folder/root/upper,workdir=$folder/root/work" view "$folder/root/new"
cd "$folder/root/new"
mount -t proc proc proc
mount --rbind /sys sys
mount -t tmpfs -o mode=755 view run
mount -t tmpfs -o mode=1777 view tmp
mount -t tmpfs -o mode=755 view dev
for node in null zero random urandom; do
  : > "dev/$node"
  mount --bind "/dev/$node" "dev/$node"
done
mkdir dev/shm
mount -t tmpfs -o mode=1777,size=1g view dev/shm
mount -t tmpfs -o mode=755 view usr/local/sbin
mount -t tmpfs -o mode=755 view usr/local/bin
mkdir -p mnt/view
mount --bind "$folder/fixture" mnt/view
: > mnt/program
mount --bind "$2" mnt/program
exec chroot . /usr/bin/env -i HOME=/root PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin /bin/sh /mnt/view/inner "$3"
)";

/// Inside: lays the fixture over it. All of it happens below the new root, so that no symbolic link leads out.
constexpr std::string_view kInner = R"(set -eu
in_kernel() { case "$1" in /proc/* | /sys/*) return 0 ;; *) return 1 ;; esac; }
cover() { # the nearest folder that exists, with an empty one
  folder=$1
  while [ ! -d "$folder" ]; do folder=${folder%/*}; done
  mount -t tmpfs -o mode=755 view "$folder"
}
lay() {
  if [ -e "$2" ] && in_kernel "$2"; then mount --bind "$1" "$2"; return; fi
  mkdir -p "${2%/*}" 2> /dev/null || { cover "${2%/*}"; mkdir -p "${2%/*}"; }
  rm -f "$2"
  cp "$1" "$2"
}
)";

/// The doubles where the loader looks without being told, and no toolkit of this machine beside them.
constexpr std::string_view kGpus = R"(cp /mnt/view/gpus/* /usr/lib/
for toolkit in /usr/local/cuda*; do
  [ -d "$toolkit" ] && mount -t tmpfs view "$toolkit"
done
)";

void write_below(const fs::path& path, const std::string& text) {
  fs::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << text;
}

std::string inner_script(const Case& c) {
  std::string script(kInner);
  for (auto& folder : c.empty) script += "cover " + shell_quote(folder) + "\n";
  int number = 0;
  for (auto& [path, content] : c.files) script += "lay /mnt/view/files/" + std::to_string(number++) + " " + shell_quote(path) + "\n";
  script += "for program in /mnt/view/bin/*; do\n  [ -e \"$program\" ] || continue\n";
  script += "  cp \"$program\" /usr/local/sbin/\n  chmod 755 \"/usr/local/sbin/${program##*/}\"\ndone\n";
  if (!c.gpus.is_null()) script += kGpus;
  return script + "exec 3<&0 < /dev/null\n" + c.setup + "\n/mnt/program \"$1\" <&3 3<&-\n";
}

void write_fixture(const fs::path& folder, const Case& c) {
  fs::create_directories(folder / "bin");
  int number = 0;
  for (auto& [path, content] : c.files) write_below(folder / "files" / std::to_string(number++), content);
  for (auto& [name, script] : c.bin) write_below(folder / "bin" / name, "#!/bin/sh\n" + script + "\n");
  if (!c.gpus.is_null()) {
    FakeGpus gpus(c.gpus);
    fs::copy(gpus.folder(), folder / "gpus");
  }
  write_below(folder / "inner", inner_script(c));
}

std::vector<std::string> command_line(const std::string& folder, const std::string& program, const std::string& argument) {
  std::vector<std::string> argv{"unshare", "--mount", "--pid", "--fork", "--kill-child", "--propagation", "private"};
  if (geteuid() != 0) argv.insert(argv.begin() + 1, {"--user", "--map-root-user"});
  for (auto& part : {std::string("/bin/sh"), folder + "/outer", folder, program, argument}) argv.push_back(part);
  return argv;
}

[[noreturn]] void become(std::vector<std::string> argv, int in, int out, const std::string& err) {
  dup2(in, 0);
  dup2(out, 1);
  dup2(open(err.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600), 2);
  std::vector<char*> raw;
  for (auto& part : argv) raw.push_back(part.data());
  raw.push_back(nullptr);
  execvp(raw[0], raw.data());
  _exit(127);
}

std::string try_view() {
  auto view = View::prepare({});
  if (!view) return view.error().what;
  auto process = view->start("/bin/echo", "here");
  if (!process) return process.error().what;
  close(process->in);
  std::array<char, 16> said{};
  auto length = read(process->out, said.data(), said.size());
  close(process->out);
  int status = 0;
  waitpid(process->pid, &status, 0);
  if (length == 5 && status == 0) return "";
  return "no private mount namespace: " + view->complaints();
}

}  // namespace

Result<View> View::prepare(const Case& c) {
  std::string folder = "/tmp/vt-catalogue-XXXXXX";
  if (!mkdtemp(folder.data())) return fail(Errc::internal, "cannot make a folder below /tmp");
  View view(folder);
  fs::create_directory(folder + "/root");
  write_below(folder + "/outer", std::string(kOuter));
  write_fixture(folder + "/fixture", c);
  return view;
}

View::View(View&& other) noexcept : folder_(std::exchange(other.folder_, "")) {}

View::~View() {
  std::error_code ignored;
  if (!folder_.empty()) fs::remove_all(folder_, ignored);
}

Result<View::Process> View::start(const std::string& program, const std::string& argument) const {
  std::array<int, 2> to{}, from{};
  if (pipe2(to.data(), O_CLOEXEC) != 0 || pipe2(from.data(), O_CLOEXEC) != 0) return fail(Errc::internal, "no pipe");
  auto argv = command_line(folder_, program, argument);
  auto err = folder_ + "/stderr";
  int pid = fork();
  if (pid == 0) become(argv, to[0], from[1], err);
  close(to[0]);
  close(from[1]);
  if (pid < 0) return fail(Errc::internal, "no process");
  return Process{pid, to[1], from[0]};
}

std::string View::complaints() const {
  std::ostringstream text;
  text << std::ifstream(folder_ + "/stderr").rdbuf();
  return std::string(trim(text.str()));
}

std::string why_no_view() {
  static const std::string reason = try_view();
  return reason;
}

}  // namespace vt::test
