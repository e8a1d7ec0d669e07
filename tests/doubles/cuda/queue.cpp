#include "tests/doubles/cuda/queue.hpp"

#include <algorithm>
#include <chrono>
#include <thread>

namespace vt::doubles {

namespace {

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

}  // namespace

std::shared_ptr<Queue> Queue::start(std::function<CUresult(CUresult)> failed) {
  std::shared_ptr<Queue> queue(new Queue(std::move(failed)));
  std::thread([queue] { queue->serve(); }).detach();  // it may hang for good: that is one of the faults
  return queue;
}

Ticket Queue::add(std::function<Done()> work, std::vector<Ticket> first, std::function<void(double)> then) {
  std::lock_guard hold(mutex_);
  items_.push_back({std::move(work), std::move(first), std::move(then)});
  changed_.notify_all();
  return {shared_from_this(), ++added_};
}

Ticket Queue::last() {
  std::lock_guard hold(mutex_);
  return {shared_from_this(), added_};
}

bool Queue::passed(std::uint64_t number) {
  std::lock_guard hold(mutex_);
  return done_ >= number;
}

void Queue::wait(std::uint64_t number) {
  std::unique_lock hold(mutex_);
  changed_.wait(hold, [&] { return done_ >= number; });
}

void Queue::not_before(double seconds) { ahead_ = std::max(ahead_, seconds - now()); }

void Queue::close() {
  std::lock_guard hold(mutex_);
  closed_ = true;
  changed_.notify_all();
}

void Queue::serve() {
  std::unique_lock hold(mutex_);
  while (true) {
    changed_.wait(hold, [&] { return !items_.empty() || closed_; });
    if (items_.empty()) return;
    auto item = std::move(items_.front());
    items_.pop_front();
    hold.unlock();
    run(item);
    item = {};
    hold.lock();
    ++done_;
    changed_.notify_all();
  }
}

void Queue::run(Item& item) {
  for (auto& ticket : item.first) ticket.queue->wait(ticket.number);
  auto begin = now();
  if (item.work && failed_(CUDA_SUCCESS) == CUDA_SUCCESS) {
    auto did = item.work();
    if (did.code != CUDA_SUCCESS) failed_(did.code);
    if (did.seconds >= 0) ahead_ += did.seconds - (now() - begin);
  }
  if (item.then) item.then(now() + ahead_);
}

}  // namespace vt::doubles
