#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "base/json_fwd.h"
#include "base/result.h"

// The answers of `gh api -i` and `glab api -i`. Pure.
namespace orch::forge {

// The status line, the headers and the body; gh prints them whatever its exit code is.
struct Answer {
  int status = 0;                              // of HTTP; 0: there was no answer
  std::map<std::string, std::string> headers;  // names in lower case
  std::string body;
  std::string said;            // the first line on standard error
  int code = 0;                // of the program
  std::string program = "gh";  // or glab
};
Answer read_answer(std::string_view output, std::string_view errors, int code);

// The JSON of an answer with a status of 200 to 299. Errors are one line with the remedy: kSystem
// if it may work later (the network, a limit, a fault of the server), else kUsage (the login, a
// name that does not exist).
base::Result<base::Json> json_of(const Answer& answer, std::string_view host);
// `data` of an answer of GraphQL; an answer that also names errors is one.
base::Result<base::Json> data_of(const Answer& answer, std::string_view host);

// Members of an object.
bool flag_of(const base::Json& object, const char* key);       // false if it is no boolean
int64_t number_of(const base::Json& object, const char* key);  // 0 if it is no whole number

}  // namespace orch::forge
