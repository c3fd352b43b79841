#include "tape/said.h"

#include <map>

#include "base/json.h"
#include "base/text.h"
#include "tape/answer_texts.h"
#include "tape/normal.h"
#include "tape/words.h"

namespace orch::tape {
namespace {

using base::Json;
using base::member;
using base::text_at;

// Puts the parts of an answer together, event by event.
class Reader {
 public:
  void read(const std::string& protocol, const Json& json) {
    const Json& error = member(json, "error");
    if (error.is_object()) said_.text += text_at(error, "message");
    if (error.is_string()) said_.text += error.get<std::string>();
    if (protocol == "anthropic") return anthropic(json);
    if (protocol == "responses") return responses(json);
    if (protocol == "chat") return chat(json);
    if (protocol == "gemini") return gemini(json);
  }
  Said take() {
    for (const auto& [at, call] : calls_) said_.calls.push_back(call.name + " " + call.arguments);
    return std::move(said_);
  }

 private:
  struct Call {
    std::string name, arguments;
  };
  Call& call(int64_t at) { return calls_[at]; }
  Call& next_call() { return calls_[calls_.empty() ? 0 : calls_.rbegin()->first + 1]; }
  static std::string value_text(const Json& value) {
    return value.is_string() ? value.get<std::string>() : base::json_line(value);
  }
  static int64_t index(const Json& json) {
    const Json& value = member(json, "index");
    return value.is_number_integer() ? value.get<int64_t>() : 0;
  }

  void anthropic(const Json& json) {
    for (const Json& block : member(json, "content")) {
      said_.text += text_at(block, "text");
      if (text_at(block, "type") != "tool_use") continue;
      next_call() = {text_at(block, "name"), value_text(member(block, "input"))};
    }
    const Json& begun = member(json, "content_block");
    if (text_at(begun, "type") == "tool_use") call(index(json)).name = text_at(begun, "name");
    const Json& delta = member(json, "delta");
    said_.text += text_at(delta, "text");
    const std::string part = text_at(delta, "partial_json");
    if (!part.empty()) call(index(json)).arguments += part;
  }

  void responses(const Json& json) {
    const std::string type = text_at(json, "type");
    if (type == "response.output_item.done") return responses_item(member(json, "item"));
    if (!type.empty()) return;
    for (const Json& item : member(json, "output")) responses_item(item);
  }

  void responses_item(const Json& item) {
    const std::string type = text_at(item, "type");
    if (type == "message") {
      for (const Json& part : member(item, "content")) said_.text += text_at(part, "text");
    } else if (type.ends_with("_call")) {
      next_call() = {text_at(item, "name"), text_at(item, "arguments") + text_at(item, "input")};
    }
  }

  void chat(const Json& json) {
    for (const Json& choice : member(json, "choices")) {
      const Json& delta = member(choice, "delta");
      const Json& message = delta.is_object() ? delta : member(choice, "message");
      said_.text += text_at(message, "content");
      for (const Json& one : member(message, "tool_calls")) {
        Call& call = calls_[index(one)];
        call.name += text_at(member(one, "function"), "name");
        call.arguments += text_at(member(one, "function"), "arguments");
      }
    }
  }

  void gemini(const Json& json) {
    const Json& wrapped = member(json, "response");
    for (const Json& candidate : member(wrapped.is_object() ? wrapped : json, "candidates")) {
      for (const Json& part : member(member(candidate, "content"), "parts")) {
        const Json& thought = member(part, "thought");
        if (!thought.is_boolean() || !thought.get<bool>()) said_.text += text_at(part, "text");
        const Json& called = member(part, "functionCall");
        if (!called.is_object()) continue;
        next_call() = {text_at(called, "name"), value_text(member(called, "args"))};
      }
    }
  }

  Said said_;
  std::map<int64_t, Call> calls_;  // by their block
};

}  // namespace

Said said(const Entry& entry) {
  Reader reader;
  const bool events = has_events(entry.answer);
  for (const Piece& piece : entry.answer.body) {
    const Json json = base::parse_json(events ? data_of(piece.bytes) : piece.bytes);
    // Gemini may answer with a list of what the events would be.
    if (json.is_array()) {
      for (const Json& one : json) reader.read(entry.protocol, one);
    } else {
      reader.read(entry.protocol, json);
    }
  }
  return reader.take();
}

std::string answer_json(const Entry& entry) {
  const Said what = said(entry);
  Json calls = Json::array();
  for (const std::string& call : what.calls) calls.push_back(with_replaced_words(call));
  Json json{
      {"status", entry.answer.status}, {"text", with_replaced_words(what.text)}, {"calls", calls}};
  return base::json_line(json);
}

}  // namespace orch::tape
