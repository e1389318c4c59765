"""Number format codes of spreadsheets: what a stored number is, and what a person sees.

Holds: `read_format` (kind, unit, shown scale, padding of a code) and `shown_number`, `shown_date` and their like.
Add here: another part of the format language (ECMA-376 part 1, 18.8.31).
Never here: which cell has which format (readers), types of columns.
"""

import re
from decimal import ROUND_HALF_UP, Decimal
from functools import lru_cache
from typing import Literal, NamedTuple

FormatKind = Literal["general", "number", "percent", "date", "timestamp", "time", "duration", "text"]

BUILT_IN: dict[int, str] = {
    1: "0", 2: "0.00", 3: "#,##0", 4: "#,##0.00",
    5: '"$"#,##0_);("$"#,##0)', 6: '"$"#,##0_);[Red]("$"#,##0)',
    7: '"$"#,##0.00_);("$"#,##0.00)', 8: '"$"#,##0.00_);[Red]("$"#,##0.00)',
    9: "0%", 10: "0.00%", 11: "0.00E+00", 12: "# ?/?", 13: "# ??/??",
    14: "m/d/yyyy", 15: "d-mmm-yy", 16: "d-mmm", 17: "mmm-yy", 18: "h:mm AM/PM", 19: "h:mm:ss AM/PM",
    20: "h:mm", 21: "h:mm:ss", 22: "m/d/yyyy h:mm",
    27: "yyyy/m/d", 30: "m/d/yy", 31: "yyyy/m/d", 36: "yyyy/m/d", 50: "yyyy/m/d", 57: "yyyy/m/d",
    37: "#,##0_);(#,##0)", 38: "#,##0_);[Red](#,##0)", 39: "#,##0.00_);(#,##0.00)", 40: "#,##0.00_);[Red](#,##0.00)",
    41: '_(* #,##0_);_(* (#,##0);_(* "-"_);_(@_)', 42: '_("$"* #,##0_);_("$"* (#,##0);_("$"* "-"_);_(@_)',
    43: '_(* #,##0.00_);_(* (#,##0.00);_(* "-"??_);_(@_)',
    44: '_("$"* #,##0.00_);_("$"* (#,##0.00);_("$"* "-"??_);_(@_)',
    45: "mm:ss", 46: "[h]:mm:ss", 47: "mm:ss.0", 48: "##0.0E+0", 49: "@",
}  # fmt: skip

CURRENCY_SIGNS = "$€£¥₹₩₽₺₫₴₦₱฿¢₪₡₲₵₸₼₾₿"
SCALE_WORDS = frozenset({"k", "m", "b", "bn", "mn", "mm", "t", "mio", "mrd", "tsd", "thousand", "million", "billion"})

_TOKEN = re.compile(
    r'"(?P<quoted>[^"]*)"?|\\(?P<escaped>.)|_(?P<skip>.)|\*(?P<fill>.)|\[(?P<bracket>[^\]]*)\]'
    r"|(?P<general>[Gg]eneral)|(?P<ampm>AM/PM|A/P|am/pm)|(?P<exponent>[Ee][+-])|(?P<plain>.)",
    re.DOTALL,
)
_ELAPSED = re.compile(r"h+|m+|s+", re.IGNORECASE)
_CONDITION = re.compile(r"(<=|>=|<>|<|>|=)\s*(-?[0-9.]+(?:[Ee][+-]?[0-9]+)?)")
_CURRENCY = re.compile(r"\$(?P<sign>[^-\]]*)(?:-[0-9A-Fa-f]*)?")


class NumberFormat(NamedTuple):
    """`unit`: "percent", a currency sign as printed, or the words behind the number (`0" kg"` → kg). `shown_scale`:
    25000 shown as 25 has 1000. `padding`: least number of integer digits where the code is zeros only. `parts`: which
    of y m d h s a date shows.
    """

    kind: FormatKind
    unit: str | None = None
    shown_scale: int = 1
    padding: int = 0
    parts: str = ""


class _Token(NamedTuple):
    kind: str
    text: str


@lru_cache(maxsize=4096)
def read_format(code: str | None) -> NumberFormat:
    """What a number under this code is, from its first section."""
    if not code:
        return NumberFormat("general")
    tokens = _tokens(_sections(code)[0])
    if any(t.kind == "elapsed" for t in tokens):
        return NumberFormat("duration")
    parts = _date_parts(tokens)
    if parts:
        return NumberFormat(_date_kind(parts), parts=parts)
    digits = [t.text for t in tokens if t.kind == "digit"]
    if not digits:
        return NumberFormat("text" if any(t.kind == "at" for t in tokens) else "general")
    if any(t.text == "%" for t in tokens if t.kind == "sign"):
        return NumberFormat("percent", unit="percent")
    return NumberFormat(
        "number", unit=_unit(tokens), shown_scale=1000 ** _scale_commas(tokens), padding=_padding(tokens)
    )


