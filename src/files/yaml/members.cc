#include "yaml/members.h"

#include <algorithm>
#include <charconv>

#include "base/duration.h"
#include "base/name.h"
#include "base/text.h"

namespace orch::yaml {

using Kind = Value::Kind;

Members::Members(Errors& errors, const Value& node, std::string path, Author author)
    : errors_(errors), node_(node), path_(std::move(path)), author_(author) {
  if (node_.kind == Kind::kMap) return;
  errors_.add(node_.place, (path_.empty() ? "" : path_ + ": ") +
                               "expected a mapping (name: value), found " + describe(node_));
}

Members::~Members() {
  if (!ok() || author_ == Author::kModel) return;
  for (const Key& key : node_.keys) {
    if (std::find(known_.begin(), known_.end(), key.name) != known_.end()) continue;
    errors_.add(key.place, "unknown field " + base::printable(path_of(key.name)) +
                               base::did_you_mean(key.name, known_));
  }
}

std::string Members::path_of(std::string_view key) const {
  return (path_.empty() ? "" : path_ + ".") + std::string(key);
}

const Value* Members::find(std::string_view key) {
  known_.push_back(key);
  if (!ok()) return nullptr;
  for (size_t i = 0; i < node_.keys.size(); ++i) {
    if (node_.keys[i].name != key) continue;
    return node_.items[i].kind == Kind::kNothing ? nullptr : &node_.items[i];
  }
  return nullptr;
}

const Value* Members::required(std::string_view key, std::string_view expected) {
  const Value* node = find(key);
  if (node == nullptr) {
    errors_.add(node_.place, path_of(key) + " is missing; expected " + std::string(expected));
  }
  return node;
}

void Members::fail(std::string_view key, std::string_view what) {
  const Value* node = find(key);
  errors_.add(node == nullptr ? node_.place : node->place, path_of(key) + ": " + std::string(what));
}

void Members::expected(std::string_view key, std::string_view what) {
  const Value* node = find(key);
  if (node != nullptr) fail(key, "expected " + std::string(what) + ", found " + describe(*node));
}

void Members::text(std::string_view key, std::string& out) {
  const Value* node = find(key);
  if (node == nullptr) return;
  if (node->kind != Kind::kText) return expected(key, "a text");
  out = node->text;
}

void Members::required_text(std::string_view key, std::string& out) {
  const Value* node = required(key, "a text");
  if (node == nullptr) return;
  text(key, out);
  if (ok() && base::trim(out).empty()) fail(key, "must not be empty");
}

void Members::flag(std::string_view key, bool& out) {
  const Value* node = find(key);
  if (node == nullptr) return;
  const bool is_true = node->plain && node->text == "true";
  if (!is_true && !(node->plain && node->text == "false")) return expected(key, "true or false");
  out = is_true;
}

void Members::number(std::string_view key, double& out) {
  const Value* node = find(key);
  if (node == nullptr) return;
  const char* end = node->text.data() + node->text.size();
  double value = 0;
  const auto [rest, error] = std::from_chars(node->text.data(), end, value);
  const bool whole = node->plain && error == std::errc() && rest == end;
  if (!whole || !std::isfinite(value) || value < 0) return expected(key, "a number from 0 on");
  out = value;
}

void Members::count(std::string_view key, int64_t least, int64_t most, int64_t& out) {
  const Value* node = find(key);
  if (node == nullptr) return;
  const char* end = node->text.data() + node->text.size();
  int64_t value = 0;
  const auto [rest, error] = std::from_chars(node->text.data(), end, value);
  const bool whole = node->plain && error == std::errc() && rest == end;
  if (!whole || value < least || value > most) {
    return expected(
        key,
        "a whole number from " + std::to_string(least) +
            (most == std::numeric_limits<int64_t>::max() ? " on" : " to " + std::to_string(most)));
  }
  out = value;
}

void Members::count(std::string_view key, int64_t least, int64_t most, int& out) {
  int64_t value = out;
  count(key, least, most, value);
  out = static_cast<int>(value);
}

void Members::duration(std::string_view key, int64_t& out_ms) {
  const Value* node = find(key);
  if (node == nullptr) return;
  const base::Result<int64_t> value =
      node->kind == Kind::kText ? base::parse_duration(node->text) : base::usage_error("");
  if (!value) return expected(key, "a duration like 90s, 10m or 2h");
  out_ms = *value;
}

void Members::texts(std::string_view key, std::vector<std::string>& out) {
  const Value* node = find(key);
  if (node == nullptr) return;
  if (node->kind != Kind::kList) return expected(key, "a list of texts");
  out.clear();
  for (const Value& item : node->items) {
    if (item.kind != Kind::kText) {
      return errors_.add(item.place, path_of(key) + ": expected a text, found " + describe(item));
    }
    out.push_back(item.text);
  }
}

void Members::texts(std::string_view key, std::map<std::string, std::string>& out) {
  const Value* node = find(key);
  if (node == nullptr) return;
  if (node->kind != Kind::kMap) return expected(key, "a mapping of names to texts");
  out.clear();
  for (size_t i = 0; i < node->keys.size(); ++i) {
    const Value& value = node->items[i];
    if (value.kind == Kind::kList || value.kind == Kind::kMap) {
      return errors_.add(value.place, path_of(key) + "." + base::printable(node->keys[i].name) +
                                          ": expected a text, found " + describe(value));
    }
    out.insert_or_assign(node->keys[i].name, value.text);
  }
}

}  // namespace orch::yaml
