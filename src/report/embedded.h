#pragma once

#include <string_view>

// The contents of page/page.html, page.css and page.js at build time.
namespace orch::report {

std::string_view page_template();
std::string_view page_style();
std::string_view page_script();

}  // namespace orch::report
