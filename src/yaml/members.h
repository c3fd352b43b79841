#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/words.h"
#include "yaml/document.h"

namespace orch::yaml {

// The first thing that is wrong with a document, which Members finds. So a mapping is read as a
// plain list of its fields, and the error is asked for once, at the end.
struct Errors {
  std::string name;  // of the text, which stands before every error
  std::optional<base::Error> first = {};

  void add(Place place, std::string_view what) {
    if (!first) first = yaml_error(name, place, what);
  }
};

// The fields of one mapping of a document, each with what it must be. A missing field leaves its
// variable as it is. Once anything was wrong nothing more is read.
class Members {
 public:
  // Who wrote the document: a field that nobody asks for is an error where a person mistyped it,
  // and means nothing where it is a model's further word.
  enum class Author : uint8_t { kPerson, kModel };

  // `path` names the mapping in errors: "runner.meta"; "" for the outermost. Both outlive this.
  Members(Errors& errors, const Value& node, std::string path, Author author = Author::kPerson);
  ~Members();  // looks for fields that nobody asked for
  Members(const Members&) = delete;
  Members& operator=(const Members&) = delete;

  bool ok() const { return !errors_.first; }
  // A field that is there and not empty; nullptr otherwise.
  const Value* find(std::string_view key);
  const Value* required(std::string_view key, std::string_view expected);
  void fail(std::string_view key, std::string_view what);      // "runner.meta.kind: WHAT"
  void expected(std::string_view key, std::string_view what);  // "...: expected WHAT, found ..."
  std::string path_of(std::string_view key) const;

  void text(std::string_view key, std::string& out);
  void required_text(std::string_view key, std::string& out);  // not empty
  void flag(std::string_view key, bool& out);
  void number(std::string_view key, double& out);  // from 0
  void count(std::string_view key, int64_t least, int64_t most, int64_t& out);
  void count(std::string_view key, int64_t least, int64_t most, int& out);
  void duration(std::string_view key, int64_t& out_ms);
  void texts(std::string_view key, std::vector<std::string>& out);
  void texts(std::string_view key, std::map<std::string, std::string>& out);
  template <typename Enum, size_t N>
  void word(std::string_view key, const base::Words<Enum, N>& words, Enum& out) {
    const Value* node = find(key);
    if (node == nullptr) return;
    const std::optional<Enum> value = base::value_of(words, node->text);
    if (value) out = *value;
    if (value) return;
    std::string known;
    for (const auto& [each, word] : words) {
      if (!known.empty()) known += each == words.back().first ? " or " : ", ";
      known += word;
    }
    expected(key, known);
  }

 private:
  Errors& errors_;
  const Value& node_;
  std::string path_;
  Author author_;
  std::vector<std::string_view> known_;  // what was asked for
};

}  // namespace orch::yaml
