/**
 * The online store in Redis or Redis Cluster: {@link RedisOnlineStore} passes the same contract tests as the embedded store.
 * {@code docs/reference/redis.md} documents the keys, ADR 15 the reasons.
 */
@NullMarked
package io.thalweg.store.redis;

import org.jspecify.annotations.NullMarked;
