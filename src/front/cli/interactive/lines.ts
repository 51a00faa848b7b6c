/** The parts of an interactive surface that questions at the start and end of a session need. */

/** Prints lines for the user. */
export type LinesShown = { line(text: string): void };

/** Reads one line as the answer to a question; undefined if nobody answers. */
export type LinesRead = {
  read(options: {
    readonly prompt: string;
    readonly question: true;
    readonly signal: AbortSignal;
  }): Promise<string | undefined>;
};
