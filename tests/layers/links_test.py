import subprocess
import tempfile
import unittest
from pathlib import Path

LINKS = Path(__file__).with_name("links.py")
GOOD = {"README.md": "# A\n\n[a page](docs/page.md#its-heading)\n", "docs/page.md": "# Page\n\n## Its heading\n"}


class Links(unittest.TestCase):
    def told(self, **changed: str) -> str:
        """What is told of a repository with these pages in the place of GOOD's: readme, page."""
        files = GOOD | {{"readme": "README.md", "page": "docs/page.md"}[name]: text for name, text in changed.items()}
        with tempfile.TemporaryDirectory() as folder:
            for name, text in files.items():
                (Path(folder) / name).parent.mkdir(exist_ok=True)
                (Path(folder) / name).write_text(text)
            subprocess.run(["git", "init", "-q", folder], check=True)
            subprocess.run(["git", "-C", folder, "add", "."], check=True)
            result = subprocess.run(["python3", "-B", LINKS, folder], capture_output=True, text=True, check=False)
        self.assertEqual(result.returncode, 1 if result.stdout else 0, result.stderr)
        return result.stdout

    def test_pages_whose_links_lead_somewhere_are_right(self):
        self.assertEqual(self.told(), "")

    def test_a_link_to_what_is_not_there_is_told(self):
        self.assertIn("README.md:1: docs/none.md leads nowhere", self.told(readme="[x](docs/none.md)\n"))
        self.assertIn("has no such heading", self.told(readme="[x](docs/page.md#none)\n"))
        self.assertIn("README.md:2: docs/film.svg leads nowhere", self.told(readme='[x](docs/page.md)\n<img src="docs/film.svg">\n'))

    def test_what_stands_in_a_comment_or_a_fence_is_no_link(self):
        self.assertEqual(self.told(readme="[x](docs/page.md)\n<!-- later:\n[y](docs/none.md)\n-->\n```\n[z](none)\n```\n"), "")

    def test_the_lines_behind_a_comment_keep_their_numbers(self):
        self.assertIn("README.md:3: ", self.told(readme="<!-- a\ncomment -->\n[x](none.md)\n"))

    def test_a_page_that_is_too_long_is_told(self):
        link = "[x](docs/page.md)\n"
        self.assertEqual(self.told(readme=link + "a\n" * 149), "")
        self.assertIn("README.md:151: the page has 151 lines", self.told(readme=link + "a\n" * 150))
        self.assertEqual(self.told(page="## Its heading\n" + "a\n" * 199), "")
        self.assertIn("docs/page.md:201: ", self.told(page="## Its heading\n" + "a\n" * 200))

    def test_a_line_of_readme_that_is_too_wide_is_told(self):
        self.assertEqual(self.told(readme="[x](docs/page.md)\n" + "–" * 80 + "\n"), "")
        self.assertIn("README.md:2: the line has 81 columns", self.told(readme="[x](docs/page.md)\n" + "a" * 81 + "\n"))


if __name__ == "__main__":
    unittest.main()
