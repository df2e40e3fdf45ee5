/**
 * The ports of services outside: warehouses that take rows by streams ({@link io.thalweg.warehouse.LaneAddress}), and subscriptions that
 * deliver messages ({@link io.thalweg.warehouse.PullAddress}). Jobs see the ports; each service has an adapter.
 */
@NullMarked
package io.thalweg.warehouse;

import org.jspecify.annotations.NullMarked;
