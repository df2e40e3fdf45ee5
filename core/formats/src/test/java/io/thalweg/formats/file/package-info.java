@NullMarked
package io.thalweg.formats.file;

import org.jspecify.annotations.NullMarked;
