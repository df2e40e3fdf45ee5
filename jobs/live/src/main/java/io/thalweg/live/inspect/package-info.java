/** How a running Flink job spends its time, read from Flink's REST interface of a cluster or of this process. */
@NullMarked
package io.thalweg.live.inspect;

import org.jspecify.annotations.NullMarked;
