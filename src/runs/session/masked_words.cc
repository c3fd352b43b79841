#include "session/masked_words.h"

#include "base/json.h"
#include "mask/text.h"

namespace orch::session {
namespace {

// Masks all texts in `json`. Returns whether there was something to mask.
bool mask_texts(const std::shared_ptr<const mask::Secrets>& secrets, base::Json& json) {
  if (json.is_string()) {
    const auto& text = json.get_ref<const std::string&>();
    const std::vector<mask::Span> spans = mask::find(secrets, text);
    if (spans.empty()) return false;
    json = mask::starred(text, spans);
    return true;
  }
  bool masked = false;
  if (json.is_structured()) {
    for (base::Json& member : json) masked = mask_texts(secrets, member) || masked;
  }
  return masked;
}

}  // namespace

std::vector<agent::Line> MaskedWords::pass(base::TimeMs at, std::vector<agent::Line> lines) {
  if (lines.empty()) return lines;
  last_ = at;
  for (agent::Line& line : lines) {
    masker_.add(std::exchange(line.text, {}), line.continues);
    held_.push_back(std::move(line));
  }
  return take(masker_.take_known());
}

std::vector<agent::Line> MaskedWords::release() { return take(masker_.take_all()); }

std::optional<base::TimeMs> MaskedWords::held_since() const {
  return held_.empty() ? std::nullopt : std::optional(last_);
}

std::vector<agent::Line> MaskedWords::take(std::vector<std::string> texts) {
  std::vector<agent::Line> known;
  for (std::string& text : texts) {
    known.push_back(std::move(held_.front()));
    held_.pop_front();
    known.back().text = std::move(text);
  }
  return known;
}

std::vector<event::Record> MaskedEvents::pass(event::Record record) {
  if (auto* line = std::get_if<event::Output>(&record.event)) {
    times_.push_back(record.ms);
    std::vector<agent::Line> lines;
    lines.push_back({std::move(line->text), line->speaker, line->continues, line->gap});
    return told(words_.pass(record.ms, std::move(lines)));
  }
  std::vector<event::Record> known = rest();
  known.push_back({record.ms, masked_event(secrets_, record.ms, record.event).first});
  return known;
}

std::vector<event::Record> MaskedEvents::rest() { return told(words_.release()); }

std::vector<event::Record> MaskedEvents::told(std::vector<agent::Line> lines) {
  std::vector<event::Record> known;
  for (agent::Line& line : lines) {
    known.push_back({times_.front(),
                     event::Output{std::move(line.text), line.speaker, line.continues, line.gap}});
    times_.pop_front();
  }
  return known;
}

std::pair<event::Event, std::string> masked_event(
    const std::shared_ptr<const mask::Secrets>& secrets, base::TimeMs at,
    const event::Event& event) {
  std::string json = event::to_json(at, event);
  base::Json record = base::parse_json(json);
  if (!mask_texts(secrets, record)) return {event, std::move(json)};
  json = base::json_line(record);
  std::optional<event::Record> masked = event::parse_record(json);
  if (!masked) return {event, std::move(json)};
  return {std::move(masked->event), std::move(json)};
}

}  // namespace orch::session
