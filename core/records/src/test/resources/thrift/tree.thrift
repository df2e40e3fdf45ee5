/** Messages that contain themselves, directly and by way of others. */
union Expression {
  1: i64 number
  2: string name
  3: Call call
  4: Branch branch
}

struct Call {
  1: required string function
  2: list<Expression> arguments
  3: optional map<string, Expression> options
}

struct Branch {
  1: optional Expression condition
  2: optional Call then
  3: optional Branch otherwise
}

struct Query {
  1: required string name
  2: optional Expression filter
  3: optional Comment comment
}

struct Comment { 1: string text; 2: optional Comment reply }
