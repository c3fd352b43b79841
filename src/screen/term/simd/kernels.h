#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "term/cell.h"
#include "term/fields.h"
#include "term/pen.h"
#include "term/simd/stops.h"

namespace orch::term {

// A position on the screen, counted from 0. The column comes first, because both are read and
// written as one word.
struct Place {
  int col = 0;
  int row = 0;
};

// This folder holds all code that exists twice. A terminal spends nearly all of its time in a few
// loops over many bytes or cells: finding where text ends, reading the fields of a sequence,
// writing a run of cells. Each is written once in C++ that runs on every machine (Portable,
// StopsPortable, scan_text_scalar) and once with the vector instructions of x86-64 (Avx2,
// StopsAvx2, scan_text_avx2). Both variants give the same results, bit for bit;
// tests/term/kernels_test.cc and bin/twins check that with random bytes. The rest of the engine is
// written once, as templates: Engine compiles it with each variant, and chooses at run time by the
// processor's features.
//
// Portable is the variant for every machine. The functions may read a little beyond their range,
// and may rewrite the cells beyond with their present contents: a Block and the rows of a Grid have
// padding for that.
struct Portable {
  using Stops = StopsPortable;

  // The bytes of a sequence's fields, filled up with zeros, so that they can be compared and hashed
  // at once.
  static constexpr size_t kMaxFields = kMaxFieldBytes;
  struct alignas(32) Key {
    std::array<char, kMaxFields> bytes{};
  };
  // `length` must be less than kMaxFields.
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

  // Reads "row;column", each of one to four digits, into `place`, clamped to `last`. Returns false
  // if the fields are anything else.
  static bool position(const char* fields, size_t length, Place last, Place& place) {
    const uint64_t bytes = load_eight(fields);
    const auto row_digits = static_cast<size_t>(std::countr_zero(find_others(bytes)) / 8);
    const size_t col_digits = length - row_digits - 1;  // very large without a column
    if (row_digits > 4 || col_digits > 4 || fields[row_digits] != ';') return false;
    const uint64_t both =
        leading(bytes, row_digits) |
        static_cast<uint64_t>(leading(load_eight(fields + row_digits + 1), col_digits)) << 32;
    if (find_others(both) != 0) return false;
    const auto [row, col] = read_two(both);
    place.row = std::min(std::max(static_cast<int>(row), 1) - 1, last.row);
    place.col = std::min(std::max(static_cast<int>(col), 1) - 1, last.col);
    return true;
  }

  // Keeps the bits of the pen that are 1 in `keep`, and adds those of `set`.
  static void change(Pen& pen, const Pen& keep, const Pen& set) {
    pen.fg = (pen.fg & keep.fg) | set.fg;
    pen.bg = (pen.bg & keep.bg) | set.bg;
    pen.attributes = (pen.attributes & keep.attributes) | set.attributes;
  }

  // Writes `count` bytes of ASCII as cells.
  static void write(const char* bytes, size_t count, StyleId style, CellCode* codes,
                    StyleId* styles) {
    for (size_t i = 0; i < count; ++i) codes[i] = static_cast<unsigned char>(bytes[i]);
    std::fill_n(styles, count, style);
  }

  // Writes `count` equal cells.
  static void fill(CellCode code, size_t count, StyleId style, CellCode* codes, StyleId* styles) {
    std::fill_n(codes, count, code);
    std::fill_n(styles, count, style);
  }

  // How many bytes from `at` on, before `end`, equal the byte three places before them.
  static size_t repeating(const char* at, const char* end) {
    const char* next = at;
    while (next != end && *next == next[-3]) ++next;
    return static_cast<size_t>(next - at);
  }
};

}  // namespace orch::term
