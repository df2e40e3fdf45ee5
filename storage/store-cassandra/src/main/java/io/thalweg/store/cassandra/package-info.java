/**
 * The online store in Apache Cassandra: {@link CassandraOnlineStore} passes the same contract tests as the embedded store.
 * {@code docs/reference/cassandra.md} documents the tables, ADR 20 the reasons.
 */
@NullMarked
package io.thalweg.store.cassandra;

import org.jspecify.annotations.NullMarked;
