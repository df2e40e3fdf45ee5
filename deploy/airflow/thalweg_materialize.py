"""Loads yesterday's partition of a table into Thalweg's online store, each night, for Airflow 3.

Airflow's worker needs the installation in /opt/thalweg, a Java runtime, the configuration in /etc/thalweg, and access to the table
and the store. See docs/guides/materialize-hive.md.
"""

from datetime import datetime, timedelta, timezone

from airflow.providers.standard.operators.bash import BashOperator
from airflow.sdk import DAG

TABLE = "driver_stats"

with DAG(
    dag_id="thalweg_materialize_" + TABLE,
    schedule="17 2 * * *",  # UTC
    start_date=datetime(2026, 1, 1, tzinfo=timezone.utc),
    catchup=False,
    max_active_runs=1,  # two loads of one table would do the same work
    # An interrupted load resumes when it is tried again. A mistake in the definition (exit code 2) is tried again in vain.
    default_args={"retries": 3, "retry_delay": timedelta(minutes=5)},
    tags=["thalweg"],
) as dag:
    BashOperator(
        task_id="materialize",
        # exec: a task that is cleared or timed out interrupts the load itself, which then ends in order.
        bash_command=(
            "exec /opt/thalweg/thalweg materialize /etc/thalweg/materializations/" + TABLE + ".yaml"
            " --partition dt={{ macros.ds_add(data_interval_end | ds, -1) }}"
            " --config /etc/thalweg/thalweg.yaml --quiet"
        ),
        cwd="/var/lib/thalweg",
        append_env=True,  # secrets of thalweg.yaml are variables of the worker's environment
        env={"THALWEG_NO_INSTALL": "1", "THALWEG_NO_BUILD": "1", "THALWEG_LOG": "json"},
        execution_timeout=timedelta(hours=4),
    )