def shown_number(value: float, code: str | None) -> str:
    """The number as the code prints it; `plain_number` where the code prints nothing or a fraction.

    1234.5 `$#,##0.00` → $1,234.50, 0.12 `0%` → 12%, 123 `00000` → 00123, -5 `0;(0)` → (5), 25000 `0,"K"` → 25K
    """
    if not code or read_format(code).kind in {"general", "text"}:
        return _general(value, code)
    tokens, magnitude, sign = _chosen(value, code)
    if any(t.text == "/" for t in tokens) or (not any(t.kind == "digit" for t in tokens) and not _literal(tokens)):
        return plain_number(value)
    return sign + _filled(tokens, magnitude)


def thresholds_of(code: str) -> tuple[float, ...]:
    """Values at which the code changes to another section, besides zero: `[<1000]0;0,"K"` → 1000."""
    if "[" not in code:
        return ()
    tokens = (t for section in _sections(code)[:3] for t in _tokens(section) if t.kind == "condition")
    return tuple(float(match[2]) for t in tokens if (match := _CONDITION.fullmatch(t.text)) is not None)


def plain_number(value: float) -> str:
    """As a sheet shows it without a format: 15 significant digits, no point for a whole number."""
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, int) or (value == int(value) and abs(value) < 1e15):
        return str(int(value))
    return f"{value:.15g}".replace("e", "E")


def _general(value: float, code: str | None) -> str:
    if code and any(t.kind == "literal" for t in _tokens(_sections(code)[0])):
        tokens, magnitude, sign = _chosen(value, code)
        literal = "".join(plain_number(magnitude) if t.kind in {"general", "at"} else t.text for t in tokens)
        return (sign + literal).strip() or plain_number(value)
    return plain_number(value)


@lru_cache(maxsize=4096)
def _sections(code: str) -> tuple[str, ...]:
    sections = [""]
    for match in _TOKEN.finditer(code):
        if match["plain"] == ";":
            sections.append("")
        else:
            sections[-1] += match[0]
    return tuple(sections)


@lru_cache(maxsize=4096)
def _tokens(section: str) -> tuple[_Token, ...]:
    return tuple(token for match in _TOKEN.finditer(section) if (token := _token(match)) is not None)


def _token(match: re.Match[str]) -> _Token | None:
    kind, text = match.lastgroup or "", match[match.lastgroup or 0]
    if kind in {"skip", "fill"}:
        return _Token("blank", " ") if text == " " and kind == "skip" else None
    if kind in {"quoted", "escaped"}:
        return _Token("literal", text)
    if kind == "bracket":
        return _bracket(text)
    if kind in {"general", "ampm", "exponent"}:
        return _Token(kind, text)
    return _Token(_plain_kind(text), text)


def _plain_kind(text: str) -> str:
    if text in "0#?":
        return "digit"
    if text in ".,%/":
        return "sign"
    if text == "@":
        return "at"
    if text in "yYmMdDhHsSeEbBgGaA":
        return "letter"
    return "literal"


def _bracket(text: str) -> _Token | None:
    if _ELAPSED.fullmatch(text):
        return _Token("elapsed", text.lower())
    currency = _CURRENCY.fullmatch(text)
    if currency:
        return _Token("literal", currency["sign"]) if currency["sign"] else None
    condition = _CONDITION.fullmatch(text)
    return _Token("condition", text) if condition else None


def _date_parts(tokens: tuple[_Token, ...]) -> str:
    """Which of y m d h s the code shows; none for a code with digits, but for those of split seconds (`ss.0`)."""
    before = ""
    for token in tokens:
        if token.kind == "general" or (token.kind == "digit" and before not in {".", "0"}):
            return ""
        before = token.text
    letters = "".join(t.text.lower() for t in tokens if t.kind == "letter")
    if "e" in letters and "m" in letters:
        letters += "y"
    return "".join(part for part in "ymdhs" if part in letters)


def _date_kind(parts: str) -> FormatKind:
    has_time = "h" in parts or "s" in parts
    has_date = "y" in parts or "d" in parts or not has_time
    if has_time and has_date:
        return "timestamp"
    return "time" if has_time else "date"


def _unit(tokens: tuple[_Token, ...]) -> str | None:
    first = next(i for i, t in enumerate(tokens) if t.kind == "digit")
    last = max(i for i, t in enumerate(tokens) if t.kind == "digit")
    before = "".join(t.text for t in tokens[:first] if t.kind in {"literal", "blank"}).strip()
    after = "".join(t.text for t in tokens[last + 1 :] if t.kind in {"literal", "blank", "letter"}).strip()
    for side in (before, after):
        sign = next((c for c in side if c in CURRENCY_SIGNS), None)
        if sign:
            return side.strip("()-+ ") or sign
    if re.fullmatch(r"[A-Z]{3}", before):
        return before
    word = after.strip("()-+ ")
    return word if any(c.isalpha() or c in "°" for c in word) and word.lower() not in SCALE_WORDS else None


