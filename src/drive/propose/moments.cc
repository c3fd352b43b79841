#include "propose/moments.h"

#include <utility>

namespace orch::propose {
namespace {

constexpr int64_t kSampleMs = 250;
constexpr int64_t kEchoMs = 400;  // output so soon after a key may be its echo

std::vector<std::string> rows_of(const term::Screen& screen) {
  std::vector<std::string> rows(static_cast<size_t>(screen.size().rows));
  for (size_t i = 0; i < rows.size(); ++i) screen.append_row_text(static_cast<int>(i), rows[i]);
  while (!rows.empty() && rows.back().empty()) rows.pop_back();
  return rows;
}

}  // namespace

Moments::Moments(term::Size size) : screen_(size) {}

void Moments::pass_to(int64_t ms) {
  if (rested_ || ms - changed_ms_ < kRestMs) return;
  rested_ = true;
  moments_.push_back({changed_ms_ + kRestMs, true, enters_, rows_});
}

void Moments::look(int64_t ms) {
  std::vector<std::string> rows = rows_of(screen_);
  if (rows == rows_) return;
  rows_ = std::move(rows);
  rested_ = false;
  changed_ms_ = ms;
  if (enters_ == 0 || ms - typed_ms_ < kEchoMs || ms - sampled_ms_ < kSampleMs) return;
  sampled_ms_ = ms;
  moments_.push_back({ms, false, enters_, rows_});
}

void Moments::on_output(int64_t ms, std::string_view bytes) {
  pass_to(ms);
  screen_.feed(bytes);
  screen_.take_replies();
  look(ms);
}

void Moments::on_input(int64_t ms, std::string_view bytes) {
  pass_to(ms);
  typed_ms_ = ms;
  if (bytes.find('\r') != std::string_view::npos) ++enters_;
}

void Moments::on_resize(int64_t ms, term::Size size) {
  pass_to(ms);
  screen_.resize(size);
  look(ms);
}

std::vector<Moment> Moments::finish(int64_t ms) {
  pass_to(ms);
  return std::move(moments_);
}

}  // namespace orch::propose
