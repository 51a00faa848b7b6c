/** The program's exit codes. */

export const EXIT = { done: 0, error: 1, usage: 2, interrupted: 130, terminated: 143 } as const;
