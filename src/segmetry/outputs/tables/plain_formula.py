r"""Formulas for the terminal: the LaTeX of declarations as plain text.

Only the LaTeX commands used by the metrics are supported; any other is an error, so that nothing is dropped silently. A
fraction becomes ``a/b`` with parentheses where they are needed, a product with a fraction is written with ``·``, and
the range of a sum in brackets: ``1/|T| · Σ[t∈T] |t∩hₜ|/|t|``.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from segmetry.errors import InputError

ATOM, OPERATOR, FRACTION, SIGN, COMMA, SPACE = "atom", "operator", "fraction", "sign", "comma", "space"

NAMES = {
    "alpha": "α", "beta": "β", "gamma": "γ", "kappa": "κ", "pi": "π", "rho": "ρ", "tau": "τ", "theta": "θ",
    "Gamma": "Γ", "partial": "∂", "exists": "∃", "forall": "∀", "emptyset": "∅", "dagger": "†", "&": "&", "'": "′",
}  # fmt: skip
OPERATORS = {"sum": "Σ", "int": "∫", "max": "max", "min": "min", "log": "log", "ln": "ln", "deg": "deg"}
WIDE = {
    "=": " = ", "<": " < ", ">": " > ", "ge": " ≥ ", "le": " ≤ ", "ne": " ≠ ", "+": " + ", "-": " − ", ":": " : ",
    "wedge": " ∧ ", "to": " → ",
}  # fmt: skip
"""Signs with space around them; there is none in the arguments of a function and in what a sum runs over."""
SIGNS = {"cap": "∩", "cup": "∪", "setminus": "∖", "oplus": "⊕", "in": "∈", "notin": "∉", "cdot": " · ", "mid": " | "}
SPACES = {",": " ", " ": " ", "quad": "\n"}
BRACKETS = {"(": ("(", ")"), "[": ("[", "]"), r"\{": ("{", r"\}"), r"\left|": ("|", r"\right|")}
"""By opening bracket: how it is shown, and what closes it."""

LOWERED = str.maketrans("0123456789aehijklmnoprstuvx", "₀₁₂₃₄₅₆₇₈₉ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓ")
RAISED = str.maketrans("0123456789+kn*†", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺ᵏⁿ*†")
_TOKEN = re.compile(
    r"\\(?:text|mathrm|mathcal)\{[^{}]*\}|\\(?:begin|end)\{cases\}|\\(?:left|right|[bB]ig[lr]?)(?:\\[{}]|[()\[\]|])"
    r"|\\[A-Za-z]+|\\.|,\s|\S"
)
_SIZE = re.compile(r"\\(left|right|[bB]ig[lr]?)(.+)")
_WHOLE = re.compile(r"[\w′∂]+|√?\|[^|]*\||\|\{[^{}]*\}\||[\w′√]*\((?:[^()]|\([^()]*\))*\)")
"""A single term: a name or number, a size, the value of a function, or text in parentheses."""


class FormulaPiece(NamedTuple):
    """Some text, and its kind, which decides the spacing to its neighbours."""

    text: str
    kind: str


def plain_formula(latex: str) -> str:
    """Return a formula as text; several formulas are on separate lines."""
    return _LatexParser(latex).text()


class _LatexParser:
    """Reads the tokens of a formula from left to right."""

    def __init__(self, latex: str) -> None:
        self.latex = latex
        self.tokens = [_without_size(mark) for mark in _TOKEN.findall(latex)]
        self.at = 0

    def text(self, *ends: str, close: bool = False) -> str:
        """Return the text up to one of these tokens, which are skipped; ``close`` leaves no space around signs."""
        pieces: list[FormulaPiece] = []
        while True:
            if self.at == len(self.tokens) and not ends:
                return _joined(pieces)
            mark = self._next()
            if mark in ends:
                return _joined(pieces)
            before = pieces[-1] if pieces else FormulaPiece("", SPACE)
            piece = self._with_scripts(self._piece(mark, before, close=close))
            if piece.kind == FRACTION and before.text.startswith(("log", "ln")):
                piece = FormulaPiece(f"({piece.text})", ATOM)
            pieces.append(piece)

    def _next(self) -> str:
        if self.at == len(self.tokens):
            raise self._formula_error("ends too early")
        self.at += 1
        return self.tokens[self.at - 1]

    def _piece(self, mark: str, before: FormulaPiece, *, close: bool) -> FormulaPiece:
        name = mark.removeprefix("\\")
        if mark in BRACKETS:
            shown, end = BRACKETS[mark]
            is_call = shown == "(" and before.kind == ATOM and (before.text[-1].isalpha() or before.text[-1] == "′")
            return FormulaPiece(shown + self.text(end, close=close or is_call) + end[-1], ATOM)
        if name in WIDE:
            narrow = ": " if name == ":" else WIDE[name].strip()
            return FormulaPiece(narrow if close else WIDE[name], SIGN)
        for known, kind in ((NAMES, ATOM), (OPERATORS, OPERATOR), (SIGNS, SIGN)):
            if name in known:
                return FormulaPiece(known[name], kind)
        if mark[0] == ",":
            return FormulaPiece(", " if len(mark) > 1 or before.text.endswith((")", "}")) else ",", COMMA)
        if mark == "{":
            return FormulaPiece(self.text("}", close=close).strip(), ATOM)
        if mark.startswith("\\"):
            return self._command(mark, name)
        if not (mark.isalnum() or mark in "|/*@."):
            raise self._formula_error(f"has {mark!r}, for which no plain text is known")
        return FormulaPiece(mark, ATOM)

    def _command(self, mark: str, name: str) -> FormulaPiece:
        if name in SPACES:
            return FormulaPiece(SPACES[name], SPACE)
        if name.startswith(("text{", "mathrm{", "mathcal{")):
            return FormulaPiece(name[name.index("{") + 1 : -1], ATOM)
        if name in ("frac", "tfrac"):
            return _fraction(self._argument(), self._argument())
        if name == "tilde":
            return FormulaPiece(f"{self._argument()}\N{COMBINING TILDE}", ATOM)
        if name == "binom":
            return FormulaPiece(f"({self._argument()} choose {self._argument()})", ATOM)
        if name == "sqrt":
            return FormulaPiece(f"√{_whole(self._argument())}", ATOM)
        if name == "overline":
            return FormulaPiece("".join(f"{letter}\u0305" for letter in self._argument()), ATOM)
        if name == "mathbb":
            return FormulaPiece(self._argument(), ATOM)
        if name == "begin{cases}":
            return FormulaPiece(f"({'; '.join(self._cases())})", ATOM)
        raise self._formula_error(f"has {mark}, for which no plain text is known")

    def _cases(self) -> list[str]:
        cases = []
        while self.tokens[self.at - 1] != r"\end{cases}":
            value, condition = self.text("&"), self.text(r"\\", r"\end{cases}")
            cases.append(f"{value} if {condition}")
        return cases

    def _argument(self, *, close: bool = False) -> str:
        mark = self._next()
        if mark == "{":
            return self.text("}", close=close)
        return self._piece(mark, FormulaPiece("", SPACE), close=close).text

    def _with_scripts(self, piece: FormulaPiece) -> FormulaPiece:
        scripts = {"_": "", "^": ""}
        while self.at < len(self.tokens) and self.tokens[self.at] in scripts:
            which = self._next()
            scripts[which] = self._argument(close=True)
        low, high = scripts["_"], scripts["^"]
        if piece.kind == OPERATOR and low and high:
            return FormulaPiece(f"{piece.text}[{low}…{high}]", OPERATOR)
        return FormulaPiece(piece.text + _lowered(low) + _raised(high), piece.kind)

    def _formula_error(self, words: str) -> InputError:
        return InputError(f"the formula {self.latex!r} {words}")


def _without_size(mark: str) -> str:
    """Return a bracket without the command for its size; bars keep whether they open or close."""
    match = _SIZE.fullmatch(mark)
    if match is None:
        return mark
    size, bracket = match.groups()
    if bracket != "|":
        return bracket
    return r"\left|" if size in ("left", "bigl", "Bigl") else r"\right|"


def _joined(pieces: list[FormulaPiece]) -> str:
    text, before = "", FormulaPiece("", SPACE)
    for piece in pieces:
        text += _between(before, piece) + piece.text
        before = piece
    return re.sub(r" *\n *", "\n", re.sub(r" +", " ", text)).strip()


def _between(left: FormulaPiece, right: FormulaPiece) -> str:
    """Return the text between two pieces."""
    things = (ATOM, OPERATOR, FRACTION)
    if left.kind not in things or right.kind not in things:
        return ""
    if left.kind == OPERATOR:
        return " " if left.text[0] in "Σ∫" or right.text[0] != "(" else ""
    if FRACTION in (left.kind, right.kind):
        return " · "
    has_word = re.search(r"_\w+′?$", left.text) is not None and right.text[0].isalnum()
    return " " if right.kind == OPERATOR or has_word else ""


def _fraction(top: str, bottom: str) -> FormulaPiece:
    if (top, bottom) == ("1", "2"):
        return FormulaPiece("½", ATOM)
    is_product = re.search(r"[ /Σ∫]", top) is None
    top, bottom = top if is_product else _whole(top), _whole(bottom)
    return FormulaPiece(f"{top} / {bottom}" if " " in top + bottom else f"{top}/{bottom}", FRACTION)


def _whole(text: str) -> str:
    """Return the text in parentheses, unless it is a single term."""
    return text if _WHOLE.fullmatch(text) else f"({text})"


def _lowered(text: str) -> str:
    """Return a subscript: small letters where they exist, ``_`` before a word, else brackets."""
    if len(text) <= 2 and all(ord(letter) in LOWERED for letter in text):
        return text.translate(LOWERED)
    return f"_{text}" if re.fullmatch(r"[\w∂]+′?", text) else f"[{text}]"


def _raised(text: str) -> str:
    """Return a superscript."""
    if all(ord(letter) in RAISED for letter in text):
        return text.translate(RAISED)
    return f"^{text}" if len(text) == 1 else f"^({text})"
