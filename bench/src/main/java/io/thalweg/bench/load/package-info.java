/** Calls to a server: at a rate that does not depend on its answers, or each one when the last is answered. */
@NullMarked
package io.thalweg.bench.load;

import org.jspecify.annotations.NullMarked;
