#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "tape/tape.h"

namespace orch::tape {

// A part of a text, and its replacement.
struct Edit {
  size_t from = 0, to = 0;
  std::string replacement;
};
// The edits of a text, in order and without overlaps. `in_json`: the text is a part of a JSON text,
// so that replacements need its escapes.
using Editor = std::function<std::vector<Edit>(std::string_view text, bool in_json)>;

// Joins the bytes of an answer into its events, each with the time of its last byte; an answer
// without events becomes one piece.
std::vector<Piece> events_of(const std::vector<Piece>& pieces, bool has_events);

// Edits the texts in an answer. A model writes a text piece by piece, over many events, so what is
// to be replaced may begin in one event and end in another: the editor gets the whole text. An
// event without edits keeps its bytes. What is not JSON is edited as one text.
void edit_texts(std::vector<Piece>& events, bool has_events, const Editor& editor);

// The data of an event: its lines that begin with "data:", joined.
std::string data_of(std::string_view event);

}  // namespace orch::tape
