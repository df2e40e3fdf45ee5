@NullMarked
package io.thalweg.records;

import org.jspecify.annotations.NullMarked;
