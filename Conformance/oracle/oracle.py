#!/usr/bin/env python3
"""The conformance suite's second oracle.

Reads the generated tables as the suite exports them (rows, questions and the first oracle's answers),
computes every answer again from the rules of docs/Semantics.md, and prints where the two differ.
Standard library only; shares nothing with the suite or with Holdfast.

    oracle.py TABLES.json        exit status 0 if all answers agree, 1 if not
"""
import datetime
import decimal
import fractions
import functools
import json
import math
import struct
import sys
import uuid

ORDERED = {"integer", "real", "text", "blob", "bool", "date", "uuid", "any"}


class Refusal(Exception):
    """A question that is an error; its argument is the code."""


# Values: None, int, float, str (compared as UTF-8) and bytes.

def from_json(value):
    if isinstance(value, dict):
        if "real" in value:
            return struct.unpack(">d", bytes.fromhex(value["real"].zfill(16)))[0]
        return bytes.fromhex(value["blob"])
    return value


def to_json(value):
    if isinstance(value, float):
        return {"real": struct.pack(">d", value).hex().lstrip("0") or "0"}
    if isinstance(value, bytes):
        return {"blob": value.hex()}
    return value


def utf8(text):
    return text.encode("utf-8")


def canonical_date(text):
    day, _, time = text.partition("T")
    if not time:
        return f"{day}T00:00:00.000000000Z"
    if time.endswith("Z"):
        time, offset = time[:-1], datetime.timedelta()
    else:
        sign = -1 if time[-6] == "-" else 1
        hours, minutes = time[-5:].split(":")
        offset = sign * datetime.timedelta(hours=int(hours), minutes=int(minutes))
        time = time[:-6]
    seconds, _, fraction = time.partition(".")
    if offset:
        moment = datetime.datetime.fromisoformat(f"{day}T{seconds}") - offset
        day, seconds = moment.strftime("%Y-%m-%d"), moment.strftime("%H:%M:%S")
    return f"{day}T{seconds}.{fraction.ljust(9, '0')}Z"


def canonical_decimal(text):
    number = decimal.Decimal(text)
    plain = format(number, "f")
    if "." in plain:
        plain = plain.rstrip("0").rstrip(".")
    return "0" if plain in ("-0", "") else plain


def canonical_json(text):
    return json.dumps(
        json.loads(text), sort_keys=True, separators=(",", ":"), ensure_ascii=False
    )


def meaning(value, kind):
    """The value that a spelling stands for in a field of that type."""
    if kind == "real" and isinstance(value, int):
        if value == float(value):
            return float(value)
    if kind in ("real", "any") and isinstance(value, float) and value == 0:
        return 0.0
    if isinstance(value, str):
        if kind == "date":
            return canonical_date(value)
        if kind == "decimal":
            return canonical_decimal(value)
        if kind == "json":
            return canonical_json(value)
        if kind == "uuid" and len(value) == 36:
            return uuid.UUID(value).bytes
    if kind == "decimal" and isinstance(value, int):
        return str(value)
    return value


@functools.total_ordering
class Rank:
    """A value's place in the one order: null, numbers by their exact value, text, blobs."""

    def __init__(self, value):
        if value is None:
            self.place = (0, 0)
        elif isinstance(value, (int, float)):
            # Python compares int and float exactly.
            self.place = (1, value)
        elif isinstance(value, str):
            self.place = (2, utf8(value))
        else:
            self.place = (3, value)

    def __eq__(self, other):
        return self.place == other.place

    def __lt__(self, other):
        return self.place < other.place


# Filters

def check_literal(value, kind):
    if isinstance(value, float) and math.isnan(value):
        raise Refusal("invalidValue")
    if value is None or kind == "any":
        return
    allowed = {
        "integer": (int, float), "real": (int, float), "bool": (int,), "text": (str,),
        "date": (str,), "blob": (bytes,), "uuid": (bytes,), "decimal": (str,), "json": (str,),
    }[kind]
    if not isinstance(value, allowed) or (kind == "uuid" and len(value) != 16):
        raise Refusal("typeMismatch")


# Parts of JSON values: Python's own values, None for null and for a part that is not there.

