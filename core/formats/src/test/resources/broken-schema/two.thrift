struct One { 1: i64 ts }
struct Two { 1: i64 ts }
