/**
 * The online store: {@link OnlineStore} is the port that jobs write and the server reads, {@link RocksDbOnlineStore} the
 * embedded store. {@link Stores} shares open stores within a process; {@link StoreAddress} carries a store's address to
 * another process. Every store passes {@code OnlineStoreContract}.
 */
@NullMarked
package io.thalweg.store;

import org.jspecify.annotations.NullMarked;
