#pragma once
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "tests/doubles/cuda/abi.hpp"

namespace vt::doubles {

class Queue;

/// A place in a queue's work.
struct Ticket {
  std::shared_ptr<Queue> queue;
  std::uint64_t number = 0;
};

/// What one piece of work did. `seconds` as events tell it; negative: as long as it took.
struct Done {
  CUresult code = CUDA_SUCCESS;
  double seconds = -1;
};

/// The work of one stream, done in order by a thread of its own. Errors stay with the device (`failed`), as a context's do.
class Queue : public std::enable_shared_from_this<Queue> {
 public:
  /// `failed` is told of every error and asked before every piece of work: after an error nothing is done any more.
  static std::shared_ptr<Queue> start(std::function<CUresult(CUresult)> failed);
  /// Puts work at the end, after all of `first`. It gets the stream's time at its end, in seconds.
  Ticket add(std::function<Done()> work, std::vector<Ticket> first = {}, std::function<void(double)> then = {});
  Ticket last();
  bool passed(std::uint64_t number);
  void wait(std::uint64_t number);
  /// The stream's time is at least this.
  void not_before(double seconds);
  /// The thread ends when all is done.
  void close();

 private:
  struct Item {
    std::function<Done()> work;
    std::vector<Ticket> first;
    std::function<void(double)> then;
  };
  explicit Queue(std::function<CUresult(CUresult)> failed) : failed_(std::move(failed)) {}
  void serve();
  void run(Item&);

  std::function<CUresult(CUresult)> failed_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Item> items_;
  std::uint64_t added_ = 0, done_ = 0;
  double ahead_ = 0;  ///< of this machine's clock, by modelled times
  bool closed_ = false;
};

}  // namespace vt::doubles
