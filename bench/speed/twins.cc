// Checks that the two builds of the engine, for every machine and for AVX2, agree: feeds the same
// random bytes to both and compares all that can be seen, again and again.
//   twins [BYTES]
// BYTES is 10^8 by default. Exit code 0: they agree; 1: they differ; 77: the machine has no AVX2.

#include <fmt/core.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <string_view>

#include "term/engine.h"
#include "term/simd/scan.h"

namespace orch::term {
namespace {

constexpr int kSkipped = 77;          // ctest takes this code for a skipped test
constexpr size_t kBetween = 1 << 14;  // bytes between two comparisons

// Makes random output: such as agents write, such as no program would write, and plain noise.
class RandomOutput {
 public:
  std::string next() {
    switch (below(9)) {
      case 0:
        return bytes_of(1 + below(40));
      case 1:
        return from("0123456789;;:?<=>$ mHJK\x1b[\x80\x7f\r\n", 1 + below(30));
      case 2:
        return sequence("ABCDEFGHIJKLMPSTXZ`abdefghlmnrsu@");
      case 3:
        return sequence("mmH");
      case 4:
        return from("─│█⠋é状👩", 1 + below(20));
      case 5: {
        constexpr std::string_view kParts[] = {"─", "█", "é", "状", "…", "👩", "\xf0\x9f\x98"};
        const std::string_view part = kParts[below(std::size(kParts))];
        std::string rule;
        for (auto n = below(150); n > 0; --n) rule += part;
        return rule;
      }
      case 6: {
        const std::string title = from("⠋⠙ abc\x7f\x80\r", below(12));
        return "\033]" + std::to_string(below(3)) + ";" + title + (below(2) == 0 ? "\a" : "\033\\");
      }
      case 7:
        return from("\r\n\t\b\x0e\x0f", 1 + below(3));
      default:
        return from("abcdefghijklmnopqrstuvwxyz ,.ABCDEF", 1 + below(200));
    }
  }
  size_t below(size_t limit) { return random_() % limit; }

 private:
  std::string bytes_of(size_t count) {
    std::string bytes(count, '\0');
    for (char& byte : bytes) byte = static_cast<char>(below(256));
    return bytes;
  }
  std::string from(std::string_view some, size_t count) {
    std::string bytes;
    for (; count > 0; --count) bytes += some[below(some.size())];
    return bytes;
  }
  std::string sequence(std::string_view finals) {
    std::string bytes = below(6) == 0 ? "\033[?" : "\033[";
    for (auto n = below(5); n > 0; --n) {
      bytes += std::to_string(below(below(3) == 0 ? 3000 : 60));
      if (n > 1) bytes += below(20) == 0 ? ':' : ';';
    }
    return bytes + finals[below(finals.size())];
  }

  std::mt19937_64 random_{23};
};

bool same_row(const Terminal& a, const Terminal& b, int row) {
  const RowView left = a.grid().view(row), right = b.grid().view(row);
  if (left.wrapped != right.wrapped || a.grid().stamp(row) != b.grid().stamp(row)) return false;
  for (size_t col = 0; col < left.codes.size(); ++col) {
    const CellCode code = left.codes[col];
    const bool cluster = code >= kClusterBase && code != kWideTail;
    if (code != right.codes[col] || a.style(left.styles[col]) != b.style(right.styles[col])) {
      return false;
    }
    if (cluster && a.cluster(code) != b.cluster(code)) return false;
  }
  return true;
}

bool same(Terminal& a, Terminal& b) {
  if (a.cursor_row() != b.cursor_row() || a.cursor_col() != b.cursor_col()) return false;
  if (a.take_replies() != b.take_replies()) return false;
  if (a.announcements().title() != b.announcements().title()) return false;
  if (a.modes().synchronized != b.modes().synchronized ||
      a.modes().cursor_visible != b.modes().cursor_visible ||
      a.modes().alternate != b.modes().alternate ||
      a.synchronized_frames() != b.synchronized_frames()) {
    return false;
  }
  for (int row = 0; row < a.grid().size().rows; ++row) {
    if (!same_row(a, b, row)) return false;
  }
  return true;
}

int compare(size_t bytes) {
  if (bytes == 0) {
    fmt::print(stderr, "twins: BYTES is a number above 0\n");
    return 2;
  }
  if (!has_avx2()) {
    fmt::print("skipped: this machine has no AVX2, so there is nothing to compare\n");
    return kSkipped;
  }
  RandomOutput output;
  Engine portable({83, 21}), avx2({83, 21});
  for (size_t done = 0; done < bytes;) {
    std::string written;
    while (written.size() < kBetween) written += output.next();
    for (size_t at = 0; at < written.size();) {
      const std::string_view piece =
          std::string_view(written).substr(at, 1 + output.below(output.below(2) == 0 ? 50 : 9000));
      portable.feed_portable(piece);
      avx2.feed_avx2(piece);
      at += piece.size();
    }
    done += written.size();
    if (!same(portable.terminal, avx2.terminal)) {
      fmt::print(stderr, "the twins differ within the {} bytes before {}\n", written.size(), done);
      return 1;
    }
  }
  fmt::print("equal on {} bytes\n", bytes);
  return 0;
}

}  // namespace
}  // namespace orch::term

int main(int argc, char** argv) {
  return orch::term::compare(argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 100'000'000);
}
