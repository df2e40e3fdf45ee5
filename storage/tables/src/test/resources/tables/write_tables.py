"""Writes the tables beside this file, which TablesOfOthersTest reads: python write_tables.py spark|pyarrow

In a virtual environment with `pyspark==4.0.1` (and a JDK), or `pyarrow==22.0.0`.
"""
import datetime as dt
import decimal
import pathlib
import sys

HERE = pathlib.Path(__file__).parent
UTC = dt.timezone.utc


def row(n):
    """Row 3 has nothing but its key; rows from 4 on lie in another partition, row 5 in that of no city."""
    where = {"dt": "2026-11-19" if n < 4 else "2026-11-20", "city": None if n == 5 else "New York"}
    if n == 3:
        return {"id": n, **dict.fromkeys(VALUES), **where}
    values = [
        n, -100 * n, 100_000 * n, 10**12 * n, n + 0.5, n / 8,
        decimal.Decimal(n) + decimal.Decimal("0.25"), decimal.Decimal(10**15 * n) + decimal.Decimal("0.125"),
        n % 2 == 0, f"Zürich {n}", dt.date(2026, 11, n),
        dt.datetime(2026, 11, 20, n, 0, 0, 123_456, UTC),
        [float(n), n / 4, -1.0], [n] * (n - 1), {"rating": n / 2},
    ]
    return {"id": n, **dict(zip(VALUES, values)), **where}


VALUES = ["tiny", "small", "whole", "big", "single", "real", "money", "wide", "vip", "home", "day", "at",
          "embedding", "visits", "stats"]


def spark():
    from pyspark.sql import SparkSession

    session = (SparkSession.builder.master("local[1]")
               .config("spark.sql.session.timeZone", "UTC").config("spark.ui.enabled", "false").getOrCreate())
    schema = ("id bigint not null, tiny tinyint, small smallint, whole int, big bigint, single float, real double,"
              " money decimal(9,2), wide decimal(30,3), vip boolean, home string, day date, at timestamp,"
              " embedding array<float>, visits array<int>, stats struct<rating: double>, dt string, city string")
    (session.createDataFrame([row(n) for n in range(1, 6)], schema).coalesce(1)
     .write.partitionBy("dt", "city").parquet(str(HERE / "spark")))


def pyarrow():
    import pyarrow as pa
    import pyarrow.parquet as pq

    schema = pa.schema([
        pa.field("id", pa.int64(), nullable=False), ("tiny", pa.int8()), ("small", pa.int16()), ("whole", pa.uint32()),
        ("big", pa.int64()), ("single", pa.float32()), ("real", pa.float64()), ("money", pa.decimal128(9, 2)),
        ("wide", pa.decimal128(30, 3)), ("vip", pa.bool_()), ("home", pa.dictionary(pa.int32(), pa.string())),
        ("day", pa.date32()), ("at", pa.timestamp("ns", "UTC")), ("embedding", pa.list_(pa.float32(), 3)),
        ("visits", pa.list_(pa.int32())), ("stats", pa.struct([("rating", pa.float64())])),
        ("dt", pa.string()), ("city", pa.string())])
    table = pa.Table.from_pylist([row(n) for n in range(1, 6)], schema)
    pq.write_to_dataset(table, str(HERE / "pyarrow"), partition_cols=["dt", "city"], compression="zstd")


{"spark": spark, "pyarrow": pyarrow}[sys.argv[1]]()
