#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "fence/fence.h"

// A folder of one test, below the present one if namespaces show that, and what a fenced process
// may do there.
class Yard {
 public:
  Yard();  // makes out/, home/, work/ and scratch/
  ~Yard();
  Yard(const Yard&) = delete;
  Yard& operator=(const Yard&) = delete;

  std::string path(std::string_view name) const { return path_ + "/" + std::string(name); }
  std::string write(std::string_view name, std::string_view text) const;  // returns its path

  // Around work/, with all the layers of this machine but namespaces.
  orch::fence::Plan plan(orch::fence::Network network = {}) const;
  orch::fence::Request request() const;

 private:
  std::string path_;
};

std::string text_of(const std::string& path);  // "" when it cannot be read

// What `action` returns (up to 255) in a process of its own that the plan shuts in; 255 when it
// could not be shut in.
int inside(const orch::fence::Plan& plan, const std::function<int()>& action);
// The same for the errno of a call that returns -1, 0 when it succeeds.
int error_inside(const orch::fence::Plan& plan, const std::function<long()>& call);

// Of a command; -1 when a signal ended it.
int exit_code(const std::vector<std::string>& words);