def _scale_commas(tokens: tuple[_Token, ...]) -> int:
    """Commas right behind the last integer digit."""
    whole = [t for t in tokens if t.kind in {"digit", "sign"}]
    text = "".join(t.text for t in whole).split(".")[0].rstrip("%")
    trailing = len(text) - len(text.rstrip(","))
    if trailing:
        return trailing
    full = "".join(t.text for t in whole).rstrip("%")
    return len(full) - len(full.rstrip(","))


def _padding(tokens: tuple[_Token, ...]) -> int:
    whole = "".join(t.text for t in tokens if t.kind in {"digit", "sign"})
    return len(whole) if set(whole) == {"0"} and len(whole) > 1 else 0


def _literal(tokens: tuple[_Token, ...]) -> str:
    return "".join(t.text for t in tokens if t.kind == "literal").strip()


def _chosen(value: float, code: str) -> tuple[tuple[_Token, ...], float, str]:
    """Tokens of the section that prints the value, the magnitude it prints, and the sign before it."""
    sections = [_tokens(s) for s in _sections(code)][:3]
    conditions = [next((t.text for t in tokens if t.kind == "condition"), None) for tokens in sections]
    if any(conditions):
        for tokens, condition in zip(sections, conditions, strict=True):
            if condition is None or _holds(condition, value):
                return tokens, abs(value), "-" if value < 0 else ""
        return sections[-1], abs(value), "-" if value < 0 else ""
    if value < 0 and len(sections) > 1:
        return sections[1], -value, ""
    if value == 0 and len(sections) > 2:
        return sections[2], 0, ""
    return sections[0], abs(value), "-" if value < 0 else ""


def _holds(condition: str, value: float) -> bool:
    match = _CONDITION.fullmatch(condition)
    if match is None:
        return True
    bound = float(match[2])
    return {
        "<": value < bound,
        "<=": value <= bound,
        ">": value > bound,
        ">=": value >= bound,
        "=": value == bound,
        "<>": value != bound,
    }[match[1]]


def _filled(tokens: tuple[_Token, ...], magnitude: float) -> str:
    point = next((i for i, t in enumerate(tokens) if t.text == "." and t.kind == "sign"), len(tokens))
    decimals = [t.text for t in tokens[point:] if t.kind == "digit"]
    if any(t.kind == "exponent" for t in tokens):
        return _scientific(tokens, magnitude)
    number = Decimal(repr(magnitude)) * 100 ** sum(t.text == "%" for t in tokens if t.kind == "sign")
    number /= 1000 ** _scale_commas(tokens)
    rounded = f"{number.quantize(Decimal(1).scaleb(-len(decimals)), ROUND_HALF_UP):f}"
    whole, _, fraction = rounded.partition(".")
    whole_text = _whole(tokens[:point], "" if whole == "0" else whole)
    return " ".join((whole_text + _fraction(tokens[point:], decimals, fraction)).split()).replace("( ", "(")


def _whole(tokens: tuple[_Token, ...], digits: str) -> str:
    places = [i for i, t in enumerate(tokens) if t.kind == "digit"]
    if not places:
        return "".join(t.text for t in tokens if t.kind in {"literal", "blank", "letter"}) + digits
    grouped = any(t.text == "," and places[0] < i < places[-1] for i, t in enumerate(tokens) if t.kind == "sign")
    least = sum(tokens[i].text == "0" for i in places)
    padded = digits.rjust(least, "0")
    shares = dict.fromkeys(places, "")
    if grouped:
        shares[places[0]] = f"{int(padded or 0):,}" if len(padded) <= len(digits) or least <= 1 else padded
        if not padded:
            shares[places[0]] = ""
    else:
        rest = padded
        for place in reversed(places[1:]):
            shares[place], rest = rest[-1:], rest[:-1]
        shares[places[0]] = rest
    shown = [shares.get(i, t.text) for i, t in enumerate(tokens) if i in shares or _printed(t)]
    return "".join(shown)


def _fraction(tokens: tuple[_Token, ...], places: list[str], digits: str) -> str:
    keep = len(digits)
    while keep and places[keep - 1] in "#?" and digits[keep - 1] == "0":
        keep -= 1
    kept = iter(digits[:keep])
    shown = []
    for token in tokens:
        if token.kind == "digit":
            shown.append(next(kept, ""))
        elif token.kind == "sign" and token.text == ".":
            shown.append("." if keep else "")
        elif _printed(token):
            shown.append(token.text)
    return "".join(shown)


def _printed(token: _Token) -> bool:
    return token.kind in {"literal", "blank", "letter"} or (token.kind == "sign" and token.text == "%")


def _scientific(tokens: tuple[_Token, ...], magnitude: float) -> str:
    text = "".join(t.text for t in tokens if t.kind in {"digit", "sign"} or t.kind == "exponent")
    mantissa = text.upper().split("E")[0]
    decimals = len(mantissa.partition(".")[2])
    return f"{magnitude:.{decimals}E}"
