#include "driver/agent_record.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "base/json.h"
#include "base/pattern.h"
#include "base/text.h"
#include "driver/json_way.h"

namespace orch::driver {
namespace {

using Json = AgentJson;
using adapters::RecordSpec;
using Line = RecordSpec::Line;

// Reads the lines of a file from its end.
class TurnReader {
 public:
  explicit TurnReader(const RecordSpec& spec) : spec_(spec) {
    if (spec.aside.empty()) return;
    base::Result<base::Pattern> aside = base::Pattern::compile(spec.aside);
    if (aside.ok()) aside_ = std::move(aside).value();  // the manifest's reader checked it
  }

  // Whether no earlier line can say anything about the turn.
  bool done() const {
    if (replaced_) return true;
    return turn_.message && !awaits_early_ && (spec_.cwd.empty() || !turn_.cwd.empty());
  }

  void take(std::string_view text) {
    const Json line = parse_agent_json(text);
    const Json* all = member_of(line, spec_.all);
    if (all == nullptr || !all->is_array()) return take_line(line);
    for (auto at = all->rbegin(); at != all->rend() && !done(); ++at) take_line(*at);
    replaced_ = true;
  }

  RecordedTurn finish() && {
    std::reverse(turn_.pieces.begin(), turn_.pieces.end());
    std::vector<RecordedPiece> pieces = early_pieces();
    turn_.pieces.insert(turn_.pieces.begin(), pieces.begin(), pieces.end());
    return std::move(turn_);
  }

 private:
  // The id of a line and the id of the line that it follows in the conversation; "" if the line has
  // none.
  struct Link {
    std::string id, follows;
  };
  struct Early {  // a line that stands before the user's message
    Link link;
    std::vector<RecordedPiece> pieces;
  };

  void take_line(const Json& line) {
    const std::string* cwd = text_of(line, spec_.cwd);
    if (cwd != nullptr && turn_.cwd.empty()) turn_.cwd = *cwd;
    if (turn_.message) return take_early(line);
    const auto found = kind_of(line);
    if (!spec_.follows.empty()) later_.push_back(link_of(line));
    if (found == spec_.lines.end() || found->kind == Line::Kind::kNothing) return;
    const std::string* id = text_of(line, spec_.id);
    if (id != nullptr && !ids_.insert(*id).second) return;
    std::vector<RecordedPiece> pieces = pieces_of(line, *found);
    if (found->kind == Line::Kind::kUser) return take_message(line, pieces);
    std::move(pieces.rbegin(), pieces.rend(), std::back_inserter(turn_.pieces));
  }

  std::vector<Line>::const_iterator kind_of(const Json& line) const {
    const auto fits = [&line](const Line& kind) { return holds(kind.when, line); };
    return std::find_if(spec_.lines.begin(), spec_.lines.end(), fits);
  }

  Link link_of(const Json& line) const {
    const std::string* id = text_of(line, spec_.line_id);
    const std::string* follows = text_of(line, spec_.follows);
    return {id == nullptr ? "" : *id, follows == nullptr ? "" : *follows};
  }

  // Takes a line that stands before the user's message in the file. An agent may write its answer
  // down too early, so the line may belong to the turn all the same. The search ends at the line
  // that the message itself follows: no part of the answer stands before that.
  void take_early(const Json& line) {
    if (!awaits_early_) return;
    Early early{link_of(line), {}};
    if (early.link.id.empty()) return;
    if (early.link.id == later_.back().follows) {
      awaits_early_ = false;
      return;
    }
    const auto found = kind_of(line);
    if (found != spec_.lines.end() && found->kind == Line::Kind::kAgent) {
      early.pieces = pieces_of(line, *found);
    }
    early_.push_back(std::move(early));
  }

  // The pieces of those lines that stand before the message in the file but follow it in the
  // conversation, directly or through other lines; in order.
  std::vector<RecordedPiece> early_pieces() {
    std::vector<RecordedPiece> pieces;
    if (early_.empty()) return pieces;
    std::set<std::string> following{later_.back().id};
    const auto follows = [&following](const Link& link) {
      if (following.count(link.follows) == 0) return false;
      following.insert(link.id);
      return true;
    };
    std::for_each(later_.rbegin(), later_.rend(), follows);
    for (auto early = early_.rbegin(); early != early_.rend(); ++early) {
      if (!follows(early->link)) continue;
      std::move(early->pieces.begin(), early->pieces.end(), std::back_inserter(pieces));
    }
    return pieces;
  }

