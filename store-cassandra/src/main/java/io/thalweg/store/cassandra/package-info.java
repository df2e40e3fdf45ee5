/**
 * The online store in Apache Cassandra: {@link CassandraOnlineStore} passes the same contract tests as the embedded store. What
 * is stored in which table is in {@code docs/reference/cassandra.md}, and why in ADR 20.
 */
@NullMarked
package io.thalweg.store.cassandra;

import org.jspecify.annotations.NullMarked;
