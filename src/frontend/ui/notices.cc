#include "ui/notices.h"

#include <utility>

#include "base/text.h"

namespace orch::ui {

void Notices::say(std::string_view lines) {
  for (const std::string_view line : base::split_lines(lines)) {
    bytes_ += line.size() + 1;
    lines_.push_back(std::string(line) + "\n");
  }
  make_room();
  go_on();
}

void Notices::make_room() {
  while (bytes_ > kMostNoticeBytes) {
    bytes_ -= lines_.front().size();
    lines_.pop_front();
    ++left_out_;
  }
}

void Notices::go_on() {
  if (waits_ || lines_.empty()) return;
  waits_ = true;
  stream_.flush();
  stream_.when_drained([this] {
    waits_ = false;
    std::string text;
    if (left_out_ > 0) {
      text = "orch: " + std::to_string(std::exchange(left_out_, 0)) + " lines left out\n";
    }
    for (const std::string& line : std::exchange(lines_, {})) text += line;
    bytes_ = 0;
    text = guard_.pass(text);
    given_bytes_ = text.size();
    stream_.write(std::move(text));
    stream_.flush();
  });
}

}  // namespace orch::ui
