"""A syntax tree cut into passages: definitions whole where they fit, under the path of what they stand in."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from engine.retrieval.ingestion.code.definitions import definition_in, names_of
from engine.retrieval.ingestion.code.grammars import parse
from engine.retrieval.ingestion.code.languages import LANGUAGES, Language

if TYPE_CHECKING:
    from tree_sitter import Node

#: The share of a passage that neighbouring definitions have together at most.
_SMALL = 3
#: The share of a passage below which what stands before something longer is not left alone.
_SHORT = 4
#: Characters of the names of neighbouring definitions that head their passage.
_JOINED_CHARS = 80
#: Characters of a heading path; of a longer one the outermost names are left out.
_PATH_CHARS = 240
#: Nodes within nodes that are looked into; what is deeper is cut at lines.
_DEPTH = 100
#: Types of nodes beside comments that belong to the definition below them.
_LEADING = frozenset({"decorator", "attribute_item", "attribute_declaration"})
#: Nodes within a stretch without a name that are looked into for definitions.
_HELD_DEPTH = 3

#: Cuts what has no structure, at lines; what it gives joins to the text it was given.
Splitter = Callable[[str], Iterable[str]]


@dataclass(frozen=True, slots=True)
class _Atom:
    """A stretch of the source that is not cut.

    Attributes:
        within: The names of what it stands in, outermost first.
        name: Its own where it is a whole definition.
        inner: The names of the definitions in it.
    """

    start: int
    end: int
    within: tuple[str, ...]
    name: str = ""
    inner: tuple[str, ...] = ()

    @property
    def size(self) -> int:
        return self.end - self.start


@dataclass(slots=True)
class _Passage:
    """Neighbouring atoms of one place."""

    atoms: list[_Atom] = field(default_factory=list)
    size: int = 0
    unnamed: int = 0
    names: list[_Atom] = field(default_factory=list)

    def takes(self, atom: _Atom, limit: int) -> bool:
        """Adds `atom` where it fits: as much as there is room for beside one definition, little with more of them."""
        if self.atoms and self.atoms[-1].within != atom.within:
            return False
        size, unnamed = self.size + atom.size, self.unnamed + (0 if atom.name else atom.size)
        named = len(self.names) + bool(atom.name)
        alone = not named or (named == 1 and unnamed <= limit // _SMALL)
        if self.atoms and size > (limit if alone else limit // _SMALL):
            return False
        self.atoms.append(atom)
        self.size, self.unnamed = size, unnamed
        if atom.name:
            self.names.append(atom)
        return True

    def heading(self) -> str:
        """The path of what it stands in, and the names of what it holds where they are few."""
        path = list(self.atoms[0].within)
        if len(self.names) == 1:
            path.append(self.names[0].name)
        names = self.names[0].inner if len(self.names) == 1 else [atom.name for atom in self.names]
        joined = " / ".join(dict.fromkeys(names))
        path += [joined] if 0 < len(joined) <= _JOINED_CHARS else []
        while sum(map(len, path)) > _PATH_CHARS:
            del path[0]
        return " > ".join(path)


class _Cutter:
    """Cuts one source.

    Args:
        source: In UTF-8.
        language: Of its tree.
        limit: Bytes of a passage.
        split: See `Splitter`.
    """

    def __init__(self, source: bytes, language: Language, limit: int, split: Splitter) -> None:
        self._source, self._language, self._limit, self._split = source, language, limit, split
        self._named: set[int] = set()

    def atoms(self, nodes: Sequence[Node], start: int, end: int, within: tuple[str, ...], depth: int) -> list[_Atom]:
        """The atoms of `nodes`, neighbours that take up the source from `start` to `end`."""
        groups = _groups(nodes)
        borders = [start, *(_line_start(group[0]) for group in groups[1:]), end]
        atoms: list[_Atom] = []
        for group, (first, last) in zip(groups, itertools.pairwise(borders), strict=True):
            atoms += self._group(group, first, last, within, depth)
        return atoms

    def _group(self, nodes: list[Node], start: int, end: int, within: tuple[str, ...], depth: int) -> list[_Atom]:
        """The atoms of nodes that belong together: one where it fits and holds nothing, else those of what it holds."""
        definition = self._new_definition(nodes)
        path = (*within, *(names_of(definition, self._language) if definition is not None else ()))
        named, fits = len(path) > len(within), end - start <= self._limit
        if definition is None:
            is_cut = not fits or self._hold(nodes, _HELD_DEPTH)
        else:
            is_cut = not fits or definition.type in self._language.containers
        parts = self._parts(nodes, 0 if fits else self._limit // 2, depth) if is_cut else []
        if not parts and fits:
            return [_Atom(start, end, path[:-1], path[-1]) if named else _Atom(start, end, path)]
        inside = self.atoms(parts, start, end, path, depth + 1) if parts else self._cut(start, end, path)
        inner = tuple(atom.name for atom in inside if atom.name)
        if named and fits and (not inner or end - start <= self._limit // _SMALL):
            return [_Atom(start, end, path[:-1], path[-1], inner)]
        return inside

    def _new_definition(self, nodes: list[Node]) -> Node | None:
        """What `nodes` define; None where that has been said of what they stand in."""
        definition = definition_in(nodes, self._language)
        if definition is None or definition.id in self._named:
            return None
        self._named.add(definition.id)
        return definition

    def _parts(self, nodes: list[Node], least: int, depth: int) -> list[Node]:
        """What nodes of more than `least` bytes hold, down to several groups or a definition; or nothing."""
        for _ in range(depth, _DEPTH):
            opened = [_children(node, least) for node in nodes]
            if all(children[0] is node for node, children in zip(nodes, opened, strict=True)):
                break
            nodes = [child for children in opened for child in children]
            definition = definition_in(nodes, self._language)
            if len(_groups(nodes)) > 1 or (definition is not None and definition.id not in self._named):
                return nodes
        return []

    def _hold(self, nodes: Iterable[Node], depth: int) -> bool:
        """Whether there is a definition of several lines in `nodes`."""
        inside = [node for node in nodes if node.start_point.row < node.end_point.row]
        return any(definition_in([node], self._language) is not None for node in inside) or (
            depth > 0 and any(self._hold(node.children, depth - 1) for node in inside)
        )

    def _cut(self, start: int, end: int, path: tuple[str, ...]) -> list[_Atom]:
        """Of what has no structure."""
        atoms = []
        for part in self._split(self._source[start:end].decode("utf-8", "surrogatepass")):
            size = len(part.encode("utf-8", "surrogatepass"))
            atoms.append(_Atom(start, start + size, path))
            start += size
        return atoms


def structured_pieces(language: str, text: str, limit: int, split: Splitter) -> Iterator[tuple[str, str]] | None:
    """(heading path, text) of each passage of a source; the texts joined are the source. None: it was not parsed.

    A definition that fits is whole, with the comments and decorators above it; small neighbours stand together. One
    that is longer is cut between its members or statements, a class always between members that are not small. Where
    the parser reads nothing, as within what is damaged, it is cut at lines.

    Args:
        language: A key of `LANGUAGES`.
        text: With line feeds alone.
        limit: Bytes of a passage.
        split: See `Splitter`.
    """
    source = text.encode("utf-8", "surrogatepass")
    root = parse(language, source)
    if root is None:
        return None
    cutter = _Cutter(source, LANGUAGES[language], limit, split)
    atoms = cutter.atoms(root.children or [root], 0, len(source), (), 0)
    return (
        (passage.heading(), source[passage.atoms[0].start : passage.atoms[-1].end].decode("utf-8", "surrogatepass"))
        for passage in _passages(_evened(atoms, limit, source), limit)
    )


def _passages(atoms: Iterable[_Atom], limit: int) -> Iterator[_Passage]:
    passage = _Passage()
    for atom in atoms:
        if not passage.takes(atom, limit):
            yield passage
            passage = _Passage()
            passage.takes(atom, limit)
    if passage.atoms:
        yield passage


def _evened(atoms: Iterable[_Atom], limit: int, source: bytes) -> Iterator[_Atom]:
    """Neighbouring atoms of one place without names as few, about equally long ones: no last line is left alone.

    What is short before a long one, as a signature before what it says of itself, takes the first lines of that.
    """
    for (within, is_named), found in itertools.groupby(atoms, lambda atom: (atom.within, bool(atom.name))):
        run = list(found)
        if is_named:
            yield from run
            continue
        total, start = sum(atom.size for atom in run), run[0].start
        target = total / math.ceil(total / limit) if total else 0
        for atom, following in zip(run, [*run[1:], None], strict=True):
            size = atom.end - start
            if following is None or size >= target or size + following.size > limit:
                end = atom.end
                if following is not None and size < limit // _SHORT:
                    end = max(end, source.rfind(b"\n", following.start, start + limit) + 1)
                yield _Atom(start, end, within)
                start = end


def _groups(nodes: Sequence[Node]) -> list[list[Node]]:
    """Nodes that belong together: a border is where one with a name of its own begins a line, unless it is led to."""
    groups: list[list[Node]] = []
    last_row, leads = -1, False
    for node in nodes:
        row = node.start_point.row
        begins = row > last_row
        if not groups or (begins and node.is_named and not (leads and row == last_row + 1)):
            groups.append([])
        groups[-1].append(node)
        leads = (begins or leads) and (node.type in _LEADING or "comment" in node.type)
        end = node.end_point
        last_row = end.row - (end.column == 0)  # where its line feed belongs to it
    return groups


def _children(node: Node, least: int) -> list[Node]:
    """Those of a node of several lines and more than `least` bytes; the node itself otherwise."""
    whole = node.end_byte - node.start_byte <= least or node.start_point.row == node.end_point.row
    return [node] if whole else node.children or [node]


def _line_start(node: Node) -> int:
    return node.start_byte - node.start_point.column
