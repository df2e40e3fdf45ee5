/** Google's services; the only module that knows their clients. */
@NullMarked
package io.thalweg.google;

import org.jspecify.annotations.NullMarked;
