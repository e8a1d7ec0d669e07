#pragma once
#include <string>

#include "remote-agent/base/os.hpp"

namespace vt::agent {

/// Where a supervisor's job frames go.
class Sink {
 public:
  virtual ~Sink() = default;
  /// Takes one line. False: there is no room for it and the job must end.
  virtual bool put(const std::string& line) = 0;
  /// Takes the last line and waits, within limits, until it is safe. False: there is no room for it.
  virtual bool put_last(const std::string& line) = 0;
  /// A descriptor to poll for writing while wants_write(), and what to do then.
  [[nodiscard]] virtual int fd() const { return -1; }
  [[nodiscard]] virtual bool wants_write() const { return false; }
  virtual void flush() {}
};

/// To the session that started the job; it may be slow, or gone.
class SocketSink final : public Sink {
 public:
  explicit SocketSink(int fd) : fd_(fd) {}
  bool put(const std::string& line) override;
  bool put_last(const std::string& line) override;
  [[nodiscard]] int fd() const override { return fd_; }
  [[nodiscard]] bool wants_write() const override { return box_.pending() > 0; }
  void flush() override { box_.flush(fd_); }

 private:
  int fd_;
  Outbox box_;
};

/// To a file that only ever holds whole lines: what does not fit is taken back.
class JournalSink final : public Sink {
 public:
  /// `reserve`: a file whose space is given back when the last line does not fit.
  JournalSink(Fd journal, std::string reserve) : journal_(std::move(journal)), reserve_(std::move(reserve)) {}
  bool put(const std::string& line) override;
  bool put_last(const std::string& line) override;

 private:
  Fd journal_;
  std::string reserve_;
};

}  // namespace vt::agent
