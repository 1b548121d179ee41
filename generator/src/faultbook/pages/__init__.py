"""6 render: Catalog and Proofs → Pages. One module and one Jinja template a section; SECTIONS gives the order."""
