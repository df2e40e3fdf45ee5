/**
 * What all routes share: refusals and their forms in HTTP and gRPC, and the JSON bodies of requests and answers. Depends on no other
 * package of the server.
 */
@NullMarked
package io.thalweg.server.http;

import org.jspecify.annotations.NullMarked;
