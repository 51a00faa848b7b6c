/**
 * Rows for the terminal (TU-32). What it costs to show a session is measured next to a floor that shows the same, each on a
 * session that only tells events; what a user waits for is measured with the program as it is.
 */

import { measureEcho, measureFirstPaint, measurePicker, measureResume } from '../terminal/program.mjs';
import { measureSearches } from '../terminal/searches.mjs';
import { measureShows } from '../terminal/shows.mjs';

export async function measure(stage, runs) {
  return [
    ...(await measureFirstPaint(stage, runs ?? 9)),
    ...(await measureShows(stage, runs ?? 1)),
    ...(await measureEcho(stage)),
    ...(await measureResume(stage)),
    ...(await measureSearches(stage)),
    ...(await measurePicker(stage)),
  ];
}
