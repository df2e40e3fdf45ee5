package io.thalweg.store;

import java.util.List;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * The newest rows of some keys, and a watermark that may judge them: it was read before they were, so every row up to it that was
 * ever written is among them or has given way to a newer one.
 *
 * @param watermarkMs of the view, as of {@link OnlineStore#watermark}
 * @param rows in the order asked; null where there is none
 */
public record NewestRows<R>(OptionalLong watermarkMs, List<@Nullable R> rows) {}
