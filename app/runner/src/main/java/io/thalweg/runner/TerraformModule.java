package io.thalweg.runner;

import io.thalweg.google.bigquery.RestColumn;
import io.thalweg.google.pubsub.PubSubAdmin;
import io.thalweg.jobs.ingest.plan.IngestPlan;
import io.thalweg.model.ingest.Ingest;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * The resources of ingests as a Terraform module: Kafka topics, Pub/Sub topics and subscriptions, BigQuery datasets and
 * tables. A resource that several ingests share occurs once. Addresses and credentials belong to the providers, which the
 * user of the module configures.
 *
 * <p><b>Threads.</b> One.
 */
public final class TerraformModule {
    private static final String HEADER = "# Written by thalweg export terraform. The next export overwrites changes.\n";

    /** Blocks by their address, such as {@code kafka_topic.rides}. */
    private final Map<String, String> resources = new LinkedHashMap<>();

    private final StringBuilder notes = new StringBuilder();
    private final TreeSet<String> clusters = new TreeSet<>();
    private boolean hasBigQuery;
    private boolean hasPubSub;

    /** Adds the resources of an ingest. */
    public void add(IngestPlan plan) {
        Ingest ingest = plan.ingest();
        if (ingest.input().from() instanceof Ingest.Topic topic) {
            topic(topic.kafka(), topic.topic());
            topic(topic.kafka(), ingest.deadLetters().topic());
        } else if (ingest.input().from() instanceof Ingest.PubSub source) {
            subscription(source.topic().split("/", -1), source.subscription().split("/", -1));
        }
        if (ingest.sink() instanceof Ingest.TopicSink sink) {
            topic(sink.kafka(), sink.topic());
            if (sink.schema() != null && sink.schema().subject() != null) {
                notes.append("# Subject %s of schema registry %s: thalweg ingest %s --provision registers its schema.\n"
                        .formatted(
                                sink.schema().subject().name(),
                                sink.schema().subject().registry(),
                                ingest.qualifiedName()));
            }
        } else if (ingest.sink() instanceof Ingest.BigQuerySink sink) {
            table(sink.table().split("\\.", 3), RestColumn.of(plan.table()));
        } else if (ingest.sink() instanceof Ingest.IcebergSink sink) {
            notes.append("# Iceberg table %s of catalog %s: the ingest %s creates it when it starts.\n"
                    .formatted(sink.table(), sink.catalog(), ingest.qualifiedName()));
        }
    }

    private void topic(String cluster, String topic) {
        clusters.add(cluster);
        String prefix = cluster.equals("default") ? "" : cluster + "_";
        String provider = cluster.equals("default") ? "" : "  provider           = kafka." + cluster + "\n";
        resource("kafka_topic", prefix + topic, """
                %s  name               = %s
                  partitions         = var.kafka_partitions
                  replication_factor = var.kafka_replication_factor
                """.formatted(provider, text(topic)));
    }

    /**
     * Adds a subscription and its topic, given the segments of their names: {@code projects/P/topics/T}. An ingest needs neither
     * ordering nor exactly-once delivery, and a dead-letter policy would take messages away.
     */
    private void subscription(String[] topic, String[] subscription) {
        hasPubSub = true;
        String of = resource(
                "google_pubsub_topic", topic[1] + "_" + topic[3], """
                  project = %s
                  name    = %s
                """.formatted(text(topic[1]), text(topic[3])));
        resource("google_pubsub_subscription", subscription[1] + "_" + subscription[3], """
                  project = %s
                  name    = %s
                  topic   = %s.id

                  ack_deadline_seconds       = %d
                  message_retention_duration = var.pubsub_retention

                  expiration_policy {
                    ttl = ""
                  }
                """.formatted(
                        text(subscription[1]), text(subscription[3]), of, PubSubAdmin.ACK_DEADLINE_SECONDS));
    }