def json_part(text, path):
    value = None if text is None else json.loads(text)
    for name in path:
        value = value.get(name) if isinstance(value, dict) else None
    return value


def is_number(value):
    return isinstance(value, (int, float))


def json_same(left, right):
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(json_same, left, right))
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(json_same(left[k], right[k]) for k in left)
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    if is_number(left) and is_number(right):
        return left == right
    return type(left) is type(right) and left == right


def json_relation(sign, value, literal):
    if value is None or literal is None:
        return {"=": value is literal, "!=": value is not literal}.get(sign, False)
    if is_number(value) and is_number(literal):
        left, right = value, literal
    elif isinstance(value, str) and isinstance(literal, str):
        left, right = utf8(value), utf8(literal)
    else:
        return sign == "!="
    return {"=": left == right, "!=": left != right}.get(sign) if sign in ("=", "!=") else (
        RELATIONS[sign](left, right)
    )


def json_literal(value):
    value = from_json(value)
    if isinstance(value, bytes):
        raise Refusal("typeMismatch")
    if isinstance(value, float) and math.isnan(value):
        raise Refusal("invalidValue")
    return value


def compile_json(test):
    operator = test[0]
    if operator == "element":
        inner = compile_json(test[1])
        return lambda part: isinstance(part, list) and any(inner(element) for element in part)
    if operator == "count":
        return lambda part: json_relation(
            test[1], len(part) if isinstance(part, (list, dict)) else None, test[2]
        )
    if operator == "equals":
        other = json.loads(test[1])
        return lambda part: json_same(part, other)
    if operator in ("startsWith", "contains"):
        needle = utf8(test[1])
        return lambda part: isinstance(part, str) and (
            utf8(part).startswith(needle) if operator == "startsWith" else needle in utf8(part)
        )
    if operator == "in":
        literals = [json_literal(literal) for literal in test[1]]
        return lambda part: any(json_relation("=", part, literal) for literal in literals)
    literal = json_literal(test[1])
    return lambda part: json_relation(operator, part, literal)


RELATIONS = {
    "<": lambda a, b: a < b, "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b, ">=": lambda a, b: a >= b,
}


def compile_filter(node, table):
    """A predicate over rows (dicts); raises what the rules refuse, wherever it stands."""
    operator = node[0]
    if operator == "all":
        return lambda row: True
    if operator == "not":
        inner = compile_filter(node[1], table)
        return lambda row: not inner(row)
    if operator in ("and", "or"):
        parts = [compile_filter(part, table) for part in node[1:]]
        combine = all if operator == "and" else any
        return lambda row: combine(part(row) for part in parts)
    field, kind = node[1], table.kinds[node[1]]
    if operator == "json":
        if kind != "json":
            raise Refusal("typeMismatch")
        test = compile_json(node[3])
        return lambda row: test(json_part(row[field], node[2]))
    if operator in ("startsWith", "contains"):
        literal = from_json(node[2])
        if kind not in ("text", "date", "blob"):
            raise Refusal("typeMismatch")
        if literal is not None and isinstance(literal, bytes) != (kind == "blob"):
            raise Refusal("typeMismatch")
        if literal is not None and not isinstance(literal, (str, bytes)):
            raise Refusal("typeMismatch")
        needle = utf8(literal) if isinstance(literal, str) else literal

        def matches(row):
            value = row[field]
            if value is None or needle is None:
                return False
            whole = utf8(value) if isinstance(value, str) else value
            return whole.startswith(needle) if operator == "startsWith" else needle in whole

        return matches
    if operator == "in":
        literals = [meaning(from_json(literal), kind) for literal in node[2]]
        for literal in literals:
            check_literal(literal, kind)
        ranks = [Rank(literal) for literal in literals]
        places = {rank.place for rank in ranks}
        return lambda row: Rank(row[field]).place in places
    literal = meaning(from_json(node[2]), kind)
    check_literal(literal, kind)
    rank = Rank(literal)
    if operator == "=":
        return lambda row: Rank(row[field]) == rank
    if operator == "!=":
        return lambda row: Rank(row[field]) != rank
    if kind not in ORDERED:
        raise Refusal("typeMismatch")
    relation = RELATIONS[operator]
    return lambda row: (
        row[field] is not None and literal is not None and relation(Rank(row[field]), rank)
    )


