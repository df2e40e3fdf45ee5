/**
 * The values that cross the wire: caller, criticality and deadline of a call, and the answer to a refused one. The same for gRPC and
 * HTTP; needs only the JDK.
 */
@NullMarked
package io.thalweg.qalm.wire;

import org.jspecify.annotations.NullMarked;
