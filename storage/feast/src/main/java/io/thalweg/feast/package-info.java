/** Keys and values as Feast encodes them in an online store, so that Feast's own clients read what Thalweg writes. */
@NullMarked
package io.thalweg.feast;

import org.jspecify.annotations.NullMarked;
