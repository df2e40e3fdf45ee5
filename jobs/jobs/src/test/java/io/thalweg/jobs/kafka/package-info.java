@NullMarked
package io.thalweg.jobs.kafka;

import org.jspecify.annotations.NullMarked;
