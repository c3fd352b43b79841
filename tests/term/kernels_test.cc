#include "term/simd/kernels.h"

#include <catch2/catch.hpp>
#include <random>
#include <string>
#include <vector>

#include "term/block.h"
#include "term/simd/kernels_avx2.h"
#include "term/simd/scan.h"

namespace orch::term {
namespace {

struct Cells {
  std::vector<CellCode> codes;
  std::vector<StyleId> styles;
  bool operator==(const Cells&) const = default;
};

#if defined(__x86_64__)

std::mt19937& random_source() {
  static std::mt19937 source(19);
  return source;
}
size_t below(size_t limit) { return random_source()() % limit; }

// Random bytes with runs of every kind, followed by zeros as in a Block.
std::string random_bytes(size_t count) {
  constexpr std::string_view kSome = "0123456789;;:?m\x1b\x7f\x80\xff ~/<Az";
  std::string bytes;
  while (bytes.size() < count) {
    const char byte = below(4) == 0 ? static_cast<char>(below(256)) : kSome[below(kSome.size())];
    bytes.append(1 + below(3) * below(40), byte);
  }
  return bytes + std::string(Block::kPadding, '\0');
}

TEST_CASE("AVX2 reads repetitions and keys as the portable code does") {
  if (!has_avx2()) return;
  const std::string bytes = random_bytes(1 << 20);
  const char* const end = bytes.data() + (1 << 20);
  for (const char* at = bytes.data() + 3; at < end; at += 1 + below(5)) {
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

TEST_CASE("AVX2 finds the stops the portable code finds") {
  if (!has_avx2()) return;
  constexpr std::string_view kSome[] = {"\x1b[", "0123456789", ";:?<", "mHJK",
                                        " text", "\r\n",       "─"};
  for (int i = 0; i < 20000; ++i) {
    std::string bytes;
    for (size_t n = below(100); n > 0; --n) bytes += kSome[below(std::size(kSome))];
    if (below(2) == 0) bytes = random_bytes(below(bytes.size() + 1));
    Block block;
    std::string_view rest = std::string_view(bytes).substr(0, Block::kBytes);
    if (rest.empty()) continue;
    block.refill(rest);
    StopBits bits{};
    const StopsAvx2 avx2(block.begin(), block.end(), bits);
    const StopsPortable portable(block.begin(), block.end(), bits);
    for (const char* at = block.begin(); at < block.end(); ++at) {
      const bool sequence = *at == 0x1B && at[1] == '[';
      if (!sequence && (*at < 0x20 || *at == 0x7F)) continue;
      const char* const stop = portable(at);
      if (!sequence || stop - at < 50) REQUIRE(avx2(at) - at == stop - at);
      const bool whole = sequence && *stop >= 0x40 && *stop != 0x7F;
      at = whole ? stop : stop - 1;
    }
  }
}

TEST_CASE("AVX2 finds the places the portable code finds") {
  if (!has_avx2()) return;
  constexpr std::string_view kSome = "0011223456789;;;:?";
  for (int i = 0; i < 300000; ++i) {
    std::string fields;
    for (size_t n = below(11); n > 0; --n) fields += kSome[below(kSome.size())];
    const std::string bytes = fields + 'H' + std::string(Block::kPadding, '\0');
    const Place last{119, 39};
    Place portable, avx2;
    REQUIRE(Avx2::position(bytes.data(), fields.size(), last, avx2) ==
            Portable::position(bytes.data(), fields.size(), last, portable));
    REQUIRE(avx2.col == portable.col);
    REQUIRE(avx2.row == portable.row);
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

TEST_CASE("the portable code finds stops and repetitions") {
  StopBits bits{};
  const StopsPortable stops(nullptr, nullptr, bits);
  const auto length = [&stops](const char* bytes) { return stops(bytes) - bytes; };
  CHECK(length("ab ~\x7f") == 4);
  CHECK(length("a\x80") == 1);
  CHECK(length("text") == 4);
  CHECK(length("\x1b[0;19:m") == 7);
  CHECK(length("\x1b[?25") == 5);
  const std::string rule = "───-";
  CHECK(Portable::repeating(rule.data() + 3, rule.data() + rule.size()) == 6);
}

}  // namespace
}  // namespace orch::term
