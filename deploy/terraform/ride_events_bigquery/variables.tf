# Written by thalweg export terraform. The next export overwrites changes.

terraform {
  required_version = ">= 1.3"
  required_providers {
    kafka = {
      source  = "Mongey/kafka"
      version = ">= 0.7"
    }
    google = {
      source  = "hashicorp/google"
      version = ">= 5.0"
    }
  }
}

variable "kafka_partitions" {
  type        = number
  description = "Partitions of each topic."
  default     = 3
}

variable "kafka_replication_factor" {
  type        = number
  description = "Replicas of each partition."
  default     = 3
}

variable "bigquery_location" {
  type        = string
  description = "Where new datasets are."
  default     = "US"
}
