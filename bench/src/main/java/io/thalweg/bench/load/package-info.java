/** Calls to a server at a rate that does not depend on its answers. */
@NullMarked
package io.thalweg.bench.load;

import org.jspecify.annotations.NullMarked;
