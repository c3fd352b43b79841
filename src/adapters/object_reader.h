#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/pattern.h"
#include "base/result.h"

namespace orch::adapters {

using Json = nlohmann::ordered_json;  // causes are tried in the order of the file

// Reads the members of one JSON object and remembers the first thing that is wrong with it, so that
// the readers below can be written as plain lists of fields. The path is where the object stands.
class ObjectReader {
 public:
  ObjectReader(const Json& object, std::string path, std::string& error)
      : object_(object), path_(std::move(path)), error_(error) {
    if (!object_.is_object()) fail("", "must be an object");
  }
  // Every member must have been asked for.
  ~ObjectReader() {
    if (!error_.empty() || !object_.is_object()) return;
    for (const auto& [key, value] : object_.items()) {
      if (!known_.contains(key)) fail(key, "unknown field");
    }
  }
  ObjectReader(const ObjectReader&) = delete;
  ObjectReader& operator=(const ObjectReader&) = delete;

  const Json* find(const std::string& key) {
    known_.insert(key);
    if (!error_.empty() || !object_.is_object()) return nullptr;
    const auto it = object_.find(key);
    return it == object_.end() ? nullptr : &*it;
  }
  bool has(const std::string& key) { return find(key) != nullptr; }
  void fail(const std::string& key, const std::string& what) {
    if (!error_.empty()) return;
    const std::string where = join(key);
    error_ = where.empty() ? what : where + (where.ends_with(":") ? " " : ": ") + what;
  }
  std::string join(const std::string& key) const {
    if (path_.empty()) return key;
    if (key.empty()) return path_;
    return path_ + (path_.ends_with(":") ? " " : ".") + key;
  }
  std::string& error() { return error_; }

  void read(const std::string& key, std::string& out) {
    if (const Json* v = find(key)) {
      if (!v->is_string()) return fail(key, "must be a string");
      out = v->get<std::string>();
    }
  }
  void read(const std::string& key, bool& out) {
    if (const Json* v = find(key)) {
      if (!v->is_boolean()) return fail(key, "must be true or false");
      out = v->get<bool>();
    }
  }
  void read(const std::string& key, int64_t& out) {
    if (const Json* v = find(key)) {
      if (!v->is_number_integer() || v->get<int64_t>() < 0 || v->get<int64_t>() > 86'400'000) {
        return fail(key, "must be a whole number from 0 to 86400000");
      }
      out = v->get<int64_t>();
    }
  }
  void read(const std::string& key, int& out) {
    int64_t value = out;
    read(key, value);
    out = static_cast<int>(value);
  }
  void read(const std::string& key, std::vector<std::string>& out) {
    if (const Json* v = find(key)) {
      if (!v->is_array()) return fail(key, "must be an array of strings");
      out.clear();
      for (const Json& item : *v) {
        if (!item.is_string()) return fail(key, "must be an array of strings");
        out.push_back(item.get<std::string>());
      }
    }
  }
  // An RE2 expression, checked here so that the error names the field.
  void read_pattern(const std::string& key, std::string& out) {
    if (const Json* v = find(key)) check_pattern(key, *v, out);
  }
  void check_pattern(const std::string& key, const Json& value, std::string& out) {
    if (!value.is_string()) return fail(key, "must be a string");
    out = value.get<std::string>();
    base::Result<base::Pattern> pattern = base::Pattern::compile(out);
    if (!pattern) fail(key, pattern.error().text);
  }

 private:
  const Json& object_;
  std::string path_;
  std::string& error_;
  std::set<std::string> known_;
};

}  // namespace orch::adapters
