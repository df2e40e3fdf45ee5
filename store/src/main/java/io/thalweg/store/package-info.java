/**
 * The online store: {@link OnlineStore} is the port that jobs write and the server reads, {@link RocksDbOnlineStore} the
 * embedded store; {@link Stores} shares what is open within a process, {@link
 * StoreAddress} travels to another. Every store passes {@code OnlineStoreContract}.
 */
@NullMarked
package io.thalweg.store;

import org.jspecify.annotations.NullMarked;
