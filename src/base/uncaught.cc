#include "base/uncaught.h"

#include <array>
#include <cstdlib>
#include <exception>
#include <string>

#if __has_include(<execinfo.h>)  // musl has none
#include <execinfo.h>
#endif

#include "base/log.h"

namespace orch::base {
namespace {

std::string callers() {
  std::string text;
#if __has_include(<execinfo.h>)
  std::array<void*, 40> frames{};
  const int count = ::backtrace(frames.data(), static_cast<int>(frames.size()));
  char** names = ::backtrace_symbols(frames.data(), count);  // never freed: the process ends
  for (int i = 0; names != nullptr && i < count; ++i) text.append(" ").append(names[i]);
#endif
  return text;
}

std::string text_of_exception() {
  try {
    if (const std::exception_ptr error = std::current_exception()) std::rethrow_exception(error);
    return "no exception";
  } catch (const std::exception& error) {
    return error.what();
  } catch (...) {
    return "an unknown exception";
  }
}

[[noreturn]] void end() {
  log_error("uncaught", text_of_exception() + callers());
  std::abort();
}

}  // namespace

void log_uncaught_exceptions() { std::set_terminate(&end); }

}  // namespace orch::base