# Questions

class Table:
    def __init__(self, entry):
        self.kinds = dict(map(tuple, entry["fields"]))
        self.key = entry["key"]
        self.rows = [
            {name: meaning(from_json(value), kind)
             for (name, kind), value in zip(entry["fields"], row)}
            for row in entry["rows"]
        ]

    def select(self, query, limit):
        if (query["limit"] or 0) < 0 or query["offset"] < 0:
            raise Refusal("invalidQuery")
        matches = compile_filter(query["where"], self)
        rows = [row for row in self.rows if matches(row)]
        rows.sort(key=lambda row: [Rank(row[name]) for name in self.key])
        for field, is_descending in reversed(query["sort"]):
            if self.kinds[field] not in ORDERED:
                raise Refusal("typeMismatch")
            # Stable, also in reverse: ties stay in the order of the key.
            rows.sort(key=lambda row: Rank(row[field]), reverse=is_descending)
        rows = rows[query["offset"]:]
        if limit is not None:
            rows = rows[:limit]
        return [[row[name] for name in self.key] for row in rows]

    def figures(self, figures, groups, where):
        matches = compile_filter(where, self)
        for figure in figures:
            if figure[0] in ("sum", "average") and self.kinds[figure[1]] not in ("integer", "real"):
                raise Refusal("typeMismatch")
            if figure[0] in ("minimum", "maximum") and self.kinds[figure[1]] not in ORDERED:
                raise Refusal("typeMismatch")
        rows = [row for row in self.rows if matches(row)]
        if not groups:
            return [[self.figure(figure, rows) for figure in figures]]
        members = {}
        for row in rows:
            place = tuple(Rank(row[name]).place for name in groups)
            members.setdefault(place, []).append(row)
        return [
            [members[place][0][name] for name in groups]
            + [self.figure(figure, members[place]) for figure in figures]
            for place in sorted(members)
        ]

    def figure(self, figure, rows):
        if figure[0] == "count":
            return len(rows)
        values = [row[figure[1]] for row in rows if row[figure[1]] is not None]
        if not values:
            return None
        if figure[0] == "minimum":
            return min(values, key=Rank)
        if figure[0] == "maximum":
            return max(values, key=Rank)
        infinities = {value for value in values if isinstance(value, float) and math.isinf(value)}
        if len(infinities) == 2:
            return None
        if infinities:
            return infinities.pop()
        total = sum(map(fractions.Fraction, values), fractions.Fraction())
        if figure[0] == "sum" and self.kinds[figure[1]] == "integer":
            if not -(1 << 63) <= total < 1 << 63:
                raise Refusal("overflow")
            return int(total)
        if figure[0] == "average":
            total /= len(values)
        try:
            return total.numerator / total.denominator + 0.0
        except OverflowError:
            return math.inf if total > 0 else -math.inf

    def answer(self, question):
        try:
            if "keys" in question:
                rows = self.select(question["keys"], question["keys"]["limit"])
            elif "pages" in question:
                rows = self.select(question["pages"], None)
            elif "count" in question:
                matches = compile_filter(question["count"], self)
                rows = [[sum(1 for row in self.rows if matches(row))]]
            else:
                rows = self.figures(question["figures"], question["by"], question["where"])
        except Refusal as refusal:
            return {"error": refusal.args[0]}
        return [[to_json(value) for value in row] for row in rows]


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: oracle.py TABLES.json")
    with open(sys.argv[1], encoding="ascii") as file:
        tables = json.load(file)["tables"]
    checks = 0
    wrong = 0
    for entry in tables:
        table = Table(entry)
        for number, question in enumerate(entry["questions"]):
            checks += 1
            theirs = question.pop("answer")
            ours = table.answer(question)
            if ours != theirs:
                wrong += 1
                if wrong <= 20:
                    print(
                        f"{entry['id']}, check {number}, {json.dumps(question)[:600]}: "
                        f"expected {json.dumps(theirs)[:600]}, Python says {json.dumps(ours)[:600]}"
                    )
    print(f"{len(tables)} tables, {checks} checks, {wrong} disagree")
    sys.exit(1 if wrong or not checks else 0)


if __name__ == "__main__":
    main()
