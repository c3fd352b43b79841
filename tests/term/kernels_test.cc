#include "term/kernels.h"

#include <catch2/catch.hpp>
#include <random>
#include <string>
#include <vector>

#include "term/block.h"
#include "term/kernels_avx2.h"
#include "term/scan.h"

namespace orch::term {
namespace {

std::mt19937& random_source() {
  static std::mt19937 source(19);
  return source;
}
size_t below(size_t limit) { return random_source()() % limit; }

// Random bytes in which runs of every kind come up, and zeros behind them as in a Block.
std::string random_bytes(size_t count) {
  constexpr std::string_view kSome = "0123456789;;:?m\x1b\x7f\x80\xff ~/<Az";
  std::string bytes;
  while (bytes.size() < count) {
    const char byte = below(4) == 0 ? static_cast<char>(below(256)) : kSome[below(kSome.size())];
    bytes.append(1 + below(3) * below(40), byte);
  }
  return bytes + std::string(Block::kPadding, '\0');
}

struct Cells {
  std::vector<CellCode> codes;
  std::vector<StyleId> styles;
  bool operator==(const Cells&) const = default;
};

#if defined(__x86_64__)

TEST_CASE("AVX2 reads runs and keys as the portable code does") {
  if (!has_avx2()) return;
  const std::string bytes = random_bytes(1 << 20);
  const char* const end = bytes.data() + (1 << 20);
  for (const char* at = bytes.data() + 3; at < end; at += 1 + below(5)) {
    REQUIRE(Avx2::text_length(at) == Portable::text_length(at));
    REQUIRE(Avx2::fields_length(at) == Portable::fields_length(at));
    const char* const stop = at + below(static_cast<size_t>(end - at) + 1);
    REQUIRE(Avx2::repeating(at, stop) == Portable::repeating(at, stop));
    const size_t length = below(Portable::kMaxFields);
    const Portable::Key key = Portable::key(at, length);
    REQUIRE(Portable::same(Avx2::key(at, length), key));
    Portable::Key other = key;
    other.bytes[below(Portable::kMaxFields)] ^= static_cast<char>(below(2));
    REQUIRE(Avx2::same(key, other) == Portable::same(key, other));
    REQUIRE(Avx2::hash(key) == Avx2::hash(Avx2::key(at, length)));
  }
}

TEST_CASE("AVX2 writes the cells the portable code writes and no others") {
  if (!has_avx2()) return;
  const std::string text(400, 'x');
  Cells portable{std::vector<CellCode>(500, 7), std::vector<StyleId>(500, 8)};
  Cells avx2 = portable;
  for (int i = 0; i < 100000; ++i) {
    const size_t at = below(300), count = 1 + below(below(180) + 1);
    const auto style = static_cast<StyleId>(below(65536));
    if (below(2) == 0) {
      std::string shown = text;
      for (char& byte : shown) byte = static_cast<char>(0x20 + below(0x5F));
      Portable::write(shown.data(), count, style, &portable.codes[at], &portable.styles[at]);
      Avx2::write(shown.data(), count, style, &avx2.codes[at], &avx2.styles[at]);
    } else {
      const auto code = static_cast<CellCode>(random_source()());
      Portable::fill(code, count, style, &portable.codes[at], &portable.styles[at]);
      Avx2::fill(code, count, style, &avx2.codes[at], &avx2.styles[at]);
    }
    REQUIRE((portable == avx2));
  }
}

TEST_CASE("AVX2 changes a pen as the portable code does") {
  if (!has_avx2()) return;
  const auto word = [] { return static_cast<uint32_t>(random_source()()); };
  for (int i = 0; i < 1000; ++i) {
    Pen portable{word(), word(), word(), 0};
    Pen avx2 = portable;
    const Pen keep{word(), word(), word(), 0}, set{word(), word(), word(), 0};
    Portable::change(portable, keep, set);
    Avx2::change(avx2, keep, set);
    REQUIRE((portable == avx2));
  }
}

#endif

TEST_CASE("the portable code tells text, fields and repetitions") {
  const std::string padding(Block::kPadding, '\0');
  CHECK(Portable::text_length(("ab ~\x7f" + padding).c_str()) == 4);
  CHECK(Portable::text_length(("\x1f" + padding).c_str()) == 0);
  CHECK(Portable::text_length(("a\x80" + padding).c_str()) == 1);
  CHECK(Portable::fields_length(("0;19:<" + padding).c_str()) == 5);
  CHECK(Portable::fields_length(("/" + padding).c_str()) == 0);
  const std::string rule = "───-";
  CHECK(Portable::repeating(rule.data() + 3, rule.data() + rule.size()) == 6);
}

}  // namespace
}  // namespace orch::term
