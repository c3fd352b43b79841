#include "tape/answer_texts.h"

#include <map>
#include <utility>

#include "base/json.h"
#include "base/text.h"

namespace orch::tape {
namespace {

using base::Json;

// The end of the event that begins at `at`, behind its empty line; npos if that has not come.
size_t end_of_event(std::string_view bytes, size_t at) {
  for (size_t end = bytes.find('\n', at); end != std::string_view::npos;
       end = bytes.find('\n', end + 1)) {
    size_t next = end + 1;
    if (next < bytes.size() && bytes[next] == '\r') ++next;
    if (next < bytes.size() && bytes[next] == '\n') return next + 1;
  }
  return std::string_view::npos;
}

// A text that comes in pieces: strings in several events.
struct Stream {
  std::vector<std::string*> parts;
  std::vector<size_t> events;  // that the parts are in
  bool in_json = false;
};

// Collects the strings of an event by the text that they are a part of: the same place in events of
// the same type, and of the same block of the answer.
class Collector {
 public:
  Collector(std::map<std::string, Stream>& streams, size_t event)
      : streams_(streams), event_(event) {}

  void walk(Json& json, std::string place) {
    if (json.is_string()) return add(json, place);
    if (json.is_array()) {
      for (size_t i = 0; i < json.size(); ++i) walk(json[i], place + "/" + std::to_string(i));
      return;
    }
    if (!json.is_object()) return;
    for (const char* name : {"type", "index", "item_id", "output_index", "content_index"}) {
      const Json& value = base::member(json, name);
      if (value.is_string() || value.is_number()) place += "," + base::json_line(value);
    }
    for (auto& [name, value] : json.items()) walk(value, place + "/" + name);
  }

 private:
  void add(Json& json, const std::string& place) {
    Stream& stream = streams_[place];
    stream.parts.push_back(json.get_ptr<std::string*>());
    stream.events.push_back(event_);
    const std::string_view name = std::string_view(place).substr(place.rfind('/') + 1);
    stream.in_json = name == "partial_json" || name == "arguments" ||
                     place.find("function_call_arguments") != std::string::npos;
  }

  std::map<std::string, Stream>& streams_;
  size_t event_;
};

// Replaces a part of the text that the parts are. The replacement goes where the part begins.
void apply(Stream& stream, const std::vector<Edit>& edits, std::vector<bool>& is_changed) {
  size_t begin = 0;  // of the part, in the whole text
  auto edit = edits.begin();
  for (size_t i = 0; i < stream.parts.size(); ++i) {
    std::string& part = *stream.parts[i];
    const size_t end = begin + part.size();
    std::string out;
    size_t at = begin;
    while (edit != edits.end() && edit->from < end) {
      if (edit->from >= at) {
        out += part.substr(at - begin, edit->from - at);
        out += edit->replacement;
      }
      at = std::min(edit->to, end);
      is_changed[stream.events[i]] = true;
      if (edit->to > end) break;
      ++edit;
    }
    out += part.substr(at - begin);
    begin = end;
    part = std::move(out);
  }
}

std::string edited(std::string_view text, const Editor& editor) {
  std::string out;
  size_t at = 0;
  for (const Edit& edit : editor(text, false)) {
    out += text.substr(at, edit.from - at);
    out += edit.replacement;
    at = edit.to;
  }
  return out += text.substr(at);
}

// The event with other data.
std::string with_data(std::string_view event, const std::string& data) {
  std::string out;
  bool is_written = false;
  while (!event.empty()) {
    const std::string_view line = base::take_until(event, '\n');
    if (!line.starts_with("data:")) {
      out += std::string(line) + "\n";
    } else if (!std::exchange(is_written, true)) {
      out += "data: " + data + "\n";
    }
  }
  return out;
}

}  // namespace

std::vector<Piece> events_of(const std::vector<Piece>& pieces, bool has_events) {
  std::vector<Piece> events;
  std::string kept;
  int64_t ms = 0;
  for (const Piece& piece : pieces) {
    kept += piece.bytes;
    ms = piece.ms;
    size_t at = 0;
    while (has_events) {
      const size_t end = end_of_event(kept, at);
      if (end == std::string::npos) break;
      events.push_back({ms, kept.substr(at, end - at)});
      at = end;
    }
    kept.erase(0, at);
  }
  if (!kept.empty()) events.push_back({ms, std::move(kept)});
  return events;
}

std::string data_of(std::string_view event) {
  std::string data;
  constexpr std::string_view kData = "data:";
  while (!event.empty()) {
    std::string_view line = base::take_until(event, '\n');
    if (!line.starts_with(kData)) continue;
    line.remove_prefix(kData.size());
    if (line.starts_with(' ')) line.remove_prefix(1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    data += (data.empty() ? "" : "\n") + std::string(line);
  }
  return data;
}

void edit_texts(std::vector<Piece>& events, bool has_events, const Editor& editor) {
  std::vector<Json> values;
  values.reserve(events.size());  // the streams point into them
  std::map<std::string, Stream> streams;
  for (size_t i = 0; i < events.size(); ++i) {
    values.push_back(base::parse_json(has_events ? data_of(events[i].bytes) : events[i].bytes));
    if (values[i].is_discarded()) {
      events[i].bytes = edited(events[i].bytes, editor);
    } else {
      Collector(streams, i).walk(values[i], "");
    }
  }
  std::vector<bool> is_changed(events.size());
  for (auto& [place, stream] : streams) {
    std::string text;
    for (const std::string* part : stream.parts) text += *part;
    apply(stream, editor(text, stream.in_json), is_changed);
  }
  for (size_t i = 0; i < events.size(); ++i) {
    if (!is_changed[i]) continue;
    const std::string data = base::json_line(values[i]);
    events[i].bytes = has_events ? with_data(events[i].bytes, data) : data;
  }
}

}  // namespace orch::tape
