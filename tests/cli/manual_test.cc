#include <CLI/CLI.hpp>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "cli/command.h"
#include "cli/manual_commands.h"
#include "cli/manual_footer.h"
#include "cli/manual_markdown.h"
#include "cli/manual_page.h"
#include "cli/manual_roff.h"
#include "cli/manual_topics.h"
#include "setup/diagnostics.h"

using namespace orch::cli;

namespace {

// A command line with everything in it that a manual can tell.
struct Toy {
  CLI::App app{"does things", "toy"};
  std::string size = "1x1", secret;
  std::vector<std::string> names;
  bool quick = false;

  Toy() {
    app.footer("Examples:\n  toy make x");
    CLI::App* make = app.add_subcommand("make", "makes .dots and 'quotes'")->alias("build");
    make->add_option("name", names, "what to make")->required();
    make->add_option("-s,--size", size, "how large")->group("What")->capture_default_str();
    make->add_flag("--quick", quick, "not slowly")->group("How");
    make->add_option("--secret", secret, "nobody is told")->group("");
    make->footer(
        "It makes things.\n.dots begin this line.\n\nExamples:\n  toy make 'a b'\n\nExit codes:\n"
        "  0  made\n\nOther codes are other programs'.");
    app.add_subcommand("hidden", "nobody is told")->group("");
    make->add_subcommand("again", "once more");
  }
};

bool holds(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

std::string page_of(const ManualCommand& program, const std::string& name) {
  for (const ManualCommand* one : with_subcommands(program)) {
    if (manual_page_name(*one) == name) return manual_page(*one, program, "1.2");
  }
  return "";
}

// The sources of src, one behind the other.
std::string all_sources() {
  std::ostringstream all;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(ORCH_SOURCE_DIR "/src")) {
    const bool is_source = entry.path().extension() == ".cc" || entry.path().extension() == ".h";
    if (!is_source || entry.path().filename() == "manual_topics.cc") continue;
    all << std::ifstream(entry.path()).rdbuf();
  }
  return all.str();
}

}  // namespace

TEST_CASE("roff: what groff would take for markup is escaped") {
  CHECK(roff_word("a\\fBb") == "a\\efBb");
  CHECK(roff_word("--no-bell") == "\\-\\-no\\-bell");
  CHECK(roff_word("'a' \"b\" `c` ^ ~") == "\\(aqa\\(aq \\(dqb\\(dq \\(gac\\(ga \\(ha \\(ti");
  CHECK(roff_word("”…") == "\\[u201D]\\[u2026]");
  CHECK(roff_word("\U0001F600") == "\\[u1F600]");
  CHECK(roff_word("a.b") == "a.b");
}

TEST_CASE("roff: a line is never a request, and text never ends its line") {
  CHECK(roff_line(".so /etc/passwd") == "\\&.so /etc/passwd");
  CHECK(roff_line("'br") == "\\&\\(aqbr");
  CHECK(roff_line("plain") == "plain");
  CHECK(roff_line("") == "");
  CHECK(roff_word("a\n.so b").find('\n') == std::string::npos);
  CHECK(roff_argument("say \"x\"") == "\"say \\(dqx\\(dq\"");
}

TEST_CASE("a footer is read as headings, examples and paragraphs") {
  CHECK(read_footer("").empty());
  CHECK(read_footer("One.\nTwo.\n\nThree.") ==
        std::vector<FooterBlock>{{"", {"One.", "Two."}, false}, {"", {"Three."}, false}});
  CHECK(read_footer("Exit codes:\n  0  well\n\n    more\nAnd more.") ==
        std::vector<FooterBlock>{{"Exit codes", {"0  well", "", "  more"}, true},
                                 {"", {"And more."}, false}});
  CHECK(read_footer("A file is one object, or none:\n  {}") ==
        std::vector<FooterBlock>{{"", {"A file is one object, or none:"}, false},
                                 {"", {"{}"}, true}});
  CHECK(read_footer("Keys:\nThey are few.") ==
        std::vector<FooterBlock>{{"Keys", {"They are few."}, false}});
}

TEST_CASE("a command is described with its arguments, groups, aliases and subcommands") {
  const Toy toy;
  const ManualCommand program = describe(toy.app);
  CHECK(program.name == "toy");
  REQUIRE(program.commands.size() == 1);
  const ManualCommand& make = program.commands.front();
  CHECK(make.name == "toy make");
  CHECK(make.aliases == std::vector<std::string>{"build"});
  REQUIRE(make.arguments.size() == 1);
  CHECK(make.arguments.front() == ManualOption{{"name"}, "", "", "what to make", true, true});
  REQUIRE(make.groups.size() == 3);
  CHECK(make.groups[0].options.front().names == std::vector<std::string>{"-h", "--help"});
  CHECK(make.groups[1] ==
        ManualGroup{"What", {{{"-s", "--size"}, "COLSxROWS", "1x1", "how large", false, false}}});
  CHECK(make.groups[2] == ManualGroup{"How", {{{"--quick"}, "", "", "not slowly", false, false}}});
  CHECK(synopsis(make) == "toy make [OPTIONS] name... COMMAND");
  CHECK(with_subcommands(program).size() == 3);
}

TEST_CASE("a default is told once") {
  CHECK(told_about({{"--a"}, "N", "3", "how many", false, false}) == "how many (default: 3)");
  CHECK(told_about({{"--a"}, "N", "3", "3 (default) or more", false, false}) ==
        "3 (default) or more");
  CHECK(told_about({{"--a"}, "N", "", "how many", false, false}) == "how many");
}

