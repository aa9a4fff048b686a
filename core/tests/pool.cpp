// Every task once, whoever takes it; exceptions come back; many callers at once; a forked child has threads again.
#include <sys/wait.h>

#include <numeric>
#include <stdexcept>

#include "check.hpp"
#include "pool.hpp"

using namespace widemargin;

namespace {

std::int64_t squares(int threads, std::int64_t count) {
  std::vector<std::int64_t> out(static_cast<std::size_t>(count));
  Pools::run(threads, count, [&](std::int64_t i) { out[static_cast<std::size_t>(i)] += i * i; });
  return std::accumulate(out.begin(), out.end(), std::int64_t{0});
}

std::int64_t expected(std::int64_t count) { return (count - 1) * count * (2 * count - 1) / 6; }

void every_task_once() {
  for (int threads : {1, 2, 3, 8})
    for (std::int64_t count : {1, 2, 7, 1000})
      for (int again = 0; again < 20; ++again)
        check::that(squares(threads, count) == expected(count), "each task runs once");
}

void exceptions_return() {
  for (int threads : {1, 4}) {
    bool caught = false;
    try {
      Pools::run(threads, 100, [](std::int64_t i) {
        if (i == 57) throw std::runtime_error("57");
      });
    } catch (const std::runtime_error& error) {
      caught = std::string(error.what()) == "57";
    }
    check::that(caught, "an exception in a task reaches the caller");
    check::that(squares(threads, 100) == expected(100), "and the pool still works");
  }
}

void callers_at_once() {
  std::vector<std::int64_t> got(6);
  std::vector<std::thread> callers;
  for (std::size_t k = 0; k < got.size(); ++k)
    callers.emplace_back([&got, k] {
      for (int again = 0; again < 20; ++again) got[k] = squares(3, 100 + static_cast<std::int64_t>(k));
    });
  for (auto& caller : callers) caller.join();
  for (std::size_t k = 0; k < got.size(); ++k)
    check::that(got[k] == expected(100 + static_cast<std::int64_t>(k)), "callers do not disturb each other");
}

void nested() {
  std::vector<std::int64_t> got(5);
  Pools::run(2, 5, [&](std::int64_t i) { got[static_cast<std::size_t>(i)] = squares(2, 50); });
  for (auto value : got) check::that(value == expected(50), "a task may itself use a pool");
}

void child_has_threads() {
  squares(4, 100);  // the parent's threads exist, and will not in the child
  pid_t child = fork();
  if (child == 0) _exit(squares(4, 1000) == expected(1000) ? 0 : 1);
  int status = -1;
  waitpid(child, &status, 0);
  check::that(WIFEXITED(status) && WEXITSTATUS(status) == 0, "a forked child starts threads of its own");
}

}  // namespace

int main() {
  every_task_once();
  exceptions_return();
  callers_at_once();
  nested();
  child_has_threads();
  return check::report();
}