  // Takes the user's message from a line of the user. Such lines also hold results of tools and
  // text that the program adds to a message.
  void take_message(const Json& line, const std::vector<RecordedPiece>& pieces) {
    for (const RecordedPiece& piece : pieces) {
      if (piece.kind != RecordedPiece::Kind::kText) continue;
      if (aside_ && aside_->matches(piece.text)) continue;
      if (turn_.message) *turn_.message += "\n" + piece.text;
      if (!turn_.message) turn_.message = piece.text;
    }
    const std::string* time = text_of(line, spec_.time);
    if (turn_.message && time != nullptr) turn_.time = *time;
    awaits_early_ = turn_.message && !later_.empty() && !later_.back().id.empty();
  }

  std::vector<RecordedPiece> pieces_of(const Json& line, const Line& kind) const {
    std::vector<RecordedPiece> pieces;
    for (const std::string& way : kind.content) {
      const Json* content = member_of(line, way);
      if (content == nullptr) continue;
      if (kind.kind == Line::Kind::kTool) {
        if (content->is_string()) add(RecordedPiece::Kind::kTool, *content, pieces);
      } else if (content->is_array()) {
        for (const Json& part : *content) add_part(part, pieces);
      } else {
        add_part(*content, pieces);
      }
    }
    return pieces;
  }

  void add_part(const Json& part, std::vector<RecordedPiece>& pieces) const {
    if (part.is_string()) return add(RecordedPiece::Kind::kText, part, pieces);
    if (has_value(part, "/thought", "true")) return;  // the Gemini API's sign of reasoning
    if (const Json* text = member_of(part, "/text"); text != nullptr && text->is_string()) {
      return add(RecordedPiece::Kind::kText, *text, pieces);
    }
    const Json* tool = member_of(part, spec_.tool);
    if (tool != nullptr && tool->is_string()) add(RecordedPiece::Kind::kTool, *tool, pieces);
  }

  static void add(RecordedPiece::Kind kind, const Json& text, std::vector<RecordedPiece>& pieces) {
    const std::string& words = text.get_ref<const std::string&>();
    if (!base::trim(words).empty()) pieces.push_back({kind, words});
  }

  const RecordSpec& spec_;
  std::optional<base::Pattern> aside_;
  std::set<std::string> ids_;  // ids of the lines that were read; an earlier line with one is old
  bool replaced_ = false;      // no earlier line counts
  bool awaits_early_ = false;  // lines before the message may belong to its turn
  std::vector<Link> later_;    // the lines from the message on, in reverse order
  std::vector<Early> early_;   // the lines before the message, in reverse order
  RecordedTurn turn_;          // with its pieces in reverse order
};

bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

}  // namespace

RecordedTurn read_last_turn(const RecordSpec& spec, std::string_view jsonl) {
  TurnReader reader(spec);
  while (!jsonl.empty() && !reader.done()) {
    const size_t feed = jsonl.rfind('\n');
    const size_t begin = feed == std::string_view::npos ? 0 : feed + 1;
    if (begin < jsonl.size()) reader.take(jsonl.substr(begin));
    jsonl = jsonl.substr(0, begin == 0 ? 0 : feed);
  }
  return std::move(reader).finish();
}

RecordedSession read_session(const RecordSpec& spec, std::string_view jsonl) {
  RecordedSession session;
  while (!jsonl.empty()) {
    const Json line = parse_agent_json(base::take_until(jsonl, '\n'));
    const std::string* id = text_of(line, spec.session);
    if (id != nullptr && session.id.empty()) session.id = *id;
    const std::string* version = text_of(line, spec.version);
    if (version == nullptr) continue;
    session.version = *version;
    const std::string* time = text_of(line, spec.time);
    session.time = time == nullptr ? "" : *time;
  }
  return session;
}

bool same_words(std::string_view a, std::string_view b) {
  const auto skip = [](std::string_view text, size_t at) {
    while (at < text.size() && is_space(text[at])) ++at;
    return at;
  };
  size_t i = skip(a, 0), j = skip(b, 0);
  while (i < a.size() && j < b.size() && a[i] == b[j]) {
    i = skip(a, i + 1);
    j = skip(b, j + 1);
  }
  return i == a.size() && j == b.size();
}

}  // namespace orch::driver
