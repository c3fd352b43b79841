#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace orch::ui {

// The value of --color, which takes precedence over the environment.
enum class ColorChoice : uint8_t { kAuto, kAlways, kNever };

// Whether output to this descriptor is coloured. kAuto: on a terminal, unless NO_COLOR is set
// (https://no-color.org), TERM is dumb or CLICOLOR is 0; CLICOLOR_FORCE colours pipes, too
// (https://bixense.com/clicolors).
bool wants_color(ColorChoice choice, int fd);

// TERM=dumb: a terminal that knows no escape sequences.
bool is_dumb();

enum class Color : uint8_t { kPlain, kDim, kRed, kGreen, kYellow };

// The colour of the word that says how an agent or its session stands ("working",
// "waiting/permission").
Color color_of_state(std::string_view state);

// `text` between the escape sequences of that colour if `wanted`, otherwise unchanged.
std::string colored(std::string_view text, Color color, bool wanted);

}  // namespace orch::ui
