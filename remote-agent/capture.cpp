#include "remote-agent/capture.hpp"

#include <algorithm>

namespace vt::agent {

using protocol::kKeep;

namespace {

bool continues(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

/// Where to cut so that no UTF-8 sequence is torn: at `at` or up to three bytes before it.
std::size_t boundary(std::string_view text, std::size_t at) {
  auto cut = at;
  while (cut > 0 && cut < text.size() && at - cut < 3 && continues(text[cut])) cut--;
  return cut < text.size() && continues(text[cut]) ? at : cut;
}

}  // namespace

void Capture::add(std::string_view bytes) {
  if (bytes.empty()) return;
  bytes_ += bytes.size();
  newlines_ += static_cast<std::uint64_t>(std::count(bytes.begin(), bytes.end(), '\n'));
  last_ = bytes.back();
  auto room = std::min(kKeep - head_.size(), bytes.size());
  head_ += bytes.substr(0, room);
  bytes.remove_prefix(room);
  if (bytes.size() > kKeep) bytes.remove_prefix(bytes.size() - kKeep);
  auto grow = std::min(kKeep - ring_.size(), bytes.size());
  ring_ += bytes.substr(0, grow);
  bytes.remove_prefix(grow);
  while (!bytes.empty()) {
    auto run = std::min(kKeep - at_, bytes.size());
    ring_.replace(at_, run, bytes.substr(0, run));
    at_ = (at_ + run) % kKeep;
    bytes.remove_prefix(run);
  }
}

std::string Capture::tail() const { return ring_.substr(at_) + ring_.substr(0, at_); }

protocol::Stream Capture::stream() const {
  protocol::Stream out;
  out.bytes = bytes_, out.lines = newlines_ + (last_ == '\n' ? 0 : 1);
  auto all = head_ + tail();
  auto cut = boundary(all, head_.size());
  out.head = protocol::valid_utf8(std::string_view(all).substr(0, cut));
  if (bytes_ > 2 * kKeep) {  // what follows the head is missing: the tail starts with a whole character
    cut = head_.size();
    while (cut < all.size() && cut - head_.size() < 3 && continues(all[cut])) cut++;
  }
  out.tail = protocol::valid_utf8(std::string_view(all).substr(cut));
  return out;
}

}  // namespace vt::agent
