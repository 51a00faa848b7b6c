/** What questions at the start and the end of a session need of an interactive surface. */

/** Prints lines for the person. */
export type LinesShown = { line(text: string): void };

/** Reads one line as the answer to a question; undefined if nobody answers. */
export type LinesRead = {
  read(options: {
    readonly prompt: string;
    readonly question: true;
    readonly signal: AbortSignal;
  }): Promise<string | undefined>;
};
