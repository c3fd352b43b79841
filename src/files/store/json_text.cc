#include "store/json_text.h"

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

#include "base/text.h"

namespace orch::store {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD

// The first byte of a word is its lowest.
static_assert(std::endian::native == std::endian::little);
constexpr uint64_t kOnes = 0x0101010101010101;
constexpr uint64_t kHighs = 0x8080808080808080;

// Sets the high bit of each zero byte; exact up to the lowest of them.
constexpr uint64_t zero_bytes(uint64_t word) { return (word - kOnes) & ~word & kHighs; }

// How many of the 8 bytes, counted from the first, need no escape: printable ASCII except " and \ .
int plain_bytes(uint64_t word) {
  const uint64_t controls = (word - kOnes * 0x20) & ~word & kHighs;
  const uint64_t special = word & kHighs;
  const uint64_t stop = controls | special | zero_bytes(word ^ kOnes * 0x7F) |
                        zero_bytes(word ^ kOnes * '"') | zero_bytes(word ^ kOnes * '\\');
  return std::countr_zero(stop) / 8;
}

// The JSON text of an ASCII character: the character itself or an escape; always 8 bytes to copy.
struct Escape {
  std::array<char, 8> text{};
  uint8_t length = 1;
};
constexpr std::array<Escape, 128> kEscapes = [] {
  constexpr std::string_view kHex = "0123456789abcdef";
  std::array<Escape, 128> table;
  for (size_t c = 0; c < table.size(); ++c) {
    const bool control = c < 0x20 || c == 0x7F;
    table[c].text = {static_cast<char>(c)};
    if (control) table[c] = {{'\\', 'u', '0', '0', kHex[c >> 4], kHex[c & 15]}, 6};
  }
  const auto short_form = [&table](char c, char letter) {
    table[static_cast<unsigned char>(c)] = {{'\\', letter}, 2};
  };
  short_form('"', '"');
  short_form('\\', '\\');
  short_form('\n', 'n');
  short_form('\r', 'r');
  short_form('\t', 't');
  return table;
}();

// Collects escaped text before it is appended to a string, so that the string grows in larger
// pieces. put() always copies 8 bytes and uses the first `length`.
class Piece {
 public:
  explicit Piece(std::string& out) : out_(out) {}
  ~Piece() { flush(); }
  Piece(const Piece&) = delete;
  Piece& operator=(const Piece&) = delete;

  void put(const void* eight, int length) {
    std::memcpy(end_, eight, 8);
    end_ += length;
    if (end_ > buffer_.data() + buffer_.size() - 8) flush();
  }

 private:
  void flush() {
    out_.append(buffer_.data(), static_cast<size_t>(end_ - buffer_.data()));
    end_ = buffer_.data();
  }

  std::string& out_;
  std::array<char, 2048> buffer_;
  char* end_ = buffer_.data();
};

// The next 8 bytes; zeros after the end of `bytes`.
uint64_t word_at(std::string_view bytes, size_t at) {
  uint64_t word = 0;
  const size_t left = bytes.size() - at;
  if (left >= sizeof word) {
    std::memcpy(&word, bytes.data() + at, sizeof word);
  } else {
    std::memcpy(&word, bytes.data() + at, left);
  }
  return word;
}

// Whether the first three bytes are a character of U+1000..U+CFFF, as box drawing and most of CJK
// are. Any two continuation bytes are valid after their lead bytes.
constexpr bool is_common_triple(uint64_t word) {
  const uint64_t lead = word & 0xFF;
  return lead >= 0xE1 && lead <= 0xEC && (word & 0xC0C000) == 0x808000;
}

}  // namespace

size_t append_json_text(std::string& out, std::string_view bytes) {
  Piece piece(out);
  size_t malformed = 0;
  for (size_t at = 0; at < bytes.size();) {
    uint64_t word = word_at(bytes, at);
    const int plain = plain_bytes(word);
    piece.put(&word, plain);
    at += static_cast<size_t>(plain);
    if (plain == 8 || at == bytes.size()) continue;
    if (const auto byte = static_cast<uint8_t>(bytes[at]); byte < 0x80) {
      piece.put(kEscapes[byte].text.data(), kEscapes[byte].length);
      ++at;
      continue;
    }
    word = word_at(bytes, at);
    if (is_common_triple(word)) {  // often whole rows of them
      for (; is_common_triple(word); word = word_at(bytes, at)) {
        piece.put(&word, 3);
        at += 3;
      }
      continue;
    }
    const base::Decoded c = base::decode_utf8(bytes.substr(at));
    if (c.code_point != 0xFFFD || bytes.substr(at, c.length) == kReplacement) {
      piece.put(&word, static_cast<int>(c.length));
    } else {
      word = word_at(kReplacement, 0);
      piece.put(&word, static_cast<int>(kReplacement.size()));
      malformed += c.length;
    }
    at += c.length;
  }
  return malformed;
}

}  // namespace orch::store
