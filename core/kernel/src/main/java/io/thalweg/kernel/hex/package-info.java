/**
 * Hexagons: the tiles that own cells, the halo that neighbouring tiles exchange, and the features of a tile, which are
 * sums of counts over hexagonal disks and time windows. The only package of the kernel that depends on H3.
 *
 * <p>A tile without a pentagon nearby is a plane lattice, on which a disk sum takes six lookups in prefix sums regardless of its
 * radius. Every tile is checked for that once. For the others the graph of neighbours is walked instead, which yields the same
 * rows.
 */
@NullMarked
package io.thalweg.kernel.hex;

import org.jspecify.annotations.NullMarked;
