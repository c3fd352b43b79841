#pragma once

#include <string_view>

// page/page.html, page.css and page.js, as they were when this was built.
namespace orch::report {

std::string_view page_template();
std::string_view page_style();
std::string_view page_script();

}  // namespace orch::report