TEST_CASE("a manual page has its sections in order, and nothing of what is hidden") {
  const Toy toy;
  const ManualCommand program = describe(toy.app);
  const std::string page = page_of(program, "toy-make");
  CHECK(holds(page, ".TH \"TOY\\-MAKE\" 1 \"\" \"orch 1.2\""));
  size_t at = 0;
  for (const char* section : {"NAME", "SYNOPSIS", "DESCRIPTION", "COMMANDS", "ARGUMENTS", "OPTIONS",
                              "EXIT STATUS", "EXAMPLES", "SEE ALSO"}) {
    INFO(section);
    const size_t next = page.find(".SH \"" + std::string(section) + "\"");
    REQUIRE(next != std::string::npos);
    CHECK(next > at);
    at = next;
  }
  CHECK(holds(page, "toy\\-make \\- makes .dots and \\(aqquotes\\(aq\n"));
  CHECK(holds(page, "\\fBtoy make\\fR [OPTIONS] name... COMMAND\n"));
  CHECK(holds(page, "It makes things.\n\\&.dots begin this line.\n"));
  CHECK(holds(
      page, ".TP\n\\fB\\-s\\fR, \\fB\\-\\-size\\fR \\fICOLSxROWS\\fR\nhow large (default: 1x1)\n"));
  CHECK(holds(page, ".EX\ntoy make \\(aqa b\\(aq\n.EE\n"));
  CHECK(page.find("Other codes") < page.find(".SH \"EXAMPLES\""));
  CHECK(page.ends_with(".SH \"SEE ALSO\"\n.BR toy (1)\n"));
  CHECK(page_of(program, "toy-make-again").ends_with(".BR toy (1),\n.BR toy\\-make (1)\n"));
  CHECK_FALSE(holds(page, "secret"));
}

TEST_CASE("the page of the program lists its commands, exit codes, variables and files") {
  const Toy toy;
  const ManualCommand program = describe(toy.app);
  const std::string page = page_of(program, "toy");
  CHECK(
      holds(page, "\\fBtoy\\-make\\fR(1)\nmakes .dots and \\(aqquotes\\(aq; also called build\n"));
  CHECK(holds(page, "\\fB124\\fR \\fItimeout\\fR\n"));
  CHECK(holds(page, "\\fBORCH_STATE_DIR\\fR\n"));
  CHECK(holds(page, ".SH \"FILES\"\n"));
  CHECK_FALSE(holds(page, "nobody is told"));
}

TEST_CASE(
    "Markdown: text is not markup, and each command has its heading, and the examples are left to "
    "--help") {
  const Toy toy;
  const std::string page = manual_markdown(describe(toy.app));
  CHECK(holds(page, "\n## toy make\n"));
  CHECK(holds(page, "\n## toy make again\n"));
  CHECK(holds(page, "\n**What**\n\n- `-s, --size COLSxROWS`: how large (default: 1x1)\n"));
  CHECK_FALSE(holds(page, "toy make 'a b'"));
  CHECK(holds(page, "- `ORCH_<KEY>`: "));
  CHECK_FALSE(holds(page, "secret"));
  ManualCommand odd;
  odd.name = "toy";
  odd.about = "<b> [x](y) a_b *c* `d` ~/e";
  CHECK(holds(manual_markdown(odd), "\\<b\\> \\[x\\](y) a\\_b \\*c\\* \\`d\\` \\~/e"));
}

TEST_CASE("every command of orch has a manual page, and no two have the same") {
  CLI::App app{"about", "orch"};
  orch::setup::Diagnostics diagnostics;
  Chosen chosen;
  add_commands(app, "", {}, diagnostics, chosen);
  const ManualCommand program = describe(app);
  std::vector<std::string> names;
  for (const ManualCommand* one : with_subcommands(program)) {
    names.push_back(manual_page_name(*one));
    INFO(names.back());
    CHECK_FALSE(one->about.empty());
    for (const ManualGroup& group : one->groups) {
      for (const ManualOption& option : group.options) {
        INFO(option.names.back());
        CHECK_FALSE(option.about.empty());
      }
    }
  }
  CHECK(names.size() > 30);
  std::sort(names.begin(), names.end());
  CHECK(std::adjacent_find(names.begin(), names.end()) == names.end());
}

TEST_CASE(
    "every variable of the manual is one that orch reads, and every one that it reads is told") {
  const std::string sources = all_sources();
  std::string told;
  for (const ManualTopic& topic : manual_variables()) {
    std::istringstream names{std::string(topic.name)};
    for (std::string name; std::getline(names >> std::ws, name, ',');) {
      told += name + "\n";
      INFO(name);
      CHECK(holds(sources, "\"" + name.substr(0, name.find('<'))));
    }
  }
  // As setup::environment("XDG_CACHE_HOME"), std::getenv("ORCH_LOG"), value_of("NO_COLOR").
  for (const char* asked : {"environment(\"", "getenv(\"", "value_of(\""}) {
    for (size_t at = sources.find(asked); at != std::string::npos; at = sources.find(asked, at)) {
      at += std::string_view(asked).size();
      const std::string name = sources.substr(at, sources.find('"', at) - at);
      const bool is_the_systems = name == "HOME" || name == "PATH" || name == "PWD" ||
                                  name == "SUDO_UID" || name == "container";
      INFO(name);
      CHECK((is_the_systems || holds(told, name + "\n")));
    }
  }
}
