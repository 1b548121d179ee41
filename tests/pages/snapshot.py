"""Write tests/snapshots/full-example.md anew, after a wanted change of the page."""

from pathlib import Path

from faultbook.catalog import load_catalog
from faultbook.pages.entry import entry_page

HERE = Path(__file__).parent

if __name__ == "__main__":
    catalog, _ = load_catalog(HERE / "tree")
    target = HERE.parent / "snapshots" / "full-example.md"
    target.parent.mkdir(exist_ok=True)
    target.write_text(entry_page(catalog.by_id["full-example"], catalog).text, encoding="utf-8")
