#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "fence/fence.h"

// The folder of one test, and plans for what a fenced process may do there. It is below the working
// directory, or in /var/tmp if the namespaces would hide that.
class Yard {
 public:
  Yard();  // makes out/, home/, work/ and scratch/
  ~Yard();
  Yard(const Yard&) = delete;
  Yard& operator=(const Yard&) = delete;

  std::string path(std::string_view name) const { return path_ + "/" + std::string(name); }
  std::string write(std::string_view name, std::string_view text) const;  // returns the file's path

  // A plan that grants work/, with all the layers that this machine has except namespaces.
  orch::fence::Plan plan(orch::fence::Network network = {}) const;
  orch::fence::Request request() const;

 private:
  std::string path_;
};

std::string text_of(const std::string& path);  // "" if it cannot be read

// Runs `action` in a process of its own inside a fence, and returns its result (up to 255); 255 if
// the fence could not be raised.
int inside(const orch::fence::Plan& plan, const std::function<int()>& action);
// The same for a system call: returns its errno, or 0 if it succeeds.
int error_inside(const orch::fence::Plan& plan, const std::function<long()>& call);

// The exit code of a command; -1 if a signal ended it.
int exit_code(const std::vector<std::string>& words);
