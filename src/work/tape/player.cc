#include "tape/player.h"

#include <algorithm>

#include "base/text.h"

namespace orch::tape {
namespace {

constexpr size_t kMostDifferences = 3;

std::string_view without_query(std::string_view path) { return path.substr(0, path.find('?')); }

}  // namespace

bool is_aside(std::string_view kind, std::string_view protocol) {
  return protocol.empty() || kind == "title" || kind == "side";
}

Player::Player(Tape tape, Order order)
    : tape_(std::move(tape)), order_(order), is_used_(tape_.entries.size()) {}

const Entry* Player::take(size_t at) {
  is_used_[at] = true;
  return &tape_.entries[at];
}

Player::Found Player::find(const Request& request) {
  ++asked_;
  const std::vector<Entry>& entries = tape_.entries;
  const Entry* next = nullptr;  // the first of its kind that has not answered yet
  size_t next_at = 0;
  for (size_t i = 0; i < entries.size(); ++i) {
    const Entry& entry = entries[i];
    if (is_used_[i] || entry.kind != request.kind || entry.protocol != request.protocol) continue;
    const bool is_same = entry.method == request.method &&
                         plain_path(entry) == without_query(request.path) &&
                         entry.request == request.body;
    if (is_same) {
      ++exactly_;
      return {.how = Found::How::kExactly, .entry = take(i), .why = {}, .differences = {}};
    }
    if (next != nullptr) continue;
    next = &entry;
    next_at = i;
  }
  if (is_aside(request.kind, request.protocol)) return find_aside(request);
  if (next != nullptr && order_ == Order::kLoose) {
    ++by_order_;
    return {.how = Found::How::kByOrder, .entry = take(next_at), .why = {}, .differences = {}};
  }
  Found found;
  found.why = "request " + std::to_string(asked_) + " (" + request.kind + ", " + request.method +
              " " + base::printable(without_query(request.path)) + ") is not on the tape";
  if (next == nullptr) {
    found.why += ", which holds no further one of this kind";
    return found;
  }
  found.why += "; request " + std::to_string(next->n) + " there was next";
  found.differences = differences(next->request, request.body, kMostDifferences);
  if (plain_path(*next) != without_query(request.path)) {
    found.differences.insert(found.differences.begin(), {"path", std::string(plain_path(*next)),
                                                         std::string(without_query(request.path))});
  }
  return found;
}

Player::Found Player::find_aside(const Request& request) {
  const bool asks_model = !request.protocol.empty();
  const auto fits = [&](const Entry& entry) {
    if (entry.protocol != request.protocol) return false;
    if (asks_model) return entry.kind == request.kind;
    return entry.method == request.method && plain_path(entry) == without_query(request.path);
  };
  size_t last = tape_.entries.size();
  for (size_t i = 0; i < tape_.entries.size(); ++i) {
    if (!fits(tape_.entries[i])) continue;
    last = i;
    if (!is_used_[i]) break;
  }
  Found found{.how = Found::How::kAside, .entry = nullptr, .why = {}, .differences = {}};
  if (last < tape_.entries.size()) found.entry = take(last);
  return found;
}

std::string Player::summary() const {
  const auto left = std::ranges::count(is_used_, false);
  return std::to_string(asked_) + (asked_ == 1 ? " request" : " requests") +
         " answered from the tape: " + std::to_string(exactly_) + " exactly, " +
         std::to_string(by_order_) + " by order; " + std::to_string(left) + " on it not asked for";
}

}  // namespace orch::tape
