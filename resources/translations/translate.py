#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Fills a catalogue from a table, for who has no Qt Linguist at hand.

  translate.py LANGUAGE                lists the texts that are not translated yet, one a line
  translate.py LANGUAGE < TABLE        fills them in: lines of "text<TAB>translation"

A line break in a text is written \\n. A text that several parts of the window have gets one translation everywhere; where that does not
do, Qt Linguist changes a single one. `cmake --build build/release --target update_translations` takes in new texts first.
"""
import os
import sys
import xml.etree.ElementTree as ElementTree
from xml.sax.saxutils import escape

ENTITIES = {'"': "&quot;", "'": "&apos;", "\u202f": "&#x202f;", "\u00a0": "&#xa0;"}  # as lupdate writes them


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), f"mantissa_{sys.argv[1]}.ts")
    table = {}
    if not sys.stdin.isatty():
        for number, line in enumerate(sys.stdin, 1):
            parts = line.rstrip("\n").replace("\\n", "\n").split("\t")
            if len(parts) != 2:
                sys.exit(f"line {number} of the table: text, a tab, translation; not {line!r}")
            table[parts[0]] = parts[1]
    tree = ElementTree.parse(path)
    left = []
    for message in tree.iter("message"):
        source, translation = message.find("source").text, message.find("translation")
        if translation.get("type") != "unfinished":
            continue
        if source in table:
            translation.text = table[source]
            del translation.attrib["type"]
        elif source not in left:
            left.append(source)
    if table:
        write(tree, path)
    for source in left:
        print(source.replace("\n", "\\n"))


def write(tree, path):
    """As lupdate writes it, so that its next run changes no line."""
    with open(path, "w", encoding="utf-8") as out:
        root = tree.getroot()
        out.write('<?xml version="1.0" encoding="utf-8"?>\n<!DOCTYPE TS>\n')
        out.write(f'<TS version="{root.get("version")}" language="{root.get("language")}">\n')
        for context in root.findall("context"):
            out.write(f"<context>\n    <name>{escape(context.find('name').text)}</name>\n")
            for message in context.findall("message"):
                out.write("    <message>\n")
                for name in ("source", "comment", "translation"):
                    part = message.find(name)
                    if part is None:
                        continue
                    kind = f' type="{part.get("type")}"' if part.get("type") else ""
                    out.write(f"        <{name}{kind}>{escape(part.text or '', ENTITIES)}</{name}>\n")
                out.write("    </message>\n")
            out.write("</context>\n")
        out.write("</TS>\n")


main()
