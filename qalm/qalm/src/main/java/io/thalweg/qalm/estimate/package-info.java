/**
 * What a lane estimates from its calls: overload, service times, its limit, the ranks to refuse, and the budgets of callers. Not an API.
 */
@NullMarked
package io.thalweg.qalm.estimate;

import org.jspecify.annotations.NullMarked;
