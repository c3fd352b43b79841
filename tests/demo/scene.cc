#include "scene.h"

namespace orch::demo {

Scene::Scene(std::string_view scenario, Pace pace, term::Size size)
    : agent_(*scenario_named(scenario), pace, size.cols, size.rows, 0), screen_(size) {
  screen_.set_scroll_sink(this);
  exchange();
}

void Scene::type(std::string_view bytes) {
  agent_.on_input(bytes, now_);
  exchange();
}

void Scene::send(std::string_view text) {
  type(pasted(text));
  wait(Agent::kPasteSettleMs);
  type("\r");
}

void Scene::wait(int64_t ms) {
  const int64_t end = now_ + ms;
  for (auto due = agent_.deadline(); due && *due <= end && !agent_.exit_code();
       due = agent_.deadline()) {
    now_ = std::max(now_, *due);
    agent_.on_time(now_);
    exchange();
  }
  now_ = end;
}

void Scene::resize(term::Size size) {
  screen_.resize(size);
  agent_.on_resize(size.cols, size.rows, now_);
  exchange();
}

bool Scene::wait_for(std::string_view text, int64_t at_most_ms) {
  for (int64_t waited = 0; waited < at_most_ms && !shows(text); waited += 10) wait(10);
  return shows(text);
}

bool Scene::shows(std::string_view text) const {
  for (const std::string& line : rows()) {
    if (line.find(text) != std::string::npos) return true;
  }
  return false;
}

std::string Scene::row(int row) const {
  std::string text;
  screen_.append_row_text(row, text);
  return text;
}

std::vector<std::string> Scene::rows() const {
  std::vector<std::string> rows;
  for (int i = 0; i < screen_.size().rows; ++i) rows.push_back(row(i));
  while (!rows.empty() && rows.back().empty()) rows.pop_back();
  return rows;
}

std::string Scene::row_from_end(size_t n) const {
  const std::vector<std::string> all = rows();
  return n <= all.size() ? all[all.size() - n] : "";
}

void Scene::exchange() {
  for (;;) {
    const std::string bytes = agent_.take_output();
    if (bytes.empty()) break;
    output_ += bytes;
    screen_.feed(bytes);
    if (const std::string replies = screen_.take_replies(); !replies.empty()) {
      agent_.on_input(replies, now_);
    }
  }
  for (std::string& message : agent_.take_accepted()) accepted_.push_back(std::move(message));
}

void Scene::on_scrolled_off(const term::Screen& screen, const term::RowView& row) {
  std::string text;
  screen.append_text(row, text);
  scrolled_.push_back(std::move(text));
}

}  // namespace orch::demo
