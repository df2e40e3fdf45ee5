/** Calls to a server: at a rate that does not depend on its answers, or each when the one before is answered. */
@NullMarked
package io.thalweg.bench.load;

import org.jspecify.annotations.NullMarked;
