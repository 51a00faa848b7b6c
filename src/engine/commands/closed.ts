/** What a session says that was left. */
export const CLOSED = 'the session is closed';
