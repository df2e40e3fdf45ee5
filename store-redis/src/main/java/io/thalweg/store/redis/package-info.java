/**
 * The online store in Redis or Redis Cluster: {@link RedisOnlineStore} passes the same contract tests as the embedded store.
 * What stands under which key is in {@code docs/reference/redis.md}, and why in ADR 15.
 */
@NullMarked
package io.thalweg.store.redis;

import org.jspecify.annotations.NullMarked;
