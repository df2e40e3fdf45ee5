/** Google's services. Only this module depends on their clients. */
@NullMarked
package io.thalweg.google;

import org.jspecify.annotations.NullMarked;
