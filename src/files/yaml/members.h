#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/words.h"
#include "yaml/document.h"

namespace orch::yaml {

// Collects the first error in a document, which Members find. So code can read a mapping as a plain
// list of its fields, and check for an error once, at the end.
struct Errors {
  std::string name;  // of the text, which begins every error
  std::optional<base::Error> first = {};

  void add(Place place, std::string_view what) {
    if (!first) first = yaml_error(name, place, what);
  }
};

// Reads the fields of one mapping, each with a check. A missing field leaves its variable as it is.
// After the first error nothing more is read.
class Members {
 public:
  // The author of the document. An unknown field is an error in the user's document, where it may
  // be a typing error; in a model's it is ignored.
  enum class Author : uint8_t { kPerson, kModel };

  // `path` names the mapping in errors, such as "runner.meta"; "" for the outermost. `errors` and
  // `node` must outlive this.
  Members(Errors& errors, const Value& node, std::string path, Author author = Author::kPerson);
  ~Members();  // reports fields that nobody asked for
  Members(const Members&) = delete;
  Members& operator=(const Members&) = delete;

  bool ok() const { return !errors_.first; }
  // The field's value; nullptr if it is missing or empty.
  const Value* find(std::string_view key);
  const Value* required(std::string_view key, std::string_view expected);
  // Adds the error "runner.meta.kind: WHAT".
  void fail(std::string_view key, std::string_view what);
  // Adds the error "...: expected WHAT, found ...".
  void expected(std::string_view key, std::string_view what);
  std::string path_of(std::string_view key) const;

  void text(std::string_view key, std::string& out);
  void required_text(std::string_view key, std::string& out);  // must be there, and not be empty
  void flag(std::string_view key, bool& out);
  void number(std::string_view key, double& out);  // not negative
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
  std::vector<std::string_view> known_;  // the fields that were asked for
};

}  // namespace orch::yaml
