// Threads that wait for numbered tasks.  Which thread takes a task never changes what the task computes.
// No OpenMP: its regions hang in a forked child.  Here the child starts threads of its own.
#pragma once
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace widemargin {

class Pool {
 public:
  explicit Pool(int workers) {
    for (int k = 0; k < workers; ++k) threads_.emplace_back([this] { work(); });
  }
  ~Pool() {
    {
      std::lock_guard lock(mutex_);
      stop_ = true;
    }
    wake_.notify_all();
    for (auto& t : threads_) t.join();
  }
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  int workers() const { return static_cast<int>(threads_.size()); }

  // task(0), ..., task(count - 1), each once; the caller works too, and waits for no thread that has not begun: on a
  // busy machine one may sleep for long.  An exception is thrown again here.
  void run(std::int64_t count, const std::function<void(std::int64_t)>& task) {
    std::unique_lock lock(mutex_);
    task_ = &task;
    count_ = count;
    next_.store(0);
    failure_ = nullptr;
    ++round_;
    lock.unlock();
    wake_.notify_all();
    take();
    lock.lock();
    done_.wait(lock, [this] { return busy_ == 0; });
    task_ = nullptr;
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  void take() {
    try {
      for (std::int64_t i; (i = next_.fetch_add(1)) < count_;) (*task_)(i);
    } catch (...) {
      next_.store(count_);
      std::lock_guard lock(mutex_);
      failure_ = std::current_exception();
    }
  }

  void work() {
    std::uint64_t seen = 0;
    std::unique_lock lock(mutex_);
    for (;;) {
      wake_.wait(lock, [&] { return stop_ || round_ != seen; });
      if (stop_) return;
      seen = round_;
      if (!task_) continue;  // woken too late: the others have done it
      ++busy_;
      lock.unlock();
      take();
      lock.lock();
      if (--busy_ == 0) done_.notify_one();
    }
  }

  std::mutex mutex_;
  std::condition_variable wake_, done_;
  const std::function<void(std::int64_t)>* task_ = nullptr;
  std::int64_t count_ = 0;
  std::atomic<std::int64_t> next_{0};
  int busy_ = 0;
  std::uint64_t round_ = 0;
  bool stop_ = false;
  std::exception_ptr failure_;
  std::vector<std::thread> threads_;
};

// A pool of one's own for as long as a fit lasts, taken from those that earlier fits gave back.
class Pools {
 public:
  static void run(int threads, std::int64_t count, const std::function<void(std::int64_t)>& task) {
    if (threads <= 1 || count <= 1) {
      for (std::int64_t i = 0; i < count; ++i) task(i);
      return;
    }
    auto& shared = instance();
    auto pool = shared.take(threads - 1);
    try {
      pool->run(count, task);
    } catch (...) {
      shared.give(std::move(pool));
      throw;
    }
    shared.give(std::move(pool));
  }

 private:
  static Pools& instance() {
    static std::atomic<Pools*> current{nullptr};
    Pools* found = current.load();
    if (!found || found->process_ != getpid()) {  // first use, or a forked child: its parent's threads are not here
      auto fresh = std::make_unique<Pools>();
      if (current.compare_exchange_strong(found, fresh.get())) return *fresh.release();  // lives as long as the process
      return *current.load();
    }
    return *found;
  }

  std::unique_ptr<Pool> take(int workers) {
    std::lock_guard lock(mutex_);
    auto at = std::find_if(idle_.begin(), idle_.end(), [&](auto& p) { return p->workers() == workers; });
    if (at == idle_.end()) return std::make_unique<Pool>(workers);
    auto pool = std::move(*at);
    idle_.erase(at);
    return pool;
  }
  void give(std::unique_ptr<Pool> pool) {
    std::lock_guard lock(mutex_);
    if (idle_.size() < 8) idle_.push_back(std::move(pool));
  }

  const pid_t process_ = getpid();
  std::mutex mutex_;
  std::vector<std::unique_ptr<Pool>> idle_;
};

}  // namespace widemargin
