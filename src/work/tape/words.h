#pragma once

#include <string>
#include <string_view>

namespace orch::tape {

// The text with everything replaced that differs between two runs of the same conversation,
// wherever it stands: dates and times, hashes and other numbers of seven and more hexadecimal
// digits, ids (RFC 9562), durations, versions of the system, and the words after labels such as
// "Chunk ID: ". A replacement reads "{orch:date}"; those that the text has already stay.
std::string with_replaced_words(std::string_view text);

}  // namespace orch::tape
