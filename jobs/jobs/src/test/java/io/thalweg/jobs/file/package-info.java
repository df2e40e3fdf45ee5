@NullMarked
package io.thalweg.jobs.file;

import org.jspecify.annotations.NullMarked;
