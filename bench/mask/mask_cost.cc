// Measures the cost of masking: 10 MB of terminal output, of words, and of output full of escape
// sequences, in pieces of 4 KB, with a dozen secrets. Prints milliseconds of processor time and
// MB/s; fails if not all of the text comes out again.
//   mask_cost [--json] [BYTES]
#include <fmt/format.h>

#include <cstdlib>
#include <ctime>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "mask/lines_masker.h"
#include "mask/stream_masker.h"

namespace {

using namespace orch::mask;

constexpr size_t kBytes = 10'000'000, kPiece = 4096;

struct Cost {
  const char* what;
  double ms = 0;
  size_t given = 0, passed = 0;  // bytes

  double speed() const { return static_cast<double>(passed) / ms / 1000; }
  bool measured() const { return given > 0 && passed == given && ms > 0; }
};

double ms_since(std::clock_t begun) {
  return static_cast<double>(std::clock() - begun) * 1000 / CLOCKS_PER_SEC;
}

std::shared_ptr<const Secrets> a_dozen() {
  std::vector<std::string> values;
  for (int i = 0; i < 12; ++i) {
    values.push_back(fmt::format("sk-bench-{}-Th1s/Is+A-s3cret-of-{}-characters", i * 7919, i));
  }
  return std::make_shared<const Secrets>(values);
}

std::string repeated(std::string_view text, size_t bytes) {
  std::string all;
  all.reserve(bytes + text.size());
  while (all.size() < bytes) all += text;
  return all;
}

Cost of_stream(const char* what, const std::string& all) {
  StreamMasker masker(a_dozen());
  Cost cost{.what = what, .given = all.size()};
  const std::clock_t begun = std::clock();
  for (size_t at = 0; at < all.size(); at += kPiece) {
    cost.passed += masker.pass(std::string_view(all).substr(at, kPiece)).size();
  }
  cost.passed += masker.release().size();
  cost.ms = ms_since(begun);
  return cost;
}

Cost of_lines(const std::string& line, size_t bytes) {
  LinesMasker masker(a_dozen());
  Cost cost{.what = "lines"};
  const auto take = [&cost](const std::vector<std::string>& lines) {
    for (const std::string& known : lines) cost.passed += known.size() + 1;
  };
  const std::clock_t begun = std::clock();
  while (cost.given < bytes) {
    masker.add(line, false);
    cost.given += line.size() + 1;
    take(masker.take_known());
  }
  take(masker.take_all());
  cost.ms = ms_since(begun);
  return cost;
}

void tell(const std::vector<Cost>& costs, bool json) {
  std::string_view comma = "[";
  for (const Cost& cost : costs) {
    if (json) {  // the format of all benches: bench/figures/figure.py
      fmt::print(R"({}{{"name": "mask.{}", "value": {:.1f}, "unit": "MB/s", "n": {}}})", comma,
                 cost.what, cost.speed(), cost.passed);
      comma = ",\n ";
    } else {
      fmt::print("{:<10} {:7.1f} ms  {:6.0f} MB/s\n", cost.what, cost.ms, cost.speed());
    }
  }
  if (json) fmt::print("]\n");
}

}  // namespace

int main(int argc, char** argv) {
  const bool json = argc > 1 && std::string_view(argv[1]) == "--json";
  const int next = json ? 2 : 1;
  const size_t bytes = argc > next ? std::strtoull(argv[next], nullptr, 10) : kBytes;
  const std::string words =
      "The test fails since the socket is closed before the last write has been taken by the "
      "peer. ";
  const std::vector<Cost> costs{
      of_stream("text", repeated(words + "\r\n", bytes)),
      of_stream("escapes", repeated("\x1b[38;5;114m●\x1b[39m \x1b[1mRead\x1b[22m(src/net.cc)\r\n"
                                    "\x1b[2K\x1b[1G│ \x1b[2m…\x1b[22m 42 lines          │\r\n",
                                    bytes)),
      of_lines(words, bytes)};
  tell(costs, json);
  for (const Cost& cost : costs) {
    if (cost.measured()) continue;
    fmt::print(stderr, "mask_cost: {}: {} bytes of {} came out, in {} ms\n", cost.what, cost.passed,
               cost.given, cost.ms);
    return 1;
  }
}
