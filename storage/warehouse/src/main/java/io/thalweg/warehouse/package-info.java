/**
 * The ports of external services: warehouses that accept rows in streams ({@link io.thalweg.warehouse.StreamAddress}), and
 * subscriptions that deliver messages ({@link io.thalweg.warehouse.PullAddress}). Jobs depend on the ports; each service has an adapter.
 */
@NullMarked
package io.thalweg.warehouse;

import org.jspecify.annotations.NullMarked;
