/**
 * What travels between services: who calls, how critical it is, until when; and how a refusal looks. The same for gRPC and HTTP,
 * with the JDK only.
 */
@NullMarked
package io.thalweg.qalm.wire;

import org.jspecify.annotations.NullMarked;
