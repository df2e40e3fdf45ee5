"""Adds features to labels with DuckDB or Feast: rival.py duckdb_asof|duckdb_equality|feast ROWS LABELS DELAY_MS OUT

A value is that of the row of the last window end at most the label's time minus the delay, or 0 without such a row.
"""

import sys

KEYS = ["cell", "product"]
OTHERS = [*KEYS, "window_end", "finality"]


def duckdb(system, rows, labels, delay_ms, out):
    import duckdb

    con = duckdb.connect()
    con.execute("SET TimeZone = 'UTC'")
    con.execute("SET preserve_insertion_order = false")
    con.execute(f"CREATE VIEW rows AS FROM '{rows}'")
    con.execute(
        f"""CREATE VIEW labels AS SELECT *, ts - INTERVAL {delay_ms} MILLISECOND AS known,
        time_bucket(INTERVAL 1 MINUTE, known) AS due FROM '{labels}'"""
    )
    names = [row[0] for row in con.execute("DESCRIBE rows").fetchall() if row[0] not in OTHERS]
    if system == "duckdb_asof":
        # The newest row of the key; an older one than that of the last window end means that nothing happened since.
        values = [f'CASE WHEN f.window_end = l.due THEN f."{name}" ELSE 0 END' for name in names]
        join = "ASOF LEFT JOIN rows f ON l.cell = f.cell AND l.product = f.product AND l.known >= f.window_end"
    else:
        values = [f'coalesce(f."{name}", 0)' for name in names]
        join = "LEFT JOIN rows f ON l.cell = f.cell AND l.product = f.product AND l.due = f.window_end"
    columns = ", ".join(f'{value} AS "demand__{name}"' for value, name in zip(values, names))
    con.execute(f"COPY (SELECT l.label, {columns} FROM labels l {join}) TO '{out}' (FORMAT parquet)")


def feast(rows, labels, delay_ms, out):
    import tempfile
    from datetime import timedelta
    from pathlib import Path

    import pandas
    import pyarrow.parquet as parquet
    from feast import Entity, FeatureStore, FeatureView, Field, FileSource, ValueType
    from feast.types import Float64

    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "feature_store.yaml").write_text(
            "project: bench\nprovider: local\nregistry: registry.db\n"
            "offline_store: {type: file}\nonline_store: null\nentity_key_serialization_version: 3\n"
        )
        store = FeatureStore(folder)
        entities = [Entity(name=key, join_keys=[key], value_type=ValueType.STRING) for key in KEYS]
        names = [name for name in parquet.read_schema(rows).names if name not in OTHERS]
        view = FeatureView(
            name="demand",
            entities=entities,
            # Only the row of the last window end counts.
            ttl=timedelta(minutes=1) - timedelta(microseconds=1),
            schema=[Field(name=name, dtype=Float64) for name in names],
            source=FileSource(name="rows", path=rows, timestamp_field="window_end"),
        )
        store.apply([*entities, view])
        spine = pandas.read_parquet(labels)
        spine["event_timestamp"] = spine.pop("ts") - pandas.Timedelta(milliseconds=delay_ms)
        answers = store.get_historical_features(
            spine, [f"demand:{name}" for name in names], full_feature_names=True
        ).to_df()
    # Feast leaves out labels of which it knows rows, but none within the ttl.
    columns = ["label", *(f"demand__{name}" for name in names)]
    spine[["label"]].merge(answers[columns], on="label", how="left").fillna(0).to_parquet(out)


if __name__ == "__main__":
    system, rows, labels, delay_ms, out = sys.argv[1:]
    if system == "feast":
        feast(rows, labels, int(delay_ms), out)
    else:
        duckdb(system, rows, labels, int(delay_ms), out)