    private void table(String[] name, List<RestColumn> columns) {
        hasBigQuery = true;
        String dataset = resource(
                "google_bigquery_dataset", name[0] + "_" + name[1], """
                  project    = %s
                  dataset_id = %s
                  location   = var.bigquery_location
                """.formatted(text(name[0]), text(name[1])));
        resource("google_bigquery_table", name[0] + "_" + name[1] + "_" + name[2], """
                  project    = %1$s.project
                  dataset_id = %1$s.dataset_id
                  table_id   = %2$s

                  deletion_protection = true

                  schema = jsonencode([
                %3$s  ])
                """.formatted(
                        dataset, text(name[2]), columns(columns, "    ")));
    }

    private static String columns(List<RestColumn> columns, String indent) {
        return columns.stream().map(column -> column(column, indent)).collect(Collectors.joining());
    }

    private static String column(RestColumn column, String indent) {
        String fields = column.fields().isEmpty()
                ? ""
                : ", fields = [\n" + columns(column.fields(), indent + "  ") + indent + "]";
        return "%s{ name = %s, type = %s, mode = %s%s },\n"
                .formatted(indent, text(column.name()), text(column.type()), text(column.mode()), fields);
    }

    /** Adds a resource unless it exists already; returns its address. */
    private String resource(String type, String name, String body) {
        String label = name.replaceAll("[^A-Za-z0-9_]", "_").replaceFirst("^(?=[0-9])", "_");
        String address = type + "." + label;
        for (int other = 2; !body.equals(resources.getOrDefault(address, body)); other++) {
            address = type + "." + label + "_" + other;
        }
        resources.put(address, body);
        return address;
    }

    /** Returns an HCL string literal. */
    public static String text(String value) {
        return "\""
                + value.replace("\\", "\\\\")
                        .replace("\"", "\\\"")
                        .replace("\n", "\\n")
                        .replace("${", "$${")
                        .replace("%{", "%%{")
                + "\"";
    }

    /** Returns {@code main.tf}: the resources. */
    public String main() {
        StringBuilder main = new StringBuilder(HEADER).append(notes);
        resources.forEach((address, body) -> main.append('\n')
                .append("resource \"%s\" {\n".formatted(address.replaceFirst("\\.", "\" \"")))
                .append(body)
                .append("}\n"));
        return main.toString();
    }

    /** Returns {@code variables.tf}: providers and variables. */
    public String variables() {
        StringBuilder variables = new StringBuilder(HEADER)
                .append("\nterraform {\n  required_version = \">= 1.3\"\n  required_providers {\n");
        if (!clusters.isEmpty()) {
            variables.append("    kafka = {\n      source  = \"Mongey/kafka\"\n      version = \">= 0.7\"\n");
            String aliases = clusters.stream()
                    .filter(cluster -> !cluster.equals("default"))
                    .map(cluster -> "kafka." + cluster)
                    .collect(Collectors.joining(", "));
            variables
                    .append(aliases.isEmpty() ? "" : "      configuration_aliases = [" + aliases + "]\n")
                    .append("    }\n");
        }
        if (hasBigQuery || hasPubSub) {
            variables.append(
                    "    google = {\n      source  = \"hashicorp/google\"\n      version = \">= 5.0\"\n    }\n");
        }
        variables.append("  }\n}\n");
        if (!clusters.isEmpty()) {
            variables.append(variable("kafka_partitions", "number", "Partitions of each topic.", "3"));
            variables.append(variable("kafka_replication_factor", "number", "Replicas of each partition.", "3"));
        }
        if (hasBigQuery) {
            variables.append(variable("bigquery_location", "string", "Where new datasets are.", text("US")));
        }
        if (hasPubSub) {
            variables.append(variable(
                    "pubsub_retention",
                    "string",
                    "How long messages wait for an ingest that is down, at most 31 days.",
                    text("604800s")));
        }
        return variables.toString();
    }

    private static String variable(String name, String type, String description, String value) {
        return """

                variable "%s" {
                  type        = %s
                  description = %s
                  default     = %s
                }
                """.formatted(name, type, text(description), value);
    }
}
