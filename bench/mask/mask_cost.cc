// What masking costs: 10 MB of a terminal's output, of words, and of output full of escapes, in
// pieces of 4 KB, with a dozen secrets. Prints milliseconds of processor time, and MB/s.
#include <fmt/format.h>

#include <ctime>
#include <memory>
#include <string>
#include <vector>

#include "mask/lines_masker.h"
#include "mask/stream_masker.h"

namespace {

using namespace orch::mask;

constexpr size_t kBytes = 10'000'000, kPiece = 4096;

std::shared_ptr<const Secrets> a_dozen() {
  std::vector<std::string> values;
  for (int i = 0; i < 12; ++i) {
    values.push_back(fmt::format("sk-bench-{}-Th1s/Is+A-s3cret-of-{}-characters", i * 7919, i));
  }
  return std::make_shared<const Secrets>(values);
}

std::string repeated(std::string_view text) {
  std::string all;
  all.reserve(kBytes + text.size());
  while (all.size() < kBytes) all += text;
  return all;
}

void tell(std::string_view what, std::clock_t begun, size_t bytes) {
  const double ms = static_cast<double>(std::clock() - begun) * 1000 / CLOCKS_PER_SEC;
  fmt::print("{:<10} {:7.1f} ms  {:6.0f} MB/s\n", what, ms, static_cast<double>(bytes) / ms / 1000);
}

void measure_stream(std::string_view what, const std::string& all) {
  StreamMasker masker(a_dozen());
  size_t passed = 0;
  const std::clock_t begun = std::clock();
  for (size_t at = 0; at < all.size(); at += kPiece) {
    passed += masker.pass(std::string_view(all).substr(at, kPiece)).size();
  }
  passed += masker.release().size();
  tell(what, begun, passed);
}

void measure_lines(const std::string& line) {
  LinesMasker masker(a_dozen());
  size_t passed = 0;
  const std::clock_t begun = std::clock();
  while (passed < kBytes) {
    masker.add(line, false);
    for (const std::string& known : masker.take_known()) passed += known.size() + 1;
  }
  tell("lines", begun, passed);
}

}  // namespace

int main() {
  const std::string words =
      "The test fails since the socket is closed before the last write has been taken by the "
      "peer. ";
  measure_stream("text", repeated(words + "\r\n"));
  measure_stream("escapes", repeated("\x1b[38;5;114m●\x1b[39m \x1b[1mRead\x1b[22m(src/net.cc)\r\n"
                                     "\x1b[2K\x1b[1G│ \x1b[2m…\x1b[22m 42 lines          │\r\n"));
  measure_lines(words);
}
