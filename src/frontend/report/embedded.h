#pragma once

#include <string_view>

// The contents of the files in page/ at build time.
namespace orch::report {

std::string_view page_template();
std::string_view page_style();
std::string_view page_script();
std::string_view summary_template();
std::string_view summary_style();

}  // namespace orch::report
