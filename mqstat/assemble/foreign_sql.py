"""SQL of this package for other databases, over the tables of facts that they have: macros become expressions, functions and types those of the database."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from mqstat.base.errors import UsageError
from mqstat.sql import sqlfile

if TYPE_CHECKING:
    from sqlglot import exp


def in_postgresql(select: str, schema: str) -> str:
    """A SELECT over views as one of PostgreSQL over the tables of a schema, with all names quoted; UsageError without the package sqlglot."""
    try:
        import sqlglot
        from sqlglot import exp
    except ImportError:
        raise UsageError("SQL for PostgreSQL needs a package: pip install 'mqstat[postgresql]'") from None
    tree = sqlglot.parse_one(select, read="duckdb").transform(_expanded)
    own = {cte.alias for cte in tree.find_all(exp.CTE)}
    for table in tree.find_all(exp.Table):
        if table.name not in own:
            table.set("db", exp.to_identifier(schema, quoted=True))
    for number, inner in enumerate(tree.find_all(exp.Subquery), start=1):
        if not inner.alias and isinstance(inner.parent, (exp.From, exp.Join)):  # PostgreSQL before 16 needs a name
            inner.set("alias", exp.TableAlias(this=exp.to_identifier(f"part_{number}")))
    return tree.sql("postgres", identify=True, comments=False)


def _expanded(node: exp.Expression) -> exp.Expression:
    """A call of a macro as its expression; `to_microseconds`, which PostgreSQL does not have, as a multiple of an interval."""
    from sqlglot import exp

    name = node.name.lower() if isinstance(node, exp.Anonymous) else ""
    if name == "to_microseconds":
        second = exp.Interval(this=exp.Literal.string("1"), unit=exp.var("MICROSECOND"))
        return exp.paren(exp.Mul(this=exp.paren(node.expressions[0].copy()), expression=second))
    if name not in _macros():
        return node
    names, body = _macros()[name]
    given = {key: exp.paren(value.copy()) for key, value in zip(names, node.expressions, strict=True)}
    made = body.copy().transform(lambda each: given.get(each.name, each) if isinstance(each, exp.Column) else each)
    return exp.paren(made.transform(_expanded))


@cache
def _macros() -> dict[str, tuple[tuple[str, ...], exp.Expression]]:
    """Parameters and expression of each macro."""
    import sqlglot

    made = [each for each in sqlglot.parse(sqlfile.macros(), read="duckdb") if each is not None]
    return {
        each.this.this.name: (tuple(parameter.name for parameter in each.this.expressions), each.expression)
        for each in made
    }
