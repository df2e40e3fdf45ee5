"""Builds training sets: labels with the features that a server would have returned at their times.

    from thalweg import training_set
    train = training_set(spine=labels, time="ts", views=["demand", "supply"])
"""

import os
import subprocess
import tempfile
from typing import Any, Dict, List, Optional, Sequence, Tuple


def training_set(
    spine: Any,
    time: str,
    views: Sequence[str],
    *,
    features: Sequence[str] = (),
    available: str = "logged",
    columns: Optional[Dict[str, str]] = None,
    cell_at: Optional[Tuple[str, str]] = None,
    zone: Optional[str] = None,
    unit: Optional[str] = None,
    extra: Sequence[str] = (),
    config: Optional[str] = None,
    launcher: Optional[str] = None,
) -> Any:
    """Runs ``thalweg training-set``; returns the labels, in their order and with their features, as a ``pyarrow.Table``.

    spine: the labels: a pandas DataFrame, a pyarrow Table, or the path of a Parquet or CSV file.
    time: the column of their times. Times without a zone need ``zone``, whole numbers ``unit`` (``s``, ``ms``, ``us``, ``ns``).
    views: names in the ``views:`` folders of ``thalweg.yaml``, or files.
    features: only these, as ``view:feature``; default: all.
    available: ``logged``, or the delay after which a row counts as readable, such as ``12s``.
    columns: the column of an entity that has another name there.
    cell_at: columns of latitude and longitude, in degrees, from which cells are computed.
    extra: ``window_end``, ``age_ms``.
    config: the deployment configuration; default: ``thalweg.yaml`` if it exists.
    launcher: the command, by default that of the environment variable THALWEG, else ``thalweg`` of the search path.

    Raises ImportError without pyarrow (``pip install thalweg[arrow]``), RuntimeError with the command's message if it fails.
    """
    import pyarrow
    import pyarrow.parquet

    with tempfile.TemporaryDirectory(prefix="thalweg-") as folder:
        labels = spine if isinstance(spine, (str, os.PathLike)) else os.path.join(folder, "labels.parquet")
        if labels is not spine:
            table = spine if isinstance(spine, pyarrow.Table) else pyarrow.Table.from_pandas(spine, preserve_index=False)
            pyarrow.parquet.write_table(table, labels)
        out = os.path.join(folder, "train.parquet")
        command = [launcher or os.environ.get("THALWEG", "thalweg"), "training-set", "--quiet"]
        command += ["--spine", os.fspath(labels), "--time", time, "--views", ",".join(views), "--out", out]
        command += ["--available", available]
        command += _options(features, columns, cell_at, zone, unit, extra, config)
        _run(command)
        return pyarrow.parquet.read_table(out)


def _options(
    features: Sequence[str],
    columns: Optional[Dict[str, str]],
    cell_at: Optional[Tuple[str, str]],
    zone: Optional[str],
    unit: Optional[str],
    extra: Sequence[str],
    config: Optional[str],
) -> List[str]:
    options: List[str] = []
    if features:
        options += ["--features", ",".join(features)]
    for entity, column in (columns or {}).items():
        options += ["--column", "%s=%s" % (entity, column)]
    if cell_at is not None:
        options += ["--cell-at", ",".join(cell_at)]
    for name, value in (("--zone", zone), ("--unit", unit), ("--config", config)):
        if value is not None:
            options += [name, value]
    if extra:
        options += ["--with", ",".join(extra)]
    return options


def _run(command: List[str]) -> None:
    try:
        done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    except FileNotFoundError:
        raise RuntimeError(
            "cannot make a training set: there is no command %s; name the launcher of a distribution in the environment variable THALWEG"
            % command[0]
        ) from None
    if done.returncode != 0:
        raise RuntimeError(done.stderr.strip() or "thalweg training-set ended with exit code %d" % done.returncode)
