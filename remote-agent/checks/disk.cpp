#include "remote-agent/checks/disk_io.hpp"

namespace vt::checks {

/// Writes args.mib MiB of pseudorandom data into a file in args.dir, reads it back from the disk and counts the words that differ.
/// args.fault has one bit flipped in between.
Outcome verify_disk(const Task& task, Reporter& report) {
  auto file = Scratch::make(task);
  if (!file) return {{}, task.text("dir"), file.error().what};
  auto& folder = file->folder();
  auto mib = file->fitting_mib(task.number("mib", 64));
  if (!mib) return {{}, folder, mib.error().what};
  auto done = written_and_read(*file, *mib, task.flag("fault"), agent::boot_ms() + task.deadline_ms * 9 / 10);
  if (!done) return {{}, folder, done.error().what};
  constexpr double kMib = 1024 * 1024;
  auto write_mib_s = done->write.bytes_per_second / kMib, read_mib_s = done->read.bytes_per_second / kMib;
  report.metric("write", write_mib_s, "MiB/s", folder), report.metric("read", read_mib_s, "MiB/s", folder);
  return {{{"wrong", done->read.wrong},
           {"mib", *mib},
           {"direct", file->direct()},
           {"file_system", file->file_system()},
           {"write_mib_s", write_mib_s},
           {"read_mib_s", read_mib_s}},
          folder,
          ""};
}

}  // namespace vt::checks
