# SPDX-License-Identifier: MIT
{ ask(v("median_us") > 0, "every launch takes time") }
END { ask(rows == 5, "five batches") }
