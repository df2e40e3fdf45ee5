/** Sources of events: topics, the format and the schema of their events, and how their time is read. */
@NullMarked
package io.thalweg.model.source;

import org.jspecify.annotations.NullMarked;
