# Written by thalweg export terraform. The next export overwrites changes.

resource "kafka_topic" "rides_thrift" {
  name               = "rides-thrift"
  partitions         = var.kafka_partitions
  replication_factor = var.kafka_replication_factor
}

resource "kafka_topic" "rides_thrift_dead" {
  name               = "rides-thrift-dead"
  partitions         = var.kafka_partitions
  replication_factor = var.kafka_replication_factor
}

resource "google_bigquery_dataset" "my_project_rides" {
  project    = "my-project"
  dataset_id = "rides"
  location   = var.bigquery_location
}

resource "google_bigquery_table" "my_project_rides_events" {
  project    = google_bigquery_dataset.my_project_rides.project
  dataset_id = google_bigquery_dataset.my_project_rides.dataset_id
  table_id   = "events"

  deletion_protection = true

  schema = jsonencode([
    { name = "event_id", type = "STRING", mode = "REQUIRED" },
    { name = "ts", type = "TIMESTAMP", mode = "REQUIRED" },
    { name = "status", type = "STRING", mode = "REQUIRED" },
    { name = "rider", type = "RECORD", mode = "REQUIRED", fields = [
      { name = "id", type = "STRING", mode = "REQUIRED" },
      { name = "locale", type = "STRING", mode = "NULLABLE" },
      { name = "rating", type = "FLOAT", mode = "NULLABLE" },
    ] },
    { name = "pickup", type = "RECORD", mode = "REQUIRED", fields = [
      { name = "lat", type = "FLOAT", mode = "REQUIRED" },
      { name = "lng", type = "FLOAT", mode = "REQUIRED" },
      { name = "address", type = "STRING", mode = "NULLABLE" },
    ] },
    { name = "dropoff", type = "RECORD", mode = "NULLABLE", fields = [
      { name = "lat", type = "FLOAT", mode = "REQUIRED" },
      { name = "lng", type = "FLOAT", mode = "REQUIRED" },
      { name = "address", type = "STRING", mode = "NULLABLE" },
    ] },
    { name = "product", type = "STRING", mode = "NULLABLE" },
    { name = "passengers", type = "INTEGER", mode = "NULLABLE" },
    { name = "fare_cents", type = "INTEGER", mode = "NULLABLE" },
    { name = "payment", type = "RECORD", mode = "NULLABLE", fields = [
      { name = "card_token", type = "STRING", mode = "NULLABLE" },
      { name = "wallet_cents", type = "INTEGER", mode = "NULLABLE" },
      { name = "cash", type = "BOOLEAN", mode = "NULLABLE" },
    ] },
    { name = "promotions", type = "STRING", mode = "REPEATED" },
    { name = "surcharges", type = "RECORD", mode = "REPEATED", fields = [
      { name = "key", type = "STRING", mode = "REQUIRED" },
      { name = "value", type = "FLOAT", mode = "REQUIRED" },
    ] },
    { name = "shared", type = "BOOLEAN", mode = "NULLABLE" },
    { name = "app_version", type = "STRING", mode = "NULLABLE" },
    { name = "note", type = "STRING", mode = "NULLABLE" },
  ])
}
