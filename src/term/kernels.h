#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "term/cell.h"
#include "term/fields.h"
#include "term/pen.h"

namespace orch::term {

// What is done to many bytes or cells at once, in C++ that every machine runs. Avx2 in
// kernels_avx2.h does the same; the engine is compiled around each and chooses when it runs.
// Bytes and cells a little beyond those asked for are read, and cells written as they were: a Block
// and the rows of a Grid have that much padding.
struct Portable {
  // How many bytes at `at` are printable ASCII (0x20 to 0x7E); zeros end them.
  static size_t text_length(const char* at) {
    size_t length = 0;
    while (at[length] >= 0x20 && at[length] != 0x7F) ++length;
    return length;
  }

  // How many bytes at `at` are digits, semicolons or colons (0x30 to 0x3B), of kMaxFields.
  static constexpr size_t kMaxFields = kMaxFieldBytes;
  static size_t fields_length(const char* at) {
    size_t length = 0;
    while (length < kMaxFields && at[length] >= 0x30 && at[length] <= 0x3B) ++length;
    return length;
  }

  // The bytes of a sequence's fields, zeros behind them, to be compared and looked up at once.
  struct alignas(32) Key {
    std::array<char, kMaxFields> bytes{};
  };
  // `length` < kMaxFields.
  static Key key(const char* fields, size_t length) {
    Key key;
    std::memcpy(key.bytes.data(), fields, length);
    return key;
  }
  static bool same(const Key& a, const Key& b) { return a.bytes == b.bytes; }
  static uint64_t hash(const Key& key) {
    uint64_t hash = 0;
    for (size_t at = 0; at < kMaxFields; at += 8) {
      uint64_t word = 0;
      std::memcpy(&word, key.bytes.data() + at, sizeof word);
      hash = (hash ^ word) * 0x9E3779B97F4A7C15ULL;
      hash ^= hash >> 32;
    }
    return hash;
  }

  // Keeps of the pen what is 1 in `keep` and adds `set`.
  static void change(Pen& pen, const Pen& keep, const Pen& set) {
    pen.fg = (pen.fg & keep.fg) | set.fg;
    pen.bg = (pen.bg & keep.bg) | set.bg;
    pen.attributes = (pen.attributes & keep.attributes) | set.attributes;
  }

  // Cells of `count` bytes of ASCII.
  static void write(const char* bytes, size_t count, StyleId style, CellCode* codes,
                    StyleId* styles) {
    for (size_t i = 0; i < count; ++i) codes[i] = static_cast<unsigned char>(bytes[i]);
    std::fill_n(styles, count, style);
  }

  // `count` cells of one kind.
  static void fill(CellCode code, size_t count, StyleId style, CellCode* codes, StyleId* styles) {
    std::fill_n(codes, count, code);
    std::fill_n(styles, count, style);
  }

  // How many bytes from `at` on, before `end`, equal the one three before them.
  static size_t repeating(const char* at, const char* end) {
    const char* next = at;
    while (next != end && *next == next[-3]) ++next;
    return static_cast<size_t>(next - at);
  }
};

}  // namespace orch::term
